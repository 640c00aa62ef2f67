// How far a run is, while it runs: on a terminal one line that is written over, with a bar and the
// time left; elsewhere a line for every task that ends.
#pragma once

#include <string>

#include "dovetail/problem.hpp"
#include "run/dispatcher.hpp"
#include "run/run_folder.hpp"
#include "run/run_state.hpp"

namespace dovetail::cli {

class RunProgress {
 public:
  RunProgress(const run::RunFolder& folder, const Problem& problem);

  // An attempt has ended.
  void ended(std::uint32_t task, const run::RunState& state);
  void again(std::uint32_t task, const std::string& why);
  void decided(const Evaluation& decision);
  void interrupted(int times, const run::Dispatcher& dispatcher);
  void changed(const run::RunState& state, const run::Dispatcher& dispatcher, Time now);

  // Takes the line away.
  void clear();

  bool is_live() const { return is_terminal_; }

 private:
  void tell_kept(const run::RunState& state);
  std::string time_left(const run::Dispatcher& dispatcher, Time now);

  const run::RunFolder& folder_;
  const Problem& problem_;
  bool is_terminal_;
  bool has_begun_ = false;
  int tasks_again_ = 0;  // that were done before
  bool has_line_ = false;
  Time drawn_ = -1000;
  Time forecast_ = 0;
  Time next_forecast_ = 0;
};

}  // namespace dovetail::cli
