// dovetail agent: where daemons register, and where clients ask for them.
#include <fmt/format.h>

#include <memory>

#include "command.hpp"
#include "dovetail/error.hpp"
#include "federation/agent.hpp"
#include "service.hpp"

namespace dovetail::cli {

namespace {

struct AgentArguments {
  std::string keys = {};
  std::string listen = "127.0.0.1:7700";
  std::string parent = {};
  std::string url = {};
};

void run_agent(const AgentArguments& arguments) {
  exec::Interrupts interrupts;
  const auto self = federation::identity(arguments.keys);
  if (self.self.role != federation::Role::agent) {
    throw InputError(self.certificate + ": is of the role " +
                     std::string(federation::name_of(self.self.role)) +
                     "; an agent needs one of the role agent");
  }
  if (!arguments.parent.empty()) federation::require_url(arguments.parent, "--parent");
  if (!arguments.url.empty()) federation::require_url(arguments.url, "--url");
  const federation::Agent agent({.address = federation::parse_address(arguments.listen, "--listen"),
                                 .parent = arguments.parent,
                                 .public_url = arguments.url},
                                self, service_log());
  fmt::print("agent {} answers at {}\n", self.self.name, agent.url());
  std::fflush(stdout);
  wait_for_end(interrupts);
}

}  // namespace

void add_agent(CLI::App& program, Exit& /*status*/) {
  const auto given = std::make_shared<AgentArguments>();
  CLI::App* agent = program.add_subcommand(
      "agent", "Stay and answer: daemons register here, clients ask all of them at once");
  agent
      ->add_option("--keys", given->keys,
                   "its certificate, such as keys/master for keys/master.crt")
      ->required();
  agent->add_option("--listen", given->listen, "HOST:PORT (default: 127.0.0.1:7700)");
  agent->add_option("--parent", given->parent, "URL of the agent above; without it, the master");
  agent->add_option("--url", given->url, "how others reach it (default: as it listens)");
  agent->footer("Example: dovetail agent --keys keys/master --listen 127.0.0.1:7700");
  agent->callback([given] { run_agent(*given); });
}

}  // namespace dovetail::cli
