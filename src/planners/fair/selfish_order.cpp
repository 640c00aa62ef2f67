// SELFISH_ORDER: as SELFISH, but short workflows go first.
//
// Idea: the list sorts the workflows by their time alone (over their weight), and the tasks of one
// workflow by decreasing bottom level. Very fair, at the cost of a later end.
// Ties: lower workflow, then lower task. Cost: one allocation per workflow, one list mapping.
#include <algorithm>

#include "planners/fair/fair_planners.hpp"
#include "planners/fair/list_map.hpp"
#include "planners/list/levels.hpp"

namespace dovetail {

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
  if (!sharing.is_possible()) return sharing.to_plan(name, std::nullopt);
  std::vector<std::vector<Count>> allocations;
  for (const Member& member : sharing.members()) allocations.push_back(member.allocation);
  return plan_short_first(sharing, name, allocations);
}

}  // namespace dovetail
