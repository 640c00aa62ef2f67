#include <cmath>

#include "dovetail/frontier.hpp"
#include "dovetail/metrics.hpp"
#include "planners/list/one_cluster.hpp"
#include "planners/list/tightest.hpp"
#include "planners/search/anytime.hpp"
#include "planners/search/lower_bound.hpp"
#include "study/anytime/anytime_cases.hpp"

namespace dovetail::study {
namespace {

constexpr std::size_t kUsualTasks = 50;
constexpr std::size_t kPoints = 16;
constexpr std::size_t kBoundPoints = 76;  // cheap, and a line through few would cut corners
constexpr double kLongest = 2.5;          // times the least turn-around

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
    ours_.offer(fastest);
    const Duration least = makespan(fastest);
    PlanningContext context(problem_);
    planning::OneCluster& cluster = context.shared<planning::OneCluster>();
    const planning::LowerBound bound(cluster.view(), cluster.calendar(), cluster.now());
    for (std::size_t i = 0; i < kPoints; ++i) {
      const Duration length = length_at(least, i, kPoints);
      const Time deadline = problem_.now() + length;
      ours_.offer(search(deadline));
      for (const PlannerInfo* planner : planners_for(Goal::deadline, problem_)) {
        add(frontier.backward, plan_by(*planner, context, deadline), length);
      }
    }
    for (std::size_t i = 0; i < kBoundPoints; ++i) {
      const Duration length = length_at(least, i, kBoundPoints);
      frontier.bound.push_back({length, bound.on_work(problem_.now() + length).work});
    }
    for (const PlannerInfo* planner : planners_for(Goal::turnaround, problem_)) {
      add(frontier.forward, plan_by(*planner, context, std::nullopt),
          length_at(least, kPoints - 1, kPoints));
    }
    for (const Plan& plan : ours_.plans()) {
      frontier.ours.push_back({makespan(plan), consumed(plan)});
    }
  }

 private:
  // From the least turn-around to the longest, evenly by ratio.
  static Duration length_at(Duration least, std::size_t number, std::size_t points) {
    const double share = static_cast<double>(number) / static_cast<double>(points - 1);
    return static_cast<Duration>(static_cast<double>(least) * std::pow(kLongest, share));
  }

  static void add(std::vector<AnytimePoint>& points, const Plan& plan, Duration longest) {
    if (plan.feasible && makespan(plan) <= longest) {
      points.push_back({makespan(plan), consumed(plan)});
    }
  }

  Plan search(std::optional<Time> deadline) const {
    PlanningContext context(problem_, search_options(limit_, std::nullopt));
    return planning::plan_anytime(context, deadline, ours_.plans());
  }

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

}  // namespace dovetail::study
