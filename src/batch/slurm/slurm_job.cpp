// The texts that Slurm gets in a job's script and on command lines, and what a job knows of itself.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <stdlib.h>
#include <unistd.h>

#include "batch/slurm/slurm_client.hpp"
#include "batch/slurm/slurm_text.hpp"
#include "dovetail/error.hpp"

namespace dovetail::batch::slurm {

namespace {

// For a line of #SBATCH, which knows double quotes and backslashes.
std::string directive_quote(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

// For --output, where Slurm replaces "%j" and the like, but not in names with a backslash.
std::string without_patterns(const std::string& file) {
  if (file.find('\\') != std::string::npos) return file;
  std::string plain;
  for (const char c : file) plain += c == '%' ? std::string("%%") : std::string(1, c);
  return plain;
}

std::string need_variable(const char* name) {
  const char* value = getenv(name);
  if (value != nullptr && *value != '\0') return value;
  throw InputError(std::string(name) + " is not set: a pilot runs inside of a Slurm job");
}

}  // namespace

std::string Client::directives(const JobRequest& request) const {
  const JobPlace& place = request.place;
  std::string text;
  const auto directive = [&](const std::string& line) { text += "#SBATCH --" + line + "\n"; };
  directive("job-name=" + request.name);
  directive(fmt::format("nodes={}", request.nodes));
  if (request.processes > 0) directive(fmt::format("ntasks={}", request.processes));
  if (!place.shares_nodes) directive("exclusive");
  if (request.needs_memory) directive("mem=0");
  directive("time=" + format_limit(request.limit));
  if (!place.partition.empty()) directive("partition=" + place.partition);
  if (!place.reservation.empty()) directive("reservation=" + place.reservation);
  if (place.begin) directive("begin=" + format_moment(*place.begin));
  directive("output=" + directive_quote(without_patterns(request.output)));
  directive("open-mode=append");
  directive("no-requeue");
  return text;
}

std::string Client::explain(const ClusterJob& job) const {
  return fmt::format("Slurm does not start it: {}; see scontrol show job {}", job.reason, job.id);
}

std::vector<std::string> Client::submit_command(const std::string& script_file) const {
  return {"sbatch", script_file};
}

std::vector<std::string> Client::reserve_command(const ReservationRequest& request) const {
  return {"scontrol",
          "create",
          "reservation",
          "ReservationName=" + request.name,
          "StartTime=" + format_moment(request.start),
          fmt::format("Duration={}", whole_minutes(request.length)),
          "Nodes=" + format_node_list(request.node_names),
          "Users=" + request.user};
}

std::vector<std::string> Client::release_command(const std::string& reservation) const {
  return {"scontrol", "delete", "ReservationName=" + reservation};
}

bool Client::is_around_us() const { return getenv("SLURM_JOB_ID") != nullptr; }

JobAllocation Client::allocation() const {
  JobAllocation allocation{.job_id = need_variable("SLURM_JOB_ID"), .nodes = {}};
  const std::string list = need_variable("SLURM_JOB_NODELIST");
  const auto nodes = parse_node_list(list);
  if (!nodes) throw InputError("SLURM_JOB_NODELIST: expected a list of nodes, found " + list);
  allocation.nodes = *nodes;
  const char* end = getenv("SLURM_JOB_END_TIME");
  const auto until = end == nullptr ? std::nullopt : parse_moment(end);
  allocation.until = until.value_or(kForever);
  return allocation;
}

std::vector<std::string> Client::step(const StepRequest& request) const {
  std::vector<std::string> words{"srun",
                                 "--overlap",
                                 "--nodes=1",
                                 "--ntasks=1",
                                 "--nodelist=" + request.node,
                                 fmt::format("--cpus-per-task={}", request.cores),
                                 "--mem=0",
                                 "--job-name=" + request.name,
                                 "--input=none",
                                 "--export=ALL",
                                 "--quiet"};
  words.insert(words.end(), request.command.begin(), request.command.end());
  return words;
}

std::vector<std::string> Client::stop_steps(const std::string& job_id) const {
  return {"scancel", "--signal=TERM", job_id};
}

StepTrouble Client::trouble_of(std::string_view last_words) const {
  const bool is_over = last_words.find("already completing or completed") != last_words.npos;
  if (is_over) return StepTrouble::job_is_over;
  return says_away(last_words) ? StepTrouble::away : StepTrouble::unknown;
}

Environment Client::confined(const TaskHosts& hosts, const std::string& hosts_file) const {
  const std::string nodes = format_node_list(hosts.nodes);
  const std::string node_count = std::to_string(hosts.nodes.size());
  Count all = 0;
  for (const Count some : hosts.processes) all += some;
  const std::string count = std::to_string(all);
  return {{"SLURM_HOSTFILE", hosts_file},
          {"SLURM_DISTRIBUTION", "arbitrary"},
          {"SLURM_OVERLAP", "1"},
          {"SLURM_JOB_NODELIST", nodes},
          {"SLURM_NODELIST", nodes},
          {"SLURM_NNODES", node_count},
          {"SLURM_JOB_NUM_NODES", node_count},
          {"SLURM_NTASKS", count},
          {"SLURM_NPROCS", count},
          {"SLURM_TASKS_PER_NODE", fmt::format("{}", fmt::join(hosts.processes, ","))}};
}

// Several nodes on one machine, as for tests, have names of their own.
bool Client::is_on_own_machine() const {
  const char* node = getenv("SLURMD_NODENAME");
  char machine[256] = {};
  if (node == nullptr || gethostname(machine, sizeof machine - 1) != 0) return false;
  return std::string_view(machine).substr(0, std::string_view(machine).find('.')) == node;
}

}  // namespace dovetail::batch::slurm
