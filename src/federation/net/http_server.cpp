#include "federation/net/http_server.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>

#include "dovetail/error.hpp"
#include "federation/net/openssl.hpp"
#include "federation/net/server_connection.hpp"
#include "federation/net/tls_context.hpp"

namespace dovetail::federation {

namespace {

namespace asio = boost::asio;
using Tcp = asio::ip::tcp;
using Failure = boost::system::error_code;

constexpr auto kAcceptPause = std::chrono::milliseconds(50);
constexpr auto kOwnLook = std::chrono::milliseconds(500);

}  // namespace

class HttpServer::Impl {
 public:
  Impl(const Address& address, const Identity& self, std::vector<Operation> operations,
       const ServerLimits& limits, const Log& log)
      : state_(self, std::move(operations), limits, log),
        acceptor_(state_.io),
        accept_pause_(state_.io) {
    SSL_CTX& context = *state_.tls.native_handle();
    if (!use_identity(context, self)) {
      throw ExecutionError(self.certificate + ": cannot be used: " + openssl_error());
    }
    require_certificates(context);
    listen(address);
    accept();
    thread_ = std::thread([this] { work(); });
  }

  ~Impl() {
    state_.io.stop();
    thread_.join();
    for (const auto& [id, connection] : state_.connections) connection->close_socket();
    state_.workers.stop();
  }

  int port() const { return acceptor_.local_endpoint().port(); }

 private:
  // What one connection throws, for want of memory say, must not end the others. Boost does not
  // notice when it could not set up its own wake-up call; so this looks by itself from time to
  // time.
  void work() {
    while (!state_.io.stopped()) {
      try {
        state_.io.run_for(kOwnLook);
      } catch (const std::exception& error) {
        state_.log(std::string("a connection failed: ") + error.what());
      }
    }
  }

  void listen(const Address& address) {
    Failure failure;
    Tcp::resolver resolver(state_.io);
    const auto found = resolver.resolve(address.host, std::to_string(address.port),
                                        Tcp::resolver::passive, failure);
    if (!failure) {
      const Tcp::endpoint here = found.begin()->endpoint();
      // Sockets are made by hand: the library's would be inherited by the programs that we start.
      const int socket = ::socket(here.protocol().family(), SOCK_STREAM | SOCK_CLOEXEC, 0);
      acceptor_.assign(here.protocol(), socket, failure);
      if (!failure) acceptor_.set_option(Tcp::acceptor::reuse_address(true), failure);
      if (!failure) acceptor_.bind(here, failure);
      if (!failure) acceptor_.listen(asio::socket_base::max_listen_connections, failure);
      if (!failure) acceptor_.native_non_blocking(true, failure);
    }
    if (!failure) return;
    throw ExecutionError(
        fmt::format("cannot listen at {}:{}: {}", address.host, address.port, failure.message()));
  }

  void accept() {
    acceptor_.async_wait(Tcp::acceptor::wait_read, [this](const Failure& failure) {
      if (!failure) accept_all();
    });
  }

  // Some at a time, so that a flood of connections does not keep others waiting.
  void accept_all() {
    constexpr int kAtOnce = 64;
    for (int i = 0; i < kAtOnce; ++i) {
      const int socket =
          accept4(acceptor_.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
      if (socket >= 0) {
        add(socket);
        continue;
      }
      if (errno == EAGAIN) break;
      if (errno != EINTR && errno != ECONNABORTED) return accept_later();
    }
    accept();
  }

  void accept_later() {
    accept_pause_.expires_after(kAcceptPause);
    accept_pause_.async_wait([this](const Failure& failure) {
      if (!failure) accept();
    });
  }

  void add(int number) {
    Failure failure;
    Tcp::socket socket(state_.io);
    socket.assign(acceptor_.local_endpoint().protocol(), number, failure);
    if (failure) return static_cast<void>(::close(number));
    const Tcp::endpoint there = socket.remote_endpoint(failure);
    if (failure) return;  // it is gone already
    socket.set_option(Tcp::no_delay(true), failure);
    const Admission::Id id = ++last_;
    const auto connection = std::make_shared<ServerConnection>(state_, id, std::move(socket),
                                                               there.address().to_string(failure));
    const auto is_silent = [this](auto one) { return state_.connections.at(one)->is_silent(); };
    const auto oldest = state_.admission.arrive(id, connection->address(), is_silent);
    state_.connections.emplace(id, connection);
    if (oldest) {
      const auto cut = state_.connections.at(*oldest);
      state_.strangers.add(
          fmt::format("refused {}: too many connections without a certificate", cut->address()));
      cut->end();
    }
    connection->begin();
  }

  ServerState state_;
  Tcp::acceptor acceptor_;
  asio::steady_timer accept_pause_;
  Admission::Id last_ = 0;
  std::thread thread_;
};

HttpServer::HttpServer(const Address& address, const Identity& self,
                       std::vector<Operation> operations, const ServerLimits& limits, Log log) try
    : impl_(std::make_unique<Impl>(address, self, std::move(operations), limits, log)) {
} catch (const boost::system::system_error& error) {
  throw ExecutionError(
      fmt::format("cannot listen at {}:{}: {}", address.host, address.port, error.what()));
}

HttpServer::~HttpServer() = default;

int HttpServer::port() const { return impl_->port(); }

}  // namespace dovetail::federation
