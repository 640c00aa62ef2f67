// The turn-around study as text, JSON and CSV.
#include "study/report.hpp"
#include "study/turnaround/turnaround_study.hpp"

namespace dovetail::study {
namespace {

using report::Json;
using report::Text;

// The published table covers all logs at once, so only the table of all scenarios shows it.
void write_bounds(Text out, const BoundTable& table) {
  report::ComparisonText text{.title = fmt::format("{}: {} scenarios, {} instances", table.title,
                                                   table.scenarios, table.instances),
                              .metrics = {"turn-around", "CPU-hours"},
                              .algorithms = kBoundNames};
  if (table.whole) text.published = published::kTurnaroundRows;
  report::write_comparison(out, text, table);
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

Json published_bounds() {
  const auto metric = [](const published::PublishedMetric& theirs) {
    return Json{{"percent_above_best", theirs.percent}, {"scenario_wins", *theirs.wins}};
  };
  Json rows = report::list(published::kTurnaroundRows, [&](const auto& row) {
    return Json{{"algorithm", row.algorithm},
                {"turnaround", metric(row.time)},
                {"cpu_hours", metric(row.cpu)}};
  });
  return {{"title", "published"},
          {"scenarios", published::kTurnaroundScenarios},
          {"rows", std::move(rows)}};
}

Json bottom_levels_json(const BottomLevelTable& table) {
  Json best;
  for (std::size_t level = 0; level < kBottomLevelNames.size(); ++level) {
    best[std::string(kBottomLevelNames[level])] = table.best_percent[level];
  }
  return {{"title", table.title},
          {"least_gain_percent", table.least_gain},
          {"greatest_gain_percent", table.greatest_gain},
          {"best_percent", std::move(best)}};
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

}  // namespace

std::string format_table(const TurnaroundStudyResult& result) {
  std::string text;
  const Text out(text);
  report::write_head(out, "Turn-around around reservations", result, result.scenarios.size());
  for (const BoundTable& table : result.bounds) write_bounds(out, table);
  write_bottom_levels(out, result.bottom_levels);
  for (const TimingTable& table : result.timing) report::write_timing(out, table);
  text +=
      "\nwins: scenarios with the least mean; instances: share with the least value; ties count "
      "for all.\nWhat agrees with the paper and what does not: docs/studies.md.\n";
  return text;
}

std::string to_json(const TurnaroundStudyResult& result) {
  Json document = report::head_json("turnaround", result, result.scenarios.size());
  document["bounds"] = report::list(result.bounds, [](const BoundTable& table) {
    return report::to_json(table, kBoundNames, "turnaround", false);
  });
  document["bottom_levels"] = report::list(result.bottom_levels, bottom_levels_json);
  document["published_bounds"] = published_bounds();
  document["published_bottom_levels"] = published_bottom_levels();
  document["timing"] =
      report::list(result.timing, [](const TimingTable& table) { return report::to_json(table); });
  return document.dump(1) + "\n";
}

std::string to_csv(const TurnaroundStudyResult& result) {
  std::string text = fmt::format("{},algorithm,instances,mean_turnaround_s,mean_cpu_hours\n",
                                 report::kCsvScenarioFields);
  const Text out(text);
  for (const Scenario& scenario : result.scenarios) {
    const std::string fields =
        report::csv_scenario(result, scenario.application, scenario.log, scenario.reservations);
    const auto instances = static_cast<double>(scenario.sums.instances);
    for (std::size_t level = 0; level < kBottomLevelNames.size(); ++level) {
      for (std::size_t bound = 0; bound < kBoundNames.size(); ++bound) {
        const std::size_t algorithm = algorithm_number(level, bound);
        fmt::format_to(out, "{},{}_{},{},{:.3f},{:.6f}\n", fields, kBottomLevelNames[level],
                       kBoundNames[bound], scenario.sums.instances,
                       static_cast<double>(scenario.sums.turnaround[algorithm]) / 1000 / instances,
                       static_cast<double>(scenario.sums.cpu[algorithm]) / 3.6e6 / instances);
      }
    }
  }
  return text;
}

}  // namespace dovetail::study
