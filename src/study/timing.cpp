#include "study/timing.hpp"

#include <time.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "dovetail/metrics.hpp"
#include "dovetail/planner.hpp"
#include "gen/layered_dag.hpp"

namespace dovetail::study {
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

// The sizes that stay fixed while another grows; within the range of the evaluation's instances.
struct GrowthSize {
  Count tasks = 50;
  Count reservations = 256;
  Count processors = 1024;
};

constexpr Duration kHorizon = 7 * 24 * kHour;
constexpr Duration kMeanLength = 2 * kHour;
constexpr double kLoad = 0.3;  // share of the cluster reserved over the horizon

// The requested number of reservations, which together always hold the same share of the cluster:
// the more there are, the narrower. Starts that do not fit are drawn again.
Platform growth_platform(const GrowthSize& size, Random random) {
  const double mean_procs = kLoad * size.processors * static_cast<double>(kHorizon) /
                            (static_cast<double>(kMeanLength) * size.reservations);
  const auto widest = static_cast<std::uint64_t>(
      std::clamp(std::round(2 * mean_procs - 1), 1.0, static_cast<double>(size.processors)));
  Calendar calendar(size.processors);
  Cluster cluster{.name = "growth", .processors = size.processors};
  cluster.free_on_average = (1 - kLoad) * size.processors;
  while (std::ssize(cluster.reservations) < size.reservations) {
    const auto procs = static_cast<Count>(1 + random.below(widest));
    const auto start = static_cast<Time>(random.below(kHorizon));
    const Time end = start + 1 + static_cast<Time>(random.below(2 * kMeanLength));
    if (!calendar.fits({start, end}, procs)) continue;
    calendar.reserve({start, end}, procs);
    cluster.reservations.push_back({start, end, procs});
  }
  return Platform(0, {std::move(cluster)});
}

std::vector<Problem> growth_problems(const Random& random, const GrowthSize& size,
                                     std::size_t count) {
  std::vector<Problem> problems;
  for (std::size_t i = 0; i < count; ++i) {
    const Random own = random.split(i);
    Random of_workflow = own.split(0);
    const gen::LayeredDagSpec spec{.tasks = static_cast<std::uint32_t>(size.tasks)};
    problems.push_back(timed_problem(gen::layered_dag(spec, of_workflow),
                                     growth_platform(size, own.split(1)), Goal::deadline));
  }
  return problems;
}

// The lesser of two measurements, since disturbances only add time.
double least_milliseconds(std::string_view planner, std::span<const Problem> problems) {
  const double first = mean_milliseconds(planner, problems);
  return std::min(first, mean_milliseconds(planner, problems));
}

// Measures the growth with one of the sizes.
GrowthTable measure_doubling(std::string parameter, std::vector<double> sizes,
                             Count GrowthSize::*varied, const Random& random, std::size_t workflows,
                             std::span<const std::string_view> planners) {
  GrowthTable table{std::move(parameter), std::move(sizes), 1, {}};
  for (std::string_view planner : planners) table.rows.push_back({planner, {}, 0});
  std::vector<double> edges;
  for (double value : table.sizes) {
    GrowthSize size;
    size.*varied = static_cast<Count>(value);
    const std::vector<Problem> problems = growth_problems(random, size, workflows);
    edges.push_back(
        mean(problems, [](const Problem& one) { return one.workflows()[0].edge_count(); }));
    for (GrowthRow& row : table.rows) {
      row.milliseconds.push_back(least_milliseconds(row.algorithm, problems));
    }
  }
  if (table.parameter == "tasks") {
    table.stated_exponent = 1 + std::max(1.0, fitted_exponent(table.sizes, edges));
  }
  for (GrowthRow& row : table.rows) {
    row.exponent = fitted_exponent(table.sizes, row.milliseconds);
  }
  return table;
}

std::vector<double> doubling(double first, std::size_t count) {
  std::vector<double> sizes = {first};
  while (sizes.size() < count) sizes.push_back(2 * sizes.back());
  return sizes;
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

double fitted_exponent(std::span<const double> sizes, std::span<const double> values) {
  const auto count = static_cast<double>(sizes.size());
  double sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const double x = std::log(sizes[i]);
    const double y = std::log(values[i]);
    sum_x += x;
    sum_y += y;
    sum_xx += x * x;
    sum_xy += x * y;
  }
  return (count * sum_xy - sum_x * sum_y) / (count * sum_xx - sum_x * sum_x);
}

std::vector<GrowthTable> measure_growth(std::uint64_t seed, StudyScale scale,
                                        std::span<const std::string_view> planners) {
  const bool paper = scale == StudyScale::paper;
  const std::size_t sizes = paper ? 7 : 5;
  const std::size_t workflows = paper ? 20 : 3;
  const Random random = Random(seed).split(0x67726f777468);  // apart from the campaign's streams
  const auto measure_one = [&](const char* parameter, double first, Count GrowthSize::*varied) {
    return measure_doubling(parameter, doubling(first, sizes), varied, random, workflows, planners);
  };
  return {measure_one("tasks", 25, &GrowthSize::tasks),
          measure_one("reservations", 256, &GrowthSize::reservations),
          measure_one("processors", 128, &GrowthSize::processors)};
}

}  // namespace dovetail::study
