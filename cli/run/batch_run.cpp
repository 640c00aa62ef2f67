#include "cli/run/batch_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "batch/conduct.hpp"
#include "batch/described_jobs.hpp"
#include "batch/job_tracker.hpp"
#include "batch/live_queue.hpp"
#include "batch/node_plan.hpp"
#include "batch/pilot/pilot_file.hpp"
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

// The batch system of a file's only cluster, as -c would name it.
std::optional<BatchPlace> place_in(const Platform& file) {
  const Cluster& cluster = file.clusters().front();
  if (file.clusters().size() != 1 || !cluster.batch) return std::nullopt;
  return BatchPlace{cluster.batch->system, cluster.batch->partition};
}

// What -c says, without a picture: nothing unless it names a system, or a cluster file that does.
std::optional<BatchPlace> place_asked_for(const std::string& cluster) {
  if (batch::find_system(cluster) != nullptr) return BatchPlace{cluster, ""};
  if (cluster == "local" || io::parse_number(cluster)) return std::nullopt;
  return place_in(read_platform(cluster));
}

batch::ClusterPicture picture_of(const std::string& name) {
  constexpr double kPatience = 15;  // the user waits for the answer
  return batch::system_named(name).make({.patience = kPatience})->picture();
}

void require_planned_starts(const batch::SystemInfo& info, const std::string& reserve) {
  if (reserve.empty()) return;
  const auto system = info.make({});
  const bool can =
      reserve == batch::kReserveBegin ? system->can_begin_later() : system->can_reserve();
  if (can && (reserve == batch::kReserveBegin || reserve == info.name)) return;
  throw InputError(fmt::format("--reserve {}: {} cannot do that", reserve, info.title));
}

}  // namespace

void BatchArguments::add(CLI::App& command) {
  const std::string titles = batch::system_titles();
  const std::string group = "On " + titles;
  std::vector<std::string> ways;
  for (const batch::SystemInfo& system : batch::systems()) ways.emplace_back(system.name);
  ways.emplace_back(batch::kReserveBegin);
  command
      .add_option("--partition", partition,
                  "submit to this partition; default: " + titles + "'s own")
      ->group(group);
  command
      .add_option("--strategy", strategy,
                  "cut the workflow into jobs by " + known_strategies() + "; default " +
                      batch::kDefaultStrategy)
      ->group(group);
  command
      .add_option(
          "--reserve", reserve,
          "submit a job for each task, to start at the time of a plan: " + batch::system_names() +
              " reserves its nodes (which takes the right to), begin asks not to be "
              "started before")
      ->check(CLI::IsMember(ways).description(""))
      ->group(group);
  command
      .add_option("--max-jobs", max_jobs,
                  "let at most this many jobs wait or run at once; default: no limit")
      ->check(CLI::Range(1, kMaxProcessors).description(""))
      ->group(group);
}

std::optional<BatchPlace> BatchArguments::place(const std::string& cluster) const {
  std::optional<BatchPlace> where = place_asked_for(cluster);
  if (!where) return std::nullopt;
  if (!partition.empty()) where->partition = partition;
  where->picture = picture_of(where->system);
  return where;
}

std::optional<Platform> live_cluster(const std::string& cluster, const std::string& partition) {
  auto where = place_asked_for(cluster);
  if (!where) return std::nullopt;
  if (!partition.empty()) where->partition = partition;
  // A log that the file names is replayed instead.
  const bool is_file = batch::find_system(cluster) == nullptr;
  if (is_file && read_platform(cluster).clusters().front().queue) return std::nullopt;
  return batch::live_platform(picture_of(where->system), where->partition);
}

void BatchArguments::require_none() const {
  const char* given = !partition.empty()  ? "--partition"
                      : !strategy.empty() ? "--strategy"
                      : !reserve.empty()  ? "--reserve"
                      : max_jobs > 0      ? "--max-jobs"
                                          : nullptr;
  if (given == nullptr) return;
  throw InputError(fmt::format("{} is for runs on {}; add -c {}", given, batch::system_titles(),
                               batch::system_names()));
}

run::BatchDescription BatchArguments::describe(const run::RunDescription& run,
                                               const BatchPlace& place) const {
  const batch::SystemInfo& system = batch::system_named(place.system);
  if (run.workflows.size() != 1) {
    throw InputError(fmt::format("on {} one workflow is run at a time, found {}", system.title,
                                 run.workflows.size()));
  }
  if (!strategy.empty() && !reserve.empty()) {
    throw InputError("--strategy cuts workflows into jobs, --reserve plans each task; use one");
  }
  require_planned_starts(system, reserve);
  return {.system = place.system,
          .partition = place.partition,
          .strategy = std::string(
              choose_strategy(strategy.empty() ? batch::kDefaultStrategy : strategy).name),
          .reserve = reserve,
          .max_jobs = max_jobs,
          .token = batch::job_token(run.workflows.front().name())};
}

Exit conduct_jobs(const run::RunFolder& folder, const run::RunDescription& description,
                  const Problem& problem, const std::vector<run::KeptTask>& kept,
                  std::optional<batch::ClusterPicture> picture) {
  std::signal(SIGPIPE, SIG_IGN);
  RunProgress progress(folder, problem);
  // Without patience: what is not answered is asked again later, and others are heard meanwhile.
  const auto system = batch::system_of(description, {.patience = 0});
  batch::JobRunOptions options = batch::options_of(description);
  options.kept = kept;
  options.picture = std::move(picture);
  options.ended = [&](std::uint32_t task, const auto& state) { progress.ended(task, state); };
  options.say = [](const std::string& news) { tell("{}\n", news); };
  run::RunEnd end = [&] {  // signals do again what they did when it is over
    run::SignalInterrupts interrupts;
    return batch::conduct(folder, problem, options, *system, interrupts);
  }();
  if (end.outcome == run::RunOutcome::interrupted)
    options.say("its jobs run on their own: you can log out");
  return end_run(folder, description, problem, end);
}

std::optional<Duration> planned_time(const run::RunDescription& description, const Problem& problem,
                                     const batch::ClusterPicture& picture) {
  const auto jobs = batch::plan_jobs_now(problem, batch::options_of(description), picture);
  if (!jobs) return std::nullopt;
  return std::ranges::max(*jobs, {}, &batch::PlannedJob::end).end() - picture.at;
}

Exit write_scripts(const run::RunDescription& description, const Problem& problem,
                   const batch::ClusterPicture& picture) {
  const auto folder = run::RunFolder::create(std::filesystem::absolute("dovetail-dry-run").string(),
                                             description.workflows.front().name());
  description.write(folder);
  const auto system = batch::system_of(description);
  batch::JobRunOptions options = batch::options_of(description);
  options.is_dry = true;
  options.picture = picture;
  options.say = [](const std::string& news) { say("{}\n", news); };
  run::SignalInterrupts interrupts;
  batch::conduct(folder, problem, options, *system, interrupts);
  const batch::PilotStates jobs = known_jobs(folder);
  for (std::uint32_t job = 0; job < jobs.next(); ++job) {
    const auto words = system->submit_command(batch::script_file(folder, job));
    say("  {}\n", fmt::join(words, " "));
  }
  say("nothing is submitted; {}\n",
      options.reserve ? "the times are those of a plan made now"
                      : "what comes next is decided when these have started or ended");
  return Exit::fine;
}

}  // namespace dovetail::cli
