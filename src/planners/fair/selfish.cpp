// SELFISH: every workflow acts as if it were alone.
//
// Idea: CPA for the whole cluster decides the processors of each workflow's tasks; the tasks of all
// workflows go into one list by decreasing bottom level. Long workflows go first, and short ones
// wait: the baseline that shows why fairness needs care. It ignores weights.
// Ties: lower workflow, then lower task. Cost: one allocation per workflow, one list mapping.
#include <algorithm>

#include "planners/fair/fair_planners.hpp"
#include "planners/fair/list_map.hpp"

namespace dovetail {

Plan plan_selfish(const Sharing& sharing, std::string_view name) {
  if (!sharing.is_possible()) return sharing.to_plan(name, std::nullopt);
  std::vector<std::vector<Count>> allocations;
  for (const Member& member : sharing.members()) allocations.push_back(member.allocation);
  std::vector<TaskRef> list = sharing.tasks();
  std::ranges::stable_sort(list, std::ranges::greater{}, [&](TaskRef ref) {
    return sharing.members()[ref.workflow].levels[ref.task];
  });
  return plan_list(sharing, name, list, allocations);
}

}  // namespace dovetail
