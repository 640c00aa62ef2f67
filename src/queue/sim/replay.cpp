#include "queue/sim/replay.hpp"

#include <algorithm>
#include <utility>

namespace dovetail::queue {

void replay(JobSource& jobs, const QueueRules& rules, ReplaySink& sink) {
  Machine machine(rules);
  for (;;) {
    const Time arrival = jobs.peek() == nullptr ? kForever : jobs.peek()->submit;
    const Time now = std::min(arrival, machine.next());
    if (now == kForever) return;
    const auto ended = machine.open(now);
    if (!ended.empty()) sink.ended(ended);
    submit_arrivals(machine, jobs);
    machine.pass();
    sink.state(now, machine.waiting(), machine.busy());
  }
}

std::vector<JobRecord> JobCollector::take() {
  std::ranges::sort(records_, {}, &JobRecord::arrival);
  return std::exchange(records_, {});
}

std::vector<JobRecord> replay_all(JobSource& jobs, const QueueRules& rules) {
  JobCollector collector;
  replay(jobs, rules, collector);
  return collector.take();
}

}  // namespace dovetail::queue
