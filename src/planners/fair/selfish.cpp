// SELFISH and SELFISH_ORDER: every workflow acts as if it were alone.
//
// Idea: CPA for the whole cluster decides the processors of each workflow's tasks. SELFISH puts the
// tasks of all workflows into one list by decreasing bottom level. Long workflows go first, and
// short ones wait: the baseline that shows why fairness needs care. It ignores weights.
// SELFISH_ORDER sorts the workflows by their time alone (over their weight), and only the tasks of
// one workflow by decreasing bottom level. Very fair, at the cost of a later end.
// Ties: lower workflow, then lower task. Cost: one allocation per workflow, one list mapping.
#include <algorithm>

#include "planners/fair/fair_planners.hpp"
#include "planners/fair/list_map.hpp"

namespace dovetail::planning {

namespace {

std::vector<std::vector<Count>> own_allocations(const Sharing& sharing) {
  std::vector<std::vector<Count>> allocations;
  for (const Member& member : sharing.members()) allocations.push_back(member.allocation);
  return allocations;
}

}  // namespace

Plan plan_selfish(const Sharing& sharing, std::string_view name) {
  std::vector<TaskRef> list = sharing.tasks();
  std::ranges::stable_sort(list, std::ranges::greater{}, [&](TaskRef ref) {
    return sharing.members()[ref.workflow].levels[ref.task];
  });
  return plan_list(sharing, name, list, own_allocations(sharing));
}

Plan plan_short_first(const Sharing& sharing, std::string_view name,
                      const std::vector<std::vector<Count>>& allocations) {
  std::vector<TaskRef> list;
  for (const std::size_t i : sharing.by_due_length()) {
    const auto levels = bottom_levels(sharing.members()[i].view, allocations[i]);
    for (const TaskId task : by_decreasing_level(levels)) {
      list.push_back({static_cast<std::uint32_t>(i), task});
    }
  }
  return plan_list(sharing, name, list, allocations);
}

Plan plan_selfish_order(const Sharing& sharing, std::string_view name) {
  return plan_short_first(sharing, name, own_allocations(sharing));
}

}  // namespace dovetail::planning
