#include "batch/slurm/slurm_client.hpp"

#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <string_view>
#include <thread>

#include "batch/slurm/slurm_accounting.hpp"
#include "batch/slurm/slurm_text.hpp"
#include "io/text.hpp"
#include "run/clock.hpp"
#include "run/token.hpp"

namespace dovetail::batch::slurm {

namespace {

// Variables by which users change what the commands print or do. Those of sbatch override the
// script; account and the like stay, as they may be needed.
const std::vector<std::string>& foreign_variables() {
  static const std::vector<std::string> names{"SQUEUE_",          "SACCT_",
                                              "SINFO_",           "SCONTROL_",
                                              "SCANCEL_",         "SLURM_TIME_FORMAT",
                                              "SBATCH_ARRAY_INX", "SBATCH_EXCLUSIVE",
                                              "SBATCH_JOB_NAME",  "SBATCH_PARTITION",
                                              "SBATCH_TIMELIMIT", "SBATCH_RESERVATION",
                                              "SBATCH_REQUEUE",   "SBATCH_NO_REQUEUE",
                                              "SBATCH_OUTPUT",    "SBATCH_ERROR",
                                              "SBATCH_INPUT",     "SBATCH_EXPORT",
                                              "SBATCH_WAIT",      "SBATCH_DEBUG"};
  return names;
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for_each_line(text, [&](std::string_view line) { lines.push_back(line); });
  return lines;
}

// "sbatch: error: Batch job submission failed: ..." without its beginnings.
std::string_view without_program(std::string_view line, std::string_view program) {
  const std::string own = std::string(program) + ": ";
  if (line.starts_with(own)) line.remove_prefix(own.size());
  for (const std::string_view word : {"error: ", "fatal: ", "warning: "}) {
    if (line.starts_with(word)) line.remove_prefix(word.size());
  }
  return line;
}

// One line that says what Slurm said.
std::string words_of(const CommandResult& result, const std::string& program) {
  const std::vector<std::string_view> errors = lines_of(result.err);
  const std::vector<std::string_view> printed = lines_of(result.out);
  const std::vector<std::string_view>& lines = errors.empty() ? printed : errors;
  if (lines.empty()) return "exit code " + std::to_string(result.exit_code);
  std::string words(without_program(lines.back(), program));
  std::replace_if(
      words.begin(), words.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return words;
}

bool is_away(const CommandResult& result) { return says_away(result.err) || says_away(result.out); }

// "sbatch: error: AssocMaxSubmitJobLimit" and others of that kind; empty when there is none.
std::string_view broken_submit_limit(const CommandResult& result) {
  for (const std::string_view line : lines_of(result.err)) {
    if (contains(line, "SubmitJob") && line.ends_with("Limit")) return line;
  }
  return {};
}

// Throws what a failed call means.
[[noreturn]] void fail_call(const CommandResult& result, const std::string& program) {
  // Slurm's commands wait a minute for a configuration file that is missing.
  if (contains(result.err, "cannot stat file")) {
    throw Refused("Slurm is not set up here: " + words_of(result, program));
  }
  if (result.end == CommandResult::End::timed_out) {
    const std::string said = result.err.empty() ? "" : ": " + words_of(result, program);
    throw Unreachable("Slurm does not answer " + program + " in time" + said);
  }
  const std::string words = program + ": " + words_of(result, program);
  if (const std::string_view limit = broken_submit_limit(result); !limit.empty()) {
    throw TooManyJobs("Slurm takes no more jobs for now: " +
                      std::string(without_program(limit, program)));
  }
  if (is_away(result)) throw Unreachable("Slurm does not answer " + words);
  throw Refused("Slurm refuses " + words);
}

std::set<std::string> as_set(const std::vector<std::string>& names) {
  return {names.begin(), names.end()};
}

// How the reservation differs from the request, in words; empty when it does not.
std::string difference(const ReservationRequest& asked, const std::vector<ReservedNodes>& all) {
  const auto made = std::ranges::find(all, asked.name, &ReservedNodes::name);
  if (made == all.end()) return "it is not there";
  if (as_set(made->node_names) != as_set(asked.node_names)) {
    return "its nodes are " + format_node_list(made->node_names);
  }
  if (made->start / kSecond != asked.start / kSecond) return "it begins at another time";
  if (made->end - made->start < whole_minutes(asked.length) * kMinute) return "it is shorter";
  return "";
}

// scancel complains, by version, about jobs that are over or that it does not know.
bool is_harmless_for_cancel(std::string_view line) {
  return contains(line, "Invalid job id") || contains(line, "already completing or completed") ||
         contains(line, "already finished") || contains(line, "Job has already finished");
}

bool lacks_rights(const CommandResult& result) {
  return !result.is_fine() && (contains(result.err, "Invalid user id") ||
                               contains(result.err, "Access/permission denied"));
}

std::string variable(const char* name) {
  const char* value = getenv(name);
  return value == nullptr ? "" : value;
}

// Those of this user; an administrator sees the jobs of all.
std::vector<ClusterJob> own_past_jobs(std::string_view text) {
  std::vector<ClusterJob> jobs = parse_past_jobs(text);
  std::erase_if(jobs, [](const ClusterJob& job) { return !is_own(job); });
  return jobs;
}

// How this user's jobs would be submitted to the partition, or to the default one.
JobTerms own_terms(const std::string& name, const std::vector<Partition>& partitions) {
  JobTerms terms{.user = own_user(),
                 .account = variable("SBATCH_ACCOUNT"),
                 .qos = variable("SBATCH_QOS"),
                 .partition = name};
  for (const Partition& partition : partitions) {
    if (name.empty() ? !partition.is_default : partition.name != name) continue;
    terms.partition = partition.name;
    terms.partition_qos = partition.qos;
  }
  return terms;
}

}  // namespace

Client::Client(CallOptions options, CommandRunner runner)
    : options_(options), runner_(std::move(runner)) {}

CommandResult Client::call(const std::vector<std::string>& arguments, double seconds,
                           const std::string& input) {
  ++calls_;
  const std::int64_t began = run::steady_now();
  // The environment of sbatch goes on to the job, and its answer needs no time format.
  const bool is_question = arguments.front() != "sbatch";
  CommandResult result = runner_(
      arguments, {.seconds = seconds, .input = input, .without = foreign_variables()},
      is_question ? Environment{{"SLURM_TIME_FORMAT", "%s"}, {"LC_ALL", "C"}} : Environment{});
  time_in_calls_ += run::steady_now() - began;
  if (result.end == CommandResult::End::not_found) {
    throw ExecutionError("Slurm is not installed here, there is no `" + arguments.front() +
                         "`: install its commands, or load the module that has them");
  }
  return result;
}

Duration Client::mean_call() const {
  return calls_ == 0 ? 0 : time_in_calls_ / static_cast<Duration>(calls_);
}

std::string Client::tell(const std::vector<std::string>& arguments, const std::string& input) {
  CommandResult result = call(arguments, options_.call_seconds, input);
  if (!result.is_fine()) fail_call(result, arguments.front());
  return std::move(result.out);
}

std::string Client::ask(const std::vector<std::string>& arguments) {
  constexpr double kLongestPause = 10;
  const std::int64_t begin = run::steady_now();
  const auto left = [&] { return options_.patience - to_seconds(run::steady_now() - begin); };
  constexpr double kShortestCall = 0.1;
  double pause = options_.first_pause;
  double seconds = options_.call_seconds;
  for (;;) {
    CommandResult result = call(arguments, seconds);
    if (result.is_fine()) return std::move(result.out);
    const bool may_help = result.end == CommandResult::End::timed_out || is_away(result);
    if (!may_help || left() <= pause) fail_call(result, arguments.front());
    std::this_thread::sleep_for(std::chrono::duration<double>(pause));
    pause = std::min(pause * 2, kLongestPause);
    seconds = std::min(options_.call_seconds, std::max(left(), kShortestCall));
  }
}

std::optional<std::string> Client::try_tell(const std::vector<std::string>& arguments,
                                            const std::string& input) {
  try {
    return tell(arguments, input);
  } catch (const ExecutionError&) {
    return {};
  }
}

std::vector<ClusterJob> Client::jobs() {
  const std::string mark = "job" + run::random_token();
  return parse_jobs(ask({"squeue", "--noheader", "--all", "--states=all", "--array",
                         "--format=" + job_format(mark)}),
                    mark);
}

std::vector<ClusterNode> Client::nodes() {
  return parse_nodes(
      ask({"sinfo", "--noheader", "--all", "--Node", std::string("--format=") + kNodeFormat}));
}

std::vector<Partition> Client::partitions() {
  return parse_partitions(ask({"scontrol", "--oneliner", "--all", "show", "partition"}));
}

std::vector<ReservedNodes> Client::reservations() {
  return parse_reservations(ask({"scontrol", "--oneliner", "show", "reservation"}));
}

ClusterPicture Client::picture() {
  ClusterPicture picture{.shown_by = "sinfo"};
  picture.nodes = nodes();
  picture.partitions = partitions();
  picture.reservations = reservations();
  picture.at = run::wall_now();
  picture.jobs = jobs();
  return picture;
}

std::optional<ClusterJob> Client::past_job(const std::string& name, WallTime since) {
  const std::vector<std::string> question{"sacct", "--parsable2", "--noheader", "--allocations",
                                          std::string("--format=") + kPastJobFormat};
  std::vector<std::string> named = question;
  named.push_back("--name=" + name);
  named.push_back("--starttime=" + (since > 0 ? format_moment(since) : "now-365days"));
  if (const std::optional<std::string> text = try_tell(named)) {
    const std::vector<ClusterJob> jobs = own_past_jobs(*text);
    if (!jobs.empty()) return find_past_job(jobs, name);
  }
  // The log has all jobs since it was begun, and cannot be asked for one.
  std::vector<std::string> completed = question;
  completed.push_back("--completion");
  const std::optional<std::string> text = try_tell(completed);
  return text ? find_past_job(own_past_jobs(*text), name) : std::nullopt;
}

UserLimits Client::limits(const std::string& partition, const std::vector<Partition>& partitions) {
  const std::string config = tell({"scontrol", "show", "config"});
  const AccountingSettings settings = parse_accounting_settings(config);
  if (!settings.has_database || !settings.keeps_limits) return {};
  const JobTerms terms = own_terms(partition, partitions);
  // Both questions in one call: sacctmgr reads commands from its standard input.
  const std::string questions = "show user " + terms.user +
                                " withassoc format=" + kAssociationFormat +
                                "\nshow qos format=" + kQosFormat + "\n";
  const std::string text =
      try_tell({"sacctmgr", "--noheader", "--parsable2"}, questions).value_or("");
  std::vector<Association> associations = parse_associations(text);
  std::erase_if(associations,
                [&](const Association& one) { return one.cluster != settings.cluster; });
  return limits_for(terms, associations, parse_qos(text));
}

std::string Client::submit(const std::string& script_file) {
  const std::string text = tell({"sbatch", "--parsable", script_file});
  const std::optional<std::string> id = parse_job_id(text);
  // There may be a job; only its name can tell.
  if (!id) throw Unreachable("sbatch names no job id: " + io::quote(text));
  return *id;
}

void Client::cancel(const std::vector<std::string>& ids) {
  constexpr std::size_t kBatch = 300;
  for (std::size_t first = 0; first < ids.size(); first += kBatch) {
    std::vector<std::string> arguments{"scancel"};
    const std::size_t last = std::min(first + kBatch, ids.size());
    for (std::size_t at = first; at < last; ++at) arguments.push_back(ids[at]);
    CommandResult result = call(arguments, options_.call_seconds);
    if (result.is_fine()) continue;
    std::string serious;
    for (const std::string_view line : lines_of(result.err)) {
      if (!is_harmless_for_cancel(line)) serious += std::string(line) + "\n";
    }
    if (result.end == CommandResult::End::exited && serious.empty() && !result.err.empty())
      continue;
    result.err = serious;
    fail_call(result, "scancel");
  }
}

void Client::reserve(const ReservationRequest& request) {
  if (request.node_names.empty()) {
    throw InputError("reservation " + io::quote(request.name) + ": no nodes are named");
  }
  const CommandResult result = call(reserve_command(request), options_.call_seconds);
  if (lacks_rights(result)) {
    throw NoRights("Slurm refuses scontrol: " + words_of(result, "scontrol") +
                   "; ask an administrator, or use --reserve begin");
  }
  if (!result.is_fine()) fail_call(result, "scontrol");
  const std::string wrong = difference(request, reservations());
  if (wrong.empty()) return;
  if (wrong != "it is not there") release(request.name);
  throw Refused("Slurm made another reservation than was asked for, " + io::quote(request.name) +
                ": " + wrong);
}

bool Client::release(const std::string& reservation) {
  const CommandResult result = call(release_command(reservation), options_.call_seconds);
  if (result.is_fine() || contains(result.err, "reservation is invalid")) return true;
  if (contains(result.err, "reservation is in use")) return false;
  fail_call(result, "scontrol");
}

}  // namespace dovetail::batch::slurm
