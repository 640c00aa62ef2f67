// THE list: one line per planner. The command line, the documentation check, the validity test and
// the studies iterate over it.
#include <algorithm>
#include <array>

#include "dovetail/fairness.hpp"
#include "dovetail/metrics.hpp"
#include "dovetail/planner.hpp"
#include "planners/fair/fair_planners.hpp"
#include "planners/fair/fair_search.hpp"
#include "planners/list/deadline.hpp"
#include "planners/list/turnaround.hpp"
#include "planners/pool/heterogeneous.hpp"
#include "planners/pool/pool.hpp"
#include "planners/search/anytime.hpp"
#include "planners/task_limits.hpp"

namespace dovetail::planning {

namespace {

constexpr std::string_view kReservations = "Aida and Casanova 2008";
constexpr std::string_view kOwn = "Dovetail";
constexpr std::string_view kCpa = "Radulescu and van Gemund 2001";
constexpr std::string_view kHeft = "Topcuoglu, Hariri and Wu 2002";
constexpr std::string_view kAheft = "Yu and Shi 2007";
constexpr std::string_view kMags = "Casanova, Desprez and Suter 2010";

template <BottomLevel kLevel, Bound kBound>
Plan bl_bd(PlanningContext& context, const PlanRequest& request) {
  return plan_turnaround(context.shared<OneCluster>(), kLevel, kBound, request.name);
}

Plan cpa(PlanningContext& context, const PlanRequest& request) {
  return plan_cpa(context.shared<OneCluster>(), request.name);
}

template <DeadlineRule kRule>
Plan dl(PlanningContext& context, const PlanRequest& request) {
  return context.shared<DeadlinePlanner>().plan(kRule, request.deadline.value(), request.name);
}

Plan dovetail_search(PlanningContext& context, const PlanRequest& request) {
  return plan_anytime(context, request.deadline);
}

Plan fair_search(PlanningContext& context, const PlanRequest& request) {
  return plan_fair_search(context, request.deadline);
}

Plan heft(PlanningContext& context, const PlanRequest& request) {
  return plan_heft(context, request.name);
}

template <PoolRule (*kRule)()>
Plan on_pool(PlanningContext& context, const PlanRequest& request) {
  return plan_on_pool(context, request.name, kRule());
}

template <Plan (*kPlan)(const Sharing&, std::string_view)>
Plan shared(PlanningContext& context, const PlanRequest& request) {
  const Sharing& sharing = context.shared<Sharing>();
  return sharing.is_possible() ? kPlan(sharing, request.name)
                               : sharing.to_plan(request.name, std::nullopt);
}

constexpr DeadlineRule kBdAll{Guide::none, Bound::all};
constexpr DeadlineRule kBdCpa{Guide::none, Bound::cpa};
constexpr DeadlineRule kBdCpar{Guide::none, Bound::cpar};
constexpr DeadlineRule kRcCpa{Guide::cpa, Bound::all};
constexpr DeadlineRule kRcCpar{Guide::cpar, Bound::all};
constexpr DeadlineRule kRcLambda{Guide::cpar, Bound::all, true};
constexpr DeadlineRule kRcbdLambda{Guide::cpar, Bound::cpar, true};

constexpr std::array kTable = {
    // clang-format off
PlannerInfo{"BL_1_BD_ALL",       "order by one-processor times; any number of processors",              kReservations, Goal::turnaround, bl_bd<BottomLevel::one, Bound::all>, single_cluster_unfit},
PlannerInfo{"BL_1_BD_HALF",      "order by one-processor times; at most half the cluster",              kReservations, Goal::turnaround, bl_bd<BottomLevel::one, Bound::half>, single_cluster_unfit},
PlannerInfo{"BL_1_BD_CPA",       "order by one-processor times; CPA's share of the cluster",            kReservations, Goal::turnaround, bl_bd<BottomLevel::one, Bound::cpa>, single_cluster_unfit},
PlannerInfo{"BL_1_BD_CPAR",      "order by one-processor times; CPA's share of what is usually free",   kReservations, Goal::turnaround, bl_bd<BottomLevel::one, Bound::cpar>, single_cluster_unfit},
PlannerInfo{"BL_ALL_BD_ALL",     "order by whole-cluster times; any number of processors",              kReservations, Goal::turnaround, bl_bd<BottomLevel::all, Bound::all>, single_cluster_unfit},
PlannerInfo{"BL_ALL_BD_HALF",    "order by whole-cluster times; at most half the cluster",              kReservations, Goal::turnaround, bl_bd<BottomLevel::all, Bound::half>, single_cluster_unfit},
PlannerInfo{"BL_ALL_BD_CPA",     "order by whole-cluster times; CPA's share of the cluster",            kReservations, Goal::turnaround, bl_bd<BottomLevel::all, Bound::cpa>, single_cluster_unfit},
PlannerInfo{"BL_ALL_BD_CPAR",    "order by whole-cluster times; CPA's share of what is usually free",   kReservations, Goal::turnaround, bl_bd<BottomLevel::all, Bound::cpar>, single_cluster_unfit},
PlannerInfo{"BL_CPA_BD_ALL",     "order by CPA's times; any number of processors",                      kReservations, Goal::turnaround, bl_bd<BottomLevel::cpa, Bound::all>, single_cluster_unfit},
PlannerInfo{"BL_CPA_BD_HALF",    "order by CPA's times; at most half the cluster",                      kReservations, Goal::turnaround, bl_bd<BottomLevel::cpa, Bound::half>, single_cluster_unfit},
PlannerInfo{"BL_CPA_BD_CPA",     "order by CPA's times; CPA's share of the cluster",                    kReservations, Goal::turnaround, bl_bd<BottomLevel::cpa, Bound::cpa>, single_cluster_unfit},
PlannerInfo{"BL_CPA_BD_CPAR",    "order by CPA's times; CPA's share of what is usually free",           kReservations, Goal::turnaround, bl_bd<BottomLevel::cpa, Bound::cpar>, single_cluster_unfit},
PlannerInfo{"BL_CPAR_BD_ALL",    "order by CPA's times on what is usually free; any number",            kReservations, Goal::turnaround, bl_bd<BottomLevel::cpar, Bound::all>, single_cluster_unfit},
PlannerInfo{"BL_CPAR_BD_HALF",   "order by CPA's times on what is usually free; at most half",          kReservations, Goal::turnaround, bl_bd<BottomLevel::cpar, Bound::half>, single_cluster_unfit},
PlannerInfo{"BL_CPAR_BD_CPA",    "order by CPA's times on what is usually free; CPA's share",           kReservations, Goal::turnaround, bl_bd<BottomLevel::cpar, Bound::cpa>, single_cluster_unfit},
PlannerInfo{"BL_CPAR_BD_CPAR",   "order and share both by CPA on what is usually free: thrifty",        kReservations, Goal::turnaround, bl_bd<BottomLevel::cpar, Bound::cpar>, single_cluster_unfit},
PlannerInfo{"CPA",               "CPA's share exactly, never fewer processors; the classic baseline",   kCpa,          Goal::turnaround, cpa, single_cluster_unfit},
PlannerInfo{"DOVETAIL",          "search from the published plans on; at most a quarter more CPU-hours than the thrifty one", kOwn, Goal::turnaround, dovetail_search, single_cluster_unfit, nullptr, nullptr, true},
PlannerInfo{"DL_BD_ALL",           "back from the deadline, each task as late as possible, on any number",   kReservations, Goal::deadline, dl<kBdAll>, single_cluster_unfit},
PlannerInfo{"DL_BD_CPA",           "back from the deadline, as late as possible; CPA's share of the cluster", kReservations, Goal::deadline, dl<kBdCpa>, single_cluster_unfit},
PlannerInfo{"DL_BD_CPAR",          "the same; CPA's share of what is usually free",                          kReservations, Goal::deadline, dl<kBdCpar>, single_cluster_unfit},
PlannerInfo{"DL_RC_CPA",           "as few processors as a plan of the empty cluster allows: thrifty",       kReservations, Goal::deadline, dl<kRcCpa>, single_cluster_unfit},
PlannerInfo{"DL_RC_CPAR",          "the same by a plan of what is usually free: thriftiest",                 kReservations, Goal::deadline, dl<kRcCpar>, single_cluster_unfit},
PlannerInfo{"DL_RC_CPAR-lambda",   "between thrifty and as late as possible, as thrifty as the deadline lets", kReservations, Goal::deadline, dl<kRcLambda>, single_cluster_unfit},
PlannerInfo{"DL_RCBD_CPAR-lambda", "the same, never above CPA's share: thrifty and tight",                   kReservations, Goal::deadline, dl<kRcbdLambda>, single_cluster_unfit},
PlannerInfo{"HEFT",        "heterogeneous machines: planned once, each task where it ends first",          kHeft,  Goal::turnaround, heft, pool_unfit, leaves_unseen, heft_rule},
PlannerInfo{"AHEFT",       "heterogeneous machines that come and go: replanned when that ends earlier",    kAheft, Goal::turnaround, on_pool<aheft_rule>, pool_unfit, nullptr, aheft_rule},
PlannerInfo{"AHEFT_PAPER", "the same by the printed equations: mean costs, files sent anew",              kAheft, Goal::turnaround, on_pool<aheft_paper_rule>, pool_unfit, nullptr, aheft_paper_rule},
PlannerInfo{"MINMIN",      "heterogeneous machines: just in time, the task that can finish first",         kAheft, Goal::turnaround, on_pool<min_min_rule>, pool_unfit, nullptr, min_min_rule},
PlannerInfo{"SELFISH",         "workflows side by side, each as if it were alone; long ones go first",          kMags, Goal::fair, shared<plan_selfish>, single_cluster_unfit},
PlannerInfo{"SELFISH_ORDER",   "the same, short workflows first: fair, but the last end is late",               kMags, Goal::fair, shared<plan_selfish_order>, single_cluster_unfit},
PlannerInfo{"CRA_WORK_WEIGHT", "each workflow a fixed share of the processors by its work; short ones go first", kMags, Goal::fair, shared<plan_cra_work_weight>, single_cluster_unfit},
PlannerInfo{"CAFM_K_SHELVES",  "workflows as boxes on shelves of doubling length; slow on many processors",     kMags, Goal::fair, shared<plan_cafm_k_shelves>, k_shelves_unfit},
PlannerInfo{"MAGS",            "shares that change by periods: no workflow waits over twice what is fair",      kMags, Goal::fair, shared<plan_mags>, single_cluster_unfit},
PlannerInfo{"DOVETAIL_FAIR",   "search from these plans on; never worse than MAGS in makespan or stretch",       kOwn,  Goal::fair, fair_search, single_cluster_unfit, nullptr, nullptr, true},
    // clang-format on
};

constexpr std::string_view kFairDefault = "MAGS";
constexpr std::string_view kSearch = "DOVETAIL";

// Whether the planner sees all that its plan depends on.
bool sees(const PlannerInfo& planner, const Problem& problem) {
  return planner.blind == nullptr || planner.blind(problem).empty();
}

bool is_made_unasked(const PlannerInfo& planner, const Problem& problem) {
  return !planner.is_search && planner.unfit(problem).empty() && sees(planner, problem);
}

// How each of several workflows would fare alone, for its stretch. A plan made backwards from a
// deadline ends as late as it may, so that there is nothing to compare.
void add_alone(Plan& plan, const PlannerInfo& planner, const PlanningContext& context) {
  const Problem& problem = context.problem();
  if (problem.workflows().size() == 1 || !plan.feasible || !plan.alone.empty()) return;
  if (planner.goal == Goal::deadline || (planner.is_search && plan.deadline)) return;
  for (const Workflow& workflow : problem.workflows()) {
    const Problem single({workflow}, problem.platform());
    PlanningContext own(single, context.options());
    plan.alone.push_back(makespan(single, planner.make(own, {.name = planner.name}), 0));
  }
}

Plan finished(Plan plan, const PlannerInfo& planner, const PlanningContext& context,
              std::optional<Time> deadline) {
  plan.deadline = deadline;
  if (deadline && plan.now + makespan(plan) > *deadline) {
    plan.feasible = false;
    plan.placements.clear();
    plan.nodes.clear();
  }
  add_alone(plan, planner, context);
  return plan;
}

// The search counts processors, and a plan that is worse by that count may be better on nodes. What
// the search has proved holds for both.
void take_better_on_nodes(Plan& plan, std::span<const Plan> known) {
  if (plan.nodes.empty()) return;
  for (const Plan& other : known) {
    const bool is_cheap = other.feasible && consumed(other) <= consumed(plan);
    if (!is_cheap || makespan(other) >= makespan(plan)) continue;
    plan.placements = other.placements;
    plan.nodes = other.nodes;
  }
}

// The rows of the wanted planners that are made unasked.
template <typename Wanted>
std::vector<const PlannerInfo*> fitting(const Problem& problem, const Wanted& wanted) {
  std::vector<const PlannerInfo*> rows;
  for (const PlannerInfo& row : kTable) {
    if (wanted(row) && is_made_unasked(row, problem)) rows.push_back(&row);
  }
  return rows;
}

std::vector<Plan> plans_by(std::span<const PlannerInfo* const> planners, PlanningContext& context,
                           std::optional<Time> deadline) {
  std::vector<Plan> plans;
  for (const PlannerInfo* planner : planners) plans.push_back(plan_by(*planner, context, deadline));
  return plans;
}

}  // namespace

}  // namespace dovetail::planning

namespace dovetail {

std::span<const PlannerInfo> planners() { return planning::kTable; }

const PlannerInfo* find_planner(std::string_view name) {
  const std::string whole =
      name.starts_with("BD_") ? "BL_CPAR_" + std::string(name) : std::string(name);
  const auto found = std::ranges::find(planning::kTable, whole, &PlannerInfo::name);
  return found == planning::kTable.end() ? nullptr : &*found;
}

bool serves(const PlannerInfo& planner, Goal goal) {
  return planner.goal == goal || (planner.goal == Goal::turnaround && goal == Goal::deadline);
}

std::vector<const PlannerInfo*> fitting_planners(const Problem& problem) {
  return planning::fitting(problem,
                           [&](const PlannerInfo& row) { return serves(row, problem.goal()); });
}

std::vector<const PlannerInfo*> planners_for(Goal goal, const Problem& problem) {
  return planning::fitting(problem, [&](const PlannerInfo& row) { return row.goal == goal; });
}

Plan plan_by(const PlannerInfo& planner, PlanningContext& context, std::optional<Time> deadline) {
  return planning::finished(planner.make(context, {.name = planner.name, .deadline = deadline}),
                            planner, context, deadline);
}

Plan plan_from(PlanningContext& context, std::optional<Time> deadline,
               std::span<const Plan> known) {
  Plan plan = planning::plan_anytime(context, deadline, known);
  planning::take_better_on_nodes(plan, known);
  return planning::finished(std::move(plan), *find_planner(planning::kSearch), context, deadline);
}

bool can_search(const Problem& problem) {
  return find_planner(planning::kSearch)->unfit(problem).empty();
}

PlannerOptions at_any_cost(PlannerOptions options) {
  options.search.cpu_factor.reset();
  options.search.budget.reset();
  return options;
}

Plan plan(const PlannerInfo& planner, const Problem& problem, const PlannerOptions& options) {
  PlanningContext context(problem, options);
  return plan_by(planner, context, problem.deadline());
}

std::vector<Plan> plan_all(PlanningContext& context) {
  const Problem& problem = context.problem();
  return planning::plans_by(fitting_planners(problem), context, problem.deadline());
}

std::vector<Plan> plan_all(const Problem& problem, const PlannerOptions& options) {
  PlanningContext context(problem, options);
  return plan_all(context);
}

Plan fair_plan(PlanningContext& context) {
  const Problem& problem = context.problem();
  if (problem.task_count() > planning::kManyTasks) {
    Plan plan = plan_by(*find_planner(planning::kFairDefault), context, problem.deadline());
    if (plan.feasible) return plan;
  }
  auto plans = planning::plans_by(planners_for(Goal::fair, problem), context, problem.deadline());
  return std::move(plans[fairest_plan(problem, plans)]);
}

Plan earliest_fair_plan(PlanningContext& context) {
  auto plans =
      planning::plans_by(planners_for(Goal::fair, context.problem()), context, std::nullopt);
  return std::move(plans[best_plan(plans)]);
}

std::size_t best_plan(std::span<const Plan> plans, Goal goal) {
  const auto better = [goal](const Plan& a, const Plan& b) {
    if (a.feasible != b.feasible) return a.feasible;
    const Duration sooner = makespan(b) - makespan(a);
    const Area cheaper = consumed(b) - consumed(a);
    if (goal == Goal::deadline && cheaper != 0) return cheaper > 0;
    return sooner != 0 ? sooner > 0 : cheaper > 0;
  };
  return static_cast<std::size_t>(std::ranges::min_element(plans, better) - plans.begin());
}

}  // namespace dovetail
