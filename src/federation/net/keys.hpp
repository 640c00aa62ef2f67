// Authentication: a small certificate authority, and certificates with a role.
//
//   make_authority("keys", {});
//   make_certificate("keys", {.role = Role::daemon, .name = "grillon", .hosts = {"127.0.0.1"}});
//   const Identity self = identity("keys/grillon");   // its certificate, its key, the authority
//
// The role is the organisational unit of the certificate, the name its common name. The hosts are
// where a server answers; clients verify them. Keys are files that only their owner can read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "run/clock.hpp"

using X509 = struct x509_st;

namespace dovetail::federation {

enum class Role : std::uint8_t { client, agent, daemon };

std::string_view name_of(Role role);
// Nothing when there is no role of that name.
std::optional<Role> parse_role(std::string_view name);

// The owner of a certificate.
struct Peer {
  std::string name;
  Role role = Role::client;
};

// Nothing when the certificate has no known role, or a name that this authority would not issue.
std::optional<Peer> peer_of(const X509* certificate);

// The hosts at which its owner may answer.
std::vector<std::string> hosts_of(const X509* certificate);

// The files by which a member identifies itself and verifies others.
struct Identity {
  std::string certificate;
  std::string key;
  std::string authority;
  Peer self;
};

// For "keys/grillon": keys/grillon.crt, keys/grillon.key, keys/ca.crt. Throws InputError when one
// of them is missing or cannot be read, when others may read the key, and when the certificate has
// expired or belongs to another authority.
Identity identity(const std::string& given);
// The same, and throws InputError unless the certificate has that role.
Identity identity(const std::string& given, Role role);

// Whether the certificate is on the list of revoked ones, `refused` beside the authority's
// certificate. The list is read each time, so a new one applies from the next connection on. If it
// exists but cannot be read, all certificates are refused.
bool is_refused(const Identity& self, const X509* certificate);

// Whether the certificate, or ours, covers that host.
bool is_for_host(const X509* certificate, const std::string& host);
bool is_for_host(const Identity& self, const std::string& host);

struct Validity {
  int days = 365;  // negative: already expired, for tests
  bool overwrite = false;
};

struct CertificateRequest {
  Role role = Role::client;
  std::string name;                     // letters, digits, '-' and '_'
  std::vector<std::string> hosts = {};  // names or addresses at which it answers
};

// Creates the folder and writes ca.crt and ca.key into it. Throws InputError when they exist and
// must not be overwritten, ExecutionError when they cannot be written.
void make_authority(const std::string& folder, const Validity& validity);

// Writes NAME.crt and NAME.key, signed by the folder's authority. Throws as above, and InputError
// when there is no authority or the name is invalid. The certificate expires with its authority at
// the latest; returns when.
run::WallTime make_certificate(const std::string& folder, const CertificateRequest& request,
                               const Validity& validity);

// Revokes NAME.crt of the folder: adds it to the list `refused`, which must be copied to all
// members like ca.crt. Throws InputError when there is no such certificate, ExecutionError when the
// list cannot be written.
void refuse_certificate(const std::string& folder, const std::string& name);

struct KnownCertificate {
  std::string file;
  std::optional<Peer> peer;  // nothing: the authority
  std::vector<std::string> hosts = {};
  run::WallTime until = 0;
  bool is_refused = false;
};

// The authority and the certificates in the folder that have a role, by file name.
std::vector<KnownCertificate> certificates_in(const std::string& folder);

}  // namespace dovetail::federation
