// Reads and writes workflow files of any format.
#include <filesystem>

#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "io/formats/table.hpp"
#include "io/gzip_source.hpp"
#include "io/text.hpp"

namespace dovetail {

namespace io {

WorkflowText::WorkflowText(std::string text, std::string file)
    : text_(std::move(text)), file_(std::move(file)), is_json_(looks_like_json(text_)) {
  require_text(text_, file_);
  if (start().empty()) throw InputError(file_ + ": the file is empty");
}

std::string_view WorkflowText::start() const { return skip_space(skip_bom(text_)); }

const Document& WorkflowText::document() {
  if (!document_) {
    document_ = is_json_ ? parse_json(text_, file_) : parse_yaml(text_, file_);
    text_ = std::string();
  }
  return *document_;
}

std::string name_from_file(const std::string& file) {
  std::string name = std::filesystem::path(file).filename().string();
  const auto dot = name.find('.', 1);
  if (dot != std::string::npos) name.resize(dot);
  return name.empty() || file == display_name("-") ? "workflow" : name;
}

}  // namespace io

namespace {

Workflow read(io::WorkflowText text, const WorkflowReadOptions& options,
              std::vector<std::string>* warnings) {
  return io::format_of(text).read(text, options, warnings);
}

}  // namespace

Workflow parse_workflow(std::string_view text, const std::string& file,
                        const WorkflowReadOptions& options, std::vector<std::string>* warnings) {
  return read({std::string(text), file}, options, warnings);
}

Workflow read_workflow(const std::string& path, const WorkflowReadOptions& options,
                       std::vector<std::string>* warnings) {
  return read({read_file(path), io::display_name(path)}, options, warnings);
}

std::string format_workflow(const Workflow& workflow, WorkflowFormat format) {
  const io::FormatInfo& info = io::info_of(format);
  if (info.write != nullptr) return info.write(workflow);
  throw InputError(std::string(info.title) + " is read only; write " + io::names_to_write());
}

}  // namespace dovetail
