// dovetail algorithms: the tables of planners, strategies, groupings and policies.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "dovetail/error.hpp"
#include "io/text.hpp"
#include "planners/ensemble/repartition.hpp"
#include "queue/policies/scheduler.hpp"
#include "queue/strategies/strategy.hpp"

namespace dovetail::cli {

namespace {

struct AlgorithmArguments {
  std::string name;
  bool json = false;
};

struct AlgorithmRow {
  std::string_view name;
  std::string_view goal;
  std::string_view summary;
  std::string_view source;
};

// All tables one after the other: planners, strategies for batch queues, groupings and repartitions
// of ensembles, policies of batch queues.
std::vector<AlgorithmRow> rows() {
  constexpr std::string_view kGoals[] = {"turnaround", "deadline", "fair"};
  std::vector<AlgorithmRow> rows;
  for (const PlannerInfo& row : planners()) {
    rows.push_back({row.name, kGoals[static_cast<std::size_t>(row.goal)], row.summary, row.source});
  }
  for (const queue::StrategyInfo& row : queue::strategies()) {
    rows.push_back({row.name, "queue", row.description, row.source});
  }
  for (const planning::GroupingInfo& row : planning::groupings()) {
    rows.push_back({row.name, "ensemble", row.summary, row.source});
  }
  for (const planning::RepartitionInfo& row : planning::repartitions()) {
    rows.push_back({row.name, "clusters", row.summary, row.source});
  }
  for (const queue::PolicyInfo& row : queue::policies()) {
    rows.push_back({row.name, "policy", row.description, row.source});
  }
  return rows;
}

// Those of that name, in any case; all without one. BD_ALL and the like are short for planners.
std::vector<AlgorithmRow> rows_named(const std::string& name) {
  std::vector<AlgorithmRow> found = rows();
  if (name.empty()) return found;
  const std::string wanted = io::upper_case(name);
  const PlannerInfo* planner = find_planner(wanted);
  io::NearestWord nearest(name);
  for (const AlgorithmRow& row : found) nearest.offer(row.name);
  std::erase_if(found, [&](const AlgorithmRow& row) {
    const bool is_short = planner != nullptr && row.name == planner->name;
    return io::upper_case(row.name) != wanted && !is_short;
  });
  if (!found.empty()) return found;
  const std::string guess = nearest.suggestion();
  throw InputError("there is no algorithm " + io::quote(name) +
                   (guess.empty() ? "; dovetail algorithms lists them" : guess));
}

Exit run(const AlgorithmArguments& arguments) {
  const std::vector<AlgorithmRow> shown = rows_named(arguments.name);
  if (arguments.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const AlgorithmRow& row : shown) {
      list.push_back({{"name", row.name},
                      {"goal", row.goal},
                      {"summary", row.summary},
                      {"source", row.source}});
    }
    say_exact(list.dump(1) + "\n");
    return Exit::fine;
  }
  Table table({"algorithm", "goal", "what it does", "source"});
  for (const AlgorithmRow& row : shown) {
    table.add({std::string(row.name), std::string(row.goal), std::string(row.summary),
               std::string(row.source)});
  }
  say("{}", table.text(4));
  return Exit::fine;
}

}  // namespace

void add_algorithms(CLI::App& program, Exit& status) {
  const auto [command, a] = add_verb<AlgorithmArguments>(
      program, status, "algorithms", "list the algorithms and what they do", run);
  command.add_option("NAME", a.name, "show only this algorithm");
  command.add_flag("--json", a.json, "print JSON");
  command.footer(
      "Example: dovetail algorithms\n"
      "         dovetail algorithms DOVETAIL");
}

}  // namespace dovetail::cli
