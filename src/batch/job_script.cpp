#include "batch/job_script.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dovetail/io.hpp"

namespace dovetail::batch {

namespace {

constexpr std::size_t kMostNames = 20;

// A comment has one line.
std::string comment_text(const std::string& text) {
  std::string line = text;
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  return line;
}

std::string task_list(const PilotOrder& order) {
  std::string names;
  for (std::size_t i = 0; i < order.tasks.size() && i < kMostNames; ++i) {
    names += "#   " + comment_text(order.tasks[i].command.name) + "\n";
  }
  if (order.tasks.size() > kMostNames) {
    names += fmt::format("#   and {} more, see the order\n", order.tasks.size() - kMostNames);
  }
  return names;
}

bool needs_memory(const PilotOrder& order) {
  return std::ranges::any_of(order.tasks,
                             [](const PilotTask& task) { return task.demand.memory > 0; });
}

std::string what_it_runs(const PilotOrder& order) {
  if (order.spreads) return "# One task of the workflow, on all nodes, as planned:\n";
  if (order.tasks.size() == 1) return "# One task of the workflow:\n";
  return fmt::format("# {} tasks of the workflow, which share the nodes as they become ready:\n",
                     order.tasks.size());
}

}  // namespace

std::string shell_quote(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string command_line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    const bool is_plain = word.find_first_of("[]' ") == std::string::npos;
    line += (line.empty() ? "" : " ") + (is_plain ? word : shell_quote(word));
  }
  return line;
}

std::string job_script(const BatchSystem& system, const PilotOrder& order, const JobPlace& place,
                       const JobFiles& files) {
  const JobRequest request{.name = order.job_name,
                           .nodes = order.nodes,
                           .processes = order.spreads ? order.tasks.front().command.processors : 0,
                           .needs_memory = needs_memory(order),
                           .limit = order.request,
                           .place = place,
                           .output = files.output};
  return "#!/bin/sh\n" + system.directives(request) + what_it_runs(order) + task_list(order) +
         fmt::format("exec {} pilot {}\n", shell_quote(files.program), shell_quote(files.order));
}

void write_job_files(const run::RunFolder& folder, const BatchSystem& system,
                     const PilotOrder& order, const JobPlace& place, const std::string& program) {
  const JobFiles files{.program = program,
                       .order = order_file(folder, order.pilot),
                       .output = output_file(folder, order.pilot)};
  write_order(files.order, order);
  write_file(script_file(folder, order.pilot), job_script(system, order, place, files));
}

}  // namespace dovetail::batch
