// dovetail agent: daemons register with it, and clients ask for them.
#include <fmt/format.h>

#include <memory>

#include "batch/table.hpp"
#include "cli/command.hpp"
#include "cli/federation/server_log.hpp"
#include "federation/agent/agent.hpp"
#include "federation/client/cluster_list.hpp"

namespace dovetail::cli {

namespace {

struct AgentArguments {
  std::string keys = {};
  std::string listen = "127.0.0.1:7700";
  std::string parent = {};
  std::string url = {};
  std::string list = {};
};

std::string executor_text(const std::string& executor) {
  const batch::SystemInfo* system = batch::find_system(executor);
  return system == nullptr ? "processes" : "jobs of " + std::string(system->title);
}

// Prints the clusters below an agent and their services.
Exit show_clusters(const AgentArguments& arguments) {
  federation::require_url(arguments.list, "--list");
  const federation::Caller caller(federation::identity(arguments.keys));
  constexpr Duration kDeadline = 5'000;
  const federation::ClusterList found =
      federation::list_clusters(caller, arguments.list, kDeadline);
  Table table({"cluster", "processors", "runs", "services", "at"});
  for (const federation::ListedCluster& cluster : found.clusters) {
    table.add({cluster.name, std::to_string(cluster.processors), executor_text(cluster.executor),
               fmt::format("{}", fmt::join(cluster.services, ", ")), cluster.url});
  }
  say("{}", table.text(5));
  for (const std::string& line : found.troubles) tell("{}\n", line);
  if (found.clusters.empty()) tell("no cluster is registered there\n");
  return found.clusters.empty() ? Exit::no : Exit::fine;
}

Exit run_agent(const CLI::App& command, const AgentArguments& arguments) {
  if (command.count("--list") > 0) return show_clusters(arguments);
  run::SignalInterrupts interrupts;
  const auto self = federation::identity(arguments.keys, federation::Role::agent);
  if (!arguments.parent.empty()) federation::require_url(arguments.parent, "--parent");
  if (!arguments.url.empty()) federation::require_url(arguments.url, "--url");
  const federation::Agent agent({.address = federation::parse_address(arguments.listen, "--listen"),
                                 .parent = arguments.parent,
                                 .public_url = arguments.url},
                                self, service_log());
  wait_for_end(self, agent.url(), interrupts);
  return Exit::fine;
}

}  // namespace

void add_agent(CLI::App& program, Exit& status) {
  const auto [agent, given] = add_verb<AgentArguments>(
      program, status, "agent",
      "Run an agent: daemons register with it, and clients ask all of them through it", run_agent);
  agent
      .add_option("--keys", given.keys,
                  "use this certificate, such as keys/master for keys/master.crt")
      ->required();
  agent.add_option("--listen", given.listen, "listen at HOST:PORT (default: 127.0.0.1:7700)");
  agent.add_option("--parent", given.parent,
                   "register with the agent at this URL; without it, this agent is the master");
  agent.add_option("--url", given.url, "tell others to call this URL (default: where it listens)");
  agent
      .add_option("--list", given.list,
                  "only show the clusters below the agent at this URL and their services; needs a "
                  "client's --keys")
      ->excludes("--listen", "--parent", "--url");
  agent.footer(
      "Example: dovetail agent --keys keys/master --listen 127.0.0.1:7700\n"
      "         dovetail agent --list https://127.0.0.1:7700 --keys keys/alice");
}

}  // namespace dovetail::cli
