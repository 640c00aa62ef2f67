// What a batch system is asked to run.
#pragma once

#include <cstdint>

#include "dovetail/time.hpp"

namespace dovetail::queue {

// The queue counts whole seconds: rounded up.
constexpr Duration whole_seconds(Duration length) {
  return (length + kSecond - 1) / kSecond * kSecond;
}

// What a scheduler knows of a job: it never learns a run time before the job has ended.
struct Ask {
  Count nodes = 1;
  Duration length = 0;     // the request; a job is killed when it is used up
  std::int64_t user = -1;  // unknown users have no cap
  friend bool operator==(const Ask&, const Ask&) = default;
};

// A job of a log: what it asks for, and how long it would really run.
struct Job {
  std::int64_t id = 0;
  Time submit = 0;
  Duration run = 0;
  Ask ask;
  bool cut = false;  // would have run longer than it asked for; `run` is what it was allowed
  friend bool operator==(const Job&, const Job&) = default;
};

}  // namespace dovetail::queue
