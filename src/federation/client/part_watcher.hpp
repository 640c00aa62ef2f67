// Sees one part of an experiment through: submits it until the daemon has it, and then asks for
// news; or, once it is given up, tells the daemon so as soon as that can be reached.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "federation/client/experiment.hpp"
#include "federation/net/http_client.hpp"

namespace dovetail::federation {

struct PartNews {
  // Trouble: it answers that it cannot, at the moment. Told: it knows that it is given up.
  enum class Kind { progress, silence, trouble, refused, told } kind = Kind::progress;
  std::size_t part = 0;
  Json progress = {};
  int status = 0;        // refused
  std::string why = {};  // silence, trouble, refused
};

class PartWatcher {
 public:
  // `tell` is called from the watcher's thread. `order` is what /v1/submit gets.
  PartWatcher(const Caller& caller, std::size_t number, const Part& part, Json order,
              std::function<void(PartNews)> tell);
  ~PartWatcher();
  PartWatcher(const PartWatcher&) = delete;
  PartWatcher& operator=(const PartWatcher&) = delete;

  // Asks the daemon to let these go, until it has heard; their state says when it has.
  void leave(const std::vector<Count>& scenarios);

  // The daemon is believed to be lost: when it comes back, all of the part is cancelled.
  void abandon();

  // It ends with its next answer, which is not waited for here.
  void end() { is_over_ = true; }

 private:
  void work();
  void give_up();
  bool submit();
  void leave_some();
  void watch();
  void pause() const;

  const Caller& caller_;
  std::size_t number_;
  Part part_;
  Json order_;
  std::function<void(PartNews)> tell_;
  std::atomic<bool> is_over_ = false;
  std::atomic<bool> is_abandoned_ = false;
  std::mutex mutex_;
  std::set<Count> leaving_;
  std::uint64_t cursor_ = 0;
  bool is_submitted_ = false;
  bool is_missed_ = false;  // the last question had no answer
  std::thread thread_;
};

}  // namespace dovetail::federation
