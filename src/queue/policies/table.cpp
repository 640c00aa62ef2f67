// THE list of batch-queue policies.
#include <array>

#include "dovetail/error.hpp"
#include "queue/policies/scheduler.hpp"

namespace dovetail::queue {

std::span<const PolicyInfo> policies() {
  static constexpr std::array<PolicyInfo, 3> kTable = {{
      {"conservative", "every waiting job has a planned start, which no later job may delay",
       "plan a start for every waiting job, which no later job may delay",
       "Mu'alem, Feitelson 2001", make_conservative},
      {"easy", "only the first waiting jobs have a planned start (--depth); others fill the gaps",
       "plan a start for the first waiting jobs only (--depth); others fill the gaps", "Lifka 1995",
       make_easy},
      {"fcfs", "first come, first served: no job overtakes another",
       "start jobs in order of arrival: first come, first served", "", make_fcfs},
  }};
  return kTable;
}

std::unique_ptr<Scheduler> make_scheduler(const QueueRules& rules) {
  std::string known;
  for (const PolicyInfo& policy : policies()) {
    if (policy.name == rules.policy) return policy.make(rules);
    known += (known.empty() ? "" : ", ") + std::string(policy.name);
  }
  throw InputError("there is no queue policy \"" + rules.policy + "\"; known are " + known);
}

}  // namespace dovetail::queue
