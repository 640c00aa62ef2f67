// The pictures of docs/anytime.md.
#include <fmt/format.h>

#include <algorithm>

#include "study/anytime/anytime_study.hpp"

namespace dovetail::study {
namespace {

using draw::LineChart;
using draw::LineLook;
using draw::LineSeries;

double hours_of(double milliseconds) { return milliseconds / static_cast<double>(kHour); }

// The mean of a metric over the limits, a line for each part.
LineChart over_time(const AnytimeStudyResult& result, AnytimeMetric metric) {
  LineChart chart{.x_name = "processor time of one thread, milliseconds", .log_x = true};
  for (const AnytimePart& part : anytime_parts(result.cases)) {
    if (!part.shapes && !part.tasks) continue;
    LineSeries line;
    std::size_t count = 0;
    for (std::size_t limit = 0; limit < result.limits.size(); ++limit) {
      const AnytimeSummary summary = summarise(result.cases, part, metric, limit);
      if (summary.count == 0 || !result.limits[limit].milliseconds) continue;
      count = summary.count;
      line.points.emplace_back(*result.limits[limit].milliseconds, 100 * summary.mean);
    }
    line.name = fmt::format("{} ({})", part.name(), count);
    if (!line.points.empty()) chart.series.push_back(std::move(line));
  }
  return chart;
}

LineSeries series_of(std::string name, const std::vector<AnytimePoint>& points, LineLook look) {
  LineSeries series{.name = std::move(name), .look = look};
  for (const AnytimePoint& point : points) {
    series.points.emplace_back(hours_of(static_cast<double>(point.turnaround)),
                               hours_of(static_cast<double>(point.area)));
  }
  return series;
}

LineChart frontier_chart(const AnytimeFrontier& frontier) {
  LineChart chart{.title = "What a shorter turn-around costs",
                  .facts = {fmt::format("{} tasks on {}, {} processors", frontier.tasks,
                                        frontier.log, frontier.processors),
                            "below the bound there is no plan"},
                  .x_name = "turn-around, hours",
                  .y_name = "CPU-hours",
                  .log_y = true};
  chart.series.push_back(series_of("DOVETAIL", frontier.ours, LineLook::stairs));
  chart.series.push_back(series_of("BL_x_BD_y", frontier.forward, LineLook::dots));
  chart.series.push_back(series_of("DL_x", frontier.backward, LineLook::dots));
  chart.series.push_back(series_of("bound", frontier.bound, LineLook::line));
  return chart;
}

}  // namespace

std::vector<AnytimeFigure> anytime_figures(const AnytimeStudyResult& result) {
  LineChart progress = over_time(result, AnytimeMetric::turnaround_best16);
  progress.title = "Turn-around against the best of sixteen published plans";
  progress.facts = {"mean over instances", "each point a search of its own"};
  progress.y_name = "per cent";
  LineChart gap = over_time(result, AnytimeMetric::gap);
  gap.title = "Certified gap: how much better a plan could be at most";
  gap.facts = {"mean over instances", "each point a search of its own"};
  gap.y_name = "per cent";
  gap.log_y = true;
  std::vector<AnytimeFigure> figures;
  figures.push_back({"anytime_progress", std::move(progress)});
  figures.push_back({"anytime_gap", std::move(gap)});
  if (result.frontier) {
    figures.push_back({"anytime_frontier", frontier_chart(*result.frontier)});
  }
  return figures;
}

}  // namespace dovetail::study
