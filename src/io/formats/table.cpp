#include "io/formats/table.hpp"

#include <algorithm>
#include <array>
#include <ranges>

#include "io/text.hpp"

namespace dovetail::io {

namespace {

bool is_anything(WorkflowText& /*text*/) { return true; }
bool is_json(WorkflowText& text) { return text.is_json(); }

// format_of() tries the last row first. Formats that their text reveals come last, since the others
// need the file to be parsed.
constexpr std::array kFormats = {
    // clang-format off
    FormatInfo{WorkflowFormat::yaml, "yaml", "YAML", {".yaml", ".yml"}, is_anything, read_own_workflow, write_workflow_yaml, Keeps::all},
    FormatInfo{WorkflowFormat::json, "json", "JSON", {".json"}, is_json, read_own_workflow, write_workflow_json, Keeps::all},
    FormatInfo{WorkflowFormat::wfcommons, "wfcommons", "WfCommons", {".wfcommons.json"}, is_wfcommons, read_wfcommons, write_wfcommons, Keeps::one_time, "WfFormat", "1.5"},
    FormatInfo{WorkflowFormat::dax, "dax", "DAX", {".dax"}, is_dax, read_dax},
    FormatInfo{WorkflowFormat::dot, "dot", "DOT", {".dot", ".gv"}, is_dot, read_dot, write_dot},
    // clang-format on
};

// "a, b or c".
template <typename Text>
std::string listed_formats(bool only_to_write, Text text) {
  std::vector<std::string> words;
  for (const FormatInfo& row : kFormats) {
    if (!only_to_write || row.write != nullptr) words.emplace_back(text(row));
  }
  return listed(words, "or");
}

}  // namespace

std::span<const FormatInfo> workflow_formats() { return kFormats; }

const FormatInfo& info_of(WorkflowFormat format) {
  return *std::ranges::find(kFormats, format, &FormatInfo::format);
}

const FormatInfo* find_format(std::string_view name) {
  const auto* const found = std::ranges::find(kFormats, name, &FormatInfo::name);
  return found == kFormats.end() ? nullptr : found;
}

const FormatInfo* format_of_ending(std::string_view path) {
  const FormatInfo* best = nullptr;
  std::size_t longest = 0;
  for (const FormatInfo& row : kFormats) {
    if (row.write == nullptr) continue;
    for (const std::string_view ending : row.endings) {
      if (ending.size() <= longest || !path.ends_with(ending)) continue;
      longest = ending.size();
      best = &row;
    }
  }
  return best;
}

const FormatInfo& format_of(WorkflowText& text) {
  for (const FormatInfo& row : kFormats | std::views::reverse) {
    if (row.recognises(text)) return row;
  }
  return kFormats.front();
}

std::string titles_to_read() {
  return listed_formats(false, [](const FormatInfo& row) { return row.title; });
}
std::string names_to_write() {
  return listed_formats(true, [](const FormatInfo& row) { return row.name; });
}
std::string names_and_versions_to_write() {
  return listed_formats(true, [](const FormatInfo& row) {
    const std::string name(row.name);
    return row.version.empty() ? name : name + " (" + std::string(row.version) + ")";
  });
}
std::string endings_to_write() {
  return listed_formats(true, [](const FormatInfo& row) { return row.endings.front(); });
}

}  // namespace dovetail::io
