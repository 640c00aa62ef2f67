#include "cli/ensemble/ensemble_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "cli/command.hpp"
#include "cli/ensemble/ensemble_input.hpp"
#include "core/mapped.hpp"
#include "dovetail/error.hpp"
#include "io/text.hpp"
#include "planners/ensemble/month_dispatch.hpp"
#include "planners/ensemble/month_simulation.hpp"

namespace dovetail::cli {

namespace {

using io::json_string;

// Seconds; null when the months never end.
std::string end_json(Duration makespan) {
  return makespan >= kForever ? "null" : format_seconds(makespan);
}

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
  const auto numbers = mapped(site.scenarios, [](std::uint32_t scenario) { return scenario + 1; });
  std::string out = fmt::format(
      R"({{"name":{},"scenarios":{},"groups":[{}],"post_processors":{},"formula_makespan":{},)"
      R"("makespan":{},"processors":{},"assigned":[{}],"planned_for":{},"at_no_cost":{},)"
      R"("flushes":{})",
      json_string(site.name), site.scenarios.size(), fmt::join(site.grouping.groups, ","),
      site.grouping.post_processors, end_json(site.formula), end_json(site.makespan),
      answer.processors[c], fmt::join(numbers, ","), site.planned_for,
      site.at_no_cost ? std::to_string(*site.at_no_cost) : "null", site.flushes);
  if (!answer.vectors.empty()) {
    out +=
        fmt::format(R"(,"performance":[{}])", fmt::join(mapped(answer.vectors[c], end_json), ","));
  }
  if (!answer.schedules.empty()) {
    out += fmt::format(",\"schedule\":[\n  {}]",
                       fmt::join(runs_json(answer.schedules[c], site), ",\n  "));
  }
  return out + "}";
}

// "2 of 9, 5 of 7".
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

std::vector<Interval> absent_of(const EnsembleAnswer& answer, std::size_t cluster) {
  return answer.absent.empty() ? std::vector<Interval>{} : answer.absent[cluster];
}

void add_rows(const EnsembleAnswer& answer, std::size_t cluster, draw::EnsemblePicture& picture) {
  const planning::SitePlan& site = answer.plan.sites[cluster];
  const std::size_t first = picture.rows.size();
  std::size_t number = 0;
  for (const Count procs : site.grouping.groups) {
    picture.rows.push_back({.name = fmt::format("{} {}: {} processors", site.name, ++number, procs),
                            .absent = absent_of(answer, cluster)});
  }
  draw::GroupRow posts{.name = site.name + ": post tasks", .absent = absent_of(answer, cluster)};
  if (!answer.off_chain.empty()) {
    for (const planning::Slot& slot : answer.off_chain[cluster]) {
      posts.spells.push_back({slot.procs, slot.start, slot.end});
    }
  }
  for (const planning::MonthRun& run : answer.schedules[cluster]) {
    if (run.scenario >= site.scenarios.size()) continue;
    if (run.kind == planning::MonthRun::RunKind::post) {
      posts.spells.push_back({1, run.start, run.end});
      continue;
    }
    picture.rows[first + run.group].runs.push_back(
        {site.scenarios[run.scenario], run.month, run.start, run.end});
    picture.window.end = std::max(picture.window.end, run.end);
  }
  if (!posts.spells.empty()) picture.rows.push_back(std::move(posts));
}

}  // namespace

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

draw::EnsemblePicture picture_of(const EnsembleAnswer& answer, const std::string& title, Time now,
                                 bool wall_clock) {
  draw::EnsemblePicture picture{
      .title = title,
      .facts = {fmt::format("{} scenarios of {} months", answer.scenarios, answer.months),
                fmt::format("grouped by {}, handed out by {}", answer.choices.heuristic->name,
                            planning::name_of(answer.choices.dispatch)),
                "ends in " + format_duration(answer.plan.makespan)},
      .wall_clock = wall_clock,
      .window = {now, now + answer.plan.makespan},
      .scenarios = static_cast<std::uint32_t>(answer.scenarios),
      .months = answer.months};
  for (std::size_t c = 0; c < answer.plan.sites.size(); ++c) add_rows(answer, c, picture);
  return picture;
}

SweepRange read_sweep(const std::string& text) {
  std::vector<Count> numbers;
  for (std::size_t at = 0; at <= text.size() && numbers.size() < 4;) {
    const std::size_t end = std::min(text.find(':', at), text.size());
    const double number = io::parse_number(text.substr(at, end - at)).value_or(0);
    if (number < 1 || number > kMaxProcessors) break;
    numbers.push_back(static_cast<Count>(number));
    at = end + 1;
    if (end == text.size()) break;
  }
  const bool is_good =
      (numbers.size() == 2 || numbers.size() == 3) && numbers[0] <= numbers[1] &&
      std::count(text.begin(), text.end(), ':') + 1 == static_cast<std::ptrdiff_t>(numbers.size());
  if (!is_good) {
    throw InputError(
        "--sweep: expected processors from and to, such as 11:120 or 16:128:16, found " +
        io::quote(text));
  }
  return {numbers[0], numbers[1], numbers.size() == 3 ? numbers[2] : 1};
}

ProcessorSweep sweep_processors(const Ensemble& ensemble, planning::Dispatch dispatch,
                                const SweepRange& range) {
  EnsembleSite site = ensemble.sites.front();
  ProcessorSweep sweep{site.name, dispatch, {}, {}};
  site.processors = range.high;
  const bool is_huge = has_huge_knapsack(ensemble, site);
  for (const planning::GroupingInfo& heuristic : planning::groupings()) {
    if (!is_huge || !heuristic.solves_knapsack) sweep.heuristics.push_back(&heuristic);
  }
  for (std::int64_t processors = range.low; processors <= range.high; processors += range.step) {
    site.processors = static_cast<Count>(processors);
    const planning::MonthProblem problem =
        planning::month_problem(site, ensemble.rules, ensemble.scenarios, ensemble.months);
    SweepRow row{site.processors, {}};
    for (const planning::GroupingInfo* heuristic : sweep.heuristics) {
      Duration makespan = kForever;
      if (problem.has_room()) {
        const auto result =
            planning::simulate_months(problem, heuristic->make(problem, dispatch), dispatch);
        if (!result.is_stuck) makespan = result.makespan;
      }
      row.makespans.push_back(makespan);
    }
    sweep.rows.push_back(std::move(row));
  }
  return sweep;
}

std::string to_json(const ProcessorSweep& sweep) {
  std::string rows;
  for (const SweepRow& row : sweep.rows) {
    rows += fmt::format("{}{{\"processors\":{}", rows.empty() ? "\n " : ",\n ", row.processors);
    for (std::size_t i = 0; i < row.makespans.size(); ++i) {
      rows += fmt::format(",\"{}\":{}", sweep.heuristics[i]->name, end_json(row.makespans[i]));
    }
    rows += "}";
  }
  return fmt::format("{{\"cluster\":{},\"dispatch\":\"{}\",\"sweep\":[{}]}}\n",
                     json_string(sweep.site), planning::name_of(sweep.dispatch), rows);
}

std::string describe_sweep(const ProcessorSweep& sweep) {
  std::vector<std::string> header = {"processors"};
  for (const planning::GroupingInfo* heuristic : sweep.heuristics) {
    header.emplace_back(heuristic->name);
  }
  Table table(header);
  for (const SweepRow& row : sweep.rows) {
    std::vector<std::string> cells = {std::to_string(row.processors)};
    for (const Duration makespan : row.makespans) {
      cells.push_back(makespan >= kForever ? "never" : format_seconds(makespan));
    }
    table.add(std::move(cells));
  }
  return table.text(0);
}

draw::LineChart chart_of(const ProcessorSweep& sweep) {
  draw::LineChart chart{
      .title = "Makespan against processors on " + sweep.site,
      .facts = {fmt::format("months handed out by {}", planning::name_of(sweep.dispatch))},
      .x_name = "processors",
      .y_name = "makespan",
      .y_unit = draw::AxisUnit::milliseconds,
      .from_zero = true};
  for (std::size_t i = 0; i < sweep.heuristics.size(); ++i) {
    draw::LineSeries series{.name = std::string(sweep.heuristics[i]->name)};
    for (const SweepRow& row : sweep.rows) {
      if (row.makespans[i] >= kForever) continue;
      series.points.emplace_back(row.processors, static_cast<double>(row.makespans[i]));
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

}  // namespace dovetail::cli
