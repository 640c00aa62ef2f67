// Where a plan goes: standard output as JSON, a file, a picture. The same for every verb that
// answers with a plan.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "dovetail/io.hpp"
#include "dovetail/plan_record.hpp"

namespace dovetail::cli {

// How an answer looks that is more than its plan; what is left out is the plan's own.
struct PlanForm {
  std::function<std::string()> json = {};  // on standard output
  std::function<std::string()> html = {};
  std::function<std::string()> svg = {};
};

struct PlanOutput {
  std::string name = "plan";  // of the files that are written without any wish
  bool json = false;
  std::string output = {};
  std::string gantt = {};

  void add(CLI::App& command);

  // Throws InputError for a picture of an unknown kind, or a file that is read as well.
  void require_good_names(const std::vector<std::string>& inputs) const;

  // Whether standard output is for people.
  bool talks() const { return !json && output != "-" && gantt != "-"; }

  // Writes what was asked for, together with `others`; without any wish NAME.json and NAME.html. Of
  // an infeasible plan there is no picture, and a file only where it was named.
  void write(const PlanRecord& record, const std::vector<OutputFile>& others = {},
             const PlanForm& form = {}) const;
};

}  // namespace dovetail::cli
