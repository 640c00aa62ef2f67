// dovetail algorithms: the table of planners.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "command.hpp"

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

Exit run(bool json) {
  if (json) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const PlannerInfo& row : planners()) {
      rows.push_back({{"name", row.name},
                      {"goal", to_text(row.goal)},
                      {"summary", row.summary},
                      {"source", row.source}});
    }
    fmt::print("{}\n", rows.dump(1));
    return Exit::fine;
  }
  Table table({"algorithm", "goal", "what it does", "source"});
  for (const PlannerInfo& row : planners()) {
    table.add({std::string(row.name), to_text(row.goal), std::string(row.summary),
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
