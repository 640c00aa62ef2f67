// Files in and out. Readers choose the format by content, throw InputError with file, line, field
// and what was expected, and never hand out something half-read. Writers write beside the target
// and rename, so that a file is either the old one or the new one.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dovetail/event.hpp"
#include "dovetail/plan_record.hpp"
#include "dovetail/platform.hpp"
#include "dovetail/workflow.hpp"

namespace dovetail {

enum class WorkflowFormat { yaml, json, wfcommons, dax, dot };

// A task of our own format that is to be executed and has no time.
struct UntimedTask {
  std::string workflow;
  std::string id;
  std::string kind;           // see Workflow::kind
  bool is_moldable = false;   // it has a range of processors
  ProcessorRange processors;  // one number twice unless it is moldable
};

struct WorkflowReadOptions {
  // WfFormat, DAX and DOT tasks without a run time get this many seconds; else they are errors.
  std::optional<double> default_seconds = {};
  // Says how long such a task is thought to take; without an answer it is an error.
  std::function<std::optional<TimeSpec>(const UntimedTask&)> missing_time = {};
};

// "-" reads standard input. Warnings (a file dependency without its edge, say) are appended to
// `warnings` when it is given.
Workflow read_workflow(const std::string& path, const WorkflowReadOptions& options = {},
                       std::vector<std::string>* warnings = nullptr);
Workflow parse_workflow(std::string_view text, const std::string& file,
                        const WorkflowReadOptions& options = {},
                        std::vector<std::string>* warnings = nullptr);

// yaml, json, wfcommons (1.5) or dot; DAX is read only.
std::string format_workflow(const Workflow& workflow, WorkflowFormat format);

// A file name, "-", a number of processors ("128"), or "local" for this machine.
Platform read_platform(const std::string& path_or_shorthand);
Platform parse_platform(std::string_view text, const std::string& file);
std::string format_platform(const Platform& platform, bool json);

PlanRecord read_plan(const std::string& path);
PlanRecord parse_plan(std::string_view text, const std::string& file);
std::string format_plan(const PlanRecord& record);

// What happens while the problem's workflows run, in order of time. Names that the problem does not
// have are errors, and so are events that its kind of platform does not know.
std::vector<Event> read_events(const std::string& path, const Problem& problem);
std::vector<Event> parse_events(std::string_view text, const std::string& file,
                                const Problem& problem);

// A frontier: plans of one problem, earliest first, each cheaper than the one before.
std::string format_frontier(Time now, std::span<const PlanRecord> plans);

// The whole file, "-" for standard input, gunzipped when it is gzip.
std::string read_file(const std::string& path);

// Writes beside and renames; "-" is standard output. Throws ExecutionError when it cannot.
void write_file(const std::string& path, std::string_view content);

// The same for several files that belong together: none gets its name before all are written.
struct OutputFile {
  std::string path;
  std::string_view content;
};
void write_files(std::span<const OutputFile> files);

// Throws ExecutionError when a file of that name could not be written: its folder is missing or
// closed, or it is a folder itself. Nothing is changed.
void require_writable(const std::string& path);

}  // namespace dovetail
