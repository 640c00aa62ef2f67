#include "cli/queue/job_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "batch/table.hpp"
#include "draw/plain_text.hpp"
#include "run/run_folder.hpp"

namespace dovetail::cli {

namespace {

using batch::JobFacts;
using batch::WaitSummary;
using JobJson = nlohmann::ordered_json;

// Beyond that a reader wants the sums.
constexpr std::size_t kMostJobs = 40;

std::string length_text(const std::optional<Duration>& length) {
  return length ? format_duration(*length) : "-";
}

std::vector<std::string> job_cells(const JobFacts& job) {
  return {
      std::to_string(job.number), job.id.empty() ? "-" : job.id, std::to_string(job.tasks),
      std::to_string(job.nodes),  format_duration(job.request),  format_duration(job.expected_wait),
      length_text(job.wait),      length_text(job.ran),          io::plain_text(job.state)};
}

std::string waits_text(const WaitSummary& waits) {
  return fmt::format(
      "{} started after {} on average, expected {}; estimates were off by {} on average, {} in the "
      "median",
      counted(waits.jobs, "job"), format_duration(waits.mean_wait),
      format_duration(waits.mean_expected), format_duration(waits.mean_error),
      format_duration(waits.median_error));
}

JobJson job_json(const std::string& run, const JobFacts& job) {
  const auto seconds = [](const std::optional<Duration>& length) {
    return length ? JobJson(to_seconds(*length)) : JobJson();
  };
  return {{"run", run},
          {"job", job.number},
          {"id", job.id},
          {"tasks", job.tasks},
          {"nodes", job.nodes},
          {"request", to_seconds(job.request)},
          {"expected_wait", to_seconds(job.expected_wait)},
          {"wait", seconds(job.wait)},
          {"ran", seconds(job.ran)},
          {"state", job.state}};
}

std::vector<std::string> columns() {
  return {"  job", batch::system_titles(), "tasks",  "nodes",
          "asked", "expected wait",        "waited", "ran",
          ""};
}

}  // namespace

std::string jobs_text(std::span<const JobFacts> jobs) {
  if (jobs.empty()) return {};
  Table table(columns());
  for (const JobFacts& job : jobs.first(std::min(jobs.size(), kMostJobs))) {
    std::vector<std::string> cells = job_cells(job);
    cells.front().insert(0, "  ");
    table.add(std::move(cells));
  }
  const std::string rest =
      jobs.size() > kMostJobs ? fmt::format("  and {} more\n", jobs.size() - kMostJobs) : "";
  const WaitSummary waits = batch::summarise_waits(jobs);
  return table.text(1) + rest + (waits.jobs == 0 ? "" : "  " + waits_text(waits) + "\n");
}

std::string jobs_section(std::span<const JobFacts> jobs) {
  if (jobs.empty()) return {};
  std::string rows;
  for (const JobFacts& job : jobs) {
    rows += "<tr>";
    for (const std::string& cell : job_cells(job)) {
      rows += "<td>" + io::escape_markup(cell) + "</td>";
    }
    rows += "</tr>\n";
  }
  return fmt::format(
      "<section><h2>Jobs</h2>\n<p>{}</p>\n<div class=\"table-box jobs\"><table>\n<thead><tr>"
      "<th>Job</th><th>{}</th><th>Tasks</th><th>Nodes</th><th>Asked</th><th>Expected wait</th>"
      "<th>Waited</th><th>Ran</th><th>End</th></tr></thead>\n<tbody>\n{}</tbody>\n</table></div>"
      "</section>\n",
      waits_text(batch::summarise_waits(jobs)), batch::system_titles(), rows);
}

Exit show_waits(bool as_json) {
  JobJson json = JobJson::array();
  Table table({"run", "jobs", "expected wait", "waited", "off by", "median"});
  std::vector<JobFacts> all;
  for (const run::RunFolder& folder : run::RunFolder::all(run::state_folder())) {
    const std::vector<JobFacts> jobs = batch::job_facts(known_jobs(folder));
    for (const JobFacts& job : jobs) json.push_back(job_json(folder.id(), job));
    const WaitSummary waits = batch::summarise_waits(jobs);
    if (waits.jobs == 0) continue;
    all.insert(all.end(), jobs.begin(), jobs.end());
    table.add({folder.id(), std::to_string(waits.jobs), format_duration(waits.mean_expected),
               format_duration(waits.mean_wait), format_duration(waits.mean_error),
               format_duration(waits.median_error)});
  }
  if (as_json) {
    fmt::print("{}\n", json.dump(1));
  } else if (all.empty()) {
    fmt::print("no job has started yet: those of dovetail run -c {} are remembered\n",
               batch::system_names());
  } else {
    fmt::print("{}{}\n", table.text(1), waits_text(batch::summarise_waits(all)));
  }
  return Exit::fine;
}

batch::PilotStates known_jobs(const run::RunFolder& folder) {
  try {
    return batch::read_pilot_states(folder.journal());
  } catch (const std::exception&) {
    return {};  // dovetail runs says what is wrong with it
  }
}

}  // namespace dovetail::cli
