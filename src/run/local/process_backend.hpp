// Steps as processes of this machine, each below a supervisor (launcher.hpp).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "run/backend.hpp"
#include "run/local/adopted.hpp"
#include "run/local/launcher.hpp"

namespace dovetail::run {

class ProcessBackend final : public Backend {
 public:
  // As a launcher takes them.
  ProcessBackend(const std::string& lock_file, std::shared_ptr<Nursery> nursery);

  void start(const StepCommand& command) override;
  void adopt(const StepCommand& command) override;
  void stop(std::uint32_t task) override;
  std::vector<StepEnd> ended() override;
  int descriptor() const override { return events_.get(); }

 private:
  struct StartedStep {
    std::uint32_t attempt = 0;
    std::string file = {};
  };

  StepEnd end_of(std::uint32_t task) const;
  void ask_to_stop() const;
  void watch(int file) const;
  void set_alarm();

  Launcher launcher_;
  std::map<std::uint32_t, StartedStep> running_;
  // Steps of earlier processes; without a supervisor: it was gone when they were adopted.
  std::map<std::uint32_t, std::optional<Adopted>> adopted_;
  std::set<std::uint32_t> stopping_;
  Descriptor events_;
  Descriptor alarm_;  // for what no file tells of
  bool is_alarmed_ = false;
};

}  // namespace dovetail::run
