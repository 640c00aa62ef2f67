#include "cli/ensemble/ensemble_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "cli/command.hpp"
#include "io/text.hpp"
#include "planners/ensemble/month_dispatch.hpp"
#include "planners/ensemble/month_simulation.hpp"

namespace dovetail::cli {

namespace {

using io::json_string;

std::string run_json(const planning::MonthRun& run, const planning::SitePlan& site) {
  const bool is_main = run.kind == planning::MonthRun::RunKind::main;
  return fmt::format(R"({{"kind":"{}","scenario":{},"month":{},"{}":{},"start":{},"end":{}}})",
                     is_main ? "main" : "post", site.scenarios[run.scenario] + 1, run.month + 1,
                     is_main ? "group" : "processor",
                     is_main ? run.group + 1 : static_cast<std::uint32_t>(run.processor + 1),
                     format_seconds(run.start), format_seconds(run.end));
}

std::vector<std::string> runs_json(const std::vector<planning::MonthRun>& runs,
                                   const planning::SitePlan& site) {
  std::vector<std::string> rows;
  for (const planning::MonthRun& run : runs) {
    // Where more scenarios were planned than there are, the others are left out.
    if (run.scenario < site.scenarios.size()) rows.push_back(run_json(run, site));
  }
  return rows;
}

std::string cluster_json(const EnsembleAnswer& answer, std::size_t c) {
  const planning::SitePlan& site = answer.plan.sites[c];
  std::vector<std::uint32_t> numbers;
  for (const std::uint32_t scenario : site.scenarios) numbers.push_back(scenario + 1);
  std::string out = fmt::format(
      R"({{"name":{},"scenarios":{},"groups":[{}],"post_processors":{},"formula_makespan":{},)"
      R"("makespan":{},"processors":{},"assigned":[{}],"planned_for":{},"at_no_cost":{},)"
      R"("flushes":{})",
      json_string(site.name), site.scenarios.size(), fmt::join(site.grouping.groups, ","),
      site.grouping.post_processors, end_json(site.formula), end_json(site.makespan),
      answer.processors[c], fmt::join(numbers, ","), site.planned_for,
      site.at_no_cost ? std::to_string(*site.at_no_cost) : "null", site.flushes);
  if (!answer.vectors.empty()) {
    std::vector<std::string> values;
    for (const Duration value : answer.vectors[c]) values.push_back(end_json(value));
    out += fmt::format(R"(,"performance":[{}])", fmt::join(values, ","));
  }
  if (!answer.schedules.empty()) {
    out += fmt::format(",\"schedule\":[\n  {}]",
                       fmt::join(runs_json(answer.schedules[c], site), ",\n  "));
  }
  return out + "}";
}

}  // namespace

std::string end_json(Duration makespan) {
  return makespan >= kForever ? "null" : format_seconds(makespan);
}

std::string to_json(const EnsembleAnswer& answer) {
  std::string clusters;
  for (std::size_t c = 0; c < answer.plan.sites.size(); ++c) {
    clusters += (c > 0 ? ",\n " : "\n ") + cluster_json(answer, c);
  }
  return fmt::format(
      "{{\"heuristic\":\"{}\",\"dispatch\":\"{}\",\"repartition\":\"{}\",\"scenarios\":{},"
      "\"months\":{},\"makespan\":{},\"clusters\":[{}]}}\n",
      answer.choices.heuristic->name, planning::name_of(answer.choices.dispatch),
      answer.choices.repartition->name, answer.scenarios, answer.months,
      end_json(answer.plan.makespan), clusters);
}

std::string group_words(const std::vector<Count>& groups) {
  std::vector<std::string> words;
  for (auto group = groups.begin(); group != groups.end();) {
    const auto next =
        std::find_if(group, groups.end(), [&](Count procs) { return procs != *group; });
    words.push_back(fmt::format("{} of {}", next - group, *group));
    group = next;
  }
  return words.empty() ? "none" : fmt::format("{}", fmt::join(words, ", "));
}

std::string describe_clusters(const EnsembleAnswer& answer) {
  const auto& sites = answer.plan.sites;
  const bool has_free = std::any_of(sites.begin(), sites.end(), [](const planning::SitePlan& site) {
    return site.at_no_cost.has_value();
  });
  std::vector<std::string> header = {"cluster", "groups", "processors", "scenarios", "for posts"};
  if (has_free) header.emplace_back("at no cost");
  header.emplace_back("ends in");
  Table table(header);
  for (std::size_t c = 0; c < sites.size(); ++c) {
    const planning::SitePlan& site = sites[c];
    std::vector<std::string> row = {
        site.name, group_words(site.grouping.groups), std::to_string(answer.processors[c]),
        std::to_string(site.scenarios.size()), std::to_string(site.grouping.post_processors)};
    if (has_free) row.push_back(site.at_no_cost ? std::to_string(*site.at_no_cost) : "");
    row.push_back(site.scenarios.empty() ? "" : format_duration(site.makespan));
    table.add(std::move(row));
  }
  return table.text(2);
}

std::string describe_heuristics(const planning::MonthProblem& problem, planning::Dispatch dispatch,
                                std::string_view chosen, bool with_knapsacks) {
  Table table({"", "heuristic", "groups", "for posts", "ends in", "seconds", "gain"});
  double reference = 0;
  for (const planning::GroupingInfo& heuristic : planning::groupings()) {
    if (heuristic.solves_knapsack && !with_knapsacks) continue;
    const planning::Grouping grouping = heuristic.make(problem, dispatch);
    const planning::MonthResult result = planning::simulate_months(problem, grouping, dispatch);
    const double seconds = to_seconds(result.makespan);
    if (reference == 0 && !result.is_stuck) reference = seconds;
    table.add(
        {heuristic.name == chosen ? "->" : "", std::string(heuristic.name),
         group_words(grouping.groups), std::to_string(grouping.post_processors),
         result.is_stuck ? "never" : format_duration(result.makespan),
         result.is_stuck ? "" : format_seconds(result.makespan),
         result.is_stuck ? "" : fmt::format("{:.1f} %", 100 * (reference - seconds) / reference)});
  }
  constexpr std::string_view kLeftOut =
      "  knapsack and best are left out: solving them exactly takes too long here\n";
  return table.text(3) + std::string(with_knapsacks ? "" : kLeftOut);
}

}  // namespace dovetail::cli
