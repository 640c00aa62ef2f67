// dovetail keys: the certificates of clients, agents and daemons.
#include <fmt/format.h>

#include <memory>

#include "cli/command.hpp"
#include "dovetail/time.hpp"
#include "federation/net/keys.hpp"

namespace dovetail::cli {

namespace {

// Longer than for members: all members need a new ca.crt when it expires.
constexpr int kAuthorityDays = 3650;

struct KeysArguments {
  std::string folder = {};
  federation::CertificateRequest request = {};
  federation::Validity validity = {};
};

void print_certificates(const std::string& folder) {
  Table table({"file", "role", "name", "valid until", "hosts"});
  for (const auto& known : federation::certificates_in(folder)) {
    table.add({known.file,
               known.peer ? std::string(federation::name_of(known.peer->role)) : "authority",
               known.peer ? known.peer->name : "",
               known.is_refused ? "revoked" : format_date(known.until),
               fmt::format("{}", fmt::join(known.hosts, ", "))});
  }
  say("{}", table.text(5));
}

CLI::App* add_verb(CLI::App& keys, const std::shared_ptr<KeysArguments>& given, const char* name,
                   const char* about) {
  CLI::App* verb = keys.add_subcommand(name, about);
  verb->add_option("folder", given->folder, "keep the keys in this folder")->required();
  return verb;
}

void add_validity(CLI::App* verb, const std::shared_ptr<KeysArguments>& given, int days) {
  verb->add_option("--days", given->validity.days,
                   fmt::format("make it valid for this many days (default: {})", days))
      ->check(CLI::Range(1, 36500));
  verb->add_flag("--overwrite", given->validity.overwrite, "replace the existing one");
}

void add_certificate(CLI::App& keys, const std::shared_ptr<KeysArguments>& given) {
  CLI::App* add =
      add_verb(keys, given, "add", "Make a certificate and its key, signed by the authority");
  add_choice<federation::Role>(*add, "role", given->request.role,
                               {{"client", federation::Role::client},
                                {"agent", federation::Role::agent},
                                {"daemon", federation::Role::daemon}},
                               "give it the role client, agent or daemon")
      ->required();
  add->add_option("name", given->request.name,
                  "give it this name; a daemon has the name of its cluster")
      ->required();
  add->add_option(
      "--host", given->request.hosts,
      "let an agent or daemon answer at this name or address; may be given again (default: "
      "127.0.0.1 and localhost)");
  add_validity(add, given, given->validity.days);
  add->callback([given] {
    if (given->request.role != federation::Role::client && given->request.hosts.empty()) {
      given->request.hosts = {"127.0.0.1", "localhost"};
    }
    const auto end = federation::make_certificate(given->folder, given->request, given->validity);
    constexpr Duration kDay = 24 * 3600 * kSecond;
    const bool is_cut = end < run::wall_now() + (given->validity.days - 1) * kDay;
    say("{0}/{1}.crt and {0}/{1}.key are written{2}\n", given->folder, given->request.name,
        is_cut ? "; valid until " + format_date(end) + ", as long as the authority" : "");
  });
}

}  // namespace

void add_keys(CLI::App& program, Exit& /*status*/) {
  const auto given = std::make_shared<KeysArguments>();
  CLI::App* keys =
      program.add_subcommand("keys", "Make, list and revoke the certificates of a federation");
  keys->require_subcommand(1);
  keys->footer(
      "Example: dovetail keys authority keys\n"
      "         dovetail keys add keys daemon grillon --host 127.0.0.1\n"
      "         dovetail keys add keys client alice");

  CLI::App* authority =
      add_verb(*keys, given, "authority",
               "Make the authority that signs certificates; keep its key to yourself");
  add_validity(authority, given, kAuthorityDays);
  authority->callback([given, authority] {
    if (authority->count("--days") == 0) given->validity.days = kAuthorityDays;
    federation::make_authority(given->folder, given->validity);
    say("{0}/ca.crt and {0}/ca.key are written\n", given->folder);
  });

  add_certificate(*keys, given);

  CLI::App* refuse =
      add_verb(*keys, given, "refuse", "Revoke a certificate; then send the list to all members");
  refuse->add_option("name", given->request.name, "revoke the certificate of this name")
      ->required();
  refuse->callback([given] {
    federation::refuse_certificate(given->folder, given->request.name);
    say("{0}/{1}.crt is revoked; put the list {0}/refused beside ca.crt of every member\n",
        given->folder, given->request.name);
  });

  add_verb(*keys, given, "list", "List the certificates of the folder")->callback([given] {
    print_certificates(given->folder);
  });
}

}  // namespace dovetail::cli
