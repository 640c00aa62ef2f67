// The adaptive study as JSON and CSV.
#include <map>

#include "study/adaptive/adaptive_study.hpp"
#include "study/report.hpp"

namespace dovetail::study {
namespace {

using report::Json;

Json cell_json(const AdaptiveCell& cell) {
  Json strategies = Json::array();
  for (const AdaptiveStrategy strategy : kAdaptiveStrategies) {
    if (!cell.mean[strategy]) continue;
    Json row{{"strategy", to_string(strategy)}, {"mean_makespan", *cell.mean[strategy]}};
    if (const auto& gain = cell.gain[strategy]) {
      row["gain_percent"] = gain->percent;
      row["gain_error"] = report::nullable(gain->error);
    }
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
  json.update(cell_json(total.cell));
  for (Json& strategy : json["strategies"]) {
    for (const AdaptiveStrategy known : kAdaptiveStrategies) {
      if (strategy["strategy"] != to_string(known)) continue;
      strategy["published"] = report::nullable(published::adaptive_mean(total.application, known));
    }
  }
  return json;
}

Json table_json(const AdaptiveTable& table) {
  const auto theirs = published::adaptive_gains(table.application, table.axis);
  Json cells = Json::array();
  for (std::size_t i = 0; i < table.cells.size(); ++i) {
    Json cell{{"value", table.cells[i].value}};
    cell.update(cell_json(table.cells[i]));
    cell["published_gain_percent"] = theirs.empty() ? Json(nullptr) : Json(theirs[i]);
    cells.push_back(std::move(cell));
  }
  return {{"application", to_string(table.application)},
          {"parameter", to_string(table.axis)},
          {"published_as", published::adaptive_name(table.application, table.axis)},
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
