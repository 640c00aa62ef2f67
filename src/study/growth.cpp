#include "study/growth.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gen/layered_dag.hpp"
#include "study/timing.hpp"

namespace dovetail {
namespace {

// The sizes that stay fixed while another grows; within the range of the evaluation's instances.
struct GrowthSize {
  std::uint32_t tasks = 50;
  std::uint32_t reservations = 256;
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
  while (cluster.reservations.size() < size.reservations) {
    const auto procs = static_cast<Count>(1 + random.below(widest));
    const auto start = static_cast<Time>(random.below(kHorizon));
    const Time end = start + 1 + static_cast<Time>(random.below(2 * kMeanLength));
    if (!calendar.fits({start, end}, procs)) continue;
    calendar.reserve({start, end}, procs);
    cluster.reservations.push_back({start, end, procs});
  }
  return Platform(0, {std::move(cluster)});
}

Workflow growth_workflow(const GrowthSize& size, Random random) {
  return layered_dag({.tasks = size.tasks}, random);
}

std::vector<Problem> growth_problems(const Random& random, const GrowthSize& size,
                                     std::size_t count) {
  std::vector<Problem> problems;
  for (std::size_t i = 0; i < count; ++i) {
    const Random own = random.split(i);
    problems.push_back(timed_problem(growth_workflow(size, own.split(0)),
                                     growth_platform(size, own.split(1)), Goal::deadline));
  }
  return problems;
}

double mean_edges(std::span<const Problem> problems) {
  double edges = 0;
  for (const Problem& problem : problems) {
    edges += static_cast<double>(problem.workflows()[0].edge_count());
  }
  return edges / static_cast<double>(problems.size());
}

// The least of a few measurements, since disturbances only add time.
double least_milliseconds(std::string_view planner, std::span<const Problem> problems) {
  constexpr int kMeasurements = 2;
  double least = mean_milliseconds(planner, problems);
  for (int i = 1; i < kMeasurements; ++i) {
    least = std::min(least, mean_milliseconds(planner, problems));
  }
  return least;
}

// Measures the growth while `set` applies the sizes.
template <typename Set>
GrowthTable measure(std::string parameter, std::vector<double> sizes, Set set, const Random& random,
                    std::size_t workflows, std::span<const std::string_view> planners) {
  GrowthTable table{std::move(parameter), std::move(sizes), 1, {}};
  for (std::string_view planner : planners) table.rows.push_back({planner, {}, 0});
  std::vector<double> edges;
  for (double value : table.sizes) {
    GrowthSize size;
    set(size, value);
    const std::vector<Problem> problems = growth_problems(random, size, workflows);
    edges.push_back(mean_edges(problems));
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
  const auto tasks = [](GrowthSize& size, double value) {
    size.tasks = static_cast<std::uint32_t>(value);
  };
  const auto reservations = [](GrowthSize& size, double value) {
    size.reservations = static_cast<std::uint32_t>(value);
  };
  const auto processors = [](GrowthSize& size, double value) {
    size.processors = static_cast<Count>(value);
  };
  return {measure("tasks", doubling(25, sizes), tasks, random, workflows, planners),
          measure("reservations", doubling(256, sizes), reservations, random, workflows, planners),
          measure("processors", doubling(128, sizes), processors, random, workflows, planners)};
}

}  // namespace dovetail
