// The deadline study as text, JSON and CSV.
#include <algorithm>

#include "study/deadline/deadline_study.hpp"
#include "study/report.hpp"

namespace dovetail::study {
namespace {

using report::Json;
using report::Text;

constexpr int kMethodWidth = 19;
constexpr int kCellWidth = 9;

// A line of Table 6: a cell per column for the tightest deadline, then the same for CPU-hours.
template <typename Cell>
void write_plain_line(Text out, std::string_view name, const PlainTable& table, Cell cell) {
  fmt::format_to(out, "{:<{}}", name, kMethodWidth);
  for (const bool cpu : {false, true}) {
    fmt::format_to(out, "  ");
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
      fmt::format_to(out, " {:>{}}", cell(column, cpu), kCellWidth);
    }
  }
  fmt::format_to(out, "\n");
}

const Degradation& metric_of(const ComparisonRow& row, bool cpu) {
  return cpu ? row.cpu : row.time;
}

void write_plain_row(Text out, const PlainTable& table, std::size_t row) {
  const auto ours = [&](std::size_t column, bool cpu) -> const Degradation& {
    return metric_of(table.columns[column].rows[row], cpu);
  };
  const published::PublishedDeadlines& theirs = published::kDeadlineRows[row];
  write_plain_line(out, kPlainNames[row], table, [&](std::size_t column, bool cpu) {
    return fmt::format("{:.2f}", ours(column, cpu).percent);
  });
  write_plain_line(out, "  published", table, [&](std::size_t column, bool cpu) {
    return fmt::format("{:.2f}", (cpu ? theirs.cpu_percent : theirs.tightest_percent)[column]);
  });
  write_plain_line(out, "  scenarios won", table, [&](std::size_t column, bool cpu) {
    return fmt::format("{}", ours(column, cpu).scenario_wins);
  });
}

std::string instances(std::size_t count) {
  return fmt::format("{} instance{}", count, count == 1 ? "" : "s");
}

// Instances for which an algorithm has no answer; prints nothing when there are none.
void write_unanswered(Text out, std::string_view algorithm, std::string_view column,
                      const ComparisonRow& row) {
  if (row.time.unanswered > 0) {
    fmt::format_to(out, "{}, {}: {} without a tightest deadline\n", algorithm, column,
                   instances(row.time.unanswered));
  }
  if (row.cpu.unanswered > 0) {
    fmt::format_to(out, "{}, {}: missed the loose deadline on {}\n", algorithm, column,
                   instances(row.cpu.unanswered));
  }
}

void write_plain(Text out, const PlainTable& table) {
  fmt::format_to(out, "\n{} (Table 6), {} a column: per cent above the best\n{:<{}}", table.title,
                 instances(table.columns.front().instances), "", kMethodWidth);
  const int half = static_cast<int>(table.columns.size()) * (kCellWidth + 1);
  fmt::format_to(out, "  {:>{}}  {:>{}}\n", "tightest deadline", half, "CPU-hours, loose deadline",
                 half);
  write_plain_line(out, "", table,
                   [&](std::size_t column, bool) { return table.columns[column].title; });
  for (std::size_t row = 0; row < kPlainNames.size(); ++row) write_plain_row(out, table, row);
  write_plain_line(out, "scenarios", table, [&](std::size_t column, bool) {
    return fmt::format("{}", table.columns[column].scenarios);
  });
  for (const ComparisonTable& column : table.columns) {
    for (std::size_t row = 0; row < kPlainNames.size(); ++row) {
      write_unanswered(out, kPlainNames[row], column.title, column.rows[row]);
    }
  }
}

void write_hybrid(Text out, const HybridTable& hybrid) {
  const ComparisonTable& table = hybrid.table;
  const report::ComparisonText text{
      .title = fmt::format("{} (Table 7), method real: {} scenarios, {} instances", table.title,
                           table.scenarios, table.instances),
      .metrics = {"tightest", "CPU-hours"},
      .algorithms = kHybridNames,
      .published = published::kHybridRows};
  report::write_comparison(out, text, table);
  for (std::size_t row = 0; row < kHybridNames.size(); ++row) {
    write_unanswered(out, kHybridNames[row], "real", table.rows[row]);
  }
  const published::BindFacts theirs;
  fmt::format_to(
      out,
      "DL_RC_CPAR over twice DL_BD_CPA on {:.1f} % of instances (published {:g}), over "
      "1.02 times on {:.1f} % (published under {:g})\n",
      report::per_cent(hybrid.binds.over_twice, hybrid.binds.instances), theirs.over_twice,
      report::per_cent(hybrid.binds.over_slightly, hybrid.binds.instances), theirs.over_slightly);
}

void write_findings(Text out, const std::vector<Finding>& findings) {
  if (findings.empty()) return;
  fmt::format_to(out, "\nDefault application, means over phi: what a sound campaign shows\n");
  for (const Finding& finding : findings) {
    fmt::format_to(out, "{:<15} {}: {}\n", finding.agrees ? "agrees" : "does not agree",
                   finding.claim, finding.found);
  }
}

void write_readings(Text out, const std::vector<ReadingTable>& tables) {
  if (tables.empty()) return;
  fmt::format_to(out,
                 "\nReadings: per cent above the best by phi, and mean distance to the published "
                 "in points\n");
  for (const ReadingTable& reading : tables) {
    fmt::format_to(out, "{:<10} tightest {:>7.2f}, CPU-hours {:>7.2f} from the published\n",
                   to_string(reading.reading), reading.tightest_distance, reading.cpu_distance);
    for (std::size_t row = 0; row < kPlainNames.size(); ++row) {
      if (std::count(kConservativeNames.begin(), kConservativeNames.end(), kPlainNames[row]) == 0) {
        continue;
      }
      write_plain_line(out, fmt::format("  {}", kPlainNames[row]), reading.table,
                       [&](std::size_t column, bool cpu) {
                         const ComparisonRow& ours = reading.table.columns[column].rows[row];
                         return fmt::format("{:.2f}", metric_of(ours, cpu).percent);
                       });
    }
  }
}

std::string_view stated_terms(std::string_view algorithm) {
  const auto* theirs = published::find_timing(algorithm);
  return theirs == nullptr ? "" : theirs->terms;
}

// Table 8 and the measured exponents for each parameter.
void write_growth(Text out, const std::vector<GrowthTable>& tables) {
  if (tables.empty()) return;
  constexpr report::LineWidths kWidths = {kMethodWidth, 12};
  const auto line = [&](std::string_view name, auto to_text) {
    return report::line(kWidths, name, tables, to_text);
  };
  fmt::format_to(out,
                 "\nGrowth of run times (Table 8): exponent when one doubles and the others stay\n"
                 "{}   stated worst case\n{}\n{}\n",
                 line("", [](const GrowthTable& table) { return table.parameter; }),
                 line("from .. to",
                      [](const GrowthTable& table) {
                        return fmt::format("{:g} .. {:g}", table.sizes.front(), table.sizes.back());
                      }),
                 line("stated", [](const GrowthTable& table) {
                   return fmt::format("{:.2f}", table.stated_exponent);
                 }));
  for (std::size_t row = 0; row < tables.front().rows.size(); ++row) {
    const std::string_view name = tables.front().rows[row].algorithm;
    const auto exponent = [&](const GrowthTable& table) {
      return fmt::format("{:.2f}", table.rows[row].exponent);
    };
    fmt::format_to(out, "{}   {}\n", line(name, exponent), stated_terms(name));
  }
}

Json plain_json(const PlainTable& table) {
  Json columns = report::list(table.columns, [](const ComparisonTable& column) {
    return report::to_json(column, kPlainNames, "tightest", true);
  });
  return {{"title", table.title}, {"columns", std::move(columns)}};
}

Json hybrid_json(const HybridTable& table) {
  Json json = report::to_json(table.table, kHybridNames, "tightest", true);
  json["over_twice_percent"] = report::per_cent(table.binds.over_twice, table.binds.instances);
  json["over_slightly_percent"] =
      report::per_cent(table.binds.over_slightly, table.binds.instances);
  return json;
}

Json reading_json(const ReadingTable& table) {
  return {{"reading", to_string(table.reading)},
          {"tightest_distance_points", table.tightest_distance},
          {"cpu_distance_points", table.cpu_distance},
          {"columns", plain_json(table.table)["columns"]}};
}

Json finding_json(const Finding& finding) {
  return {{"claim", finding.claim}, {"found", finding.found}, {"agrees", finding.agrees}};
}

Json growth_json(const GrowthTable& table) {
  Json rows = report::list(table.rows, [](const GrowthRow& row) {
    return Json{{"algorithm", row.algorithm},
                {"milliseconds", row.milliseconds},
                {"exponent", row.exponent},
                {"stated_terms", stated_terms(row.algorithm)}};
  });
  return {{"parameter", table.parameter},
          {"sizes", table.sizes},
          {"stated_exponent", table.stated_exponent},
          {"rows", std::move(rows)}};
}

Json published_plain_json() {
  Json rows = report::list(published::kDeadlineRows, [](const auto& row) {
    return Json{{"algorithm", row.algorithm},
                {"tightest_percent", row.tightest_percent},
                {"cpu_hours_percent", row.cpu_percent}};
  });
  return {{"columns", {"phi 0.1", "phi 0.2", "phi 0.5", "Grid'5000"}}, {"rows", std::move(rows)}};
}

Json published_hybrid_json() {
  Json rows = report::list(published::kHybridRows, [](const auto& row) {
    return Json{{"algorithm", row.algorithm},
                {"tightest_percent", row.time.percent},
                {"cpu_hours_percent", row.cpu.percent}};
  });
  const published::BindFacts binds;
  return {{"rows", std::move(rows)},
          {"over_twice_percent", binds.over_twice},
          {"over_slightly_percent_below", binds.over_slightly}};
}

// Mean over the instances that all compared algorithms have an answer for; empty without any.
std::string csv_mean(const ComparedView& metric, std::size_t algorithm, double unit) {
  if (metric.complete == 0) return "";
  return fmt::format("{:.6f}", static_cast<double>(metric.total[algorithm]) / unit /
                                   static_cast<double>(metric.complete));
}

std::string csv_excess(const ComparedView& metric, std::size_t algorithm) {
  const std::size_t answered = metric.instances - metric.unanswered[algorithm];
  if (answered == 0) return "";
  return fmt::format("{:.4f}", 100 * metric.excess[algorithm] / static_cast<double>(answered));
}

template <std::size_t N>
void write_csv_lines(Text out, const std::string& fields,
                     const std::array<std::string_view, N>& names, const ComparedMetrics<N>& sums) {
  const ComparedView tightest = sums.time.view();
  const ComparedView cpu = sums.cpu.view();
  for (std::size_t i = 0; i < N && tightest.instances > 0; ++i) {
    fmt::format_to(out, "{},{},{},{},{},{},{},{},{}\n", fields, names[i], tightest.instances,
                   tightest.unanswered[i], cpu.unanswered[i], csv_excess(tightest, i),
                   csv_excess(cpu, i), csv_mean(tightest, i, 1e3), csv_mean(cpu, i, 3.6e6));
  }
}

}  // namespace

std::string format_table(const DeadlineStudyResult& result) {
  std::string text;
  const Text out(text);
  report::write_head(
      out, fmt::format("Deadlines around reservations, reading {}", to_string(result.reading)),
      result, result.scenarios.size());
  for (const PlainTable& table : result.plain) write_plain(out, table);
  for (const HybridTable& table : result.hybrid) write_hybrid(out, table);
  write_findings(out, result.findings);
  write_readings(out, result.readings);
  write_growth(out, result.growth);
  for (const TimingTable& table : result.timing) report::write_timing(out, table);
  text +=
      "\nPublished: phi on SDSC-BLUE, real on Grid'5000, whose log is not used here. Wins: least "
      "mean,\nties count for all. What agrees with the paper and what does not: "
      "docs/studies.md.\n";
  return text;
}

std::string to_json(const DeadlineStudyResult& result) {
  Json document = report::head_json("deadline", result, result.scenarios.size());
  document["reading"] = to_string(result.reading);
  document["plain"] = report::list(result.plain, plain_json);
  document["hybrid"] = report::list(result.hybrid, hybrid_json);
  document["published_plain"] = published_plain_json();
  document["published_hybrid"] = published_hybrid_json();
  document["findings"] = report::list(result.findings, finding_json);
  document["readings"] = report::list(result.readings, reading_json);
  document["growth"] = report::list(result.growth, growth_json);
  document["timing"] =
      report::list(result.timing, [](const TimingTable& table) { return report::to_json(table); });
  return document.dump(1) + "\n";
}

std::string to_csv(const DeadlineStudyResult& result) {
  std::string text = fmt::format(
      "{},table,algorithm,instances,no_deadline,missed_loose,tightest_percent_above_best,"
      "cpu_percent_above_best,mean_tightest_s,mean_cpu_hours\n",
      report::kCsvScenarioFields);
  const Text out(text);
  for (const DeadlineScenario& scenario : result.scenarios) {
    const std::string fields =
        report::csv_scenario(result, scenario.application, scenario.log, scenario.reservations);
    write_csv_lines(out, fields + ",6", kPlainNames, scenario.sums.plain);
    write_csv_lines(out, fields + ",7", kHybridNames, scenario.sums.hybrid);
  }
  return text;
}

}  // namespace dovetail::study
