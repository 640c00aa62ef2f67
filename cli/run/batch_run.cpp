#include "cli/run/batch_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "batch/conduct.hpp"
#include "batch/job_book.hpp"
#include "batch/live_queue.hpp"
#include "batch/node_plan.hpp"
#include "batch/pilot_file.hpp"
#include "batch/planned_starts.hpp"
#include "batch/table.hpp"
#include "cli/queue/job_output.hpp"
#include "cli/queue/queue_options.hpp"
#include "cli/run/run_end.hpp"
#include "cli/run/run_progress.hpp"
#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "io/text.hpp"

namespace dovetail::cli {

namespace {

constexpr const char* kSlurm = "slurm";
constexpr const char* kDefaultStrategy = "GLUME+";

const Cluster* cluster_with_slurm(const Platform& platform) {
  if (platform.clusters().size() != 1 || !platform.clusters().front().slurm) return nullptr;
  return &platform.clusters().front();
}

std::optional<batch::Reserve> reserve_named(const std::string& name) {
  if (name.empty()) return std::nullopt;
  return name == kSlurm ? batch::Reserve::nodes : batch::Reserve::begin;
}

batch::JobRunOptions options_of(const run::RunDescription& description) {
  const run::BatchDescription& how = *description.batch;
  return {.strategy = how.strategy,
          .reserve = reserve_named(how.reserve),
          .make_plan = run::plan_for_run,
          .how = {.cap = how.max_jobs},
          .partition = how.partition,
          .token = how.token,
          .program = std::filesystem::read_symlink("/proc/self/exe").string(),
          .folder = description.folder,
          .keep_going = description.keep_going,
          .poll = slurm_poll_interval()};
}

// What -c says: nothing unless it is the word, or a cluster file that has a partition of Slurm.
std::optional<std::string> partition_asked_for(const std::string& cluster) {
  if (cluster == kSlurm) return std::string();
  if (cluster == "local" || io::parse_number(cluster)) return std::nullopt;
  const Platform file = read_platform(cluster);
  const Cluster* found = cluster_with_slurm(file);
  return found == nullptr ? std::nullopt : std::optional(found->slurm->partition);
}

batch::ClusterPicture picture_now() {
  const auto system = batch::system_named(kSlurm).make({.patience = 15});  // somebody waits
  system->version();  // says what to do where it is not installed
  return system->picture();
}

Platform platform_now(const std::string& partition) {
  const batch::PartitionLimits limits = batch::limits_of(picture_now(), partition);
  Cluster cluster{.name = limits.name,
                  .processors = limits.nodes * limits.cores_per_node,
                  .cores_per_node = limits.cores_per_node};
  return Platform(0, {std::move(cluster)});
}

}  // namespace

void SlurmArguments::add(CLI::App& command) {
  const std::string group = "On Slurm";
  command.add_option("--partition", partition, "of the cluster; default: Slurm's own")
      ->group(group);
  command
      .add_option("--strategy", strategy,
                  "how to cut the workflow into jobs: " + known_strategies() + "; default " +
                      kDefaultStrategy)
      ->group(group);
  command
      .add_option("--reserve", reserve,
                  "a job for each task at the time of a plan instead: slurm reserves its nodes "
                  "(that takes the right to), begin asks not to be started before")
      ->check(CLI::IsMember({"slurm", "begin"}).description(""))
      ->group(group);
  command.add_option("--max-jobs", max_jobs, "that may wait or run at once; default: no limit")
      ->check(CLI::Range(1, kMaxProcessors).description(""))
      ->group(group);
}

Duration slurm_poll_interval() {
  const char* text = std::getenv("DOVETAIL_SLURM_POLL");
  const auto seconds = text == nullptr ? std::nullopt : parse_duration(text);
  if (text != nullptr && !seconds) {
    throw InputError("DOVETAIL_SLURM_POLL: expected a duration such as 10s, found " +
                     io::quote(text));
  }
  return seconds ? std::max<Duration>(time_ceil(*seconds), 100) : 10 * kSecond;
}

std::optional<SlurmPlace> SlurmArguments::place(const std::string& cluster) const {
  std::optional<std::string> where = partition_asked_for(cluster);
  if (!where) return std::nullopt;
  if (!partition.empty()) where = partition;
  return SlurmPlace{*where, platform_now(*where)};
}

std::optional<Platform> live_slurm(const std::string& cluster, const std::string& partition) {
  auto where = partition_asked_for(cluster);
  if (where && !partition.empty()) where = partition;
  // A log that the file names is replayed instead.
  const bool has_log =
      where && cluster != kSlurm && read_platform(cluster).clusters().front().queue;
  if (!where || has_log) return std::nullopt;
  return batch::live_platform(picture_now(), *where);
}

void SlurmArguments::require_none() const {
  const char* given = !partition.empty()  ? "--partition"
                      : !strategy.empty() ? "--strategy"
                      : !reserve.empty()  ? "--reserve"
                      : max_jobs > 0      ? "--max-jobs"
                                          : nullptr;
  if (given != nullptr) {
    throw InputError(std::string(given) + " is for runs on Slurm; add -c slurm");
  }
}

run::BatchDescription SlurmArguments::describe(const run::RunDescription& run,
                                               const std::string& where) const {
  if (run.workflows.size() != 1) {
    throw InputError("on Slurm one workflow is run at a time, found " +
                     std::to_string(run.workflows.size()));
  }
  if (!strategy.empty() && !reserve.empty()) {
    throw InputError("--strategy cuts workflows into jobs, --reserve plans each task; use one");
  }
  run::BatchDescription description =
      run::BatchDescription::make(kSlurm, run.workflows.front().name());
  description.partition = where;
  description.strategy = choose_strategy(strategy.empty() ? kDefaultStrategy : strategy).name;
  description.reserve = reserve;
  description.max_jobs = max_jobs;
  return description;
}

Exit conduct_on_slurm(const run::RunFolder& folder, const run::RunDescription& description,
                      const std::vector<run::KeptTask>& kept) {
  const Problem problem = description.problem();
  std::signal(SIGPIPE, SIG_IGN);
  RunProgress progress(folder, problem);
  // Without patience: what is not answered is asked again later, and others are heard meanwhile.
  const auto system = batch::system_named(kSlurm).make({.patience = 0});
  batch::JobRunOptions options = options_of(description);
  options.kept = kept;
  options.ended = [&](std::uint32_t task, const auto& state) { progress.ended(task, state); };
  options.say = [](const std::string& news) { fmt::print(stderr, "{}\n", news); };
  const run::RunEnd end = batch::conduct(folder, problem, options, *system);
  if (end.outcome == run::RunOutcome::interrupted) options.say("its jobs go on without us");
  return end_run(folder, description, problem, end);
}

void require_possible_on_slurm(const run::RunDescription& description) {
  batch::require_possible(description.problem(),
                          batch::limits_of(picture_now(), description.batch->partition),
                          batch::JobBook::kOverhead, !description.batch->reserve.empty());
}

std::optional<Duration> planned_time(const run::RunDescription& description) {
  const batch::ClusterPicture picture = picture_now();
  const auto jobs = batch::plan_jobs_now(description.problem(), options_of(description), picture);
  if (!jobs) return std::nullopt;
  return std::ranges::max(*jobs, {}, &batch::PlannedJob::end).end() - picture.at;
}

Exit write_slurm_scripts(const run::RunDescription& description) {
  const auto folder = run::RunFolder::create(std::filesystem::absolute("dovetail-dry-run").string(),
                                             description.workflows.front().name());
  description.write(folder);
  const auto system = batch::system_named(kSlurm).make({});
  batch::JobRunOptions options = options_of(description);
  options.is_dry = true;
  options.say = [](const std::string& news) { fmt::print("{}\n", news); };
  batch::conduct(folder, description.problem(), options, *system);
  const batch::PilotStates jobs = known_jobs(folder);
  for (std::uint32_t job = 0; job < jobs.next(); ++job) {
    fmt::print("  sbatch {}\n", batch::script_file(folder, job));
  }
  fmt::print("nothing is submitted; {}\n",
             options.reserve ? "the times are those of a plan made now"
                             : "what comes next is decided when these have started or ended");
  return Exit::fine;
}

std::size_t cancel_on_slurm(const run::RunFolder& folder, const run::RunDescription& description) {
  const auto system = batch::system_named(kSlurm).make({});
  return batch::cancel(folder, description.problem(), options_of(description), *system);
}

}  // namespace dovetail::cli
