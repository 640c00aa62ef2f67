#include "study/report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "study/published.hpp"

namespace dovetail::report {
namespace {

constexpr std::string_view kPublishedTitle = "published";

// Room for the names of the rows, those of the algorithms or "published".
template <typename Rows>
std::size_t name_width(const Rows& rows) {
  std::size_t width = kPublishedTitle.size();
  for (const auto& row : rows) width = std::max(width, row.algorithm.size());
  return width;
}

void write_metric(Text out, const Degradation& metric) {
  fmt::format_to(out, "   {:>11.2f} {:>6} {:>9.1f} %", metric.percent, metric.scenario_wins,
                 metric.instance_wins_percent);
}

void write_published(Text out, const Published& theirs) {
  fmt::format_to(out, "   {:>9.2f}", theirs.percent);
  if (theirs.wins) fmt::format_to(out, " {:>6}", *theirs.wins);
}

void write_comparison_head(Text out, const ComparisonText& table, std::size_t width) {
  fmt::format_to(out, "\n{}; per cent above the best\n{:<{}}", table.title, "", width);
  for (std::size_t i = 0; i < table.metrics.size(); ++i) {
    fmt::format_to(out, "   {:>11} {:>6} {:>11}", table.metrics[i], "wins", "instances");
    const auto& theirs = table.lines.front().published;
    if (!theirs) continue;
    fmt::format_to(out, "   {:>9}", kPublishedTitle);
    if ((*theirs)[i].wins) fmt::format_to(out, " {:>6}", "wins");
  }
  fmt::format_to(out, "\n");
}

std::optional<double> published_time(const TimingTable& table, std::string_view algorithm,
                                     std::size_t column) {
  const auto rows =
      table.parameter == "tasks" ? published::timing_by_tasks() : published::timing_by_density();
  return published::find_timing(rows, algorithm, column);
}

}  // namespace

std::string_view name_of(StudyScale scale) {
  return scale == StudyScale::paper ? "paper" : "quick";
}

void write_head(Text out, std::string_view title, const StudyHead& head, std::size_t scenarios) {
  fmt::format_to(out, "{}, scale {}, seed {}\n", title, name_of(head.scale), head.seed);
  fmt::format_to(out, "{} scenarios of {} instances ({} workflows x {} schedules)\n", scenarios,
                 head.size.workflows * head.size.schedules(), head.size.workflows,
                 head.size.schedules());
  for (const StudyLog& log : head.logs) {
    fmt::format_to(out, "  {:<12} {:>5} processors, {:.0f} % in use\n", log.name, log.processors,
                   100 * log.utilisation);
  }
}

void write_comparison(Text out, const ComparisonText& table) {
  const std::size_t width = name_width(table.lines);
  write_comparison_head(out, table, width);
  for (const ComparisonLine& line : table.lines) {
    fmt::format_to(out, "{:<{}}", line.algorithm, width);
    for (std::size_t i = 0; i < line.metrics.size(); ++i) {
      write_metric(out, line.metrics[i]);
      if (line.published) write_published(out, (*line.published)[i]);
    }
    fmt::format_to(out, "\n");
  }
}

void write_timing(Text out, const TimingTable& table) {
  fmt::format_to(out, "\nMilliseconds a plan by {} ({} instances each); published below ours\n",
                 table.parameter, table.instances);
  const std::size_t width = name_width(table.rows) + 1;
  fmt::format_to(out, "{:<{}}", "", width);
  for (double value : table.values) fmt::format_to(out, " {:>8g}", value);
  fmt::format_to(out, "\n");
  for (const TimingRow& row : table.rows) {
    fmt::format_to(out, "{:<{}}", row.algorithm, width);
    for (double ms : row.milliseconds) fmt::format_to(out, " {:>8.3f}", ms);
    fmt::format_to(out, "\n");
    if (!published_time(table, row.algorithm, 0)) continue;
    fmt::format_to(out, "{:<{}}", kPublishedTitle, width);
    for (std::size_t i = 0; i < table.values.size(); ++i) {
      fmt::format_to(out, " {:>8.3f}", *published_time(table, row.algorithm, i));
    }
    fmt::format_to(out, "\n");
  }
}

Json head_json(std::string_view study, const StudyHead& head, std::size_t scenarios) {
  Json logs = Json::array();
  for (const StudyLog& log : head.logs) {
    logs.push_back(
        {{"name", log.name}, {"processors", log.processors}, {"utilisation", log.utilisation}});
  }
  return {{"study", study},
          {"scale", name_of(head.scale)},
          {"seed", head.seed},
          {"scenarios", scenarios},
          {"workflows", head.size.workflows},
          {"schedules", head.size.schedules()},
          {"logs", std::move(logs)}};
}

Json to_json(const Degradation& metric) {
  return {{"percent_above_best", metric.percent},
          {"scenario_wins", metric.scenario_wins},
          {"instance_wins_percent", metric.instance_wins_percent}};
}

Json to_json(const TimingTable& table) {
  Json rows = Json::array();
  for (const TimingRow& row : table.rows) {
    Json theirs = Json::array();
    for (std::size_t i = 0; i < table.values.size(); ++i) {
      const auto ms = published_time(table, row.algorithm, i);
      theirs.push_back(ms ? Json(*ms) : Json(nullptr));
    }
    rows.push_back({{"algorithm", row.algorithm},
                    {"milliseconds", row.milliseconds},
                    {"published", std::move(theirs)}});
  }
  return {{"parameter", table.parameter},
          {"values", table.values},
          {"instances", table.instances},
          {"rows", std::move(rows)}};
}

std::string csv_scenario(const StudyHead& head, std::size_t application, std::size_t log,
                         const ReservationSpec& reservations) {
  const ApplicationSpec& spec = head.applications[application];
  return fmt::format("{},{},{:g},{},{},{:g}", head.logs[log].name, head.logs[log].processors,
                     reservations.phi, to_string(reservations.method), spec.parameter, spec.value);
}

}  // namespace dovetail::report
