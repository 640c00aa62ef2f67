// The ensemble study as text, JSON, CSV and a page.
#include <algorithm>
#include <iterator>

#include "planners/ensemble/month_dispatch.hpp"
#include "study/ensemble/ensemble_study.hpp"
#include "study/report.hpp"

namespace dovetail::study {
namespace {

using report::Json;

// The report prints one point of a figure out of this many.
constexpr std::size_t kPrintedRows = 12;

std::string value_text(const EnsembleFigure& figure, double value) {
  return figure.is_time ? fmt::format("{:.0f}", value) : fmt::format("{:.2f}", value);
}

void write_figure(report::Text out, const EnsembleFigure& figure) {
  constexpr report::LineWidths kWidths = {0, 16};
  fmt::format_to(out, "\nFigure {}: {}{}\n\n", figure.number, figure.title,
                 figure.is_time ? " (seconds)" : "");
  report::write_line(out, kWidths, fmt::format("  {:>12}", figure.x_name.substr(0, 12)),
                     figure.series, [](const draw::LineSeries& series) { return series.name; });
  const auto& points = figure.series.front().points;
  const std::size_t step = std::max<std::size_t>(1, points.size() / kPrintedRows);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i % step != 0 && i + 1 != points.size()) continue;
    report::write_line(out, kWidths, fmt::format("  {:>12}", points[i].first), figure.series,
                       [&](const draw::LineSeries& series) {
                         return value_text(figure, series.points[i].second);
                       });
  }
}

std::vector<draw::LineChart> charts_of(const EnsembleStudyResult& result) {
  std::vector<draw::LineChart> charts;
  for (const EnsembleFigure& figure : result.figures) {
    draw::LineChart chart{
        .title = "Figure " + figure.number + ": " + figure.title,
        .x_name = figure.x_name,
        .y_name = figure.y_name,
        .y_unit = figure.is_time ? draw::AxisUnit::milliseconds : draw::AxisUnit::number,
        .from_zero = figure.is_time && figure.number != "14"};
    for (const EnsembleStatement& said : result.statements) {
      if (said.figure.find(figure.number) == std::string::npos) continue;
      chart.facts.push_back(
          fmt::format("{}: {} (published: {})", said.what, said.ours, said.published));
    }
    chart.series = figure.series;
    for (draw::LineSeries& series : chart.series) {
      for (auto& [x, y] : series.points) y *= figure.is_time ? 1000 : 1;
    }
    charts.push_back(std::move(chart));
  }
  return charts;
}

}  // namespace

std::string format_table(const EnsembleStudyResult& result) {
  std::string text;
  const report::Text out(text);
  fmt::format_to(out,
                 "Ensembles of months (Caniou et al. 2009) on the reference clusters, scale {}\n"
                 "months handed out by {}; {} months where the report does not say how many\n\n",
                 report::name_of(result.scale), planning::name_of(result.dispatch), result.months);
  fmt::format_to(out, "{:<7} {:<56} {:<34} {}\n", "figure", "what", "published", "ours");
  for (const EnsembleStatement& said : result.statements) {
    fmt::format_to(out, "{:<7} {:<56} {:<34} {}\n", said.figure, said.what, said.published,
                   said.ours);
  }
  for (const EnsembleFigure& figure : result.figures) write_figure(out, figure);
  return text;
}

std::string to_json(const EnsembleStudyResult& result) {
  Json figures = report::list(result.figures, [](const EnsembleFigure& figure) {
    Json series = report::list(figure.series, [](const draw::LineSeries& line) {
      return Json{{"name", line.name}, {"points", line.points}};
    });
    return Json{{"figure", figure.number},
                {"title", figure.title},
                {"x", figure.x_name},
                {"y", figure.y_name},
                {"series", std::move(series)}};
  });
  Json statements = report::list(result.statements, [](const EnsembleStatement& said) {
    return Json{{"figure", said.figure},
                {"what", said.what},
                {"published", said.published},
                {"ours", said.ours}};
  });
  const Json document{{"study", "ensemble"},
                      {"scale", report::name_of(result.scale)},
                      {"dispatch", planning::name_of(result.dispatch)},
                      {"months", result.months},
                      {"statements", std::move(statements)},
                      {"figures", std::move(figures)}};
  return document.dump(1) + "\n";
}

std::string to_csv(const EnsembleStudyResult& result) {
  std::string text = "figure,series,x,y\n";
  for (const EnsembleFigure& figure : result.figures) {
    for (const draw::LineSeries& series : figure.series) {
      for (const auto& [x, y] : series.points) {
        text += fmt::format("{},{},{},{}\n", figure.number, series.name, x, y);
      }
    }
  }
  return text;
}

std::string to_html(const EnsembleStudyResult& result) {
  return draw::lines_html("Ensembles of months, run again", charts_of(result));
}

std::string to_svg(const EnsembleStudyResult& result) { return draw::lines_svg(charts_of(result)); }

}  // namespace dovetail::study
