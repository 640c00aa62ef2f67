#include "federation/net/connections.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <sys/socket.h>

namespace dovetail::federation {

namespace {

std::string address_of(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  char host[NI_MAXHOST] = "?";
  if (getpeername(socket, reinterpret_cast<sockaddr*>(&address), &size) == 0) {
    getnameinfo(reinterpret_cast<sockaddr*>(&address), size, host, sizeof host, nullptr, 0,
                NI_NUMERICHOST);
  }
  return host;
}

std::chrono::steady_clock::duration duration_of(double seconds) {
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>(seconds));
}

}  // namespace

Connections::Connections(double first_seconds, Log log)
    : first_seconds_(first_seconds), log_(std::move(log)) {
  watcher_ = std::thread([this] { cut_late_ones(); });
}

Connections::~Connections() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_all();
  watcher_.join();
}

// Where OpenSSL keeps our entry for a connection; it notifies us before the socket's number is
// free.
int Connections::slot() {
  static const int slot = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, &on_end);
  return slot;
}

void Connections::watch(SSL_CTX& context) {
  slot();
  SSL_CTX_set_app_data(&context, this);
  SSL_CTX_set_info_callback(&context, &on_event);
}

void Connections::on_event(const SSL* connection, int where, int value) {
  auto* self = static_cast<Connections*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(connection)));
  if ((where & SSL_CB_HANDSHAKE_START) != 0) self->begin(connection);
  if ((where & SSL_CB_WRITE_ALERT) == SSL_CB_WRITE_ALERT && (value >> 8) == SSL3_AL_FATAL) {
    const long verdict = SSL_get_verify_result(connection);
    self->refuse(connection, verdict == X509_V_OK ? SSL_alert_desc_string_long(value)
                                                  : X509_verify_cert_error_string(verdict));
  }
}

void Connections::begin(const SSL* connection) {
  if (SSL_get_ex_data(connection, slot()) != nullptr) return;
  const int socket = SSL_get_fd(connection);
  SSL_set_ex_data(const_cast<SSL*>(connection), slot(), this);
  const std::lock_guard lock(mutex_);
  entries_[connection] = {.socket = socket,
                          .address = address_of(socket),
                          .until = Clock::now() + duration_of(first_seconds_),
                          .phase = "its request"};
  changed_.notify_all();
}

void Connections::refuse(const SSL* connection, const std::string& why) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(connection);
  if (found == entries_.end() || found->second.is_refused) return;
  found->second.is_refused = true;
  log_(fmt::format("refused {}: {}", found->second.address, why));
}

void Connections::on_end(void* connection, void* ours, CRYPTO_EX_DATA* /*data*/, int /*index*/,
                         long /*argl*/, void* /*argp*/) {
  if (ours != nullptr) static_cast<Connections*>(ours)->end(static_cast<SSL*>(connection));
}

void Connections::end(const SSL* connection) {
  const std::lock_guard lock(mutex_);
  entries_.erase(connection);
}

void Connections::allow(const SSL* connection, double seconds, const char* phase) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(connection);
  if (found == entries_.end()) return;
  found->second.until = Clock::now() + duration_of(seconds);
  found->second.phase = phase;
  changed_.notify_all();
}

void Connections::cut_all() {
  const std::lock_guard lock(mutex_);
  for (auto& [connection, entry] : entries_) {
    entry.is_cut = true;
    shutdown(entry.socket, SHUT_RDWR);
  }
}

void Connections::cut_late_ones() {
  std::unique_lock lock(mutex_);
  while (!is_over_) {
    auto next = Clock::now() + std::chrono::seconds(1);
    for (auto& [connection, entry] : entries_) {
      if (entry.is_cut) continue;
      if (entry.until > Clock::now()) {
        next = std::min(next, entry.until);
        continue;
      }
      entry.is_cut = true;
      shutdown(entry.socket, SHUT_RDWR);
      log_(fmt::format("refused {}: took too long for {}", entry.address, entry.phase));
    }
    changed_.wait_until(lock, next);
  }
}

}  // namespace dovetail::federation
