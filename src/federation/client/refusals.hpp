// Which daemons have refused to take which scenarios of an experiment, and why. A refusal takes
// that daemon out for these scenarios, and for nothing else.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "dovetail/time.hpp"

namespace dovetail::federation {

class Refusals {
 public:
  // With the HTTP status. A conflict means that the daemon lacks the months before, or has another
  // request of that name: it may be asked again, twice. Every other refusal is final.
  void add(Count scenario, const std::string& daemon, int status, const std::string& why);

  // Whether the daemon has refused the scenario at least once.
  bool has(Count scenario, const std::string& daemon) const;
  // Whether it would refuse again.
  bool is_final(Count scenario, const std::string& daemon) const;

  // One line with all daemons that refused it: "azur: no such service; sol: not now".
  std::string reasons(Count scenario) const;

 private:
  struct Known {
    int times = 0;
    bool is_final = false;
    std::string why;  // the last time
  };
  std::map<std::pair<Count, std::string>, Known> known_;  // by scenario and daemon
};

}  // namespace dovetail::federation
