// dovetail algorithms: the tables of planners, strategies, groupings and policies.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "planners/repartition.hpp"
#include "policies/scheduler.hpp"
#include "queue/strategy.hpp"

namespace dovetail::cli {

namespace {

const char* to_text(Goal goal) {
  switch (goal) {
    case Goal::turnaround:
      return "turnaround";
    case Goal::deadline:
      return "deadline";
    case Goal::fair:
      break;
  }
  return "fair";
}

struct Row {
  std::string_view name;
  std::string_view goal;
  std::string_view summary;
  std::string_view source;
};

// All tables one after the other: planners, strategies for batch queues, groupings and repartitions
// of ensembles, policies of batch queues.
std::vector<Row> rows() {
  std::vector<Row> rows;
  for (const PlannerInfo& row : planners()) {
    rows.push_back({row.name, to_text(row.goal), row.summary, row.source});
  }
  for (const StrategyInfo& row : strategies()) {
    rows.push_back({row.name, "queue", row.description, row.source});
  }
  for (const GroupingInfo& row : groupings()) {
    rows.push_back({row.name, "ensemble", row.summary, row.source});
  }
  for (const RepartitionInfo& row : repartitions()) {
    rows.push_back({row.name, "clusters", row.summary, row.source});
  }
  for (const PolicyInfo& row : policies()) {
    rows.push_back({row.name, "policy", row.description, row.source});
  }
  return rows;
}

Exit run(bool json) {
  if (json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Row& row : rows()) {
      list.push_back({{"name", row.name},
                      {"goal", row.goal},
                      {"summary", row.summary},
                      {"source", row.source}});
    }
    fmt::print("{}\n", list.dump(1));
    return Exit::fine;
  }
  Table table({"algorithm", "goal", "what it does", "source"});
  for (const Row& row : rows()) {
    table.add({std::string(row.name), std::string(row.goal), std::string(row.summary),
               std::string(row.source)});
  }
  fmt::print("{}", table.text(4));
  return Exit::fine;
}

}  // namespace

void add_algorithms(CLI::App& program, Exit& status) {
  CLI::App* command = program.add_subcommand("algorithms", "the algorithms and what they do");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "as JSON");
  command->footer("Example: dovetail algorithms");
  command->callback([json, &status] { status = run(*json); });
}

}  // namespace dovetail::cli
