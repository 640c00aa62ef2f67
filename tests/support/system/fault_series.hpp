// Plays a scene with many faults, several at a time, each in a process and a folder of its own.
//
//   FaultSeries series([&](const auto& folder) { return std::make_unique<RunScene>(folder); });
//   const std::vector<Trial> all = series.trials(TracedRole::program, 2);
//   const std::string wrong = complaints_of(series.play(some_of(all, 20, 1)));
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "support/system/fault_scene.hpp"

namespace dovetail::testing {

class FaultSeries {
 public:
  using MakeScene = std::function<std::unique_ptr<FaultScene>(const std::string& folder)>;

  explicit FaultSeries(MakeScene make) : make_(std::move(make)) {}

  // Every fault of every call of the program, as that many runs without faults made them. Of a call
  // that is made more than sixteen times, these are the first ten and the last six.
  std::vector<Trial> trials(TracedRole role, std::size_t looks) const;

  // In any order.
  std::vector<TrialEnd> play(const std::vector<Trial>& trials) const;

 private:
  MakeScene make_;
};

// That many, chosen by the seed.
std::vector<Trial> some_of(std::vector<Trial> trials, std::size_t count, unsigned seed);

// Those that went wrong, one to a line, and those with the same complaints together.
std::string complaints_of(const std::vector<TrialEnd>& ends);

// "812 trials, 790 reached, 640 exit 0, 150 exit 3, ..."
std::string counts_of(const std::vector<TrialEnd>& ends);

}  // namespace dovetail::testing
