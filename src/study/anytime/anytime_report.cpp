// The DOVETAIL study as text, JSON, CSV and pictures.
#include <algorithm>
#include <functional>
#include <ranges>

#include "study/anytime/anytime_study.hpp"
#include "study/report.hpp"

namespace dovetail::study {
namespace {

using draw::LineChart;
using draw::LineLook;
using draw::LineSeries;
using report::Json;
using report::Text;
using Metric = AnytimeMetric;

constexpr report::LineWidths kAnytimeWidths = {.name = 14, .cell = 26};

double hours_of(Area milliseconds) {
  return static_cast<double>(milliseconds) / static_cast<double>(kHour);
}

// The positions of the limits, which are the columns of every table.
auto limits_of(const AnytimeStudyResult& result) {
  return std::views::iota(std::size_t{0}, result.limits.size());
}

// A table of one metric: parts down, limits across.
struct TableSpec {
  Metric metric;
  std::string_view title;
  bool shows_below = false;     // on how many instances it is below 0
  bool shows_extremes = false;  // median and greatest
};

constexpr std::array kGains = {
    TableSpec{Metric::turnaround_best16,
              "(a) Turn-around against the best of the sixteen BL_x_BD_y, any CPU-hours", true},
    TableSpec{Metric::hours_any, "    CPU-hours of these plans against BL_CPAR_BD_CPAR"},
    TableSpec{Metric::turnaround_cpar,
              "(b) Turn-around at the CPU-hours of BL_CPAR_BD_CPAR, against it", true},
    TableSpec{Metric::turnaround_default,
              "    Turn-around at 1.25 times its CPU-hours (the default), against it", true},
    TableSpec{Metric::turnaround_default16, "    the same, against the best of the sixteen", true},
    TableSpec{Metric::hours_default, "    CPU-hours of these plans against BL_CPAR_BD_CPAR"},
    TableSpec{Metric::hours_cpar_end,
              "(c) CPU-hours at the turn-around of BL_CPAR_BD_CPAR, against it", true},
    TableSpec{Metric::hours_cpar_possible, "    at most possible, by the certificates"},
    TableSpec{Metric::hours_loose,
              "(d) CPU-hours at 1.5 times the tightest deadline of the DL_*, against the best DL_*",
              true},
    TableSpec{Metric::gap_loose, "    above the certified minimum", false, true},
    TableSpec{Metric::gap_best_dl, "    the best DL_* above the same minimum"},
    TableSpec{Metric::turnaround_dl,
              "(e) Turn-around against the tightest deadline of the DL_*, any CPU-hours", true},
    TableSpec{Metric::gap, "(f) Certified gap of the turn-around, any CPU-hours", false, true},
    TableSpec{Metric::gap_best16, "    the best of the sixteen above the same bound", false, true},
    TableSpec{Metric::gap_default, "    Certified gap at 1.25 times the CPU-hours", false, true},
};

constexpr std::array kBoundTables = {
    TableSpec{Metric::bound_path, "(g) Bound over plan: critical path"},
    TableSpec{Metric::bound_calendar, "    critical path around the reservations"},
    TableSpec{Metric::bound_flow, "    window flow (the certificate)"},
};

std::string cell_text(const TableSpec& table, const AnytimeSummary& summary) {
  if (summary.count == 0) return "-";
  std::string text = fmt::format("{:.2f} +- {:.1f}", 100 * summary.mean, 100 * summary.deviation);
  if (table.shows_below) text += fmt::format(" {:>4}/{}", summary.below, summary.count);
  if (table.shows_extremes) {
    text += fmt::format(" ({:.1f}, {:.1f})", 100 * summary.median, 100 * summary.greatest);
  }
  return text;
}

// A line "measured" or "promised", if there is any number of that kind.
void write_reference(Text out, const AnytimeStudyResult& result, const TableSpec& table,
                     const AnytimePart& part, std::string_view name,
                     std::optional<double> AnytimeReference::*value) {
  bool has_any = false;
  std::string line =
      report::line(kAnytimeWidths, name, result.limits, [&](const AnytimeLimit& limit) {
        const AnytimeReference* known = find_reference(table.metric, part, limit);
        const bool has = known != nullptr && known->*value;
        has_any |= has;
        return has ? fmt::format("{:.1f}", *(known->*value)) : "";
      });
  if (!has_any) return;
  line.erase(line.find_last_not_of(' ') + 1);
  fmt::format_to(out, "{}\n", line);
}

// On chains the best of the sixteen is often optimal.
void write_ties(Text out, const AnytimeStudyResult& result) {
  fmt::format_to(out, "    not better on, and how often the bound leaves less than 0.1 %\n");
  for (const AnytimePart& part : anytime_parts(result.cases)) {
    report::write_line(out, kAnytimeWidths, part.name(), limits_of(result), [&](std::size_t limit) {
      const AnytimeTies ties = count_ties(result.cases, part, limit);
      return fmt::format("{}, {}", ties.count, ties.at_bound);
    });
  }
}

// A question that was not asked has no table.
void write_table(Text out, const AnytimeStudyResult& result, const TableSpec& table) {
  bool has_title = false;
  for (const AnytimePart& part : anytime_parts(result.cases)) {
    bool has_any = false;
    const std::string line =
        report::line(kAnytimeWidths, part.name(), limits_of(result), [&](std::size_t limit) {
          const AnytimeSummary summary = summarise(result.cases, part, table.metric, limit);
          has_any |= summary.count > 0;
          return cell_text(table, summary);
        });
    if (!has_any) continue;
    if (!has_title) fmt::format_to(out, "\n{}\n", table.title);
    has_title = true;
    fmt::format_to(out, "{}\n", line);
    write_reference(out, result, table, part, "  measured", &AnytimeReference::measured);
    write_reference(out, result, table, part, "  promised", &AnytimeReference::promised);
  }
  if (has_title && table.metric == Metric::turnaround_best16) write_ties(out, result);
}

void write_head(Text out, const AnytimeStudyResult& result) {
  const auto shapes =
      std::ranges::count_if(result.cases, [](const auto& one) { return !one.shape.empty(); });
  fmt::format_to(out,
                 "DOVETAIL against the published planners, scale {}, seed {}\n"
                 "{} random workflows ({} schedules per log and number of tasks), {} real shapes\n",
                 report::name_of(result.scale), result.seed,
                 result.cases.size() - static_cast<std::size_t>(shapes), result.schedules, shapes);
  for (const StudyLog& log : result.logs) {
    fmt::format_to(out, "{}: {} processors, {:.1f} % in use\n", log.name, log.processors,
                   100 * log.utilisation);
  }
  if (!result.shapes_note.empty()) {
    fmt::format_to(out, "Real shapes are left out: {}\n", result.shapes_note);
  }
  fmt::format_to(out,
                 "\nPer cent: mean +- standard deviation over instances; n/m: better on n of m; in "
                 "brackets: median, greatest.\n"
                 "measured: by the program that DOVETAIL was designed with; promised: by "
                 "docs/anytime.md.\n\n");
  report::write_line(out, kAnytimeWidths, "", result.limits, std::mem_fn(&AnytimeLimit::name));
}

void write_times(Text out, const AnytimeStudyResult& result) {
  fmt::format_to(out, "\nTrials of (a), on average; milliseconds: mean (greatest)\n");
  for (const AnytimePart& part : anytime_parts(result.cases)) {
    report::write_line(out, kAnytimeWidths, part.name(), limits_of(result), [&](std::size_t limit) {
      const AnytimeTime time = time_of(result.cases, part, AnytimeQuestion::any_hours, limit);
      const std::string trials = fmt::format("{:.0f}", time.mean_trials);
      // A search by trials gives the same result every time, but its time varies.
      if (!result.limits[limit].milliseconds) return trials;
      return fmt::format("{}; {:.1f} ({:.1f})", trials, time.mean_ms, time.worst_ms);
    });
  }
}

void write_failures(Text out, const AnytimeStudyResult& result) {
  const AnytimeFailures failures = count_failures(result.cases);
  fmt::format_to(out,
                 "\n{} searches: {} without a plan, {} plans that check() rejects, {} certificates "
                 "that refute() rejects, {} worse than BL_CPAR_BD_CPAR\n",
                 failures.searches, failures.no_plan, failures.invalid, failures.unproven,
                 failures.worse);
}

void write_promises(Text out, const AnytimeStudyResult& result) {
  fmt::format_to(out, "\n{:<80} {:>18} {:>12} {:>28}\n", "Promises", "promised", "measured",
                 "ours");
  for (const AnytimePromise& promise : anytime_promises(result.cases, result.limits)) {
    const std::string_view verdict = promise.ours.empty() ? ""
                                     : promise.is_kept    ? "kept"
                                                          : "NOT kept";
    fmt::format_to(out, "{:<80} {:>18} {:>12} {:>28}  {}\n", promise.what, promise.promised,
                   promise.measured, promise.ours.empty() ? "not run" : promise.ours, verdict);
  }
}

Json summary_json(const AnytimeSummary& summary) {
  return {{"instances", summary.count}, {"mean", summary.mean},   {"deviation", summary.deviation},
          {"median", summary.median},   {"least", summary.least}, {"greatest", summary.greatest},
          {"below_zero", summary.below}};
}

Json limit_json(const AnytimeLimit& limit) {
  if (limit.milliseconds) return {{"milliseconds", *limit.milliseconds}};
  return {{"trials", limit.trials.value_or(0)}};
}

Json row_json(const AnytimeStudyResult& result, const AnytimePart& part, Metric metric,
              std::size_t limit) {
  Json json = limit_json(result.limits[limit]);
  json.update(summary_json(summarise(result.cases, part, metric, limit)));
  const AnytimeReference* known = find_reference(metric, part, result.limits[limit]);
  if (known != nullptr && known->measured) json["measured_percent"] = *known->measured;
  if (known != nullptr && known->promised) json["promised_percent"] = *known->promised;
  return json;
}

Json part_json(const AnytimeStudyResult& result, const AnytimePart& part) {
  Json json{{"part", part.name()}, {"metrics", Json::object()}};
  for (std::size_t i = 0; i < kAnytimeMetrics; ++i) {
    const auto metric = static_cast<Metric>(i);
    Json rows = Json::array();
    for (std::size_t limit = 0; limit < result.limits.size(); ++limit) {
      if (summarise(result.cases, part, metric, limit).count == 0) continue;
      rows.push_back(row_json(result, part, metric, limit));
    }
    if (!rows.empty()) json["metrics"][std::string(to_string(metric))] = std::move(rows);
  }
  return json;
}

Json failures_json(const AnytimeFailures& failures) {
  return {{"searches", failures.searches},
          {"no_plan", failures.no_plan},
          {"invalid_plans", failures.invalid},
          {"refuted_certificates", failures.unproven},
          {"worse_than_cpar", failures.worse}};
}

Json points_json(const std::vector<AnytimePoint>& points) {
  return report::list(points, [](const AnytimePoint& point) {
    return Json{{"turnaround_s", to_seconds(point.turnaround)},
                {"cpu_hours", hours_of(point.area)}};
  });
}

Json frontier_json(const AnytimeFrontier& frontier) {
  return {{"log", frontier.log},
          {"processors", frontier.processors},
          {"tasks", frontier.tasks},
          {"dovetail", points_json(frontier.ours)},
          {"turnaround_planners", points_json(frontier.forward)},
          {"deadline_planners", points_json(frontier.backward)},
          {"bound", points_json(frontier.bound)}};
}

// The mean of a metric over the limits, a line for each part.
LineChart over_time(const AnytimeStudyResult& result, Metric metric, std::string title) {
  LineChart chart{.title = std::move(title),
                  .facts = {"mean over instances", "each point a search of its own"},
                  .x_name = "processor time of one thread, milliseconds",
                  .y_name = "per cent",
                  .log_x = true};
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
    series.points.emplace_back(hours_of(point.turnaround), hours_of(point.area));
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
  chart.series = {series_of("DOVETAIL", frontier.ours, LineLook::stairs),
                  series_of("BL_x_BD_y", frontier.forward, LineLook::dots),
                  series_of("DL_x", frontier.backward, LineLook::dots),
                  series_of("bound", frontier.bound, LineLook::line)};
  return chart;
}

}  // namespace

std::string format_table(const AnytimeStudyResult& result) {
  std::string text;
  const Text out(text);
  write_head(out, result);
  for (const TableSpec& table : kGains) write_table(out, result, table);
  write_failures(out, result);
  for (const TableSpec& table : kBoundTables) write_table(out, result, table);
  write_times(out, result);
  write_promises(out, result);
  text += "\nWhat the numbers mean: docs/studies.md; how the planner works: docs/anytime.md.\n";
  return text;
}

std::string to_json(const AnytimeStudyResult& result) {
  Json json{
      {"study", "anytime"},
      {"scale", report::name_of(result.scale)},
      {"seed", result.seed},
      {"schedules", result.schedules},
      {"instances", result.cases.size()},
      {"limits", report::list(result.limits, limit_json)},
      {"parts", report::list(anytime_parts(result.cases),
                             [&](const AnytimePart& part) { return part_json(result, part); })},
      {"failures", failures_json(count_failures(result.cases))},
      {"promises", report::list(anytime_promises(result.cases, result.limits),
                                [](const AnytimePromise& promise) {
                                  Json one{{"what", promise.what},
                                           {"promised", promise.promised},
                                           {"measured", promise.measured},
                                           {"ours", promise.ours}};
                                  if (!promise.ours.empty()) one["kept"] = promise.is_kept;
                                  return one;
                                })}};
  if (!result.shapes_note.empty()) json["shapes_note"] = result.shapes_note;
  if (result.frontier) json["frontier"] = frontier_json(*result.frontier);
  return json.dump(1) + "\n";
}

std::string to_csv(const AnytimeStudyResult& result) {
  std::string text =
      "shape,tasks,width,density,log,processors,phi,method,question,limit,best16_s,cpar_s,"
      "cpar_hours,tightest_dl_s,best_dl_hours,turnaround_s,hours,gap,critical_path_s,"
      "calendar_path_s,bound_s,bound_hours,trials,valid,proven\n";
  const auto hours = [](Area area) { return fmt::format("{:.4f}", hours_of(area)); };
  for (const AnytimeCase& one : result.cases) {
    for (const AnytimeAnswer& answer : one.answers) {
      text += fmt::format(
          "{},{},{:g},{:g},{},{},{:g},{},{},{},{},{},{},{},{},{},{},{:.6f},{},{},{},{},{},{},{}\n",
          one.shape, one.tasks, one.width, one.density, one.log, one.processors,
          one.reservations.phi, to_string(one.reservations.method), to_string(answer.question),
          result.limits[answer.limit].name(), to_seconds(one.best16), to_seconds(one.cpar),
          hours(one.cpar_area), one.tightest ? fmt::format("{}", to_seconds(*one.tightest)) : "",
          one.loose_area ? hours(*one.loose_area) : "", to_seconds(answer.turnaround),
          hours(answer.area), answer.gap, to_seconds(one.critical_path),
          to_seconds(one.calendar_path), to_seconds(answer.least_turnaround),
          hours(answer.least_area), answer.trials, answer.is_valid ? 1 : 0,
          answer.is_proven ? 1 : 0);
    }
  }
  return text;
}

std::vector<AnytimeFigure> anytime_figures(const AnytimeStudyResult& result) {
  LineChart gap =
      over_time(result, Metric::gap, "Certified gap: how much better a plan could be at most");
  gap.log_y = true;
  std::vector<AnytimeFigure> figures = {
      {"anytime_progress", over_time(result, Metric::turnaround_best16,
                                     "Turn-around against the best of sixteen published plans")},
      {"anytime_gap", std::move(gap)}};
  if (result.frontier) {
    figures.push_back({"anytime_frontier", frontier_chart(*result.frontier)});
  }
  return figures;
}

}  // namespace dovetail::study
