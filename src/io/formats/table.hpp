// The table of workflow file formats. To add a format, write a file with its functions (declared in
// workflow_formats.hpp) and add a line to table.cpp: reading, converting, help texts and messages
// follow.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "io/formats/workflow_formats.hpp"

namespace dovetail::io {

// What a format keeps of a workflow. all: everything; tasks: all but how tasks are run, and the
// workflow's terms; one_time: of the times only the one on the fewest processors, and no transfers.
enum class Keeps { all, tasks, one_time };

struct FormatInfo {
  WorkflowFormat format;
  std::string_view name;                    // as an option
  std::string_view title;                   // for people
  std::array<std::string_view, 2> endings;  // of files; the first is the usual one
  bool (*recognises)(WorkflowText& text);
  Workflow (*read)(WorkflowText& text, const WorkflowReadOptions& options, Warnings* warnings);
  std::string (*write)(const Workflow& workflow) = nullptr;  // null: it is read only
  Keeps keeps = Keeps::tasks;
  std::string_view standard = {};  // its name, if it differs from the title
  std::string_view version = {};   // that is written
};

std::span<const FormatInfo> workflow_formats();

const FormatInfo& info_of(WorkflowFormat format);
// Null when no format has that name.
const FormatInfo* find_format(std::string_view name);
// Null when no format that can be written has such an ending. The longest one decides.
const FormatInfo* format_of_ending(std::string_view path);
// By content. A text that no other format recognises is our own format in YAML.
const FormatInfo& format_of(WorkflowText& text);

// For help texts and messages: "YAML, JSON or DOT".
std::string titles_to_read();
std::string names_to_write();
std::string names_and_versions_to_write();
std::string endings_to_write();

}  // namespace dovetail::io
