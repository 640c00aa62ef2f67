#include "federation/net/keys.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "federation/net/openssl.hpp"
#include "io/text.hpp"
#include "run/local/descriptor.hpp"

namespace dovetail::federation {

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> kRoles = {"client", "agent", "daemon"};
constexpr std::size_t kMaxName = 40;  // it is part of file names

void must(bool worked, const char* what) {
  if (!worked) throw ExecutionError(std::string("OpenSSL: ") + what + ": " + openssl_error());
}

// What `parse` makes of a file in PEM.
template <typename Thing, typename Parse>
Thing read_pem(const std::string& path, Parse parse, const char* what) {
  const std::string text = read_file(path);
  const Memory memory(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  Thing thing(parse(memory.get(), nullptr, nullptr, nullptr));
  ERR_clear_error();
  if (!thing) throw InputError(path + ": not a " + what);
  return thing;
}

X509Certificate read_certificate(const std::string& path) {
  return read_pem<X509Certificate>(path, PEM_read_bio_X509, "certificate");
}

// A key that others can read is no key.
void require_secret(const std::string& path) {
  struct stat about {};
  if (stat(path.c_str(), &about) != 0) {
    throw InputError(path + ": " + std::strerror(errno) + "; make it with dovetail keys add");
  }
  if ((about.st_mode & 077U) != 0) {
    throw InputError(path +
                     ": other users can read this key; run chmod 600 on it, or make a new one");
  }
}

PrivateKey read_key(const std::string& path) {
  require_secret(path);
  return read_pem<PrivateKey>(path, PEM_read_bio_PrivateKey, "key");
}

std::string text_of(const Memory& memory) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(memory.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

std::string pem_of(X509* certificate) {
  const Memory memory(BIO_new(BIO_s_mem()));
  must(PEM_write_bio_X509(memory.get(), certificate) == 1, "write a certificate");
  return text_of(memory);
}

std::string pem_of(EVP_PKEY* key) {
  const Memory memory(BIO_new(BIO_s_mem()));
  must(PEM_write_bio_PrivateKey(memory.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1,
       "write a key");
  return text_of(memory);
}

// Writes a temporary file that has these permissions from the start, then renames it.
void write_key_file(const std::string& path, const std::string& text, mode_t rights = 0600) {
  const std::string beside = path + ".new";
  unlink(beside.c_str());
  const run::Descriptor file(
      open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, rights));
  const bool is_written =
      file.is_open() &&
      write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
      fsync(file.get()) == 0 && rename(beside.c_str(), path.c_str()) == 0;
  if (!is_written) throw ExecutionError(path + ": cannot be written: " + std::strerror(errno));
}

// For the certificate and the key of `file`.
void refuse_overwrite(const std::string& file, const Validity& validity) {
  for (const char* ending : {".crt", ".key"}) {
    if (validity.overwrite || !fs::exists(file + ending)) continue;
    throw InputError(file + ending +
                     ": exists already; --overwrite replaces it, and the old one is lost");
  }
}

void add_entry(X509_NAME* name, const char* field, std::string_view value) {
  must(X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8,
                                  reinterpret_cast<const unsigned char*>(value.data()),
                                  static_cast<int>(value.size()), -1, 0) == 1,
       field);
}

void add_extension(X509* certificate, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
  must(extension != nullptr, "make an extension");
  must(X509_add_ext(certificate, extension.get(), -1) == 1, "add an extension");
}

// With a unique number, valid from slightly before now, since clocks differ.
X509Certificate new_certificate(EVP_PKEY* key, int days) {
  X509Certificate certificate(X509_new());
  X509_set_version(certificate.get(), X509_VERSION_3);
  std::array<unsigned char, 16> number{};
  must(RAND_bytes(number.data(), static_cast<int>(number.size())) == 1, "random numbers");
  number[0] &= 0x7fU;
  const std::unique_ptr<BIGNUM, FreeBy<BN_free>> serial(
      BN_bin2bn(number.data(), static_cast<int>(number.size()), nullptr));
  must(BN_to_ASN1_INTEGER(serial.get(), X509_get_serialNumber(certificate.get())) != nullptr,
       "number a certificate");
  constexpr long kHour = 3600;
  constexpr long kDay = 24 * kHour;
  const long begin = days > 0 ? -kHour : days * kDay - kDay;
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), begin);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), static_cast<long>(days) * kDay);
  must(X509_set_pubkey(certificate.get(), key) == 1, "set the key");
  return certificate;
}

void sign(X509* certificate, EVP_PKEY* key) {
  must(X509_sign(certificate, key, EVP_sha256()) > 0, "sign a certificate");
}

PrivateKey new_key() {
  PrivateKey key(EVP_EC_gen("P-256"));
  must(key != nullptr, "make a key");
  return key;
}

bool is_address(const std::string& host) {
  const std::unique_ptr<ASN1_OCTET_STRING, FreeBy<ASN1_OCTET_STRING_free>> address(
      a2i_IPADDRESS(host.c_str()));
  ERR_clear_error();
  return address != nullptr;
}

// For subjectAltName, where a comma or similar would begin another entry.
std::string alternative_names(const std::vector<std::string>& hosts) {
  std::string names;
  for (const std::string& host : hosts) {
    const bool is_plain = !host.empty() && std::ranges::all_of(host, [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-' || c == ':';
    });
    if (!is_plain) throw InputError("--host: not a host name or address: " + io::quote(host));
    names += (names.empty() ? "" : ",") + std::string(is_address(host) ? "IP:" : "DNS:") + host;
  }
  return names;
}

// Restricts names to safe characters, since they are parts of paths.
bool is_plain_name(const std::string& name) {
  return !name.empty() && name.size() <= kMaxName && name.front() != '-' &&
         std::ranges::all_of(name, [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
         });
}

void require_name(const std::string& name) {
  if (is_plain_name(name) && name != "ca") return;
  throw InputError("name: expected up to 40 letters, digits, '-' and '_', and not \"ca\", found " +
                   io::quote(name));
}

std::string entry_of(const X509_NAME* name, int kind) {
  const int place = X509_NAME_get_index_by_NID(name, kind, -1);
  if (place < 0) return {};
  const ASN1_STRING* value = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, place));
  return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(value)),
          static_cast<std::size_t>(ASN1_STRING_length(value))};
}

// The number that identifies it on the list of revoked certificates.
std::string number_of(const X509* certificate) {
  const std::unique_ptr<BIGNUM, FreeBy<BN_free>> number(
      ASN1_INTEGER_to_BN(X509_get0_serialNumber(certificate), nullptr));
  must(number != nullptr, "read the number of a certificate");
  char* text = BN_bn2hex(number.get());
  must(text != nullptr, "read the number of a certificate");
  std::string hex = text;
  OPENSSL_free(text);
  return hex;
}

std::string refused_file(const std::string& folder) {
  return (fs::path(folder) / "refused").string();
}

// Each line of the list is a number and a name.
bool is_listed(const std::string& list, const X509* certificate) {
  std::error_code error;
  if (!fs::exists(list, error) && !error) return false;
  std::ifstream file(list);
  if (!file) return true;
  const std::string number = number_of(certificate);
  for (std::string line; std::getline(file, line);) {
    if (line.substr(0, line.find(' ')) == number) return true;
  }
  return file.bad();
}

run::WallTime end_of(const X509* certificate) {
  std::tm time{};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &time) != 1) return 0;
  return static_cast<run::WallTime>(timegm(&time)) * 1000;
}

}  // namespace

std::string_view name_of(Role role) { return kRoles.at(static_cast<std::size_t>(role)); }

std::optional<Role> parse_role(std::string_view name) {
  const auto found = std::ranges::find(kRoles, name);
  if (found == kRoles.end()) return std::nullopt;
  return static_cast<Role>(found - kRoles.begin());
}

std::optional<Peer> peer_of(const X509* certificate) {
  if (certificate == nullptr) return std::nullopt;
  const X509_NAME* subject = X509_get_subject_name(certificate);
  const auto role = parse_role(entry_of(subject, NID_organizationalUnitName));
  const std::string name = entry_of(subject, NID_commonName);
  if (!role || !is_plain_name(name)) return std::nullopt;
  return Peer{name, *role};
}

std::vector<std::string> hosts_of(const X509* certificate) {
  const std::unique_ptr<GENERAL_NAMES, FreeBy<GENERAL_NAMES_free>> names(
      static_cast<GENERAL_NAMES*>(
          X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  std::vector<std::string> hosts;
  for (int i = 0; names && i < sk_GENERAL_NAME_num(names.get()); ++i) {
    int kind = 0;
    const auto* value = static_cast<const ASN1_STRING*>(
        GENERAL_NAME_get0_value(sk_GENERAL_NAME_value(names.get(), i), &kind));
    const unsigned char* data = ASN1_STRING_get0_data(value);
    const int size = ASN1_STRING_length(value);
    char text[INET6_ADDRSTRLEN] = "";
    if (kind == GEN_DNS) hosts.emplace_back(reinterpret_cast<const char*>(data), size);
    if (kind == GEN_IPADD && inet_ntop(size == 4 ? AF_INET : AF_INET6, data, text, sizeof text)) {
      hosts.emplace_back(text);
    }
  }
  return hosts;
}

bool is_for_host(const X509* certificate, const std::string& host) {
  auto* checked = const_cast<X509*>(certificate);  // OpenSSL does not change it
  return X509_check_ip_asc(checked, host.c_str(), 0) == 1 ||
         X509_check_host(checked, host.c_str(), 0, 0, nullptr) == 1;
}

bool is_for_host(const Identity& self, const std::string& host) {
  return is_for_host(read_certificate(self.certificate).get(), host);
}

Identity identity(const std::string& given) {
  // The name of one of the files stands for all of them.
  const fs::path named(given);
  const bool is_file = named.extension() == ".crt" || named.extension() == ".key";
  const std::string path = is_file ? fs::path(named).replace_extension().string() : given;
  Identity self{.certificate = path + ".crt",
                .key = path + ".key",
                .authority = (fs::path(path).parent_path() / "ca.crt").string(),
                .self = {}};
  const X509Certificate certificate = read_certificate(self.certificate);
  const PrivateKey key = read_key(self.key);
  const X509Certificate authority = read_certificate(self.authority);
  if (X509_check_private_key(certificate.get(), key.get()) != 1) {
    throw InputError(self.key + ": does not belong to " + self.certificate);
  }
  if (X509_verify(certificate.get(), X509_get0_pubkey(authority.get())) != 1) {
    throw InputError(self.certificate + ": was not signed by " + self.authority);
  }
  if (X509_cmp_current_time(X509_get0_notAfter(certificate.get())) < 0) {
    throw InputError(self.certificate +
                     ": has expired; renew it with dovetail keys add --overwrite");
  }
  const auto peer = peer_of(certificate.get());
  if (!peer) throw InputError(self.certificate + ": has no role; make it with dovetail keys add");
  if (is_refused(self, certificate.get())) {
    throw InputError(self.certificate + ": is revoked; ask for a new one");
  }
  self.self = *peer;
  return self;
}

Identity identity(const std::string& given, Role role) {
  Identity self = identity(given);
  if (self.self.role == role) return self;
  throw InputError(fmt::format("{}: the role of this certificate is {}; use one of the role {}",
                               self.certificate, name_of(self.self.role), name_of(role)));
}

bool is_refused(const Identity& self, const X509* certificate) {
  try {
    return is_listed(refused_file(fs::path(self.authority).parent_path().string()), certificate);
  } catch (const std::exception&) {
    return true;  // OpenSSL calls this function, and cannot handle exceptions
  }
}

void refuse_certificate(const std::string& folder, const std::string& name) {
  require_name(name);
  const X509Certificate certificate =
      read_certificate((fs::path(folder) / (name + ".crt")).string());
  const std::string list = refused_file(folder);
  if (is_listed(list, certificate.get())) return;
  const std::string before = fs::exists(list) ? read_file(list) : "";
  write_key_file(list, before + number_of(certificate.get()) + " " + name + "\n");
}

void make_authority(const std::string& folder, const Validity& validity) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw ExecutionError(folder + ": cannot be made: " + error.message());
  const std::string file = (fs::path(folder) / "ca").string();
  refuse_overwrite(file, validity);
  const PrivateKey key = new_key();
  const X509Certificate certificate = new_certificate(key.get(), validity.days);
  X509_NAME* name = X509_get_subject_name(certificate.get());
  add_entry(name, "CN", "dovetail authority");
  X509_set_issuer_name(certificate.get(), name);
  add_extension(certificate.get(), certificate.get(), NID_basic_constraints,
                "critical,CA:TRUE,pathlen:0");
  add_extension(certificate.get(), certificate.get(), NID_key_usage, "critical,keyCertSign");
  add_extension(certificate.get(), certificate.get(), NID_subject_key_identifier, "hash");
  sign(certificate.get(), key.get());
  write_key_file(file + ".key", pem_of(key.get()));
  // All members need to read it, and it holds no secret.
  write_key_file(file + ".crt", pem_of(certificate.get()), 0644);
}

run::WallTime make_certificate(const std::string& folder, const CertificateRequest& request,
                               const Validity& validity) {
  require_name(request.name);
  const std::string ca = (fs::path(folder) / "ca").string();
  if (!fs::exists(ca + ".crt")) {
    throw InputError(folder + ": has no authority; make one with dovetail keys authority " +
                     folder);
  }
  const X509Certificate authority = read_certificate(ca + ".crt");
  const PrivateKey authority_key = read_key(ca + ".key");
  const std::string file = (fs::path(folder) / request.name).string();
  refuse_overwrite(file, validity);
  const PrivateKey key = new_key();
  const X509Certificate certificate = new_certificate(key.get(), validity.days);
  if (end_of(certificate.get()) > end_of(authority.get())) {
    must(X509_set1_notAfter(certificate.get(), X509_get0_notAfter(authority.get())) == 1,
         "set the end");
  }
  X509_NAME* name = X509_get_subject_name(certificate.get());
  add_entry(name, "OU", name_of(request.role));
  add_entry(name, "CN", request.name);
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(authority.get()));
  const auto extend = [&](int kind, const std::string& value) {
    add_extension(certificate.get(), authority.get(), kind, value);
  };
  extend(NID_basic_constraints, "critical,CA:FALSE");
  extend(NID_key_usage, "critical,digitalSignature");
  // Agents and daemons are both servers and clients.
  extend(NID_ext_key_usage, request.role == Role::client ? "clientAuth" : "serverAuth,clientAuth");
  if (!request.hosts.empty()) extend(NID_subject_alt_name, alternative_names(request.hosts));
  sign(certificate.get(), authority_key.get());
  write_key_file(file + ".key", pem_of(key.get()));
  write_key_file(file + ".crt", pem_of(certificate.get()));
  return end_of(certificate.get());
}

std::vector<KnownCertificate> certificates_in(const std::string& folder) {
  std::vector<KnownCertificate> known;
  std::error_code error;
  fs::directory_iterator entries(folder, error);
  if (error) throw InputError(folder + ": " + error.message());
  for (const auto& entry : entries) {
    if (entry.path().extension() != ".crt") continue;
    const X509Certificate certificate = read_certificate(entry.path().string());
    const auto peer = peer_of(certificate.get());
    if (!peer && entry.path().filename() != "ca.crt") continue;
    known.push_back({entry.path().filename().string(), peer, hosts_of(certificate.get()),
                     end_of(certificate.get()),
                     is_listed(refused_file(folder), certificate.get())});
  }
  std::ranges::sort(known, {}, &KnownCertificate::file);
  return known;
}

}  // namespace dovetail::federation
