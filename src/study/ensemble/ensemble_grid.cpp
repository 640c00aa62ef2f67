// Figures 16 to 20 and 22: several clusters, and groups of whole nodes.
#include <fmt/format.h>

#include <algorithm>

#include "study/ensemble/ensemble_lab.hpp"
#include "study/parallel.hpp"

namespace dovetail::study {
namespace {

constexpr Count kGridMonths = 180;  // of Figures 17 to 20, as the report says

void add_knapsack_gains(const EnsembleLab& lab, const EnsembleStudyOptions& options,
                        EnsembleStudyResult& result) {
  EnsembleFigure figure{"16", "gain of knapsack over basic on several clusters",
                        "processors of each cluster", "gain in %"};
  constexpr std::size_t sizes = kLabTo - kLabFrom + 1;
  std::vector<double> gains;
  for (std::size_t clusters = 2; clusters <= lab.sites().size(); ++clusters) {
    draw::LineSeries series{fmt::format("{} clusters", clusters)};
    series.points.resize(sizes);
    parallel_for(sizes, options.threads, [&](std::size_t i) {
      const Count processors = kLabFrom + static_cast<Count>(i);
      const auto end = [&](const char* heuristic) {
        return lab.on_grid(clusters, processors, kLabScenarios, lab.months(), heuristic, "greedy");
      };
      series.points[i] = {processors, gain_percent(end("basic"), end("knapsack"))};
    });
    for (const auto& [processors, gain] : series.points) gains.push_back(gain);
    figure.series.push_back(std::move(series));
  }
  const auto [low, high] = std::minmax_element(gains.begin(), gains.end());
  const auto share = [&](auto test) {
    return 100.0 * static_cast<double>(std::count_if(gains.begin(), gains.end(), test)) /
           static_cast<double>(gains.size());
  };
  result.statements.push_back({"16", "most gain", "12 %", fmt::format("{:.1f} %", *high)});
  result.statements.push_back(
      {"16", "least gain", "not said; phases without any", fmt::format("{:.2f} %", *low)});
  result.statements.push_back({"16", "cases that gain", "51 %",
                               fmt::format("{:.0f} %", share([](double g) { return g > 0.005; }))});
  result.statements.push_back(
      {"16", "cases between 0 and 8 %", "most",
       fmt::format("{:.0f} %", share([](double g) { return g > -0.005 && g <= 8; }))});
  result.figures.push_back(std::move(figure));
}

struct Compared {
  Duration greedy = 0;
  Duration turns = 0;
};

Compared compare_on(const EnsembleLab& lab, Count processors, Count scenarios) {
  const std::size_t clusters = lab.sites().size();
  return {lab.on_grid(clusters, processors, scenarios, kGridMonths, "knapsack", "greedy"),
          lab.on_grid(clusters, processors, scenarios, kGridMonths, "knapsack", "round-robin")};
}

void add_repartition(const EnsembleLab& lab, const EnsembleStudyOptions& options,
                     EnsembleStudyResult& result) {
  EnsembleFigure gains{"17", "greedy against round robin, ten scenarios", "processors per cluster",
                       "gain in %"};
  gains.series = {{"gain", {}}};
  EnsembleFigure times{"19", "makespan, ten scenarios on five clusters", "processors per cluster",
                       "makespan", true};
  times.series = {{"greedy", {}}, {"round robin", {}}};
  std::vector<Compared> all(kLabTo - kLabFrom + 1);
  parallel_for(all.size(), options.threads, [&](std::size_t i) {
    all[i] = compare_on(lab, kLabFrom + static_cast<Count>(i), kLabScenarios);
  });
  Count zero_through = kLabFrom - 1;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Count processors = kLabFrom + static_cast<Count>(i);
    const double gain = gain_percent(all[i].turns, all[i].greedy);
    if (gain == 0 && zero_through + 1 == processors) zero_through = processors;
    gains.series[0].points.emplace_back(processors, gain);
    times.series[0].points.emplace_back(processors, to_seconds(all[i].greedy));
    times.series[1].points.emplace_back(processors, to_seconds(all[i].turns));
  }
  const auto gain_at = [&](Count processors) {
    return gains.series[0].points[static_cast<std::size_t>(processors - kLabFrom)].second;
  };
  auto& said = result.statements;
  said.push_back(
      {"17, 19", "no gain up to this number of processors", "29", std::to_string(zero_through)});
  said.push_back(
      {"17", "gain at 30, 51, 100 processors", "steps, more and more",
       fmt::format("{:.1f} / {:.1f} / {:.1f} %", gain_at(30), gain_at(51), gain_at(100))});
  said.push_back({"17", "gain from 112 processors on", "about 25 %",
                  fmt::format("{:.1f} to {:.1f} %", gain_at(112), gain_at(kLabTo))});
  result.figures.push_back(std::move(gains));
  result.figures.push_back(std::move(times));
}

// From 10 processors per cluster to enough for a hundred scenarios on one of them.
std::vector<Count> many_processors(StudyScale scale) {
  std::vector<Count> sizes;
  const Count step = scale == StudyScale::quick ? 125 : 25;
  for (Count processors = 10; processors <= 1135; processors += step) sizes.push_back(processors);
  return sizes;
}

void add_many_scenarios(const EnsembleLab& lab, const EnsembleStudyOptions& options,
                        EnsembleStudyResult& result) {
  EnsembleFigure gains{"18", "greedy against round robin, many scenarios", "processors per cluster",
                       "gain in %"};
  EnsembleFigure saved{"20", "time that greedy saves over round robin", "processors per cluster",
                       "time saved", true};
  const std::vector<Count> sizes = many_processors(options.scale);
  const std::vector<Count> scenarios = {20, 40, 60, 80, 100};
  std::vector<Compared> all(sizes.size() * scenarios.size());
  parallel_for(all.size(), options.threads, [&](std::size_t i) {
    all[i] = compare_on(lab, sizes[i % sizes.size()], scenarios[i / sizes.size()]);
  });
  for (std::size_t k = 0; k < scenarios.size(); ++k) {
    gains.series.push_back({fmt::format("{} scenarios", scenarios[k]), {}});
    saved.series.push_back({fmt::format("{} scenarios", scenarios[k]), {}});
    for (std::size_t r = 0; r < sizes.size(); ++r) {
      const Compared& one = all[k * sizes.size() + r];
      gains.series[k].points.emplace_back(sizes[r], gain_percent(one.turns, one.greedy));
      saved.series[k].points.emplace_back(sizes[r], to_seconds(one.turns - one.greedy));
    }
  }
  const auto& hundred = gains.series.back().points;
  auto& said = result.statements;
  said.push_back({"18", "gain of 100 scenarios on 10 processors per cluster", "not 0",
                  fmt::format("{:.1f} %", hundred.front().second)});
  said.push_back({"18", "gain of 100 scenarios with many processors", "25 %",
                  fmt::format("{:.1f} %", hundred.back().second)});
  said.push_back({"20", "100 scenarios, 10 processors per cluster: saved",
                  "about 655000 s, more than a week",
                  fmt::format("{:.0f} s", saved.series.back().points.front().second)});
  result.figures.push_back(std::move(gains));
  result.figures.push_back(std::move(saved));
}

}  // namespace

void add_grid_figures(const EnsembleLab& lab, const EnsembleStudyOptions& options,
                      EnsembleStudyResult& result) {
  add_knapsack_gains(lab, options, result);
  add_repartition(lab, options, result);
  add_many_scenarios(lab, options, result);
}

void add_node_figure(const EnsembleLab& lab, const EnsembleStudyOptions& options,
                     EnsembleStudyResult& result) {
  constexpr Count kLast = 130;
  EnsembleFigure figure{"22", "loss by groups of whole nodes, mean of five clusters", "processors",
                        "loss in %"};
  figure.series = {{"without size 12", {}}, {"with size 12", {}}};
  for (std::size_t s = 0; s < 2; ++s) {
    const EnsembleRules rules{.node_multiples = true, .extra_size = s == 1 ? 12 : 0};
    auto& points = figure.series[s].points;
    points.resize(kLast - kLabFrom + 1);
    parallel_for(points.size(), options.threads, [&](std::size_t i) {
      const Count processors = kLabFrom + static_cast<Count>(i);
      double loss = 0;
      for (std::size_t c = 0; c < lab.sites().size(); ++c) {
        loss -= gain_percent(lab.constrained(c, processors, {}),
                             lab.constrained(c, processors, rules)) /
                static_cast<double>(lab.sites().size());
      }
      points[i] = {processors, loss};
    });
  }
  const auto at = [&](std::size_t series, Count processors) {
    return figure.series[series].points[static_cast<std::size_t>(processors - kLabFrom)].second;
  };
  auto& said = result.statements;
  said.push_back({"22", "loss at 30 processors, without and with size 12", "both bad",
                  fmt::format("{:.1f} / {:.1f} %", at(0, 30), at(1, 30))});
  said.push_back({"22", "loss at 121 and more, without size 12", "stays",
                  fmt::format("{:.1f} %", at(0, 121))});
  said.push_back({"22", "loss at 121 and more, with size 12", "none",
                  fmt::format("{:.1f} to {:.1f} %", at(1, 121), at(1, kLast))});
  result.figures.push_back(std::move(figure));
}

}  // namespace dovetail::study
