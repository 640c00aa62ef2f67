// dovetail daemon: lets others use a cluster within the limits that its owner configures.
#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>

#include "batch/described_jobs.hpp"
#include "batch/job_backend.hpp"
#include "batch/live_queue.hpp"
#include "batch/table.hpp"
#include "cli/command.hpp"
#include "cli/federation/server_log.hpp"
#include "cli/run/run_end.hpp"
#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "federation/daemon/daemon.hpp"
#include "federation/daemon/workflow_backend.hpp"
#include "io/text.hpp"
#include "run/history/performance_history.hpp"
#include "run/local/process_backend.hpp"

namespace dovetail::cli {

namespace {

struct DaemonArguments {
  std::string file = {};
  std::string keys = {};
  std::string listen = "127.0.0.1:0";
  std::string agent = {};
  std::string url = {};
};

// The state folder of that cluster's daemon. Two daemons that start at the same time get the same
// folder.
run::RunFolder daemon_folder(const std::string& name) {
  const std::string state = run::state_folder() + "/daemons";
  try {
    return run::RunFolder::open(state, name + "-1");
  } catch (const InputError&) {
    run::RunFolder::create(state, name);
    return run::RunFolder::open(state, name + "-1");
  }
}

run::RunLock lock_cluster(const run::RunFolder& folder, const std::string& name) {
  auto lock = run::RunLock::take(folder);
  if (lock) return std::move(*lock);
  const auto holder = run::RunLock::holder(folder);
  throw InputError(fmt::format("cluster {} has a daemon already{}; stop that one first", name,
                               holder ? fmt::format(", process {}", holder->pid) : ""));
}

const batch::Partition& partition_of(const batch::ClusterPicture& picture, const std::string& name,
                                     std::string_view title) {
  for (const batch::Partition& partition : picture.partitions) {
    if (name.empty() ? partition.is_default : partition.name == name) return partition;
  }
  throw InputError(
      fmt::format("{} has no {}", title,
                  name.empty() ? "default partition; name one" : "partition " + io::quote(name)));
}

// The cluster is as large as the batch system says, whether or not its nodes are up at this moment;
// groups are whole nodes of it.
void use_batch_system(federation::DaemonOptions& options) {
  federation::DaemonDescription& description = options.description;
  const std::string partition = description.partition;
  const batch::SystemInfo& info = batch::system_named(description.system);
  const batch::ClusterPicture picture = info.make({})->picture();
  const std::vector<std::string>& names = partition_of(picture, partition, info.title).node_names;
  Count cores = kMaxProcessors;
  for (const batch::ClusterNode& node : picture.nodes) {
    if (std::ranges::find(names, node.name) != names.end()) cores = std::min(cores, node.cpus);
  }
  if (names.empty() || cores == kMaxProcessors) throw InputError("the partition has no nodes");
  description.cores_per_node = cores;
  description.processors = static_cast<Count>(names.size()) * cores;
  description.rules.node_multiples = cores > 1;
  options.queue_wait = [&info, partition, cores](Count procs, Duration length) {
    // Short, since the answer to an estimate has a deadline.
    const auto system = info.make({.call_seconds = 3, .patience = 0});
    try {
      const batch::LiveQueue queue(system->picture(), partition);
      return queue.wait((procs + cores - 1) / cores, length);
    } catch (const InputError& error) {
      throw ExecutionError(error.what());  // none of its nodes is up
    }
  };
}

federation::DaemonBackends make_backends(const federation::DaemonDescription& description,
                                         const run::RunFolder& folder,
                                         const std::shared_ptr<run::Nursery>& nursery) {
  federation::DaemonBackends backends;
  backends.workflows = std::make_unique<federation::WorkflowBackend>(
      federation::WorkflowBackendOptions{
          .processors = description.processors,
          .system = description.system,
          .partition = description.partition,
          .ended =
              [](const run::KnownRun& run, const run::RunState& end) {
                try {
                  write_report(run.folder, run.problem, end);
                } catch (const std::exception& error) {
                  service_log()(error.what());
                }
              }},
      nursery);
  if (description.system.empty()) {
    backends.months = std::make_unique<run::ProcessBackend>(folder.nursery_lock(), nursery);
    return backends;
  }
  batch::JobBackendOptions options{
      .partition = description.partition,
      .cores_per_node = description.cores_per_node,
      .program = std::filesystem::read_symlink("/proc/self/exe").string(),
      .poll = batch::poll_interval(description.system),
      .log = service_log()};
  backends.months = std::make_unique<batch::JobBackend>(
      folder, batch::system_named(description.system).make({.patience = 0}), std::move(options));
  return backends;
}

// Without --listen, a daemon uses its previous port, since clients call it there.
void use_previous_port(const std::string& file, federation::Address& address) {
  if (address.port != 0) return;
  federation::Address usual = address;
  std::ifstream(file) >> usual.port;
  if (usual.port > 0 && usual.port <= 65535 && federation::is_free(usual)) address = usual;
}

Exit run_daemon(const DaemonArguments& arguments) {
  // While the process is small and has one thread.
  const auto nursery = std::make_shared<run::Nursery>();
  std::signal(SIGPIPE, SIG_IGN);
  run::SignalInterrupts interrupts;
  const auto self = federation::identity(arguments.keys, federation::Role::daemon);
  if (!arguments.agent.empty()) federation::require_url(arguments.agent, "--agent");
  if (!arguments.url.empty()) federation::require_url(arguments.url, "--url");
  federation::DaemonOptions options{
      .address = federation::parse_address(arguments.listen, "--listen"),
      .agent = arguments.agent,
      .public_url = arguments.url,
      .description = federation::read_daemon(arguments.file),
      .history = run::PerformanceHistory::default_path()};
  if (!options.description.system.empty()) use_batch_system(options);
  const auto log = service_log();
  try {
    federation::require_usable(options.description);
  } catch (const InputError& error) {
    throw InputError(arguments.file + ": " + error.what());
  }
  for (const std::string& doubt : federation::doubts_of(options.description)) {
    log("warning: " + doubt);
  }
  const run::RunFolder folder = daemon_folder(self.self.name);
  const run::RunLock lock = lock_cluster(folder, self.self.name);
  const auto state = std::filesystem::path(folder.description()).parent_path();
  const std::string port_file = (state / "port").string();
  use_previous_port(port_file, options.address);
  auto backends = make_backends(options.description, folder, nursery);
  federation::Daemon daemon(std::move(options), self, folder, std::move(backends), log);
  write_file(port_file, std::to_string(daemon.port()) + "\n");
  wait_for_end(self, daemon.url(), interrupts, daemon.failed());
  if (!daemon.failure().empty()) throw ExecutionError(daemon.failure());
  return Exit::fine;
}

}  // namespace

void add_daemon(CLI::App& program, Exit& status) {
  const auto [daemon, given] = add_verb<DaemonArguments>(
      program, status, "daemon",
      "Run the daemon of a cluster: estimate requests, run them, and report progress", run_daemon);
  daemon.add_option("file", given.file, "read the cluster and its services from this file")
      ->required();
  daemon
      .add_option("--keys", given.keys,
                  "use this certificate, such as keys/grillon; its name is the cluster's")
      ->required();
  daemon.add_option("--agent", given.agent, "register with the agent at this URL");
  daemon.add_option("--listen", given.listen, "listen at HOST:PORT (default: 127.0.0.1, any port)");
  daemon.add_option("--url", given.url, "tell others to call this URL (default: where it listens)");
  daemon.footer(
      "Example: dovetail daemon grillon.yaml --keys keys/grillon --agent https://127.0.0.1:7700");
}

}  // namespace dovetail::cli
