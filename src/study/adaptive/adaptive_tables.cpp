#include <algorithm>
#include <cmath>
#include <functional>

#include "study/adaptive/adaptive_study.hpp"

namespace dovetail::study {
namespace {

using Sums = ByStrategy<double>;  // seconds

constexpr AdaptiveStrategy kHeft = AdaptiveStrategy::heft;

// A set of cases, which come graph by graph.
class CellSums {
 public:
  void add(const AdaptiveCase& one) {
    if (cases_ > 0 && one.graph != graph_) close_graph();
    graph_ = one.graph;
    ++cases_;
    for (const AdaptiveStrategy strategy : kAdaptiveStrategies) {
      of_graph_[strategy] += to_seconds(one.ends[strategy]);
    }
  }

  AdaptiveCell cell(double value) && {
    if (cases_ > 0) close_graph();
    AdaptiveCell cell{.value = value, .graphs = graphs_, .cases = cases_};
    for (const AdaptiveStrategy strategy : kAdaptiveStrategies) {
      if (sums_[strategy] == 0) continue;
      cell.mean[strategy] = sums_[strategy] / static_cast<double>(cases_);
      if (strategy != kHeft) cell.gain[strategy] = gain(strategy);
    }
    return cell;
  }

 private:
  void close_graph() {
    ++graphs_;
    for (const AdaptiveStrategy strategy : kAdaptiveStrategies) {
      const double seconds = of_graph_[strategy];
      sums_[strategy] += seconds;
      squares_[strategy] += seconds * seconds;
      products_[strategy] += seconds * of_graph_[kHeft];
    }
    of_graph_ = {};
  }

  // The error of a ratio of two sums over independent graphs.
  AdaptiveGain gain(AdaptiveStrategy strategy) const {
    const double ratio = sums_[strategy] / sums_[kHeft];
    AdaptiveGain gain{.percent = 100 * (1 - ratio)};
    if (graphs_ < 2) return gain;
    const auto count = static_cast<double>(graphs_);
    const double rest =
        squares_[strategy] - 2 * ratio * products_[strategy] + ratio * ratio * squares_[kHeft];
    gain.error = 100 * std::sqrt(std::max(0.0, rest) * count / (count - 1)) / sums_[kHeft];
    return gain;
  }

  std::size_t graphs_ = 0;
  std::size_t cases_ = 0;
  std::uint32_t graph_ = 0;  // of the last case
  Sums of_graph_ = {};       // of its cases so far
  Sums sums_ = {};           // of the graphs before it
  Sums squares_ = {};
  Sums products_ = {};  // with HEFT's
};

constexpr double kTasks[] = {20, 40, 60, 80, 100};
constexpr double kWays[] = {200, 400, 600, 800, 1000};
constexpr double kCcr[] = {0.1, 0.5, 1, 5, 10};
constexpr double kOutDegree[] = {0.1, 0.2, 0.3, 0.4, 1.0};
constexpr double kBeta[] = {0.1, 0.25, 0.5, 0.75, 1.0};
constexpr double kRandomResources[] = {10, 20, 30, 40, 50};
constexpr double kWideResources[] = {20, 40, 60, 80, 100};
constexpr double kInterval[] = {400, 800, 1200, 1600};
constexpr double kShare[] = {0.10, 0.15, 0.20, 0.25};

// A parameter: its values for random graphs and for the other applications, and that of a case.
struct AxisInfo {
  std::string_view name;
  std::span<const double> of_random;
  std::span<const double> of_others;
  double (*value)(const AdaptiveCase& one);
};

constexpr AxisInfo kAxes[] = {
    {"size", kTasks, kWays, [](const AdaptiveCase& one) -> double { return one.type.size; }},
    {"ccr", kCcr, kCcr, [](const AdaptiveCase& one) { return one.type.ccr; }},
    {"out_degree", kOutDegree, {}, [](const AdaptiveCase& one) { return one.type.out_degree; }},
    {"beta", kBeta, kBeta, [](const AdaptiveCase& one) { return one.type.beta; }},
    {"resources", kRandomResources, kWideResources,
     [](const AdaptiveCase& one) -> double { return one.pool.resources; }},
    {"interval", kInterval, kInterval,
     [](const AdaptiveCase& one) { return one.pool.interval_seconds; }},
    {"share", kShare, kShare, [](const AdaptiveCase& one) { return one.pool.share; }},
};

const AxisInfo& info_of(AdaptiveAxis axis) { return kAxes[static_cast<std::size_t>(axis)]; }

}  // namespace

std::string_view to_string(AdaptiveApplication application) {
  constexpr std::string_view kNames[] = {"random", "blast", "wien2k"};
  return kNames[static_cast<std::size_t>(application)];
}

std::string_view to_string(AdaptiveAxis axis) { return info_of(axis).name; }

std::span<const double> axis_values(AdaptiveApplication application, AdaptiveAxis axis) {
  const AxisInfo& info = info_of(axis);
  return application == AdaptiveApplication::random ? info.of_random : info.of_others;
}

double value_on(const AdaptiveCase& one, AdaptiveAxis axis) { return info_of(axis).value(one); }

std::vector<AdaptiveType> adaptive_types(AdaptiveApplication application) {
  constexpr double kNone[] = {0};
  auto degrees = axis_values(application, AdaptiveAxis::out_degree);
  if (degrees.empty()) degrees = kNone;
  std::vector<AdaptiveType> types;
  for (const double size : axis_values(application, AdaptiveAxis::size)) {
    for (const double ccr : kCcr) {
      for (const double degree : degrees) {
        for (const double beta : kBeta) {
          types.push_back({application, static_cast<std::uint32_t>(size), ccr, degree, beta});
        }
      }
    }
  }
  return types;
}

std::vector<gen::PoolSpec> adaptive_pools(AdaptiveApplication application) {
  std::vector<gen::PoolSpec> pools;
  for (const double resources : axis_values(application, AdaptiveAxis::resources)) {
    for (const double interval : kInterval) {
      for (const double share : kShare) {
        pools.push_back({static_cast<std::uint32_t>(resources), interval, share});
      }
    }
  }
  return pools;
}

AdaptiveCell adaptive_total(std::span<const AdaptiveCase> cases, AdaptiveApplication application) {
  CellSums sums;
  for (const AdaptiveCase& one : cases) {
    if (one.type.application == application) sums.add(one);
  }
  return std::move(sums).cell(0);
}

AdaptiveTable adaptive_table(std::span<const AdaptiveCase> cases, AdaptiveApplication application,
                             AdaptiveAxis axis) {
  const auto values = axis_values(application, axis);
  std::vector<CellSums> sums(values.size());
  for (const AdaptiveCase& one : cases) {
    if (one.type.application != application) continue;
    const auto cell = std::ranges::find(values, value_on(one, axis)) - values.begin();
    sums[static_cast<std::size_t>(cell)].add(one);
  }
  AdaptiveTable table{application, axis, {}};
  for (std::size_t i = 0; i < values.size(); ++i) {
    table.cells.push_back(std::move(sums[i]).cell(values[i]));
  }
  return table;
}

namespace published {
namespace {

struct PublishedGain {
  AdaptiveApplication application;
  AdaptiveAxis axis;
  std::string_view name;
  std::array<double, 5> percent;
};

constexpr PublishedGain kRows[] = {
    {AdaptiveApplication::random, AdaptiveAxis::ccr, "Table 3", {0.4, 0.5, 0.7, 3.2, 7.7}},
    {AdaptiveApplication::random, AdaptiveAxis::size, "Table 4", {2.9, 3.9, 4.3, 4.2, 4.1}},
    {AdaptiveApplication::blast, AdaptiveAxis::size, "Table 7", {15.9, 18.3, 19.9, 21.9, 23.6}},
    {AdaptiveApplication::wien2k, AdaptiveAxis::size, "Table 7", {2.2, 4.3, 6.0, 7.8, 9.4}},
    {AdaptiveApplication::blast, AdaptiveAxis::ccr, "Table 8", {16.1, 15.5, 14.3, 19.1, 26.1}},
    {AdaptiveApplication::wien2k, AdaptiveAxis::ccr, "Table 8", {7.3, 7.3, 6.6, 5.3, 6.4}},
};

}  // namespace

AdaptiveGains adaptive_gains(AdaptiveApplication application, AdaptiveAxis axis) {
  for (const PublishedGain& row : kRows) {
    if (row.application == application && row.axis == axis) return {row.name, row.percent};
  }
  return {};
}

std::optional<double> adaptive_mean(AdaptiveApplication application, AdaptiveStrategy strategy) {
  using Means = std::array<std::optional<double>, kAdaptiveStrategies.size()>;
  static constexpr Means kMeans[] = {
      {4075, {}, 3911, {}, {}, 12352}, {4939.3, {}, 3933.1}, {3451.6, {}, 3233.8}};
  return kMeans[static_cast<std::size_t>(application)][static_cast<std::size_t>(strategy)];
}

}  // namespace published

}  // namespace dovetail::study
