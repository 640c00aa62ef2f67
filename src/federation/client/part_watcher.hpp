// Follows one part of an experiment: submits it until the daemon has it, then asks for news. Once
// the part is given up, tells the daemon as soon as it can be reached.
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
  // Trouble: the daemon answers with an error, or with nonsense. Told: it knows that the part is
  // given up.
  enum class Kind { progress, silence, trouble, refused, told } kind = Kind::progress;
  std::size_t part = 0;
  PartProgress progress = {};
  int status = 0;        // refused
  std::string why = {};  // silence, trouble, refused
};

// Whether the daemon may serve the same call later: it has trouble, or too much to do.
bool is_passing(const Denied& denied);

class PartWatcher {
 public:
  // The watcher's thread calls `tell`. `order` is the body for /v1/submit, without
  // the request's id.
  PartWatcher(const Caller& caller, std::size_t number, const ExperimentPart& part, Json order,
              std::function<void(PartNews)> tell);
  ~PartWatcher();
  PartWatcher(const PartWatcher&) = delete;
  PartWatcher& operator=(const PartWatcher&) = delete;

  // Asks the daemon to release these, until it has received the request. Their state in its answers
  // shows when they are released.
  void leave(const std::vector<Count>& scenarios);

  // Treats the daemon as lost: when it comes back, the whole part is cancelled.
  void abandon();

  // The watcher ends after its next answer; this call does not wait for it.
  void end() { is_over_ = true; }

 private:
  void work();
  void give_up();
  bool submit();
  void leave_some();
  void watch();
  // Calls the daemon about this part.
  Json call(const char* path, Json body, double seconds) const;
  // Reports a failed call, unless the part is abandoned.
  void tell(PartNews::Kind kind, const std::string& why);

  const Caller& caller_;
  std::size_t number_;
  ExperimentPart part_;
  Json order_;
  std::function<void(PartNews)> tell_;
  std::atomic<bool> is_over_ = false;
  std::atomic<bool> is_abandoned_ = false;
  std::mutex mutex_;
  std::set<Count> leaving_;
  std::int64_t cursor_ = 0;
  bool is_submitted_ = false;
  bool is_missed_ = false;  // the last question got no answer
  std::thread thread_;
};

}  // namespace dovetail::federation
