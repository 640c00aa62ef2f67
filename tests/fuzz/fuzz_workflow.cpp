// Workflow files of all formats. What is read can be written in our own format, and read again.
#include <optional>

#include "dovetail/io.hpp"
#include "fuzz/fuzz_target.hpp"

FUZZ_TARGET(workflow) {
  using namespace dovetail;
  std::optional<Workflow> flow;
  std::vector<std::string> warnings;
  if (!test::expect_errors(
          [&] { flow = parse_workflow(input, "flow", {.default_seconds = 1}, &warnings); })) {
    return;
  }
  const std::string json = format_workflow(*flow, WorkflowFormat::json);
  if (format_workflow(parse_workflow(json, "again"), WorkflowFormat::json) != json) std::abort();
}
