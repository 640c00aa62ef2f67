#include "study/timing.hpp"

#include <time.h>

#include "dovetail/metrics.hpp"
#include "dovetail/planner.hpp"

namespace dovetail {
namespace {

constexpr Duration kLooseFactor = 4;

struct TimedSet {
  std::uint64_t seed = 0;
  std::size_t workflows = 0;
  std::vector<Platform> platforms;
};

std::vector<Problem> timed_problems(const TimedSet& set, std::size_t application, Goal goal) {
  const ApplicationSpec spec = application_specs()[application];
  std::vector<Problem> problems;
  for (std::size_t i = 0; i < set.workflows; ++i) {
    const Workflow workflow = study_workflow(set.seed, spec, application, i);
    for (const Platform& platform : set.platforms) {
      problems.push_back(timed_problem(workflow, platform, goal));
    }
  }
  return problems;
}

TimingTable measure(std::string_view parameter, const TimedSet& set,
                    std::span<const std::string_view> planners, Goal goal) {
  TimingTable table;
  table.parameter = parameter;
  table.instances = set.workflows * set.platforms.size();
  for (std::string_view planner : planners) table.rows.push_back({planner, {}});
  const std::vector<ApplicationSpec> specs = application_specs();
  for (std::size_t application = 0; application < specs.size(); ++application) {
    if (specs[application].parameter != parameter) continue;
    const std::vector<Problem> problems = timed_problems(set, application, goal);
    table.values.push_back(specs[application].value);
    for (TimingRow& row : table.rows) {
      row.milliseconds.push_back(mean_milliseconds(row.algorithm, problems));
    }
  }
  return table;
}

}  // namespace

double thread_seconds() {
  timespec spent{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
  return static_cast<double>(spent.tv_sec) + 1e-9 * static_cast<double>(spent.tv_nsec);
}

Problem timed_problem(const Workflow& workflow, const Platform& platform, Goal goal) {
  Problem problem({workflow}, platform);
  if (goal != Goal::deadline) return problem;
  const Duration turnaround = makespan(plan(*find_planner("BL_CPAR_BD_CPAR"), problem));
  return Problem({workflow}, platform, goal, problem.now() + kLooseFactor * turnaround);
}

double mean_milliseconds(std::string_view planner, std::span<const Problem> problems) {
  const PlannerInfo& info = *find_planner(planner);
  const double begin = thread_seconds();
  for (const Problem& problem : problems) plan(info, problem);
  return 1e3 * (thread_seconds() - begin) / static_cast<double>(problems.size());
}

std::vector<TimingTable> measure_run_times(const Campaign& campaign,
                                           std::span<const std::string_view> planners, Goal goal) {
  const bool paper = campaign.head().scale == StudyScale::paper;
  const TimedSet set = {campaign.head().seed, paper ? 20U : 2U,
                        campaign.some_platforms(paper ? 50 : 12)};
  return {measure("tasks", set, planners, goal), measure("density", set, planners, goal)};
}

}  // namespace dovetail
