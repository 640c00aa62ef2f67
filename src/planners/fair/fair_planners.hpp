// The planners for the goal fair: several workflows that share one cluster. Each has its own file
// with its idea, ties and cost. All end with compaction (list_map.hpp), and every plan holds each
// workflow's time alone.
//
// Source: Casanova, Desprez and Suter, Minimizing Stretch and Makespan of Multiple Parallel Task
// Graphs via Malleable Allocations (2010).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dovetail/plan.hpp"
#include "planners/fair/sharing.hpp"

namespace dovetail::planning {

// `name` goes into Plan::algorithm. All need sharing.is_possible().
Plan plan_selfish(const Sharing& sharing, std::string_view name);
Plan plan_selfish_order(const Sharing& sharing, std::string_view name);
Plan plan_cra_work_weight(const Sharing& sharing, std::string_view name);
Plan plan_cafm_k_shelves(const Sharing& sharing, std::string_view name);
Plan plan_mags(const Sharing& sharing, std::string_view name);

// The list of SELFISH_ORDER with other allocations: by workflow, then by task.
Plan plan_short_first(const Sharing& sharing, std::string_view name,
                      const std::vector<std::vector<Count>>& allocations);

// Why CAFM_K_SHELVES, which plans every workflow once for every number of processors, cannot plan
// the problem; empty when it can.
std::string k_shelves_unfit(const Problem& problem);

}  // namespace dovetail::planning
