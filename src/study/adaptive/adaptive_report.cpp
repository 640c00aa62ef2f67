// The adaptive study as text, JSON and CSV.
#include <algorithm>
#include <map>
#include <utility>

#include "study/adaptive/adaptive_study.hpp"
#include "study/report.hpp"

namespace dovetail::study {
namespace {

using report::Json;
using report::Text;

constexpr report::LineWidths kAdaptiveWidths = {.name = 18, .cell = 15};

constexpr std::array kPlanners = {AdaptiveStrategy::aheft, AdaptiveStrategy::aheft_paper,
                                  AdaptiveStrategy::aheft_inflight, AdaptiveStrategy::heft_best};

std::string_view title_of(AdaptiveApplication application) {
  constexpr std::string_view kTitles[] = {"random graphs", "BLAST", "WIEN2K"};
  return kTitles[static_cast<std::size_t>(application)];
}

std::string_view words_for(AdaptiveApplication application, AdaptiveAxis axis) {
  if (axis == AdaptiveAxis::size) {
    return application == AdaptiveApplication::random ? "tasks" : "parallel ways";
  }
  constexpr std::array<std::string_view, kAdaptiveAxes.size()> kWords = {
      "",
      "CCR",
      "out-degree",
      "beta",
      "resources at the start (R)",
      "seconds between joins (Delta)",
      "share that joins (delta)"};
  return kWords[static_cast<std::size_t>(axis)];
}

// A name, then a text for every column.
template <typename Columns, typename ToText>
void write_line(Text out, std::string_view name, const Columns& columns, ToText to_text) {
  report::write_line(out, kAdaptiveWidths, name, columns, to_text);
}

std::string text_of(const std::optional<double>& value, int decimals) {
  return value ? fmt::format("{:.{}f}", *value, decimals) : "-";
}

std::string text_of(const std::optional<AdaptiveGain>& gain) {
  if (!gain) return "-";
  std::string text = fmt::format("{:.2f}", gain->percent);
  if (gain->error) text += fmt::format(" +-{:.2f}", *gain->error);
  return text;
}

void write_head(Text out, const AdaptiveStudyResult& result) {
  fmt::format_to(out, "Plans on resources that join, scale {}, seed {}, mean task {:g} s\n",
                 report::name_of(result.scale), result.seed, result.mean_seconds);
  for (const auto& [application, cell] : result.totals) {
    const auto size = std::ranges::find(result.sizes, application, &AdaptiveSize::application);
    fmt::format_to(out, "  {:<14} {:>7} cases: {} graphs, each on {} of 80 pools\n",
                   title_of(application), cell.cases, cell.graphs, size->models);
  }
}

void write_means(Text out, const AdaptiveStudyResult& result) {
  fmt::format_to(out, "\nMean makespan in seconds (Table 6, and the text of the paper)\n");
  write_line(out, "", kAdaptiveStrategies, [](AdaptiveStrategy s) { return to_string(s); });
  for (const auto& total : result.totals) {
    write_line(out, title_of(total.application), kAdaptiveStrategies,
               [&](AdaptiveStrategy s) { return text_of(total.cell.mean[s], 1); });
    write_line(out, "  published", kAdaptiveStrategies, [&](AdaptiveStrategy s) {
      return text_of(published::adaptive_mean(total.application, s), 1);
    });
    write_line(out, "  gain, %", kAdaptiveStrategies,
               [&](AdaptiveStrategy s) { return text_of(total.cell.gain[s]); });
  }
}

std::string value_text(const AdaptiveCell& cell) { return fmt::format("{:g}", cell.value); }

void write_gains(Text out, const AdaptiveTable& table) {
  const auto [name, theirs] = published::adaptive_gains(table.application, table.axis);
  fmt::format_to(out, "\n{}{}{} by {}: gain over HEFT in per cent\n", name,
                 name.empty() ? "" : ", ", title_of(table.application),
                 words_for(table.application, table.axis));
  write_line(out, "", table.cells, value_text);
  for (const AdaptiveStrategy strategy : kPlanners) {
    write_line(out, to_string(strategy), table.cells,
               [&](const AdaptiveCell& cell) { return text_of(cell.gain[strategy]); });
  }
  if (!theirs.empty()) {
    write_line(out, "  published", theirs, [](double percent) { return text_of(percent, 1); });
  }
  write_line(out, "graphs", table.cells,
             [](const AdaptiveCell& cell) { return fmt::format("{}", cell.graphs); });
}

void write_ratios(Text out, const AdaptiveTable& table) {
  fmt::format_to(out, "\nMin-Min's makespan over HEFT's, {} by {}\n", title_of(table.application),
                 words_for(table.application, table.axis));
  write_line(out, "", table.cells, value_text);
  for (const AdaptiveStrategy strategy :
       {AdaptiveStrategy::min_min, AdaptiveStrategy::min_min_sum}) {
    write_line(out, to_string(strategy), table.cells, [&](const AdaptiveCell& cell) {
      const auto gain = cell.gain[strategy];
      return gain ? fmt::format("{:.2f}", 1 - gain->percent / 100) : "-";
    });
  }
}

// Both applications in one table, as published: HEFT1 and AHEFT1 are BLAST, the others WIEN2K.
void write_figure(Text out, const AdaptiveStudyResult& result, char part, AdaptiveAxis axis) {
  bool has_head = false;
  for (const AdaptiveTable& table : result.tables) {
    if (table.axis != axis || table.application == AdaptiveApplication::random) continue;
    if (!std::exchange(has_head, true)) {
      fmt::format_to(out, "\nFigure 8({}): mean makespan in seconds by {}\n", part,
                     words_for(table.application, axis));
      write_line(out, "", table.cells, value_text);
    }
    for (const AdaptiveStrategy strategy :
         {AdaptiveStrategy::heft, AdaptiveStrategy::aheft, AdaptiveStrategy::aheft_paper}) {
      write_line(out, fmt::format("{} {}", title_of(table.application), to_string(strategy)),
                 table.cells,
                 [&](const AdaptiveCell& cell) { return text_of(cell.mean[strategy], 1); });
    }
    write_line(out, "  gain of AHEFT, %", table.cells, [](const AdaptiveCell& cell) {
      return text_of(cell.gain[AdaptiveStrategy::aheft]);
    });
  }
}

void write_figures(Text out, const AdaptiveStudyResult& result) {
  constexpr std::array kParts = {AdaptiveAxis::ccr,      AdaptiveAxis::beta,
                                 AdaptiveAxis::size,     AdaptiveAxis::resources,
                                 AdaptiveAxis::interval, AdaptiveAxis::share};
  char part = 'a';
  for (const AdaptiveAxis axis : kParts) write_figure(out, result, part++, axis);
}

// The published tables in the order of the paper, then random graphs by the other parameters.
void write_tables(Text out, const AdaptiveStudyResult& result) {
  const auto name_of = [](const AdaptiveTable* table) {
    return published::adaptive_gains(table->application, table->axis).name;
  };
  std::vector<const AdaptiveTable*> tables;
  for (const AdaptiveTable& table : result.tables) {
    const bool is_random = table.application == AdaptiveApplication::random;
    if (is_random || !name_of(&table).empty()) tables.push_back(&table);
  }
  std::ranges::stable_sort(tables, {}, [&](const AdaptiveTable* table) {
    return std::pair(name_of(table).empty(), name_of(table));
  });
  for (const AdaptiveTable* table : tables) {
    write_gains(out, *table);
    const bool is_random = table->application == AdaptiveApplication::random;
    if (is_random && table->axis == AdaptiveAxis::ccr) write_ratios(out, *table);
  }
}

// With the published means, if these are all cases of an application.
Json cell_json(const AdaptiveCell& cell, std::optional<AdaptiveApplication> all_of = {}) {
  Json strategies = Json::array();
  for (const AdaptiveStrategy strategy : kAdaptiveStrategies) {
    if (!cell.mean[strategy]) continue;
    Json row{{"strategy", to_string(strategy)}, {"mean_makespan", *cell.mean[strategy]}};
    if (const auto& gain = cell.gain[strategy]) {
      row["gain_percent"] = gain->percent;
      row["gain_error"] = report::nullable(gain->error);
    }
    if (all_of) row["published"] = report::nullable(published::adaptive_mean(*all_of, strategy));
    strategies.push_back(std::move(row));
  }
  return {{"graphs", cell.graphs}, {"cases", cell.cases}, {"strategies", std::move(strategies)}};
}

Json total_json(const AdaptiveStudyResult& result, const AdaptiveTotal& total) {
  Json json{{"application", to_string(total.application)}};
  for (const AdaptiveSize& size : result.sizes) {
    if (size.application != total.application) continue;
    json["graphs_of_a_type"] = size.graphs;
    json["pools_of_a_graph"] = size.models;
  }
  json.update(cell_json(total.cell, total.application));
  return json;
}

Json table_json(const AdaptiveTable& table) {
  const auto [name, theirs] = published::adaptive_gains(table.application, table.axis);
  Json cells = Json::array();
  for (std::size_t i = 0; i < table.cells.size(); ++i) {
    Json cell{{"value", table.cells[i].value}};
    cell.update(cell_json(table.cells[i]));
    cell["published_gain_percent"] = theirs.empty() ? Json(nullptr) : Json(theirs[i]);
    cells.push_back(std::move(cell));
  }
  return {{"application", to_string(table.application)},
          {"parameter", to_string(table.axis)},
          {"published_as", name},
          {"cells", std::move(cells)}};
}

// The cases of one type of graph on one pool.
struct AdaptiveScenario {
  AdaptiveCase any;
  std::size_t cases = 0;
  Makespans sums = {};
};

// In order of first appearance.
std::vector<AdaptiveScenario> scenarios_of(const AdaptiveStudyResult& result) {
  using Key = std::array<double, kAdaptiveAxes.size() + 1>;
  std::map<Key, std::size_t> positions;
  std::vector<AdaptiveScenario> scenarios;
  for (const AdaptiveCase& one : result.cases) {
    Key key{static_cast<double>(one.type.application)};
    for (std::size_t i = 0; i < kAdaptiveAxes.size(); ++i) {
      key[i + 1] = value_on(one, kAdaptiveAxes[i]);
    }
    const auto [position, is_new] = positions.try_emplace(key, scenarios.size());
    if (is_new) scenarios.push_back({one});
    AdaptiveScenario& scenario = scenarios[position->second];
    ++scenario.cases;
    for (const AdaptiveStrategy strategy : kAdaptiveStrategies) {
      scenario.sums[strategy] += one.ends[strategy];
    }
  }
  return scenarios;
}

}  // namespace

std::string format_table(const AdaptiveStudyResult& result) {
  std::string text;
  const Text out(text);
  write_head(out, result);
  write_means(out, result);
  write_tables(out, result);
  write_figures(out, result);
  text +=
      "\nGain: 1 - sum of makespans / sum of HEFT's, +- its standard error over graphs. AHEFT is "
      "the "
      "mode of\ndovetail plan, AHEFT_PAPER the printed equations, AHEFT_INFLIGHT those with files "
      "under way, HEFT_BEST\nthe plan that AHEFT begins with. What agrees with the paper and what "
      "does not: docs/studies.md.\n";
  return text;
}

std::string to_json(const AdaptiveStudyResult& result) {
  Json document{{"study", "adaptive"},
                {"scale", report::name_of(result.scale)},
                {"seed", result.seed},
                {"mean_task_seconds", result.mean_seconds}};
  document["applications"] = report::list(
      result.totals, [&](const AdaptiveTotal& total) { return total_json(result, total); });
  document["tables"] = report::list(result.tables, table_json);
  return document.dump(1) + "\n";
}

std::string to_csv(const AdaptiveStudyResult& result) {
  std::string text = "application";
  const report::Text out(text);
  for (const AdaptiveAxis axis : kAdaptiveAxes) fmt::format_to(out, ",{}", to_string(axis));
  text += ",strategy,cases,mean_makespan_s,gain_percent\n";
  for (const AdaptiveScenario& scenario : scenarios_of(result)) {
    std::string key(to_string(scenario.any.type.application));
    for (const AdaptiveAxis axis : kAdaptiveAxes) {
      key += fmt::format(",{:g}", value_on(scenario.any, axis));
    }
    const auto heft = static_cast<double>(scenario.sums[AdaptiveStrategy::heft]);
    for (const AdaptiveStrategy strategy : kAdaptiveStrategies) {
      const auto sum = static_cast<double>(scenario.sums[strategy]);
      if (sum == 0) continue;
      fmt::format_to(out, "{},{},{},{:.3f},{:.3f}\n", key, to_string(strategy), scenario.cases,
                     sum / 1000 / static_cast<double>(scenario.cases), 100 * (1 - sum / heft));
    }
  }
  return text;
}

}  // namespace dovetail::study
