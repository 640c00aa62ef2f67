#include "cli/plan/plan_output.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "cli/command.hpp"
#include "dovetail/draw.hpp"
#include "dovetail/error.hpp"

namespace dovetail::cli {

void PlanOutput::add(CLI::App& command) {
  command.add_flag("--json", json, "print the plan as JSON on standard output");
  command.add_option("-o,--output", output, "write the plan to this file");
  command.add_option("--gantt", gantt, "draw a Gantt chart to this file: FILE.html or FILE.svg");
}

void PlanOutput::require_good_names(const std::vector<std::string>& inputs) const {
  require_picture_name("--gantt", gantt);
  protect_inputs(inputs, {output, gantt});
  if ((json || output == "-") && gantt == "-") {
    throw InputError("standard output: two results cannot go there; give one of them a file");
  }
}

void PlanOutput::write(const PlanRecord& record, const std::vector<OutputFile>& others,
                       const PlanForm& form) const {
  if (json && output != "-") say_exact(form.json ? form.json() : format_plan(record));
  std::fflush(stdout);
  const bool by_default = output.empty() && gantt.empty() && !json && record.feasible;
  const std::string plan_file = by_default ? name + ".json" : output;
  const std::string gantt_file = !record.feasible ? "" : by_default ? name + ".html" : gantt;
  const std::string plan = plan_file.empty() ? "" : format_plan(record);
  std::string picture;
  if (gantt_file.ends_with(".svg")) {
    picture = form.svg ? form.svg() : gantt_svg(record);
  } else if (!gantt_file.empty()) {
    picture = form.html ? form.html() : gantt_html(record);
  }
  std::vector<OutputFile> files;
  if (!plan_file.empty()) files.push_back({plan_file, plan});
  if (!gantt_file.empty()) files.push_back({gantt_file, picture});
  files.insert(files.end(), others.begin(), others.end());
  if (talks() && !record.feasible && (files.empty() || !gantt.empty())) {
    say("  nothing is {}\n", files.empty() ? "written" : "drawn");
  }
  if (files.empty()) return;
  write_files(files);
  if (!talks()) return;
  std::string written;
  for (const OutputFile& file : files) written += (written.empty() ? "" : " and ") + file.path;
  say("  {} {} written{}", written, files.size() == 1 ? "is" : "are",
      record.feasible || plan_file.empty() ? "" : ", without a plan");
  if (!plan_file.empty() && record.feasible) {
    say("          next: dovetail show {}", plan_file);
  }
  say("\n");
}

}  // namespace dovetail::cli
