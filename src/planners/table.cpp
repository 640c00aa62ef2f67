// THE list: one line per planner. The command line, the documentation check, the validity test and
// the studies iterate over it.
#include <algorithm>
#include <array>
#include <memory>

#include "dovetail/metrics.hpp"
#include "dovetail/planner.hpp"
#include "planners/turnaround.hpp"

namespace dovetail {

namespace {

constexpr std::string_view kReservations = "Aida and Casanova 2008";
constexpr std::string_view kCpa = "Radulescu and van Gemund 2001";

template <BottomLevel kLevel, Bound kBound>
Plan bl_bd(PlanningContext& context, std::string_view name) {
  return context.turnaround().plan(kLevel, kBound, name);
}

Plan cpa(PlanningContext& context, std::string_view name) {
  return context.turnaround().plan_cpa(name);
}

using Level = BottomLevel;

constexpr std::array kTable = {
    // clang-format off
PlannerInfo{"BL_1_BD_ALL",       "order by one-processor times; any number of processors",              kReservations, Goal::turnaround, bl_bd<Level::one, Bound::all>, single_cluster_unfit},
PlannerInfo{"BL_1_BD_HALF",      "order by one-processor times; at most half the cluster",              kReservations, Goal::turnaround, bl_bd<Level::one, Bound::half>, single_cluster_unfit},
PlannerInfo{"BL_1_BD_CPA",       "order by one-processor times; CPA's share of the cluster",            kReservations, Goal::turnaround, bl_bd<Level::one, Bound::cpa>, single_cluster_unfit},
PlannerInfo{"BL_1_BD_CPAR",      "order by one-processor times; CPA's share of what is usually free",   kReservations, Goal::turnaround, bl_bd<Level::one, Bound::cpar>, single_cluster_unfit},
PlannerInfo{"BL_ALL_BD_ALL",     "order by whole-cluster times; any number of processors",              kReservations, Goal::turnaround, bl_bd<Level::all, Bound::all>, single_cluster_unfit},
PlannerInfo{"BL_ALL_BD_HALF",    "order by whole-cluster times; at most half the cluster",              kReservations, Goal::turnaround, bl_bd<Level::all, Bound::half>, single_cluster_unfit},
PlannerInfo{"BL_ALL_BD_CPA",     "order by whole-cluster times; CPA's share of the cluster",            kReservations, Goal::turnaround, bl_bd<Level::all, Bound::cpa>, single_cluster_unfit},
PlannerInfo{"BL_ALL_BD_CPAR",    "order by whole-cluster times; CPA's share of what is usually free",   kReservations, Goal::turnaround, bl_bd<Level::all, Bound::cpar>, single_cluster_unfit},
PlannerInfo{"BL_CPA_BD_ALL",     "order by CPA's times; any number of processors",                      kReservations, Goal::turnaround, bl_bd<Level::cpa, Bound::all>, single_cluster_unfit},
PlannerInfo{"BL_CPA_BD_HALF",    "order by CPA's times; at most half the cluster",                      kReservations, Goal::turnaround, bl_bd<Level::cpa, Bound::half>, single_cluster_unfit},
PlannerInfo{"BL_CPA_BD_CPA",     "order by CPA's times; CPA's share of the cluster",                    kReservations, Goal::turnaround, bl_bd<Level::cpa, Bound::cpa>, single_cluster_unfit},
PlannerInfo{"BL_CPA_BD_CPAR",    "order by CPA's times; CPA's share of what is usually free",           kReservations, Goal::turnaround, bl_bd<Level::cpa, Bound::cpar>, single_cluster_unfit},
PlannerInfo{"BL_CPAR_BD_ALL",    "order by CPA's times on what is usually free; any number",            kReservations, Goal::turnaround, bl_bd<Level::cpar, Bound::all>, single_cluster_unfit},
PlannerInfo{"BL_CPAR_BD_HALF",   "order by CPA's times on what is usually free; at most half",          kReservations, Goal::turnaround, bl_bd<Level::cpar, Bound::half>, single_cluster_unfit},
PlannerInfo{"BL_CPAR_BD_CPA",    "order by CPA's times on what is usually free; CPA's share",           kReservations, Goal::turnaround, bl_bd<Level::cpar, Bound::cpa>, single_cluster_unfit},
PlannerInfo{"BL_CPAR_BD_CPAR",   "order and share both by CPA on what is usually free: thrifty",        kReservations, Goal::turnaround, bl_bd<Level::cpar, Bound::cpar>, single_cluster_unfit},
PlannerInfo{"CPA",               "CPA's share exactly, never fewer processors; the classic baseline",   kCpa,          Goal::turnaround, cpa, single_cluster_unfit},
    // clang-format on
};

// How each of several workflows would fare alone, for its stretch.
void add_alone(Plan& plan, const PlannerInfo& planner, const PlanningContext& context) {
  const Problem& problem = context.problem();
  if (problem.workflows().size() == 1 || !plan.feasible) return;
  for (const Workflow& workflow : problem.workflows()) {
    const Problem single({workflow}, problem.platform(), problem.goal(), problem.deadline());
    PlanningContext own(single, context.options());
    plan.alone.push_back(makespan(planner.make(own, planner.name)));
  }
}

Plan make_plan(const PlannerInfo& planner, PlanningContext& context) {
  Plan plan = planner.make(context, planner.name);
  add_alone(plan, planner, context);
  return plan;
}

}  // namespace

PlanningContext::PlanningContext(const Problem& problem, const PlannerOptions& options)
    : problem_(problem), options_(options) {}
PlanningContext::~PlanningContext() = default;

TurnaroundPlanner& PlanningContext::turnaround() {
  if (!turnaround_) turnaround_ = std::make_unique<TurnaroundPlanner>(problem_, options_);
  return *turnaround_;
}

std::span<const PlannerInfo> planners() { return kTable; }

const PlannerInfo* find_planner(std::string_view name) {
  const std::string whole =
      name.starts_with("BD_") ? "BL_CPAR_" + std::string(name) : std::string(name);
  const auto found = std::find_if(kTable.begin(), kTable.end(),
                                  [&](const PlannerInfo& row) { return row.name == whole; });
  return found == kTable.end() ? nullptr : &*found;
}

std::vector<const PlannerInfo*> fitting_planners(const Problem& problem) {
  std::vector<const PlannerInfo*> fitting;
  for (const PlannerInfo& row : kTable) {
    if (row.goal == problem.goal() && row.unfit(problem).empty()) fitting.push_back(&row);
  }
  return fitting;
}

Plan plan(const PlannerInfo& planner, const Problem& problem, const PlannerOptions& options) {
  PlanningContext context(problem, options);
  return make_plan(planner, context);
}

std::vector<Plan> plan_all(const Problem& problem, const PlannerOptions& options) {
  PlanningContext context(problem, options);
  std::vector<Plan> plans;
  for (const PlannerInfo* planner : fitting_planners(problem)) {
    plans.push_back(make_plan(*planner, context));
  }
  return plans;
}

std::size_t best_plan(std::span<const Plan> plans) {
  const auto better = [](const Plan& a, const Plan& b) {
    if (a.feasible != b.feasible) return a.feasible;
    if (makespan(a) != makespan(b)) return makespan(a) < makespan(b);
    return consumed(a) < consumed(b);
  };
  return static_cast<std::size_t>(std::min_element(plans.begin(), plans.end(), better) -
                                  plans.begin());
}

}  // namespace dovetail
