// dovetail keys: the certificates by which clients, agents and daemons know each other.
#include <fmt/format.h>

#include <memory>

#include "command.hpp"
#include "dovetail/time.hpp"
#include "federation/keys.hpp"

namespace dovetail::cli {

namespace {

struct KeysArguments {
  std::string folder = {};
  federation::CertificateRequest request = {};
  federation::Validity validity = {};
};

void print_certificates(const std::string& folder) {
  Table table({"file", "role", "name", "valid until"});
  for (const auto& known : federation::certificates_in(folder)) {
    table.add({known.file, std::string(federation::name_of(known.peer.role)), known.peer.name,
               known.is_refused ? "taken back" : format_date(known.until)});
  }
  fmt::print("{}", table.text(4));
}

CLI::App* add_verb(CLI::App& keys, const std::shared_ptr<KeysArguments>& given, const char* name,
                   const char* about) {
  CLI::App* verb = keys.add_subcommand(name, about);
  verb->add_option("folder", given->folder, "where the keys are kept")->required();
  return verb;
}

void add_validity(CLI::App* verb, const std::shared_ptr<KeysArguments>& given) {
  verb->add_option("--days", given->validity.days, "how long it is valid (default: 365)")
      ->check(CLI::Range(1, 36500));
  verb->add_flag("--overwrite", given->validity.overwrite, "take the place of one that is there");
}

}  // namespace

void add_keys(CLI::App& program, Exit& /*status*/) {
  const auto given = std::make_shared<KeysArguments>();
  CLI::App* keys = program.add_subcommand(
      "keys", "Make the certificates of a federation: who may talk to whom, and as what");
  keys->require_subcommand(1);
  keys->footer(
      "Example: dovetail keys authority keys\n"
      "         dovetail keys add keys daemon grillon --host 127.0.0.1\n"
      "         dovetail keys add keys client alice");

  CLI::App* authority =
      add_verb(*keys, given, "authority", "The authority that signs; its key stays with you");
  add_validity(authority, given);
  authority->callback([given] {
    federation::make_authority(given->folder, given->validity);
    fmt::print("{0}/ca.crt and {0}/ca.key are written\n", given->folder);
  });

  CLI::App* add = add_verb(*keys, given, "add", "A certificate and its key, signed by it");
  add_choice<federation::Role>(*add, "role", given->request.role,
                               {{"client", federation::Role::client},
                                {"agent", federation::Role::agent},
                                {"daemon", federation::Role::daemon}},
                               "client, agent or daemon")
      ->required();
  add->add_option("name", given->request.name, "whose it is; a daemon's is that of its cluster")
      ->required();
  add->add_option("--host", given->request.hosts,
                  "name or address at which an agent or daemon answers; may be given again");
  add_validity(add, given);
  add->callback([given] {
    if (given->request.role != federation::Role::client && given->request.hosts.empty()) {
      given->request.hosts = {"127.0.0.1", "localhost"};
    }
    federation::make_certificate(given->folder, given->request, given->validity);
    fmt::print("{0}/{1}.crt and {0}/{1}.key are written\n", given->folder, given->request.name);
  });

  CLI::App* refuse =
      add_verb(*keys, given, "refuse", "Take a certificate back; send the list to all members");
  refuse->add_option("name", given->request.name, "whose it is")->required();
  refuse->callback([given] {
    federation::refuse_certificate(given->folder, given->request.name);
    fmt::print("{0}/{1}.crt is on the list {0}/refused; it counts where that is beside ca.crt\n",
               given->folder, given->request.name);
  });

  add_verb(*keys, given, "list", "Those that are there")->callback([given] {
    print_certificates(given->folder);
  });
}

}  // namespace dovetail::cli
