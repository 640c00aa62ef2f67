#include "study/anytime_frontier.hpp"

#include <cmath>

#include "dovetail/frontier.hpp"
#include "dovetail/metrics.hpp"
#include "dovetail/tightest.hpp"
#include "planners/anytime.hpp"
#include "planners/lower_bound.hpp"
#include "planners/one_cluster.hpp"
#include "study/timing.hpp"

namespace dovetail {
namespace {

constexpr std::size_t kUsualTasks = 50;
constexpr std::size_t kPoints = 16;
constexpr double kLongest = 2.5;  // times the least turn-around

std::size_t chosen_case(const AnytimeCases& cases) {
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const AnytimeCase one = cases.make_case(i);
    if (one.tasks == kUsualTasks && one.width == 0.5) return i;
  }
  return 0;
}

class FrontierRun {
 public:
  FrontierRun(const Problem& problem, const AnytimeLimit& limit)
      : problem_(problem), limit_(limit) {}

  void run(AnytimeFrontier& frontier) {
    const Plan fastest = search(std::nullopt);
    offer(fastest);
    const Duration least = makespan(fastest);
    PlanningContext context(problem_);
    OneCluster& cluster = context.shared<OneCluster>();
    const LowerBound bound(cluster.view(), cluster.calendar(), cluster.now());
    for (std::size_t i = 0; i < kPoints; ++i) {
      const double share = static_cast<double>(i) / (kPoints - 1);
      const auto length =
          static_cast<Duration>(static_cast<double>(least) * std::pow(kLongest, share));
      const Time deadline = problem_.now() + length;
      const Plan plan = search(deadline);
      offer(plan);
      frontier.bound.push_back({length, bound.on_work(deadline).work});
      for (const PlannerInfo* planner : planners_for(Goal::deadline, problem_)) {
        add(frontier.backward, plan_by(*planner, context, deadline), length);
      }
    }
    for (const PlannerInfo* planner : planners_for(Goal::turnaround, problem_)) {
      add(frontier.forward, plan_by(*planner, context, std::nullopt),
          static_cast<Duration>(static_cast<double>(least) * kLongest));
    }
    for (const Plan& plan : ours_.plans()) {
      frontier.ours.push_back({makespan(plan), consumed(plan)});
    }
  }

 private:
  static void add(std::vector<AnytimePoint>& points, const Plan& plan, Duration longest) {
    if (plan.feasible && makespan(plan) <= longest) {
      points.push_back({makespan(plan), consumed(plan)});
    }
  }

  Plan search(std::optional<Time> deadline) const {
    PlannerOptions options;
    options.search.threads = 1;
    options.search.trials = limit_.trials;
    options.search.cpu_factor = std::nullopt;
    options.search.clock = thread_seconds;
    if (limit_.milliseconds) options.search.seconds = *limit_.milliseconds / 1000;
    PlanningContext context(problem_, options);
    return plan_anytime(context, deadline, ours_.plans());
  }

  void offer(const Plan& plan) { ours_.offer(plan); }

  const Problem& problem_;
  const AnytimeLimit& limit_;
  Frontier ours_;
};

}  // namespace

AnytimeFrontier anytime_frontier(const AnytimeCases& cases, const AnytimeLimit& limit) {
  const std::size_t number = chosen_case(cases);
  const AnytimeCase one = cases.make_case(number);
  AnytimeFrontier frontier{.log = one.log, .processors = one.processors, .tasks = one.tasks};
  const Problem problem = cases.make_problem(number);
  FrontierRun(problem, limit).run(frontier);
  return frontier;
}

}  // namespace dovetail
