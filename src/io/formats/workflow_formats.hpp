// The readers and writers of single workflow formats, behind read_workflow and format_workflow.
// Readers throw InputError with file and line; the text is already known to be of that format.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "dovetail/workflow.hpp"
#include "io/document.hpp"

namespace dovetail::io {

using Warnings = std::vector<std::string>;

// Our own format, from YAML or JSON.
Workflow read_own_workflow(const Document& document, const WorkflowReadOptions& options);

// WfCommons WfFormat 1.3 to 1.6.
Workflow read_wfcommons(const Document& document, const WorkflowReadOptions& options,
                        Warnings* warnings);

// Pegasus DAX 2.1 and 3.x.
Workflow read_dax(std::string_view text, const std::string& file,
                  const WorkflowReadOptions& options);

// The common subset of Graphviz DOT.
Workflow read_dot(std::string_view text, const std::string& file,
                  const WorkflowReadOptions& options);

std::string write_workflow_yaml(const Workflow& workflow);
std::string write_workflow_json(const Workflow& workflow);
std::string write_wfcommons(const Workflow& workflow);
std::string write_dot(const Workflow& workflow);

// The name of a workflow that has none inside its file: the file's name without folder and
// extensions.
std::string name_from_file(const std::string& file);

// Adds file and line to the InputErrors that `action` throws: the core knows no files.
template <typename Action>
auto at_place(const std::string& file, std::size_t line, Action action) {
  try {
    return action();
  } catch (const InputError& error) {
    throw InputError(file, line, error.what());
  }
}

}  // namespace dovetail::io
