// What a task must be to become part of a workflow, also when a program makes it and no file.
//
//   check_spec(task);                                  // throws what is wrong with its values
//   if (is_known(task.id)) reject_task(task.id, "this id is used twice; ids must differ");
#pragma once

#include <string>
#include <string_view>

#include "dovetail/workflow.hpp"

namespace dovetail {

// Throws an InputError that names the task.
[[noreturn]] void reject_task(std::string_view id, const std::string& why);

// Throws InputError for an empty id and for values out of range.
void check_spec(const TaskSpec& task);

}  // namespace dovetail
