// Which daemons are silent, which of them are lost, and which get no new work for a while. Pure:
// the caller passes the time.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "dovetail/time.hpp"

namespace dovetail::federation {

class LostDaemons {
 public:
  // A daemon is lost when it has not answered for that long and several questions: under load a
  // single answer may be late.
  explicit LostDaemons(Duration lost_after) : lost_after_(lost_after) {}

  // A question about a part got no answer that can be used. True for the first one in a row.
  bool miss(std::size_t part, const std::string& daemon, Time now);
  // The part's daemon answers. False if it was not silent.
  bool hear(std::size_t part) { return silent_.erase(part) > 0; }

  bool is_any_silent() const { return !silent_.empty(); }
  // The parts whose daemons are lost.
  std::vector<std::size_t> lost(Time now) const;
  // The part is given up, and its daemon gets no new work for a while. The time doubles with each
  // loss, since the cluster may again offer what it cannot do.
  void give_up(std::size_t part, Time now);

  // Whether the daemon gets no new work: it answers the agent but not us, or was lost recently.
  bool is_avoided(const std::string& daemon, Time now) const;

 private:
  struct Silence {
    std::string daemon;
    Time since = 0;
    int questions = 0;
  };
  struct Avoided {
    Time until = 0;
    int times = 0;
  };

  Duration lost_after_;
  std::map<std::size_t, Silence> silent_;   // by part
  std::map<std::string, Avoided> avoided_;  // by daemon
};

}  // namespace dovetail::federation
