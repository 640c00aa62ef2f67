#include "study/report.hpp"

#include <algorithm>

#include "core/mapped.hpp"

namespace dovetail::study::report {
namespace {

constexpr std::string_view kPublishedTitle = "published";

// Room for the names of the algorithms, or "published".
template <typename Names>
int name_width(const Names& names) {
  std::size_t width = kPublishedTitle.size();
  for (const std::string_view name : names) width = std::max(width, name.size());
  return static_cast<int>(width);
}

void write_metric(Text out, const Degradation& ours, const published::PublishedMetric* theirs) {
  fmt::format_to(out, "   {:>11.2f} {:>6} {:>9.1f} %", ours.percent, ours.scenario_wins,
                 ours.instance_wins_percent);
  if (theirs == nullptr) return;
  fmt::format_to(out, "   {:>9.2f}", theirs->percent);
  if (theirs->wins) fmt::format_to(out, " {:>6}", *theirs->wins);
}

// By value; empty for an algorithm that was not timed.
std::span<const double> published_times(const TimingTable& table, std::string_view algorithm) {
  const auto* row = published::find_timing(algorithm);
  if (row == nullptr) return {};
  if (table.parameter == "tasks") return row->by_tasks;
  return row->by_density;
}

Json metric_json(const Degradation& metric, bool with_unanswered) {
  Json json{{"percent_above_best", metric.percent},
            {"scenario_wins", metric.scenario_wins},
            {"instance_wins_percent", metric.instance_wins_percent}};
  if (with_unanswered) json["unanswered"] = metric.unanswered;
  return json;
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

void write_comparison(Text out, const ComparisonText& text, const ComparisonTable& table) {
  const int width = name_width(text.algorithms);
  const bool has_published = !text.published.empty();
  fmt::format_to(out, "\n{}; per cent above the best\n{:<{}}", text.title, "", width);
  for (const std::string_view metric : text.metrics) {
    fmt::format_to(out, "   {:>11} {:>6} {:>11}", metric, "wins", "instances");
    if (!has_published) continue;
    fmt::format_to(out, "   {:>9}", kPublishedTitle);
    if (text.published.front().time.wins) fmt::format_to(out, " {:>6}", "wins");
  }
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    fmt::format_to(out, "\n{:<{}}", text.algorithms[i], width);
    write_metric(out, table.rows[i].time, has_published ? &text.published[i].time : nullptr);
    write_metric(out, table.rows[i].cpu, has_published ? &text.published[i].cpu : nullptr);
  }
  fmt::format_to(out, "\n");
}

void write_timing(Text out, const TimingTable& table) {
  fmt::format_to(out, "\nMilliseconds a plan by {} ({} instances each); published below ours\n",
                 table.parameter, table.instances);
  const LineWidths widths{name_width(mapped(table.rows, &TimingRow::algorithm)) + 1, 8};
  const auto milliseconds = [](double ms) { return fmt::format("{:.3f}", ms); };
  write_line(out, widths, "", table.values,
             [](double value) { return fmt::format("{:g}", value); });
  for (const TimingRow& row : table.rows) {
    write_line(out, widths, row.algorithm, row.milliseconds, milliseconds);
    const auto theirs = published_times(table, row.algorithm);
    if (!theirs.empty()) write_line(out, widths, kPublishedTitle, theirs, milliseconds);
  }
}

Json head_json(std::string_view study, const StudyHead& head, std::size_t scenarios) {
  Json logs = list(head.logs, [](const StudyLog& log) {
    return Json{
        {"name", log.name}, {"processors", log.processors}, {"utilisation", log.utilisation}};
  });
  return {{"study", study},
          {"scale", name_of(head.scale)},
          {"seed", head.seed},
          {"scenarios", scenarios},
          {"workflows", head.size.workflows},
          {"schedules", head.size.schedules()},
          {"logs", std::move(logs)}};
}

Json to_json(const ComparisonTable& table, std::span<const std::string_view> algorithms,
             std::string_view time, bool with_unanswered) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    rows.push_back({{"algorithm", algorithms[i]},
                    {time, metric_json(table.rows[i].time, with_unanswered)},
                    {"cpu_hours", metric_json(table.rows[i].cpu, with_unanswered)}});
  }
  return {{"title", table.title},
          {"scenarios", table.scenarios},
          {"instances", table.instances},
          {"rows", std::move(rows)}};
}

Json to_json(const TimingTable& table) {
  Json rows = list(table.rows, [&](const TimingRow& row) {
    const auto theirs = published_times(table, row.algorithm);
    return Json{{"algorithm", row.algorithm},
                {"milliseconds", row.milliseconds},
                {"published", theirs.empty() ? Json(table.values.size(), Json())
                                             : Json(std::vector(theirs.begin(), theirs.end()))}};
  });
  return {{"parameter", table.parameter},
          {"values", table.values},
          {"instances", table.instances},
          {"rows", std::move(rows)}};
}

std::string csv_scenario(const StudyHead& head, std::size_t application, std::size_t log,
                         const ReservationSpec& reservations) {
  const ApplicationSpec& spec = head.applications[application];
  return fmt::format("{},{},{:g},{},{},{:g}", head.logs[log].name, head.logs[log].processors,
                     reservations.phi, gen::to_string(reservations.method), spec.parameter,
                     spec.value);
}

}  // namespace dovetail::study::report
