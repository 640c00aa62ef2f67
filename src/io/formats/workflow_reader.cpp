// Which format a workflow has, and the reader or writer for it.
#include <cctype>
#include <filesystem>
#include <stdexcept>

#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "io/formats/workflow_formats.hpp"
#include "io/gzip_source.hpp"
#include "io/text.hpp"

namespace dovetail {

namespace {

std::string_view skip_space(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

// Past white space and the comments that DOT and YAML begin with.
std::string_view skip_comments(std::string_view text) {
  for (;;) {
    text = skip_space(text);
    std::size_t end = 0;
    if (text.starts_with("#") || text.starts_with("//")) {
      end = text.find('\n');
    } else if (text.starts_with("/*")) {
      end = text.find("*/");
    } else {
      return text;
    }
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + (text[end] == '*' ? 2 : 1));
  }
}

bool starts_with_word(std::string_view text, std::string_view word) {
  if (text.size() < word.size()) return false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (std::tolower(static_cast<unsigned char>(text[i])) != word[i]) return false;
  }
  // "graph: 1" is YAML.
  const std::string_view rest = text.substr(word.size());
  const bool word_ends = rest.empty() || rest[0] == '{' || rest[0] == '"' || rest[0] == '/' ||
                         std::isspace(static_cast<unsigned char>(rest[0])) != 0;
  return word_ends && !skip_space(rest).starts_with(":");
}

bool looks_like_dot(std::string_view text) {
  text = skip_comments(text);
  return starts_with_word(text, "digraph") || starts_with_word(text, "graph") ||
         starts_with_word(text, "strict");
}

bool is_wfcommons(const io::Document& document) {
  const io::Value root = document.root();
  if (root.kind() != io::ValueKind::mapping) return false;
  return root.find("workflow").has_value() || root.find("schemaVersion").has_value();
}

Workflow from_document(const io::Document& document, const WorkflowReadOptions& options,
                       std::vector<std::string>* warnings) {
  if (is_wfcommons(document)) return io::read_wfcommons(document, options, warnings);
  return io::read_own_workflow(document, options);
}

}  // namespace

std::string io::name_from_file(const std::string& file) {
  std::string name = std::filesystem::path(file).filename().string();
  const auto dot = name.find('.', 1);
  if (dot != std::string::npos) name.resize(dot);
  return name.empty() || file == display_name("-") ? "workflow" : name;
}

Workflow parse_workflow(std::string_view text, const std::string& file,
                        const WorkflowReadOptions& options, std::vector<std::string>* warnings) {
  io::require_text(text, file);
  const std::string_view start = skip_space(io::skip_bom(text));
  if (start.empty()) throw InputError(file + ": the file is empty");
  if (start.front() == '<') return io::read_dax(text, file, options);
  if (io::looks_like_json(start))
    return from_document(io::parse_json(text, file), options, warnings);
  if (looks_like_dot(start)) return io::read_dot(text, file, options);
  return from_document(io::parse_yaml(text, file), options, warnings);
}

Workflow read_workflow(const std::string& path, const WorkflowReadOptions& options,
                       std::vector<std::string>* warnings) {
  const std::string file = io::display_name(path);
  std::string text = read_file(path);
  if (io::looks_like_json(text)) {
    // Large files are JSON: the text is let go before the workflow is built from the document.
    io::require_text(text, file);
    const io::Document document = io::parse_json(text, file);
    text = std::string();
    return from_document(document, options, warnings);
  }
  return parse_workflow(text, file, options, warnings);
}

std::string format_workflow(const Workflow& workflow, WorkflowFormat format) {
  switch (format) {
    case WorkflowFormat::yaml:
      return io::write_workflow_yaml(workflow);
    case WorkflowFormat::json:
      return io::write_workflow_json(workflow);
    case WorkflowFormat::wfcommons:
      return io::write_wfcommons(workflow);
    case WorkflowFormat::dot:
      return io::write_dot(workflow);
    case WorkflowFormat::dax:
      break;
  }
  throw InputError("DAX is read only; write yaml, json, wfcommons or dot");
}

}  // namespace dovetail
