// What a planner is, and the table of all of them.
//
// A planner is a pure function from a problem to a plan: deterministic, with every tie broken by a
// rule that is written down. When it finds no plan it answers one with feasible == false.
//
//   const PlannerInfo* planner = find_planner("BL_CPAR_BD_CPAR");
//   Plan plan = dovetail::plan(*planner, problem);
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <typeindex>
#include <vector>

#include "dovetail/plan.hpp"
#include "dovetail/problem.hpp"
#include "dovetail/search.hpp"

namespace dovetail {

// When CPA stops giving processors: `improved` compares the critical path with the area over
// min(q, sqrt(V q)), `classic` with the area over q.
enum class CpaStop { improved, classic };

// How the guide of resource-conservative deadline planning is read; see
// src/planners/list/unloaded_starts.hpp.
enum class GuideReading { front, whole, remaining };

// What bounds the processors of a task for which plain resource-conservative planning finds no slot
// after its guide: the cluster, or CPA's share.
enum class Fallback { cluster, share };

// How a task's files reach it under Min-Min.
enum class StageIn {
  parallel,  // all at once: the longest transfer counts
  sum,       // one after the other
  compute,   // in parallel; but the choice looks at run times alone
  idle,      // in parallel; only idle resources are given tasks
  blocking   // in parallel; the resource waits for them and does nothing else
};

// Where a paper is open and more than one reading is of interest. The defaults are what the names
// of the planners stand for.
struct PlannerOptions {
  CpaStop cpa_stop = CpaStop::improved;
  GuideReading guide = GuideReading::front;
  Fallback fallback = Fallback::cluster;
  StageIn stage_in = StageIn::parallel;
  SearchLimits search = {};  // of DOVETAIL and DOVETAIL_FAIR
};

// What the planners of one problem share (allocations, bottom levels), computed when first needed.
// One per problem and thread; the problem must outlive it.
class PlanningContext {
 public:
  explicit PlanningContext(const Problem& problem, const PlannerOptions& options = {})
      : problem_(problem), options_(options) {}
  PlanningContext(const PlanningContext&) = delete;
  PlanningContext& operator=(const PlanningContext&) = delete;

  const Problem& problem() const { return problem_; }
  const PlannerOptions& options() const { return options_; }

  // The one T of this context, made from the context when first asked for; its constructor may ask
  // for others.
  template <typename T>
  T& shared() {
    std::shared_ptr<void>& part = parts_[typeid(T)];
    if (!part) part = std::make_shared<T>(*this);
    return *static_cast<T*>(part.get());
  }

 private:
  const Problem& problem_;
  PlannerOptions options_;
  std::map<std::type_index, std::shared_ptr<void>> parts_;
};

// What is asked of a planner.
struct PlanRequest {
  std::string_view name = {};                   // goes into Plan::algorithm
  std::optional<Time> deadline = std::nullopt;  // for planners that plan for one
};

// How a planner for unlike resources goes on when something happens; see
// src/planners/pool/pool.hpp.
struct PoolRule;

// A row of the table: plain data.
struct PlannerInfo {
  std::string_view name;     // as published
  std::string_view summary;  // one line for readers who do not know the name
  std::string_view source;   // authors, year
  Goal goal;
  // Use plan() and plan_by() below, which also see to the deadline.
  Plan (*make)(PlanningContext& context, const PlanRequest& request);
  // Why this planner cannot plan this problem, as the end of a sentence; empty when it can.
  std::string (*unfit)(const Problem& problem);
  // What the planner does not see, so that its plan may not be possible, as the end of a sentence;
  // empty, or no function: nothing. Such plans are made only when asked for by name.
  std::string (*blind)(const Problem& problem) = nullptr;
  PoolRule (*pool_rule)() = nullptr;  // of planners for unlike resources
  bool is_search = false;             // takes much longer than others: made only when asked for
};

std::span<const PlannerInfo> planners();

// By published name. "BD_y" means "BL_CPAR_BD_y". Null when there is none.
const PlannerInfo* find_planner(std::string_view name);

// Whether a planner serves the goal: one made for it, and for deadlines also those that end as
// early as they can.
bool serves(const PlannerInfo& planner, Goal goal);

// Every planner that serves the problem's goal and can plan it, in table order.
std::vector<const PlannerInfo*> fitting_planners(const Problem& problem);

// Every planner made for the goal that can plan the problem, in table order.
std::vector<const PlannerInfo*> planners_for(Goal goal, const Problem& problem);

// Needs planner.unfit(problem) to be empty. When the problem has a deadline, a plan that would end
// after it is infeasible, whatever the planner.
Plan plan(const PlannerInfo& planner, const Problem& problem, const PlannerOptions& options = {});

// The same at a deadline of the caller's instead of the problem's, sharing what the context has.
Plan plan_by(const PlannerInfo& planner, PlanningContext& context, std::optional<Time> deadline);

// DOVETAIL's plan, at a deadline where there is one; its search begins with these plans as well.
// Needs single_cluster_unfit to be empty.
Plan plan_from(PlanningContext& context, std::optional<Time> deadline, std::span<const Plan> known);

// Whether DOVETAIL can plan the problem.
bool can_search(const Problem& problem);

// The same context's problem without limits of CPU time.
PlannerOptions at_any_cost(PlannerOptions options);

// One plan per fitting planner, in table order, with what they share computed once.
std::vector<Plan> plan_all(const Problem& problem, const PlannerOptions& options = {});
std::vector<Plan> plan_all(PlanningContext& context);

// A published plan for the goal fair: fairest_plan of all algorithms for it (fairness.hpp). Of very
// many tasks, only MAGS is asked as long as it has a plan.
Plan fair_plan(PlanningContext& context);

// Of the plans for the goal fair, made without a look at the deadline, the one that ends first.
// Infeasible when there is none.
Plan earliest_fair_plan(PlanningContext& context);

// The position of the best plan for turn-around or a deadline: feasible, then earliest end and
// least CPU time, for a deadline the other way round, then the first. Needs at least one plan.
std::size_t best_plan(std::span<const Plan> plans, Goal goal = Goal::turnaround);

}  // namespace dovetail
