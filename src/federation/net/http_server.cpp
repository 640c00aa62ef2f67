#include "federation/net/http_server.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <httplib.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "dovetail/error.hpp"
#include "federation/net/openssl.hpp"
#include "federation/net/socket_deadlines.hpp"
#include "io/text.hpp"

namespace dovetail::federation {

namespace {

constexpr int kBacklog = 128;

// One thread per connection, up to a limit; the accepting thread waits for a free place.
class ConnectionThreads final : public httplib::TaskQueue {
 public:
  explicit ConnectionThreads(std::size_t most) : most_(most) {}

  void enqueue(std::function<void()> serve) override {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return running_ < most_; });
      ++running_;
    }
    const auto serve_and_leave = [this, serve = std::move(serve)] {
      serve();
      const std::lock_guard ended(mutex_);
      --running_;
      changed_.notify_all();
    };
    try {
      std::thread(serve_and_leave).detach();
    } catch (const std::system_error&) {
      serve_and_leave();  // no thread available: serve here, others wait
    }
  }

  void shutdown() override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return running_ == 0; });
  }

 private:
  std::size_t most_;
  std::size_t running_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
};

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

}  // namespace

// The connections of a server, and the time limit of each for its current phase. A connection that
// takes longer is cut, so that no peer can hold a place by sending a byte now and then.
class Connections {
 public:
  Connections(double first_seconds, Log log)
      : first_seconds_(first_seconds), log_(std::move(log)) {}

  // Tracks every connection that is made with the context from now on, which must end before this
  // object does.
  void watch(SSL_CTX& context) {
    slot();
    SSL_CTX_set_app_data(&context, this);
    SSL_CTX_set_info_callback(&context, &on_event);
  }

  // Sets the time limit for the connection's next phase.
  void allow(const SSL* connection, double seconds, const char* phase) {
    Entry* entry = find(connection);
    if (entry == nullptr) return;
    entry->watch.allow(seconds, [this, address = entry->address, phase] {
      log_(fmt::format("refused {}: took too long for {}", address, phase));
    });
  }

  void cut_all() { deadlines_.cut_all(); }

 private:
  // Belongs to a connection of OpenSSL, which deletes it. Used by the connection's thread alone.
  struct Entry {
    std::string address;
    SocketDeadlines::Watch watch;
    bool is_refused = false;  // and the refusal is logged
  };

  // Where OpenSSL keeps our entry for a connection.
  static int slot() {
    static const int slot = SSL_get_ex_new_index(
        0, nullptr, nullptr, nullptr, [](void*, void* entry, CRYPTO_EX_DATA*, int, long, void*) {
          delete static_cast<Entry*>(entry);
        });
    return slot;
  }

  static Entry* find(const SSL* connection) {
    return static_cast<Entry*>(SSL_get_ex_data(connection, slot()));
  }

  static void on_event(const SSL* connection, int where, int value) {
    auto* self = static_cast<Connections*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(connection)));
    if ((where & SSL_CB_HANDSHAKE_START) != 0) self->begin(connection);
    if ((where & SSL_CB_WRITE_ALERT) == SSL_CB_WRITE_ALERT && (value >> 8) == SSL3_AL_FATAL) {
      const long verdict = SSL_get_verify_result(connection);
      self->refuse(connection, verdict == X509_V_OK ? SSL_alert_desc_string_long(value)
                                                    : X509_verify_cert_error_string(verdict));
    }
  }

  void begin(const SSL* connection) {
    if (find(connection) != nullptr) return;
    const int socket = SSL_get_fd(connection);
    auto* entry =
        new Entry{.address = address_of(socket), .watch = SocketDeadlines::Watch(deadlines_)};
    SSL_set_ex_data(const_cast<SSL*>(connection), slot(), entry);
    allow(connection, first_seconds_, "its request");
    entry->watch.set(socket);
  }

  void refuse(const SSL* connection, const std::string& why) const {
    Entry* entry = find(connection);
    if (entry == nullptr || std::exchange(entry->is_refused, true)) return;
    log_(fmt::format("refused {}: {}", entry->address, why));
  }

  double first_seconds_;
  Log log_;
  SocketDeadlines deadlines_;
};

namespace {

bool prepare_tls(SSL_CTX& context, const Identity& self) {
  SSL_CTX_set_min_proto_version(&context, TLS1_3_VERSION);
  SSL_CTX_set_verify(&context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  // Every connection must show its certificate: sessions are not resumed.
  SSL_CTX_set_session_cache_mode(&context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(&context, 0);
  return SSL_CTX_use_certificate_file(&context, self.certificate.c_str(), SSL_FILETYPE_PEM) == 1 &&
         SSL_CTX_use_PrivateKey_file(&context, self.key.c_str(), SSL_FILETYPE_PEM) == 1 &&
         SSL_CTX_load_verify_locations(&context, self.authority.c_str(), nullptr) == 1;
}

void set_json(httplib::Response& response, int status, const Json& body) {
  response.status = status;
  response.set_content(body.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n",
                       "application/json");
}

std::string who_is(const std::optional<Peer>& peer, const httplib::Request& request) {
  if (!peer) return request.remote_addr;
  return fmt::format("{} {} ({})", name_of(peer->role), io::quote(peer->name), request.remote_addr);
}

std::optional<Peer> peer_of_connection(const SSL* connection) {
  const X509Certificate certificate(SSL_get1_peer_certificate(connection));
  return peer_of(certificate.get());
}

}  // namespace

Address parse_address(const std::string& text, const std::string& what) {
  Address address;
  const auto colon = text.rfind(':');
  const std::string port = colon == std::string::npos ? text : text.substr(colon + 1);
  if (colon != std::string::npos && colon > 0) address.host = text.substr(0, colon);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  const bool is_port = error == std::errc() && end == port.data() + port.size() && !port.empty() &&
                       address.port >= 0 && address.port <= 65535;
  if (!is_port) {
    throw InputError(what + ": expected HOST:PORT with a port up to 65535, found " +
                     io::quote(text));
  }
  return address;
}

bool is_free(const Address& address) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const std::string port = std::to_string(address.port);
  if (getaddrinfo(address.host.c_str(), port.c_str(), &hints, &found) != 0) return false;
  const int socket = ::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  const bool is_bound = bind(socket, found->ai_addr, found->ai_addrlen) == 0;
  freeaddrinfo(found);
  if (socket >= 0) close(socket);
  return is_bound;
}

class HttpServer::Impl {
 public:
  Impl(const Address& address, const Identity& self, std::vector<Operation> operations,
       const ServerLimits& limits, Log log)
      : operations_(std::move(operations)),
        self_(self),
        limits_(limits),
        log_(std::move(log)),
        connections_(limits.header_seconds, log_),
        server_([&](SSL_CTX& context) {
          connections_.watch(context);
          return prepare_tls(context, self);
        }) {
    if (!server_.is_valid()) {
      throw ExecutionError(self.certificate + ": cannot be used: " + openssl_error());
    }
    prepare();
    listen(address);
  }

  ~Impl() {
    server_.stop();
    connections_.cut_all();
    thread_.join();
  }

  int port() const { return port_; }

 private:
  using Handled = httplib::Server::HandlerResponse;

  void prepare() {
    server_.new_task_queue = [this] { return new ConnectionThreads(limits_.connections); };
    server_.set_keep_alive_max_count(1);
    server_.set_payload_max_length(limits_.body_bytes);
    server_.set_tcp_nodelay(true);
    server_.set_socket_options([this](socket_t socket) {
      const int yes = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
      fcntl(socket, F_SETFD, FD_CLOEXEC);
      socket_ = socket;
    });
    server_.set_pre_routing_handler(
        [this](const auto& request, auto& response) { return admit(request, response); });
    server_.set_error_handler([this](const httplib::Request& request, httplib::Response& response) {
      if (!response.body.empty()) return;
      const bool is_unknown = response.status == 404;
      refuse(request, response, peer_of_connection(request.ssl),
             {response.status,
              is_unknown ? "there is no such operation" : "the request cannot be read",
              is_unknown ? "see docs/federation.md; this is version 1" : ""});
    });
    for (const Operation& operation : operations_) {
      const auto handler = [this, &operation](const auto& request, auto& response) {
        serve(operation, request, response);
      };
      if (operation.method == "GET") server_.Get(operation.path, handler);
      if (operation.method == "POST") server_.Post(operation.path, handler);
    }
  }

  void listen(const Address& address) {
    port_ = address.port;
    const bool is_bound = address.port == 0 ? (port_ = server_.bind_to_any_port(address.host)) > 0
                                            : server_.bind_to_port(address.host, address.port);
    if (!is_bound) {
      throw ExecutionError(fmt::format("cannot listen at {}:{}: {}", address.host, address.port,
                                       std::strerror(errno)));
    }
    // The library's backlog of five is too short when a hundred daemons register at once.
    ::listen(socket_, kBacklog);
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();
  }

  // Runs before the body is read. It checks only the size, since a client refused here may be cut
  // off before it reads the reason.
  Handled admit(const httplib::Request& request, httplib::Response& response) {
    try {
      check_size(request);
    } catch (const Refusal& refusal) {
      refuse(request, response, peer_of_connection(request.ssl), refusal);
      return Handled::Handled;
    }
    connections_.allow(request.ssl, limits_.body_seconds, "the body of its request");
    return Handled::Unhandled;
  }

  void check_size(const httplib::Request& request) const {
    // A compressed body may be a thousand times larger than its declared size.
    if (request.has_header("Content-Encoding")) {
      throw Refusal(415, "the request is packed", "send it without Content-Encoding");
    }
    // The library reads a chunked body to its end before its size can be checked.
    if (request.has_header("Transfer-Encoding")) {
      throw Refusal(411, "the request does not say how large it is", "send Content-Length");
    }
    const std::string length = request.get_header_value("Content-Length");
    const auto size = io::parse_number(length.empty() ? "0" : length);
    if (!size || *size > static_cast<double>(limits_.body_bytes)) {
      throw Refusal(413, fmt::format("the request is larger than {} bytes", limits_.body_bytes),
                    "send less at once");
    }
  }

  void check_peer(const Operation& operation, const std::optional<Peer>& peer,
                  const X509* certificate) const {
    if (is_refused(self_, certificate)) {
      throw Refusal(403, "the certificate is revoked", "ask for a new one");
    }
    if (!peer) {
      throw Refusal(403, "the certificate has no role", "make one with dovetail keys add");
    }
    if (std::ranges::find(operation.roles, peer->role) != operation.roles.end()) return;
    throw Refusal(
        403, fmt::format("not an operation for a certificate of the role {}", name_of(peer->role)),
        "ask for a certificate of another role");
  }

  void serve(const Operation& operation, const httplib::Request& request,
             httplib::Response& response) {
    connections_.allow(request.ssl, limits_.answer_seconds, "the answer");
    const X509Certificate certificate(SSL_get1_peer_certificate(request.ssl));
    const auto peer = peer_of(certificate.get());
    try {
      check_peer(operation, peer, certificate.get());
      Call call{.peer = *peer, .body = nullptr};
      if (operation.method == "POST") {
        call.body = parse_message(request.body);
        if (call.body.is_discarded()) throw Refusal(400, "the body is not JSON");
      }
      set_json(response, 200, operation.answer(call));
    } catch (const Refusal& refusal) {
      refuse(request, response, peer, refusal);
    } catch (const std::exception& error) {
      refuse(request, response, peer, Refusal(500, error.what(), "look into the server's log"));
    }
  }

  void refuse(const httplib::Request& request, httplib::Response& response,
              const std::optional<Peer>& peer, const Refusal& refusal) const {
    Json body = {{"error", refusal.what()}};
    if (!refusal.what_to_do().empty()) body["what_to_do"] = refusal.what_to_do();
    set_json(response, refusal.status(), body);
    response.set_header("Connection", "close");
    log_(fmt::format("refused {} {} by {}: {}: {}", one_line(request.method.substr(0, 10)),
                     io::quote(request.path), who_is(peer, request), refusal.status(),
                     one_line(refusal.what())));
  }

  std::vector<Operation> operations_;
  Identity self_;
  ServerLimits limits_;
  Log log_;
  Connections connections_;
  httplib::SSLServer server_;
  socket_t socket_ = -1;
  int port_ = 0;
  std::thread thread_;
};

HttpServer::HttpServer(const Address& address, const Identity& self,
                       std::vector<Operation> operations, const ServerLimits& limits, Log log)
    : impl_(std::make_unique<Impl>(address, self, std::move(operations), limits, std::move(log))) {}

HttpServer::~HttpServer() = default;

int HttpServer::port() const { return impl_->port(); }

}  // namespace dovetail::federation
