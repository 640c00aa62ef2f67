// What a generated workflow is recognised by: how wide its levels are, and the tasks of each type.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "dovetail/workflow.hpp"

namespace dovetail::testing {

using Widths = std::vector<std::uint32_t>;

inline Widths level_widths(const Workflow& workflow) {
  Widths widths;
  for (const std::uint32_t level : workflow.levels()) {
    if (level >= widths.size()) widths.resize(level + 1);
    ++widths[level];
  }
  return widths;
}

// "map_17" is of the type "map".
inline std::string type_of(std::string_view id) { return std::string(id.substr(0, id.rfind('_'))); }

inline std::map<std::string, std::vector<double>> seconds_by_type(const Workflow& workflow) {
  std::map<std::string, std::vector<double>> result;
  for (TaskId task = 0; task < workflow.size(); ++task) {
    result[type_of(workflow.id(task))].push_back(workflow.time(task).seconds());
  }
  return result;
}

}  // namespace dovetail::testing
