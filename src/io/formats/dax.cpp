// Reads Pegasus DAX 2.1 and 3.x: jobs, run times and dependencies; files are ignored. The XML
// library neither recurses while it parses nor expands entities, so nesting and "entity bombs" are
// harmless, and only the size needs a limit.
#include <fmt/format.h>

#include <cstring>
#include <pugixml.hpp>

#include "dovetail/error.hpp"
#include "io/formats/workflow_formats.hpp"
#include "io/text.hpp"

namespace dovetail::io {

namespace {

constexpr std::size_t kMaxDaxBytes = std::size_t{256} << 20U;

// The name without its namespace: "dax:job" -> "job".
std::string_view local_name(const char* name) {
  const char* colon = std::strrchr(name, ':');
  return colon == nullptr ? name : colon + 1;
}

class DaxReader {
 public:
  DaxReader(std::string_view text, const std::string& file, const WorkflowReadOptions& options)
      : text_(text), file_(file), options_(options), builder_(name_from_file(file)) {}

  Workflow read() {
    const auto result = document_.load_buffer(text_.data(), text_.size());
    if (!result) {
      throw InputError(file_, line_at(text_, static_cast<std::size_t>(result.offset)),
                       fmt::format("not valid XML: {}", result.description()));
    }
    const pugi::xml_node root = document_.document_element();
    if (local_name(root.name()) != "adag") {
      fail(root, fmt::format("expected a DAX workflow (<adag>), found <{}>", shown(root.name())));
    }
    for (pugi::xml_node node : root.children()) {
      if (local_name(node.name()) == "job") add_job(node);
    }
    if (builder_.size() == 0) fail(root, "the workflow has no jobs");
    for (pugi::xml_node node : root.children()) {
      if (local_name(node.name()) == "child") add_parents(node);
    }
    return at_place(file_, line(root), [&] { return std::move(builder_).build(); });
  }

 private:
  std::size_t line(pugi::xml_node node) const {
    return line_at(text_,
                   static_cast<std::size_t>(std::max<std::ptrdiff_t>(node.offset_debug(), 0)));
  }

  [[noreturn]] void fail(pugi::xml_node node, const std::string& message) const {
    throw InputError(file_, line(node), message);
  }

  // A name from the file, safe inside a message.
  static std::string shown(const char* name) {
    const std::string quoted = quote(name);
    return quoted.substr(1, quoted.size() - 2);
  }

  std::string_view need(pugi::xml_node node, const char* attribute) const {
    const std::string_view value = node.attribute(attribute).as_string();
    if (value.empty()) fail(node, fmt::format("<{}> needs \"{}\"", shown(node.name()), attribute));
    return value;
  }

  void add_job(pugi::xml_node job) {
    const std::string id(need(job, "id"));
    require_utf8(id, file_);
    if (builder_.find(id)) fail(job, fmt::format("job {}: this id is used twice", quote(id)));
    const TaskSpec spec{.id = id, .time = TimeSpec::fixed(run_seconds(job, id))};
    builder_.add_task(spec);
  }

  // The attribute, or version 3's profile of that name.
  static std::string_view run_time_text(pugi::xml_node job) {
    if (const auto attribute = job.attribute("runtime")) return attribute.as_string();
    for (pugi::xml_node profile : job.children()) {
      if (local_name(profile.name()) == "profile" &&
          std::strcmp(profile.attribute("key").as_string(), "runtime") == 0) {
        return profile.text().as_string();
      }
    }
    return {};
  }

  double run_seconds(pugi::xml_node job, const std::string& id) const {
    const std::string_view text = run_time_text(job);
    if (text.empty()) {
      if (options_.default_seconds) return *options_.default_seconds;
      fail(job,
           fmt::format("job {}: it has no runtime; give a default (--default-time)", quote(id)));
    }
    const auto seconds = parse_number(text);
    if (!seconds || *seconds < 0 || *seconds > kMaxSeconds) {
      fail(job, fmt::format("job {}: runtime: expected seconds from 0 to {}, found {}", quote(id),
                            kMaxSeconds, quote(text)));
    }
    return *seconds;
  }

  TaskId find_job(pugi::xml_node node) const {
    const std::string_view id = need(node, "ref");
    const auto found = builder_.find(id);
    if (found) return *found;
    const auto name_of = [](pugi::xml_node other) {
      return local_name(other.name()) == "job" ? other.attribute("id").as_string() : "";
    };
    fail(node, fmt::format("<{}>: there is no job {}{}", shown(node.name()), quote(id),
                           did_you_mean(id, document_.document_element().children(), name_of)));
  }

  void add_parents(pugi::xml_node child) {
    const TaskId to = find_job(child);
    for (pugi::xml_node parent : child.children()) {
      if (local_name(parent.name()) != "parent") continue;
      const TaskId from = find_job(parent);
      if (from == to) fail(parent, "a job is its own parent");
      builder_.add_edge(from, to);
    }
  }

  std::string_view text_;
  const std::string& file_;
  const WorkflowReadOptions& options_;
  WorkflowBuilder builder_;
  pugi::xml_document document_;
};

}  // namespace

bool is_dax(WorkflowText& text) { return text.start().starts_with('<'); }

Workflow read_dax(WorkflowText& text, const WorkflowReadOptions& options, Warnings* /*warnings*/) {
  if (text.text().size() > kMaxDaxBytes) {
    throw InputError(
        fmt::format("{}: DAX files may have up to {} MiB", text.file(), kMaxDaxBytes >> 20U));
  }
  return DaxReader(text.text(), text.file(), options).read();
}

}  // namespace dovetail::io
