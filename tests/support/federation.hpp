// What the tests of the federation share: certificates of a throw-away authority, a log that can be
// looked at, and a connection that does what no client of ours would.
#pragma once

#include <arpa/inet.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "federation/net/http_client.hpp"
#include "federation/net/http_server.hpp"
#include "federation/net/keys.hpp"
#include "run/local/descriptor.hpp"
#include "support/file_checks.hpp"
#include "support/task_runner.hpp"

namespace dovetail::testing {

// An authority, and certificates that are made when they are asked for. All are for 127.0.0.1.
class TestKeys {
 public:
  TestKeys() { federation::make_authority(folder(), {}); }

  std::string folder() const { return folder_.file("keys"); }
  std::string path(const std::string& name) const { return folder() + "/" + name; }

  federation::Identity make(federation::Role role, const std::string& name, int days = 1) const {
    federation::make_certificate(folder(), {role, name, {"127.0.0.1"}},
                                 {.days = days, .overwrite = true});
    if (days > 0) return federation::identity(path(name));
    return {path(name) + ".crt", path(name) + ".key", path("ca.crt"), {name, role}};
  }

 private:
  TemporaryFolder folder_;
};

class LogLines {
 public:
  federation::Log log() {
    return [this](const std::string& line) {
      const std::lock_guard lock(mutex_);
      lines_.push_back(line);
    };
  }

  bool has(const std::string& part) const {
    const std::lock_guard lock(mutex_);
    for (const std::string& line : lines_) {
      if (line.find(part) != std::string::npos) return true;
    }
    return false;
  }

  bool comes(const std::string& part) const {
    return comes_true([&] { return has(part); });
  }

  std::string text() const {
    const std::lock_guard lock(mutex_);
    std::string text;
    for (const std::string& line : lines_) text += line + "\n";
    return text;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

// A TLS connection to 127.0.0.1 that says what it is told to. It trusts any server.
class RawConnection {
 public:
  // Without an identity it shows no certificate.
  explicit RawConnection(int port, const federation::Identity* self = nullptr)
      : context_(SSL_CTX_new(TLS_client_method()), SSL_CTX_free),
        connection_(nullptr, SSL_free),
        socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    std::signal(SIGPIPE, SIG_IGN);
    if (self != nullptr) {
      SSL_CTX_use_certificate_file(context_.get(), self->certificate.c_str(), SSL_FILETYPE_PEM);
      SSL_CTX_use_PrivateKey_file(context_.get(), self->key.c_str(), SSL_FILETYPE_PEM);
    }
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
    if (connect(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
      throw std::runtime_error("cannot connect");
    }
    connection_.reset(SSL_new(context_.get()));
    SSL_set_fd(connection_.get(), socket_.get());
  }

  bool handshake() { return SSL_connect(connection_.get()) == 1; }

  // False when the other side is gone.
  bool say(const std::string& text) {
    return SSL_write(connection_.get(), text.data(), static_cast<int>(text.size())) > 0;
  }

  // Below TLS.
  bool say_raw(const std::string& text) const {
    return send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL) > 0;
  }

  // Waits until the other side ends the connection, without a handshake; false when it does not.
  bool is_ended() const {
    pollfd file{.fd = socket_.get(), .events = POLLIN, .revents = 0};
    char ignored = 0;
    return poll(&file, 1, 20'000) == 1 && recv(socket_.get(), &ignored, 1, 0) <= 0;
  }

  // Until the other side ends the connection.
  std::string hear() {
    std::string all;
    char piece[4096];
    for (;;) {
      const int got = SSL_read(connection_.get(), piece, sizeof piece);
      if (got <= 0) return all;
      all.append(piece, static_cast<std::size_t>(got));
    }
  }

 private:
  std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> context_;
  std::unique_ptr<SSL, void (*)(SSL*)> connection_;
  run::Descriptor socket_;
};

}  // namespace dovetail::testing
