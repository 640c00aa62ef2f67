// The turn-around study as text, JSON and CSV.
#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>

#include "study/published.hpp"
#include "study/turnaround.hpp"

namespace dovetail {
namespace {

using Text = std::back_insert_iterator<std::string>;
using Json = nlohmann::ordered_json;

std::string_view name_of(StudyScale scale) {
  return scale == StudyScale::paper ? "paper" : "quick";
}

const published::TurnaroundRow& published_row(std::size_t bound) {
  return published::turnaround_rows()[bound];
}

void write_head(Text out, const TurnaroundStudyResult& result) {
  fmt::format_to(out, "Turn-around around reservations, scale {}, seed {}\n", name_of(result.scale),
                 result.seed);
  fmt::format_to(out, "{} scenarios of {} instances ({} workflows x {} schedules)\n",
                 result.scenarios.size(), result.size.workflows * result.size.schedules(),
                 result.size.workflows, result.size.schedules());
  for (const StudyLog& log : result.logs) {
    fmt::format_to(out, "  {:<12} {:>5} processors, {:.0f} % in use\n", log.name, log.processors,
                   100 * log.utilisation);
  }
}

// One metric of one row: per cent above the best, scenarios won, instances won.
void write_metric(Text out, const Degradation& metric) {
  fmt::format_to(out, "   {:>11.2f} {:>6} {:>9.1f} %", metric.percent, metric.scenario_wins,
                 metric.instance_wins_percent);
}

void write_published(Text out, double percent, int wins) {
  fmt::format_to(out, "   {:>9.2f} {:>6}", percent, wins);
}

// The published table covers all logs at once, so that only the whole one has it beside.
void write_bounds(Text out, const BoundTable& table) {
  fmt::format_to(out, "\n{}: {} scenarios, {} instances; per cent above the best\n{:<9}",
                 table.title, table.scenarios, table.instances, "");
  for (const char* metric : {"turn-around", "CPU-hours"}) {
    fmt::format_to(out, "   {:>11} {:>6} {:>11}", metric, "wins", "instances");
    if (table.whole) fmt::format_to(out, "   {:>9} {:>6}", "published", "wins");
  }
  fmt::format_to(out, "\n");
  for (std::size_t bound = 0; bound < table.rows.size(); ++bound) {
    const published::TurnaroundRow& theirs = published_row(bound);
    fmt::format_to(out, "{:<9}", kBoundNames[bound]);
    write_metric(out, table.rows[bound].turnaround);
    if (table.whole) write_published(out, theirs.turnaround_percent, theirs.turnaround_wins);
    write_metric(out, table.rows[bound].cpu);
    if (table.whole) write_published(out, theirs.cpu_percent, theirs.cpu_wins);
    fmt::format_to(out, "\n");
  }
}

void write_bottom_levels(Text out, const std::vector<BottomLevelTable>& tables) {
  fmt::format_to(out,
                 "\nBottom levels: gain over BL_1 (scenario means), and how often each is best\n");
  fmt::format_to(out, "{:<12} {:>18} {:>8} {:>8} {:>8} {:>8}\n", "", "gain %", "BL_1", "BL_ALL",
                 "BL_CPA", "BL_CPAR");
  for (const BottomLevelTable& table : tables) {
    fmt::format_to(out, "{:<12} {:>8.2f} .. {:>6.2f}", table.title, table.least_gain,
                   table.greatest_gain);
    for (double percent : table.best_percent) fmt::format_to(out, " {:>6.1f} %", percent);
    fmt::format_to(out, "\n");
  }
  const published::BottomLevelFacts theirs;
  fmt::format_to(out, "{:<12} {:>8.2f} .. {:>6.2f} {:>6.1f} % {:>6.1f} % {:>11.1f} % both\n",
                 "published", theirs.least_gain, theirs.greatest_gain, theirs.best_one,
                 theirs.best_all, theirs.best_cpa_or_cpar);
}

std::span<const published::TimingRow> published_timing(const TimingTable& table) {
  return table.parameter == "tasks" ? published::timing_by_tasks() : published::timing_by_density();
}

void write_timing(Text out, const TimingTable& table) {
  fmt::format_to(out, "\nMilliseconds a plan by {} ({} instances each); published below ours\n",
                 table.parameter, table.instances);
  fmt::format_to(out, "{:<10}", "");
  for (double value : table.values) fmt::format_to(out, " {:>8g}", value);
  fmt::format_to(out, "\n");
  for (std::size_t bound = 0; bound < kBoundNames.size(); ++bound) {
    fmt::format_to(out, "{:<10}", kBoundNames[bound]);
    for (double ms : table.milliseconds[bound]) fmt::format_to(out, " {:>8.3f}", ms);
    fmt::format_to(out, "\n");
    if (!published::find_timing(published_timing(table), kBoundNames[bound], 0)) continue;
    fmt::format_to(out, "{:<10}", "published");
    for (std::size_t i = 0; i < table.values.size(); ++i) {
      fmt::format_to(out, " {:>8.3f}",
                     *published::find_timing(published_timing(table), kBoundNames[bound], i));
    }
    fmt::format_to(out, "\n");
  }
}

Json to_json(const Degradation& metric) {
  return {{"percent_above_best", metric.percent},
          {"scenario_wins", metric.scenario_wins},
          {"instance_wins_percent", metric.instance_wins_percent}};
}

Json published_bounds() {
  Json rows = Json::array();
  for (const published::TurnaroundRow& row : published::turnaround_rows()) {
    rows.push_back(
        {{"algorithm", row.bound},
         {"turnaround",
          {{"percent_above_best", row.turnaround_percent}, {"scenario_wins", row.turnaround_wins}}},
         {"cpu_hours",
          {{"percent_above_best", row.cpu_percent}, {"scenario_wins", row.cpu_wins}}}});
  }
  return {{"title", "published"},
          {"scenarios", published::kTurnaroundScenarios},
          {"rows", std::move(rows)}};
}

Json to_json(const BoundTable& table) {
  Json rows = Json::array();
  for (std::size_t bound = 0; bound < table.rows.size(); ++bound) {
    rows.push_back({{"algorithm", kBoundNames[bound]},
                    {"turnaround", to_json(table.rows[bound].turnaround)},
                    {"cpu_hours", to_json(table.rows[bound].cpu)}});
  }
  return {{"title", table.title},
          {"scenarios", table.scenarios},
          {"instances", table.instances},
          {"rows", std::move(rows)}};
}

Json to_json(const BottomLevelTable& table) {
  Json best;
  for (std::size_t level = 0; level < kBottomLevelNames.size(); ++level) {
    best[std::string(kBottomLevelNames[level])] = table.best_percent[level];
  }
  return {{"title", table.title},
          {"least_gain_percent", table.least_gain},
          {"greatest_gain_percent", table.greatest_gain},
          {"best_percent", std::move(best)}};
}

Json to_json(const TimingTable& table) {
  Json rows = Json::array();
  for (std::size_t bound = 0; bound < kBoundNames.size(); ++bound) {
    Json theirs = Json::array();
    for (std::size_t i = 0; i < table.values.size(); ++i) {
      const auto ms = published::find_timing(published_timing(table), kBoundNames[bound], i);
      theirs.push_back(ms ? Json(*ms) : Json(nullptr));
    }
    rows.push_back({{"algorithm", kBoundNames[bound]},
                    {"milliseconds", table.milliseconds[bound]},
                    {"published", std::move(theirs)}});
  }
  return {{"parameter", table.parameter},
          {"values", table.values},
          {"instances", table.instances},
          {"rows", std::move(rows)}};
}

Json published_bottom_levels() {
  const published::BottomLevelFacts theirs;
  return {{"least_gain_percent", theirs.least_gain},
          {"greatest_gain_percent", theirs.greatest_gain},
          {"best_percent",
           {{"BL_1", theirs.best_one},
            {"BL_ALL", theirs.best_all},
            {"BL_CPA or BL_CPAR", theirs.best_cpa_or_cpar}}}};
}

template <typename Table>
Json list(const std::vector<Table>& tables) {
  Json array = Json::array();
  for (const Table& table : tables) array.push_back(to_json(table));
  return array;
}

}  // namespace

std::string format_table(const TurnaroundStudyResult& result) {
  std::string text;
  const Text out(text);
  write_head(out, result);
  for (const BoundTable& table : result.bounds) write_bounds(out, table);
  write_bottom_levels(out, result.bottom_levels);
  for (const TimingTable& table : result.timing) write_timing(out, table);
  text +=
      "\nwins: scenarios with the least mean; instances: share with the least value; ties count "
      "for all.\nWhat agrees with the paper and what does not: docs/studies.md.\n";
  return text;
}

std::string to_json(const TurnaroundStudyResult& result) {
  Json logs = Json::array();
  for (const StudyLog& log : result.logs) {
    logs.push_back(
        {{"name", log.name}, {"processors", log.processors}, {"utilisation", log.utilisation}});
  }
  const Json document = {{"study", "turnaround"},
                         {"scale", name_of(result.scale)},
                         {"seed", result.seed},
                         {"scenarios", result.scenarios.size()},
                         {"workflows", result.size.workflows},
                         {"schedules", result.size.schedules()},
                         {"logs", std::move(logs)},
                         {"bounds", list(result.bounds)},
                         {"bottom_levels", list(result.bottom_levels)},
                         {"published_bounds", published_bounds()},
                         {"published_bottom_levels", published_bottom_levels()},
                         {"timing", list(result.timing)}};
  return document.dump(1) + "\n";
}

std::string to_csv(const TurnaroundStudyResult& result) {
  std::string text =
      "log,processors,phi,method,parameter,value,algorithm,instances,mean_turnaround_s,"
      "mean_cpu_hours\n";
  const Text out(text);
  for (const Scenario& scenario : result.scenarios) {
    const StudyLog& log = result.logs[scenario.log];
    const ApplicationSpec& application = result.applications[scenario.application];
    const auto instances = static_cast<double>(scenario.sums.instances);
    for (std::size_t level = 0; level < kBottomLevelNames.size(); ++level) {
      for (std::size_t bound = 0; bound < kBoundNames.size(); ++bound) {
        const std::size_t algorithm = algorithm_number(level, bound);
        fmt::format_to(out, "{},{},{:g},{},{},{:g},{}_{},{},{:.3f},{:.6f}\n", log.name,
                       log.processors, scenario.reservations.phi,
                       to_string(scenario.reservations.method), application.parameter,
                       application.value, kBottomLevelNames[level], kBoundNames[bound],
                       scenario.sums.instances,
                       static_cast<double>(scenario.sums.turnaround[algorithm]) / 1000 / instances,
                       static_cast<double>(scenario.sums.cpu[algorithm]) / 3.6e6 / instances);
      }
    }
  }
  return text;
}

}  // namespace dovetail
