// What is asked of a run while it is conducted: by its caller's interrupts, and by other processes
// through its mailbox.
//
//   RunRequests requests(folder, interrupts);
//   poll(requests.files());
//   for (const ProcessorRequest& asked : requests.hear()) ...
//   if (requests.is_stopping()) ...
//   book.sync(); requests.forget();                   // once all of it is written down
#pragma once

#include <poll.h>

#include <array>
#include <vector>

#include "run/interrupts.hpp"
#include "run/mailbox.hpp"

namespace dovetail::run {

// `dovetail resources`: more or fewer processors.
struct ProcessorRequest {
  Count processors = 1;
  bool at_once = false;  // tasks that do not fit any more are stopped
};

class RunRequests {
 public:
  // Both must outlive it.
  RunRequests(const RunFolder& folder, Interrupts& interrupts);

  // For poll: one of them is readable when there may be something to hear.
  std::array<pollfd, 2> files() const;

  // Takes all that has come in since the last call.
  std::vector<ProcessorRequest> hear();

  // Mail that was heard stays on disk until then.
  void forget() { mailbox_.forget(); }

  // How often the run was asked to stop.
  int stops() const { return stops_; }
  bool is_cancelled() const { return is_cancelled_; }
  bool is_stopping() const { return stops_ > 0 || is_cancelled_; }
  bool is_leaving() const { return is_leaving_; }

 private:
  Interrupts& interrupts_;
  Mailbox mailbox_;
  int stops_ = 0;
  bool is_cancelled_ = false;
  bool is_leaving_ = false;
};

}  // namespace dovetail::run
