// The readers and writers of single workflow formats, behind the table of formats (table.hpp).
// Readers throw InputError with file and line; the text is already known to be of that format.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dovetail/io.hpp"
#include "dovetail/workflow.hpp"
#include "io/schema.hpp"

namespace dovetail::io {

using Warnings = std::vector<std::string>;

// A workflow file of unknown format.
class WorkflowText {
 public:
  // Throws InputError when it is empty or not a text.
  WorkflowText(std::string text, std::string file);

  const std::string& file() const { return file_; }
  bool is_json() const { return is_json_; }
  std::string_view text() const { return text_; }
  // Without a byte order mark and white space before it.
  std::string_view start() const;
  // The content as JSON or YAML. Releases the text, since large files are JSON and their documents
  // need the memory.
  const Document& document();

 private:
  std::string text_;
  std::string file_;
  bool is_json_;
  std::optional<Document> document_;
};

// Our own format, from YAML or JSON.
Workflow read_own_workflow(WorkflowText& text, const WorkflowReadOptions& options,
                           Warnings* warnings);
std::string write_workflow_yaml(const Workflow& workflow);
std::string write_workflow_json(const Workflow& workflow);

// WfCommons WfFormat 1.3 to 1.6; 1.5 is written.
bool is_wfcommons(WorkflowText& text);
Workflow read_wfcommons(WorkflowText& text, const WorkflowReadOptions& options, Warnings* warnings);
std::string write_wfcommons(const Workflow& workflow);

// Pegasus DAX 2.1 and 3.x.
bool is_dax(WorkflowText& text);
Workflow read_dax(WorkflowText& text, const WorkflowReadOptions& options, Warnings* warnings);

// The common subset of Graphviz DOT.
bool is_dot(WorkflowText& text);
Workflow read_dot(WorkflowText& text, const WorkflowReadOptions& options, Warnings* warnings);
std::string write_dot(const Workflow& workflow);

// The default name of a workflow: the file's name without folder and extensions.
std::string name_from_file(const std::string& file);

}  // namespace dovetail::io
