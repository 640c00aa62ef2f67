// Random batch queues (random_queue.hpp) in the terms of the library.
#pragma once

#include <memory>
#include <vector>

#include "queue/policies/scheduler.hpp"
#include "support/random_queue.hpp"

namespace dovetail::testing {

inline queue::QueueRules library_rules(const plain::Rules& rules) {
  queue::QueueRules ours;
  ours.policy = rules.policy == plain::Policy::conservative ? "conservative"
                : rules.policy == plain::Policy::easy       ? "easy"
                                                            : "fcfs";
  ours.compress = rules.compress == plain::Compress::arrival   ? queue::Compress::arrival
                  : rules.compress == plain::Compress::rebuild ? queue::Compress::rebuild
                                                               : queue::Compress::none;
  ours.depth = static_cast<std::uint32_t>(rules.depth);
  ours.room = {.nodes = rules.nodes, .contiguous = rules.contiguous, .cap = rules.running_cap};
  for (const auto& taken : rules.reservations) {
    ours.reservations.push_back({kSecond * taken.start, kSecond * taken.end, taken.nodes});
  }
  return ours;
}

inline std::shared_ptr<const std::vector<queue::Job>> library_jobs(
    const std::vector<plain::Job>& log) {
  auto jobs = std::make_shared<std::vector<queue::Job>>();
  for (const plain::Job& job : log) {
    jobs->push_back({.id = job.id,
                     .submit = kSecond * job.submit,
                     .run = kSecond * job.run,
                     .ask = {job.nodes, kSecond * job.request, job.user}});
  }
  return jobs;
}

}  // namespace dovetail::testing
