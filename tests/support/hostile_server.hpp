// A server with a true certificate that says what a test tells it to, whatever it was asked.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "support/federation.hpp"

namespace dovetail::testing {

class HostileServer {
 public:
  // Writes to the caller; false when the caller is gone, or the test is over. An empty text is only
  // a question whether it is.
  using Say = std::function<bool(const std::string& text)>;

  HostileServer(const federation::Identity& self, std::function<void(const Say&)> talk)
      : context_(SSL_CTX_new(TLS_server_method()), SSL_CTX_free),
        listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)),
        talk_(std::move(talk)) {
    SSL_CTX_use_certificate_file(context_.get(), self.certificate.c_str(), SSL_FILETYPE_PEM);
    SSL_CTX_use_PrivateKey_file(context_.get(), self.key.c_str(), SSL_FILETYPE_PEM);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
    socklen_t size = sizeof address;
    bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), size);
    listen(listener_.get(), 8);
    getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size);
    url_ = "https://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
    thread_ = std::thread([this] { work(); });
  }
  ~HostileServer() {
    is_over_ = true;
    shutdown(listener_.get(), SHUT_RDWR);
    thread_.join();
  }

  const std::string& url() const { return url_; }

 private:
  void work() {
    while (!is_over_) {
      const run::Descriptor socket(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!socket.is_open()) return;
      const std::unique_ptr<SSL, void (*)(SSL*)> connection(SSL_new(context_.get()), SSL_free);
      SSL_set_fd(connection.get(), socket.get());
      if (SSL_accept(connection.get()) != 1) continue;
      char request[4096];
      SSL_read(connection.get(), request, sizeof request);
      talk_([&](const std::string& text) {
        if (is_over_ || text.empty()) return !is_over_;
        return SSL_write(connection.get(), text.data(), static_cast<int>(text.size())) > 0;
      });
      SSL_shutdown(connection.get());
      // Closing a socket with something unread in it would destroy what was said.
      shutdown(socket.get(), SHUT_WR);
      while (recv(socket.get(), request, sizeof request, 0) > 0) {
      }
    }
  }

  std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> context_;
  run::Descriptor listener_;
  std::function<void(const Say&)> talk_;
  std::string url_;
  std::atomic<bool> is_over_ = false;
  std::thread thread_;
};

}  // namespace dovetail::testing
