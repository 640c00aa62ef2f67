#include "batch/described_jobs.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "batch/conduct.hpp"
#include "batch/job_book.hpp"
#include "batch/node_plan.hpp"
#include "batch/table.hpp"
#include "dovetail/error.hpp"
#include "io/text.hpp"
#include "run/conductor.hpp"

namespace dovetail::batch {

namespace {

std::optional<Reserve> reserve_named(const std::string& name) {
  if (name.empty()) return std::nullopt;
  return name == kReserveBegin ? Reserve::begin : Reserve::nodes;
}

}  // namespace

Duration poll_interval(const std::string& system) {
  const std::string name = "DOVETAIL_" + io::upper_case(system) + "_POLL";
  const char* text = std::getenv(name.c_str());
  const auto seconds = text == nullptr ? std::nullopt : parse_duration(text);
  if (text != nullptr && !seconds) {
    throw InputError(name + ": expected a duration such as 10s, found " + io::quote(text));
  }
  return seconds ? std::max<Duration>(time_ceil(*seconds), 100) : 10 * kSecond;
}

Platform platform_of(const ClusterPicture& picture, const std::string& partition) {
  const PartitionLimits limits = limits_of(picture, partition);
  Cluster cluster{.name = limits.name,
                  .processors = limits.nodes * limits.cores_per_node,
                  .cores_per_node = limits.cores_per_node,
                  .node_types = {limits.node(limits.nodes)}};
  return Platform(0, {std::move(cluster)});
}

std::unique_ptr<BatchSystem> system_of(const run::RunDescription& description,
                                       const CallOptions& options) {
  return system_named(description.batch->system).make(options);
}

JobRunOptions options_of(const run::RunDescription& description) {
  const run::BatchDescription& how = *description.batch;
  return {.strategy = how.strategy,
          .reserve = reserve_named(how.reserve),
          .make_plan = run::plan_for_run,
          .how = {.cap = how.max_jobs},
          .partition = how.partition,
          .token = how.token,
          .program = std::filesystem::read_symlink("/proc/self/exe").string(),
          .folder = description.folder,
          .syncs = description.syncs,
          .keep_going = description.keep_going,
          .poll = poll_interval(how.system)};
}

void require_possible(const run::RunDescription& description, const Problem& problem,
                      const ClusterPicture& picture) {
  require_possible(problem, limits_of(picture, description.batch->partition), queue::kJobOverhead,
                   !description.batch->reserve.empty());
}

std::size_t cancel(const run::KnownRun& run) {
  if (!run.description.batch) {
    run::cancel(run.folder, run.problem, run.description.folder);
    return 0;
  }
  return cancel(run.folder, run.problem, options_of(run.description), *system_of(run.description));
}

}  // namespace dovetail::batch
