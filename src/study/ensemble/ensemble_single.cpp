// Figures 11, 13, 14 and 15: one cluster.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "planners/ensemble/month_simulation.hpp"
#include "study/ensemble/ensemble_lab.hpp"

namespace dovetail::study {
namespace {

constexpr std::size_t kAzur = 1;
constexpr std::size_t kKnapsack = 3;

struct Spread {
  double low = 0;
  double mean = 0;
  double high = 0;
  double deviation = 0;
};

Spread spread_of(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  Spread spread{*std::min_element(values.begin(), values.end()), 0,
                *std::max_element(values.begin(), values.end()), 0};
  for (const double value : values) spread.mean += value / count;
  for (const double value : values) {
    spread.deviation += (value - spread.mean) * (value - spread.mean) / count;
  }
  spread.deviation = std::sqrt(spread.deviation);
  return spread;
}

// Gains over the basic heuristic of all clusters.
std::vector<double> gains_at(const EnsembleLab& lab, Count processors, std::size_t heuristic) {
  std::vector<double> gains;
  for (std::size_t c = 0; c < lab.sites().size(); ++c) {
    gains.push_back(
        gain_percent(lab.makespan(c, processors, 0), lab.makespan(c, processors, heuristic)));
  }
  return gains;
}

void add_sizes(const EnsembleLab& lab, EnsembleStudyResult& result) {
  EnsembleFigure figure{"11", "best size of equal groups, ten scenarios, grillon", "processors",
                        "processors in a group"};
  figure.series = {{"basic", {}}};
  Count fixed_from = kLabTo;
  EnsembleSite site = lab.sites().front();
  for (site.processors = kLabTo; site.processors >= kLabFrom; --site.processors) {
    const Count size =
        planning::basic_grouping(planning::month_problem(site, {}, kLabScenarios, 1800))
            .groups.front();
    figure.series[0].points.emplace_back(site.processors, size);
    if (size == 11 && fixed_from == site.processors + 1) fixed_from = site.processors;
    if (size == 11 && site.processors == kLabTo) fixed_from = kLabTo;
  }
  std::reverse(figure.series[0].points.begin(), figure.series[0].points.end());
  result.figures.push_back(std::move(figure));
  result.statements.push_back({"11", "the size is the same from this number of processors on",
                               "112 (10 x 11 + 1 = 111)", std::to_string(fixed_from)});
}

void add_gains(const EnsembleLab& lab, EnsembleStudyResult& result) {
  EnsembleFigure means{"13", "gain over basic, mean of five clusters", "processors", "gain in %"};
  EnsembleFigure range{"15", "gain of knapsack over basic on five clusters", "processors",
                       "gain in %"};
  range.series = {{"least", {}}, {"mean", {}}, {"most", {}}};
  std::vector<std::vector<double>> all(kLabHeuristics);
  std::vector<double> deviations(kLabHeuristics, 0);
  std::vector<double> late;
  for (std::size_t h = 1; h < kLabHeuristics; ++h) {
    draw::LineSeries series{std::string(planning::groupings()[h].name)};
    for (Count processors = kLabFrom; processors <= kLabTo; ++processors) {
      const auto gains = gains_at(lab, processors, h);
      const Spread spread = spread_of(gains);
      series.points.emplace_back(processors, spread.mean);
      all[h].insert(all[h].end(), gains.begin(), gains.end());
      deviations[h] += spread.deviation / (kLabTo - kLabFrom + 1);
      if (processors >= 111) late.insert(late.end(), gains.begin(), gains.end());
      if (h != kKnapsack) continue;
      range.series[0].points.emplace_back(processors, spread.low);
      range.series[1].points.emplace_back(processors, spread.mean);
      range.series[2].points.emplace_back(processors, spread.high);
    }
    means.series.push_back(std::move(series));
  }
  const Spread one = spread_of(all[1]);
  const Spread two = spread_of(all[2]);
  const Spread three = spread_of(all[3]);
  auto& said = result.statements;
  said.push_back({"13", "mean gains of imp1, imp2, knapsack", "knapsack best on average",
                  fmt::format("{:.1f} / {:.1f} / {:.1f} %", one.mean, two.mean, three.mean)});
  said.push_back(
      {"13", "how much clusters differ (mean standard deviation)", "gains 2 and 3 more than gain 1",
       fmt::format("{:.2f} / {:.2f} / {:.2f}", deviations[1], deviations[2], deviations[3])});
  const Spread saturated = spread_of(late);
  said.push_back({"13", "gains with enough processors (111 and more)", "0",
                  fmt::format("{:.1f} to {:.1f} %", saturated.low, saturated.high)});
  said.push_back(
      {"15", "least gain of knapsack", "above -0.5 %", fmt::format("{:.2f} %", three.low)});
  said.push_back(
      {"15", "most gain of knapsack", "about 12 %", fmt::format("{:.2f} %", three.high)});
  result.figures.push_back(std::move(means));
  result.figures.push_back(std::move(range));
}

void add_steps(const EnsembleLab& lab, EnsembleStudyResult& result) {
  EnsembleFigure figure{"14", "makespan as processors are added, azur", "processors", "makespan",
                        true};
  for (std::size_t h = 0; h < kLabHeuristics; ++h) {
    draw::LineSeries series{std::string(planning::groupings()[h].name)};
    for (Count processors = 20; processors <= 40; ++processors) {
      series.points.emplace_back(processors, to_seconds(lab.makespan(kAzur, processors, h)));
    }
    figure.series.push_back(std::move(series));
  }
  const auto basic = [&](Count processors) { return lab.makespan(kAzur, processors, 0); };
  result.statements.push_back({"14", "basic, from 26 to 27 processors", "a large step down",
                               fmt::format("{:.1f} % less", gain_percent(basic(26), basic(27)))});
  result.statements.push_back({"14", "basic, from 28 to 29 processors", "no change",
                               fmt::format("{:.1f} % less", gain_percent(basic(28), basic(29)))});
  // The largest step of a curve, in per cent: the smoother, the smaller.
  std::vector<std::string> steps;
  for (const draw::LineSeries& series : figure.series) {
    double largest = 0;
    for (std::size_t i = 1; i < series.points.size(); ++i) {
      largest =
          std::max(largest, 100 * (1 - series.points[i].second / series.points[i - 1].second));
    }
    steps.push_back(fmt::format("{:.1f}", largest));
  }
  result.statements.push_back({"14", "largest step of basic, imp1, imp2, knapsack, in %",
                               "knapsack smoothest", fmt::format("{}", fmt::join(steps, " / "))});
  result.figures.push_back(std::move(figure));
}

}  // namespace

void add_single_figures(const EnsembleLab& lab, EnsembleStudyResult& result) {
  add_sizes(lab, result);
  add_gains(lab, result);
  add_steps(lab, result);
}

}  // namespace dovetail::study
