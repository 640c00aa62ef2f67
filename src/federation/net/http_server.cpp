#include "federation/net/http_server.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <boost/asio.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <cstring>

#include "dovetail/error.hpp"
#include "federation/net/admission.hpp"
#include "federation/net/openssl.hpp"
#include "federation/net/stranger_log.hpp"
#include "federation/net/tls_context.hpp"
#include "federation/net/workers.hpp"

namespace dovetail::federation {

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using Tcp = asio::ip::tcp;
using Failure = boost::system::error_code;

constexpr std::size_t kReadBytes = 16'384;
// What a refused caller still sends is thrown away for a while: a reset would destroy the reply.
constexpr double kFarewellSeconds = 2;
constexpr std::size_t kFarewellBytes = std::size_t{1} << 20U;
constexpr auto kAcceptPause = std::chrono::milliseconds(50);

}  // namespace

class ServerConnection;

// What the connections of a server share. Used only by the thread that runs `io`, except for
// `table`.
struct ServerState {
  ServerState(const Identity& self, std::vector<Operation> operations, const ServerLimits& given,
              const Log& given_log)
      : limits(given),
        log(given_log),
        strangers(given_log),
        table(std::move(operations), self, given_log),
        admission({.places = given.connections,
                   .unverified = given.unverified,
                   .unverified_per_address = given.unverified_per_address}),
        workers(given.connections) {}

  ServerLimits limits;
  Log log;
  StrangerLog strangers;
  OperationTable table;
  Admission admission;
  asio::io_context io{1};
  asio::ssl::context tls{asio::ssl::context::tls_server};
  std::map<Admission::Id, std::shared_ptr<ServerConnection>> connections;
  Workers workers;
};

// One connection. Each phase has a deadline; when it passes, what was going on fails.
class ServerConnection : public std::enable_shared_from_this<ServerConnection> {
 public:
  ServerConnection(ServerState& server, Admission::Id id, Tcp::socket socket, std::string address)
      : server_(server),
        id_(id),
        stream_(std::move(socket), server.tls),
        deadline_(server.io),
        request_{.address = std::move(address)} {}

  void begin();
  void read();  // when it has a place
  void end();
  void close_socket();
  const std::string& address() const { return request_.address; }
  bool is_silent() { return SSL_get_state(stream_.native_handle()) == TLS_ST_BEFORE; }

 private:
  void allow(double seconds, const char* phase);
  void on_deadline();
  void on_handshake(const Failure& failure);
  void on_header(const Failure& failure);
  void on_body(const Failure& failure);
  void check_header() const;
  void compute();
  void refuse(const Refusal& refusal);
  void fail(const Failure& failure);
  void write();
  void say_farewell();
  void throw_away();
  // The member, as a handler that keeps this object alive.
  auto then(void (ServerConnection::*member)(const Failure&)) {
    return [self = shared_from_this(), member](const Failure& failure, auto&&...) {
      (self.get()->*member)(failure);
    };
  }

  ServerState& server_;
  const Admission::Id id_;
  asio::ssl::stream<Tcp::socket> stream_;
  asio::steady_timer deadline_;
  const char* phase_ = "";
  bool may_go_on_ = true;  // with its handshake, for a second time, if there is room
  bool is_verified_ = false;
  bool is_computing_ = false;  // a worker has it: it keeps its place until that has ended
  bool is_over_ = false;
  ReceivedRequest request_;
  boost::beast::flat_buffer buffer_{std::size_t{8} * kReadBytes};
  http::request_parser<http::string_body> parser_;
  Reply reply_;
  http::response<http::string_body> response_;
  std::array<char, 4096> ignored_ = {};
  std::size_t thrown_away_ = 0;
};

void ServerConnection::allow(double seconds, const char* phase) {
  phase_ = phase;
  deadline_.expires_after(std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000)));
  deadline_.async_wait([self = shared_from_this()](const Failure& failure) {
    // A deadline that was moved while this was under way has not passed.
    const bool has_passed = self->deadline_.expiry() <= std::chrono::steady_clock::now();
    if (!failure && has_passed) self->on_deadline();
  });
}

void ServerConnection::on_deadline() {
  if (is_over_) return;
  if (may_go_on_) {
    may_go_on_ = false;
    const double more = server_.limits.header_seconds - server_.limits.handshake_seconds;
    if (!server_.admission.is_crowded(request_.address)) return allow(more, phase_);
  }
  const std::string line =
      fmt::format("refused {}: took too long for {}", request_.address, phase_);
  if (!is_verified_) {
    server_.strangers.add(line);
  } else if (*phase_ != '\0') {
    server_.log(line);
  }
  if (is_computing_) return close_socket();
  end();
}

void ServerConnection::close_socket() {
  Failure ignored;
  stream_.next_layer().close(ignored);
}

void ServerConnection::end() {
  if (std::exchange(is_over_, true)) return;
  deadline_.cancel();
  close_socket();
  server_.connections.erase(id_);  // the caller holds this object
  for (const Admission::Id next : server_.admission.leave(id_)) {
    server_.connections.at(next)->read();
  }
}

void ServerConnection::begin() {
  allow(server_.limits.handshake_seconds, "its handshake");
  stream_.async_handshake(asio::ssl::stream_base::server, then(&ServerConnection::on_handshake));
}

void ServerConnection::on_handshake(const Failure& failure) {
  if (is_over_) return;
  SSL* tls = stream_.native_handle();
  if (failure) {
    const long verdict = SSL_get_verify_result(tls);
    if (verdict != X509_V_OK || failure.category() == asio::error::get_ssl_category()) {
      server_.strangers.add(fmt::format(
          "refused {}: {}", request_.address,
          verdict == X509_V_OK ? failure.message() : X509_verify_cert_error_string(verdict)));
    }
    return end();
  }
  is_verified_ = true;
  may_go_on_ = false;
  request_.certificate = {SSL_get1_peer_certificate(tls), X509_free};
  request_.peer = peer_of(request_.certificate.get());
  const std::string caller =
      request_.peer ? fmt::format("{} {}", name_of(request_.peer->role), request_.peer->name) : "";
  switch (server_.admission.verify(id_, caller)) {
    case Admission::Entry::begins:
      return read();
    case Admission::Entry::waits:
      return allow(server_.limits.header_seconds, "a free place: all are taken");
    case Admission::Entry::refused:
      server_.log(fmt::format("refused {}: too many connections", name_of(request_)));
      return end();
  }
}

void ServerConnection::read() {
  allow(server_.limits.header_seconds, "its request");
  parser_.header_limit(static_cast<std::uint32_t>(server_.limits.header_bytes));
  parser_.body_limit(server_.limits.body_bytes);
  buffer_.reserve(kReadBytes);
  http::async_read_header(stream_, buffer_, parser_, then(&ServerConnection::on_header));
}

void ServerConnection::on_header(const Failure& failure) {
  if (is_over_) return;
  const auto& header = parser_.get();
  const std::string target(header.target());
  request_.method = std::string(header.method_string());
  request_.path = target.substr(0, target.find('?'));
  if (failure) return fail(failure);
  try {
    check_header();
  } catch (const Refusal& refusal) {
    return refuse(refusal);
  }
  allow(server_.limits.body_seconds, "the body of its request");
  http::async_read(stream_, buffer_, parser_, then(&ServerConnection::on_body));
}

void ServerConnection::check_header() const {
  const auto& header = parser_.get();
  const auto has = [&](http::field field) { return header.find(field) != header.end(); };
  if (has(http::field::content_encoding)) {
    throw Refusal(415, "the request is packed", "send it without Content-Encoding");
  }
  if (has(http::field::transfer_encoding)) {
    throw Refusal(411, "the request does not say how large it is", "send Content-Length");
  }
  if (has(http::field::range)) {
    throw Refusal(416, "parts of an answer are not sent", "send the request without Range");
  }
}

void ServerConnection::on_body(const Failure& failure) {
  if (is_over_) return;
  if (failure) return fail(failure);
  request_.body = std::move(parser_.get().body());
  compute();
}

void ServerConnection::compute() {
  allow(server_.limits.answer_seconds, "the answer");
  is_computing_ = true;
  try {
    server_.workers.add([self = shared_from_this()]() mutable {
      self->reply_ = self->server_.table.answer(self->request_);
      asio::io_context& io = self->server_.io;
      asio::post(io, [self = std::move(self)] { self->write(); });
    });
  } catch (const std::system_error&) {
    is_computing_ = false;
    refuse(Refusal(503, "the server cannot start a thread", "try again later"));
  }
}

void ServerConnection::refuse(const Refusal& refusal) {
  reply_ = server_.table.refuse(request_, refusal);
  allow(server_.limits.body_seconds, "the answer");
  write();
}

// Refuses what is not HTTP, and ends without a word when the caller is gone.
void ServerConnection::fail(const Failure& failure) {
  static const auto& kHttp = http::make_error_code(http::error::bad_method).category();
  const bool is_gone =
      failure == http::error::end_of_stream || failure == http::error::partial_message;
  if (failure.category() != kHttp || is_gone) return end();
  if (failure == http::error::header_limit) {
    return refuse(Refusal(
        431, fmt::format("the header is larger than {} bytes", server_.limits.header_bytes)));
  }
  if (failure == http::error::body_limit) {
    return refuse(
        Refusal(413, fmt::format("the request is larger than {} bytes", server_.limits.body_bytes),
                "send less at once"));
  }
  refuse(Refusal(400, "the request cannot be read"));
}

void ServerConnection::write() {
  is_computing_ = false;
  if (!stream_.next_layer().is_open()) return end();
  response_.version(11);
  response_.result(static_cast<unsigned>(reply_.status));
  response_.set(http::field::content_type, "application/json");
  response_.keep_alive(false);
  response_.body() = std::move(reply_.text);
  response_.prepare_payload();
  http::async_write(stream_, response_,
                    [self = shared_from_this()](const Failure& failure, std::size_t) {
                      if (failure) return self->end();
                      self->say_farewell();
                    });
}

void ServerConnection::say_farewell() {
  if (is_over_) return;
  allow(kFarewellSeconds, "");
  stream_.async_shutdown([self = shared_from_this()](const Failure&) {
    Failure ignored;
    self->stream_.next_layer().shutdown(Tcp::socket::shutdown_send, ignored);
    self->throw_away();
  });
}

// Until the caller closes its side.
void ServerConnection::throw_away() {
  if (is_over_) return;
  stream_.next_layer().async_read_some(
      asio::buffer(ignored_),
      [self = shared_from_this()](const Failure& failure, std::size_t size) {
        self->thrown_away_ += size;
        if (failure || self->thrown_away_ > kFarewellBytes) return self->end();
        self->throw_away();
      });
}

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
  // What one connection throws, for want of memory say, must not end the others.
  void work() {
    for (;;) {
      try {
        state_.io.run();
        return;
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
