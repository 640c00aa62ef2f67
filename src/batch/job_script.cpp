#include "batch/job_script.hpp"

#include <fmt/format.h>

#include "batch/slurm/slurm_text.hpp"

namespace dovetail::batch {

namespace {

constexpr std::size_t kMostNames = 20;

// For a line of #SBATCH, which knows double quotes and backslashes.
std::string directive_quote(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

std::string without_patterns(const std::string& file) {
  if (file.find('\\') != std::string::npos) return file;
  std::string plain;
  for (const char c : file) plain += c == '%' ? std::string("%%") : std::string(1, c);
  return plain;
}

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
    names += "#   " + comment_text(order.tasks[i].name) + "\n";
  }
  if (order.tasks.size() > kMostNames) {
    names += fmt::format("#   and {} more, see the order\n", order.tasks.size() - kMostNames);
  }
  return names;
}

std::string what_it_runs(const PilotOrder& order) {
  if (order.spreads) return "# One task of the workflow, on all nodes, as planned:\n";
  return fmt::format(
      "# {} of the workflow, one a node at a time, as they become ready:\n",
      order.tasks.size() == 1 ? "One task" : fmt::format("{} tasks", order.tasks.size()));
}

}  // namespace

std::string output_pattern(const std::string& file) {
  return directive_quote(without_patterns(file));
}

std::string shell_quote(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string job_script(const PilotOrder& order, const JobPlace& place, const JobFiles& files) {
  std::string text = "#!/bin/sh\n";
  const auto directive = [&](const std::string& line) { text += "#SBATCH --" + line + "\n"; };
  directive("job-name=" + order.job_name);
  directive(fmt::format("nodes={}", order.nodes));
  if (order.spreads) directive(fmt::format("ntasks={}", order.tasks.front().processors));
  directive("exclusive");
  directive("time=" + format_limit(order.request));
  if (!place.partition.empty()) directive("partition=" + place.partition);
  if (!place.reservation.empty()) directive("reservation=" + place.reservation);
  if (place.begin) directive("begin=" + format_moment(*place.begin));
  directive("output=" + output_pattern(files.output));
  directive("open-mode=append");
  directive("no-requeue");
  text += what_it_runs(order) + task_list(order);
  text += fmt::format("exec {} pilot {}\n", shell_quote(files.program), shell_quote(files.order));
  return text;
}

}  // namespace dovetail::batch
