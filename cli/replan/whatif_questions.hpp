// The questions that dovetail whatif takes: one row each, plain data.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dovetail/event.hpp"
#include "dovetail/platform.hpp"
#include "dovetail/problem.hpp"

namespace dovetail::cli {

// A question is about another platform, or about something that happens on the way.
struct Change {
  std::string_view option;
  std::string_view help;
  // One of the two. Both throw InputError for a value that they cannot read.
  void (*apply)(const Problem& problem, std::vector<Cluster>& clusters, const std::string& value);
  Event (*happen)(const Problem& problem, const std::string& value);
  bool is_moment = false;  // of the platform that a running plan hears of: NAME@T
};

std::span<const Change> changes();

// The moment in "r4@15".
Time moment_of(const Platform& platform, const Change& change, const std::string& value);

}  // namespace dovetail::cli
