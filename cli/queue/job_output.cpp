#include "cli/queue/job_output.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "batch/table.hpp"
#include "draw/plain_text.hpp"
#include "run/run_folder.hpp"

namespace dovetail::cli {

namespace {

using batch::PilotStates;
using batch::PilotStatus;
using batch::WaitSummary;
using JobJson = nlohmann::ordered_json;

// Beyond that a reader wants the sums.
constexpr std::size_t kMostJobs = 40;

std::string length_text(const std::optional<Duration>& length) {
  return length ? format_duration(*length) : "-";
}

std::vector<std::string> job_cells(std::uint32_t number, const PilotStatus& job) {
  return {std::to_string(number),
          job.job_id.empty() ? "-" : job.job_id,
          std::to_string(job.tasks.size()),
          std::to_string(job.nodes),
          format_duration(job.request),
          format_duration(job.estimated_wait),
          length_text(job.wait()),
          length_text(job.ran()),
          draw::plain_text(job.state_text())};
}

std::string waits_text(const WaitSummary& waits) {
  return fmt::format(
      "{} started after {} on average, expected {}; estimates were off by {} on average, {} in the "
      "median",
      counted(waits.jobs(), "job"), format_duration(waits.mean_wait()),
      format_duration(waits.mean_expected()), format_duration(waits.mean_error()),
      format_duration(waits.median_error()));
}

WaitSummary waits_of(const PilotStates& jobs) {
  WaitSummary waits;
  for (const PilotStatus& job : jobs.all()) waits.add(job);
  return waits;
}

JobJson job_json(const std::string& run, std::uint32_t number, const PilotStatus& job) {
  const auto seconds = [](const std::optional<Duration>& length) {
    return length ? JobJson(to_seconds(*length)) : JobJson();
  };
  return {{"run", run},
          {"job", number},
          {"id", job.job_id},
          {"tasks", job.tasks.size()},
          {"nodes", job.nodes},
          {"request", to_seconds(job.request)},
          {"expected_wait", to_seconds(job.estimated_wait)},
          {"wait", seconds(job.wait())},
          {"ran", seconds(job.ran())},
          {"state", job.state_text()}};
}

}  // namespace

std::string jobs_text(const PilotStates& jobs) {
  if (jobs.next() == 0) return {};
  Table table({"  job", batch::system_titles(), "tasks", "nodes", "asked", "expected wait",
               "waited", "ran", ""});
  for (std::uint32_t job = 0; job < jobs.next() && job < kMostJobs; ++job) {
    std::vector<std::string> cells = job_cells(job, jobs.at(job));
    cells.front().insert(0, "  ");
    table.add(std::move(cells));
  }
  const std::string rest =
      jobs.next() > kMostJobs ? fmt::format("  and {} more\n", jobs.next() - kMostJobs) : "";
  const WaitSummary waits = waits_of(jobs);
  return table.text(1) + rest + (waits.jobs() == 0 ? "" : "  " + waits_text(waits) + "\n");
}

std::string jobs_section(const PilotStates& jobs) {
  if (jobs.next() == 0) return {};
  std::string rows;
  for (std::uint32_t job = 0; job < jobs.next(); ++job) {
    rows += "<tr>";
    for (const std::string& cell : job_cells(job, jobs.at(job))) {
      rows += "<td>" + draw::escape_markup(cell) + "</td>";
    }
    rows += "</tr>\n";
  }
  return fmt::format(
      "<section><h2>Jobs</h2>\n<p>{}</p>\n<div class=\"table-box jobs\"><table>\n<thead><tr>"
      "<th>Job</th><th>{}</th><th>Tasks</th><th>Nodes</th><th>Asked</th><th>Expected wait</th>"
      "<th>Waited</th><th>Ran</th><th>End</th></tr></thead>\n<tbody>\n{}</tbody>\n</table></div>"
      "</section>\n",
      waits_text(waits_of(jobs)), batch::system_titles(), rows);
}

Exit show_waits(bool as_json) {
  JobJson json = JobJson::array();
  Table table({"run", "jobs", "expected wait", "waited", "off by", "median"});
  WaitSummary all;
  for (const run::RunFolder& folder : run::RunFolder::all(run::state_folder())) {
    const PilotStates jobs = known_jobs(folder);
    for (std::uint32_t job = 0; job < jobs.next(); ++job) {
      json.push_back(job_json(folder.id(), job, jobs.at(job)));
      all.add(jobs.at(job));
    }
    const WaitSummary waits = waits_of(jobs);
    if (waits.jobs() == 0) continue;
    table.add({folder.id(), std::to_string(waits.jobs()), format_duration(waits.mean_expected()),
               format_duration(waits.mean_wait()), format_duration(waits.mean_error()),
               format_duration(waits.median_error())});
  }
  if (as_json) {
    say_exact(json.dump(1) + "\n");
  } else if (all.jobs() == 0) {
    say("no job of dovetail run -c {} has started yet\n", batch::system_names());
  } else {
    say("{}{}\n", table.text(1), waits_text(all));
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
