// Reading and writing files. Readers detect the format by content, throw InputError with file,
// line, field and what was expected, and never return partial data. Writers write a temporary file
// beside the target and rename it, so a file is always either the old one or the new one.
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

// A task in Dovetail's own format that has a command but no time.
struct UntimedTask {
  std::string workflow;
  std::string id;
  std::string kind;           // see Workflow::kind
  bool is_moldable = false;   // it has a range of processors
  ProcessorRange processors;  // min equals max unless it is moldable
};

struct WorkflowReadOptions {
  // The run time of WfFormat, DAX and DOT tasks that give none. Without this, such tasks are
  // errors.
  std::optional<double> default_seconds = {};
  // Estimates the time of an untimed task; if it returns nothing, the task is an error.
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

// The events that happen while the problem's workflows run, in order of time. Names that the
// problem does not have are errors, and so are events that its kind of platform does not support.
std::vector<Event> read_events(const std::string& path, const Problem& problem);
std::vector<Event> parse_events(std::string_view text, const std::string& file,
                                const Problem& problem);

// A frontier: plans of one problem, earliest first, each cheaper than the one before.
std::string format_frontier(Time now, std::span<const PlanRecord> plans);

// The whole file, decompressed when it is gzip; "-" is standard input.
std::string read_file(const std::string& path);

// Writes a temporary file and renames it; "-" is standard output. Throws ExecutionError on failure.
void write_file(const std::string& path, std::string_view content);

// The same for several files that belong together: all are written before any gets its name.
struct OutputFile {
  std::string path;
  std::string_view content;
};
void write_files(std::span<const OutputFile> files);

// Throws ExecutionError when the file could not be written: its folder is missing or not writable,
// or the path is a folder. Changes nothing.
void require_writable(const std::string& path);

}  // namespace dovetail
