// Whether a task has to be run again: what it reads, as one digest of names and contents, and
// whether what it is to leave behind is there.
#pragma once

#include <optional>
#include <string>

#include "dovetail/workflow.hpp"

namespace dovetail::run {

// Where a task runs; folders that it names are seen from where the run was started.
std::string directory_of(const TaskExecution& execution, const std::string& run_folder);

// What a task does, as a short digest: its command, how it is executed, what it comes after. One
// that was started with another digest is not what it was.
std::string definition_of(const Workflow& workflow, TaskId task);

// SHA-256 over the names and contents of a task's inputs; of a folder, over all that is in it,
// links followed. Empty
// when it names none. Throws ExecutionError, which names the file, when one cannot be read.
std::string digest_of_inputs(const TaskExecution& execution, const std::string& directory);

// SHA-256 of a text, in hexadecimal digits.
std::string digest_of(const std::string& text);

// The first of a task's outputs that is not there. Throws ExecutionError when that cannot be found
// out.
std::optional<std::string> missing_output(const TaskExecution& execution,
                                          const std::string& directory);

// Whether nothing speaks against leaving out a task that was done: its outputs are there, and its
// inputs have that digest. Throws ExecutionError when files that are there cannot be read.
bool is_up_to_date(const TaskExecution& execution, const std::string& directory,
                   const std::string& inputs);

}  // namespace dovetail::run
