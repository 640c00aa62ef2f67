// Runs the DOVETAIL study: every case by the published planners and by all searches.
#include <algorithm>
#include <iterator>

#include "dovetail/check.hpp"
#include "dovetail/metrics.hpp"
#include "gen/task_times.hpp"
#include "planners/list/one_cluster.hpp"
#include "planners/list/tightest.hpp"
#include "planners/list/turnaround.hpp"
#include "planners/search/anytime.hpp"
#include "planners/search/lower_bound.hpp"
#include "study/anytime/anytime_cases.hpp"
#include "study/anytime/anytime_study.hpp"
#include "study/timing.hpp"

namespace dovetail::study {
namespace {

// For real shapes only turn-around is asked: DL_ planners take long for hundreds of tasks.
bool is_asked(AnytimeQuestion question, const AnytimeCase& one,
              std::span<const AnytimeQuestion> wanted) {
  const bool is_of_shapes =
      question == AnytimeQuestion::any_hours || question == AnytimeQuestion::default_hours;
  if (!one.shape.empty() && !is_of_shapes) return false;
  return wanted.empty() || std::ranges::count(wanted, question) > 0;
}

// Plans one case in every way.
class CaseRun {
 public:
  CaseRun(AnytimeCase& one, const Problem& problem) : case_(one), problem_(problem) {}

  void run(std::span<const AnytimeLimit> limits, std::span<const AnytimeQuestion> wanted) {
    PlanningContext context(problem_);
    plan_forward(context);
    // Turn-arounds are also compared with the tightest deadline.
    if (case_.shape.empty()) plan_backward(context);
    for (const AnytimeQuestion question : kAnytimeQuestions) {
      if (!is_asked(question, case_, wanted)) continue;
      if (question == AnytimeQuestion::loose_deadline && !case_.loose_area) continue;
      for (std::size_t limit = 0; limit < limits.size(); ++limit) {
        search(question, limit, limits[limit]);
      }
    }
  }

 private:
  void plan_forward(PlanningContext& context) {
    planning::OneCluster& cluster = context.shared<planning::OneCluster>();
    case_.best16 = kForever;
    for (const planning::BottomLevel level :
         {planning::BottomLevel::one, planning::BottomLevel::all, planning::BottomLevel::cpa,
          planning::BottomLevel::cpar}) {
      for (const planning::Bound bound : {planning::Bound::all, planning::Bound::half,
                                          planning::Bound::cpa, planning::Bound::cpar}) {
        const Plan plan = planning::plan_turnaround(cluster, level, bound);
        case_.best16 = std::min(case_.best16, makespan(plan));
        if (level != planning::BottomLevel::cpar || bound != planning::Bound::cpar) continue;
        case_.cpar = makespan(plan);
        case_.cpar_area = consumed(plan);
      }
    }
    case_.critical_path = cluster.shortest_makespan();
    const planning::LowerBound bound(cluster.view(), cluster.calendar(), cluster.now());
    case_.calendar_path = bound.path_end() - cluster.now();
  }

  void plan_backward(PlanningContext& context) {
    for (const Plan& plan : planning::tightest_plans(context)) {
      if (!plan.feasible) continue;
      const Duration length = *plan.deadline - problem_.now();
      case_.tightest = std::min(case_.tightest.value_or(kForever), length);
    }
    if (!case_.tightest) return;
    for (const PlannerInfo* planner : planners_for(Goal::deadline, problem_)) {
      const Plan plan = plan_by(*planner, context, loose_deadline());
      if (!plan.feasible) continue;
      const Area area = consumed(plan);
      case_.loose_area = case_.loose_area ? std::min(*case_.loose_area, area) : area;
    }
  }

  Time loose_deadline() const { return problem_.now() + *case_.tightest + *case_.tightest / 2; }

  std::optional<Time> deadline_of(AnytimeQuestion question) const {
    if (question == AnytimeQuestion::cpar_end) return problem_.now() + case_.cpar;
    if (question == AnytimeQuestion::loose_deadline) return loose_deadline();
    return std::nullopt;
  }

  static std::optional<double> factor_of(AnytimeQuestion question) {
    if (question == AnytimeQuestion::any_hours) return std::nullopt;
    return question == AnytimeQuestion::cpar_hours ? 1 : 1.25;
  }

  bool is_worse(AnytimeQuestion question, const Plan& plan) const {
    if (question == AnytimeQuestion::loose_deadline) return false;
    if (question == AnytimeQuestion::cpar_end) return consumed(plan) > case_.cpar_area;
    return makespan(plan) > case_.cpar;
  }

  void search(AnytimeQuestion question, std::size_t number, const AnytimeLimit& limit) {
    const std::optional<Time> deadline = deadline_of(question);
    const double begin = thread_seconds();
    PlanningContext context(problem_, search_options(limit, factor_of(question)));
    const Plan plan = planning::plan_anytime(context, deadline);
    AnytimeAnswer answer{.question = question, .limit = number, .has_plan = plan.feasible};
    answer.spent_ms = 1000 * (thread_seconds() - begin);
    if (plan.feasible) judge(answer, plan, deadline);
    case_.answers.push_back(answer);
  }

  void judge(AnytimeAnswer& answer, Plan plan, std::optional<Time> deadline) const {
    const Certificate& proof = *plan.search->certificate;
    answer.turnaround = makespan(plan);
    answer.area = consumed(plan);
    answer.trials = plan.search->trials;
    answer.is_worse = is_worse(answer.question, plan);
    answer.gap = certified_gap(plan).value_or(0);
    if (deadline) {
      answer.least_area = proof.work;
    } else {
      answer.least_turnaround = proof.end + 1 - problem_.now();
    }
    const bool is_possible =
        answer.least_area <= answer.area && answer.least_turnaround <= answer.turnaround;
    answer.is_proven = is_possible && refute(problem_, proof).empty();
    plan.deadline = deadline;  // for check()
    answer.is_valid = check(problem_, plan, 1).empty();
  }

  AnytimeCase& case_;
  const Problem& problem_;
};

std::vector<AnytimeLimit> limits_of(const AnytimeStudyOptions& options) {
  std::vector<AnytimeLimit> limits;
  for (const std::uint64_t trials : options.trials) {
    gen::check_range("trials", static_cast<double>(trials), 1, 1e12);
    limits.push_back({.milliseconds = {}, .trials = trials});
  }
  if (!limits.empty()) return limits;
  std::vector<double> times = options.milliseconds;
  if (times.empty()) times = {1, 10, 100};
  if (options.milliseconds.empty() && options.scale == StudyScale::paper) times.push_back(1000);
  for (const double time : times) {
    gen::check_range("milliseconds", time, 0.1, 1e6);
    limits.push_back({.milliseconds = time, .trials = {}});
  }
  return limits;
}

}  // namespace

AnytimeStudyResult run_anytime_study(const AnytimeStudyOptions& options) {
  const std::vector<AnytimeLimit> limits = limits_of(options);
  const AnytimeCases cases(options);
  AnytimeStudyResult result{.scale = options.scale,
                            .seed = options.seed,
                            .schedules = cases.schedules(),
                            .logs = cases.logs(),
                            .limits = limits,
                            .shapes_note = cases.shapes_note()};
  for (std::size_t i = 0; i < cases.size(); ++i) result.cases.push_back(cases.make_case(i));
  parallel_for(
      cases.size(), options.threads,
      [&](std::size_t i) {
        const Problem problem = cases.make_problem(i);
        CaseRun(result.cases[i], problem).run(result.limits, options.questions);
      },
      options.progress);
  if (options.frontier) result.frontier = anytime_frontier(cases, result.limits.back());
  return result;
}

}  // namespace dovetail::study
