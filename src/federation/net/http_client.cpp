#include "federation/net/http_client.hpp"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <chrono>
#include <csignal>

#include "federation/net/address.hpp"
#include "federation/net/openssl.hpp"
#include "federation/net/tls_context.hpp"
#include "io/text.hpp"
#include "run/local/descriptor.hpp"

namespace dovetail::federation {

namespace {

namespace http = boost::beast::http;
using Failure = boost::system::error_code;
using SteadyClock = std::chrono::steady_clock;
using Tls = std::unique_ptr<SSL, FreeBy<SSL_free>>;
using TlsContext = std::unique_ptr<SSL_CTX, FreeBy<SSL_CTX_free>>;

constexpr std::size_t kAnswerPiece = 16'384;

bool is_of_another_authority(int verdict) {
  return verdict == X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY ||
         verdict == X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE ||
         verdict == X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN ||
         verdict == X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT ||
         verdict == X509_V_ERR_CERT_SIGNATURE_FAILURE;
}

struct HttpAnswer {
  int status;
  std::string body;
};

// One request and its answer, all of it by a deadline. Throws NoAnswer. The socket never blocks:
// every wait is one for the deadline, too.
class HttpExchange {
 public:
  HttpExchange(const Identity& self, const Server& server, SteadyClock::time_point until);

  HttpAnswer ask(const std::string& method, const std::string& path, const std::string& body);

 private:
  [[noreturn]] void fail(const std::string& why) const { throw NoAnswer(server_.url + ": " + why); }
  void connect();
  void handshake();
  void write(const std::string& text);
  HttpAnswer read(std::size_t most);
  [[noreturn]] void fail_reading(const Failure& failure, std::size_t most) const;

  // Until the socket is ready; false at the deadline.
  bool wait(short events) const;
  // Repeats an operation of OpenSSL until it is done: above 0, or 0 when the other side has ended
  // the connection or broken the rules.
  template <typename Do>
  int finish(Do operation, const char* late) const;

  static int on_certificate(int is_fine, X509_STORE_CTX* store);
  std::string objection_to(const X509* certificate) const;

  const Identity& self_;
  const Server& server_;
  const SteadyClock::time_point until_;
  Address address_;
  std::string objection_;  // to the server's certificate
  TlsContext context_;
  run::Descriptor socket_;
  Tls tls_;
};

HttpExchange::HttpExchange(const Identity& self, const Server& server,
                           SteadyClock::time_point until)
    : self_(self), server_(server), until_(until), context_(SSL_CTX_new(TLS_client_method())) {
  try {
    address_ = parse_url(server.url, "the address of a server");
  } catch (const InputError& error) {
    throw NoAnswer(error.what());
  }
  // The files may be in the middle of being replaced.
  if (!context_ || !use_identity(*context_, self)) {
    ERR_clear_error();
    throw NoAnswer(self.certificate + ": certificate and key cannot be used together");
  }
  SSL_CTX_set_app_data(context_.get(), this);
  SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER, &on_certificate);
}

bool HttpExchange::wait(short events) const {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until_ - SteadyClock::now());
    if (left.count() <= 0) return false;
    pollfd file{.fd = socket_.get(), .events = events, .revents = 0};
    constexpr std::int64_t kLongest = 1'000'000;
    const int ready = poll(&file, 1, static_cast<int>(std::min(left.count(), kLongest)));
    if (ready > 0) return true;
  }
}

template <typename Do>
int HttpExchange::finish(Do operation, const char* late) const {
  for (;;) {
    ERR_clear_error();
    const int result = operation();
    if (result > 0) return result;
    const int why = SSL_get_error(tls_.get(), result);
    if (why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE) return 0;
    if (!wait(why == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT)) fail(late);
  }
}

void HttpExchange::connect() {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const std::string port = std::to_string(address_.port);
  if (getaddrinfo(address_.host.c_str(), port.c_str(), &hints, &list) != 0) {
    fail("no server answers there");
  }
  const std::unique_ptr<addrinfo, FreeBy<freeaddrinfo>> found(list);
  for (const addrinfo* at = found.get(); at != nullptr; at = at->ai_next) {
    socket_ =
        run::Descriptor(::socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    int error = ::connect(socket_.get(), at->ai_addr, at->ai_addrlen) == 0 ? 0 : errno;
    if (error == EINPROGRESS) {
      if (!wait(POLLOUT)) fail("no answer in time");
      socklen_t size = sizeof error;
      getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    }
    if (error != 0) continue;
    const int yes = 1;
    setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    return;
  }
  fail("no server answers there");
}

// Called for each certificate of the server's chain; the one at depth 0 is its own.
int HttpExchange::on_certificate(int is_fine, X509_STORE_CTX* store) {
  const auto* tls = static_cast<const SSL*>(
      X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()));
  auto* self = static_cast<HttpExchange*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(tls)));
  const int verdict = X509_STORE_CTX_get_error(store);
  if (is_fine != 1) {
    self->objection_ =
        is_of_another_authority(verdict)
            ? fmt::format("its certificate is of another authority; both sides need the same {}",
                          self->self_.authority)
            : X509_verify_cert_error_string(verdict);
  } else if (X509_STORE_CTX_get_error_depth(store) == 0) {
    self->objection_ = self->objection_to(X509_STORE_CTX_get_current_cert(store));
  }
  return self->objection_.empty() ? 1 : 0;
}

// Why the server's certificate is not accepted, though it is of our authority; empty: it is.
std::string HttpExchange::objection_to(const X509* certificate) const {
  const auto peer = peer_of(certificate);
  const bool is_named = server_.name.empty() || (peer && peer->name == server_.name);
  if (!peer || peer->role != server_.role || !is_named) {
    return fmt::format("its certificate is not that of {} {}",
                       server_.role == Role::agent ? "an agent" : "a daemon", server_.name);
  }
  if (is_refused(self_, certificate)) {
    return X509_verify_cert_error_string(X509_V_ERR_CERT_REVOKED);
  }
  if (!is_for_host(certificate, address_.host)) {
    return fmt::format(
        "its certificate is for another host, {}; make it again with dovetail keys add --host",
        fmt::join(hosts_of(certificate), ", "));
  }
  return {};
}

void HttpExchange::handshake() {
  tls_.reset(SSL_new(context_.get()));
  if (!tls_ || SSL_set_fd(tls_.get(), socket_.get()) != 1) fail("no secure connection can be made");
  const int done = finish([&] { return SSL_connect(tls_.get()); }, "no answer in time");
  if (!objection_.empty()) fail(objection_);
  if (done == 0) fail("no secure connection can be made");
}

// A server that refuses a request may answer before it has read all of it: then this stops early.
void HttpExchange::write(const std::string& text) {
  SSL_set_mode(tls_.get(), SSL_MODE_ENABLE_PARTIAL_WRITE);
  for (std::size_t sent = 0; sent < text.size();) {
    const int size = static_cast<int>(std::min(text.size() - sent, kAnswerPiece));
    const int done = finish([&] { return SSL_write(tls_.get(), text.data() + sent, size); },
                            "it ends the connection, or does not answer in time");
    if (done == 0) return;
    sent += static_cast<std::size_t>(done);
  }
}

void HttpExchange::fail_reading(const Failure& failure, std::size_t most) const {
  if (failure == http::error::body_limit || failure == http::error::header_limit) {
    fail(fmt::format("its answer is larger than {} bytes", most));
  }
  if (failure == http::error::end_of_stream || failure == http::error::partial_message) {
    fail("it ends the connection, or does not answer in time");
  }
  fail("its answer is not HTTP");
}

HttpAnswer HttpExchange::read(std::size_t most) {
  boost::beast::flat_buffer buffer(8 * kAnswerPiece);  // for what is read in one piece: a header
  http::response_parser<http::string_body> parser;
  parser.body_limit(most);
  for (;;) {
    if (buffer.size() > 0) {
      Failure failure;
      buffer.consume(parser.put(buffer.data(), failure));
      if (failure && failure != http::error::need_more) fail_reading(failure, most);
    }
    if (parser.is_done()) break;
    if (parser.is_header_done() && !parser.eager()) {
      // Where the body follows at once, Beast 1.74 forgets that it is too large.
      if (parser.content_length().value_or(0) > most) fail_reading(http::error::body_limit, most);
      parser.eager(true);
      if (buffer.size() > 0) continue;
    }
    if (buffer.size() + kAnswerPiece > buffer.max_size()) {
      fail_reading(http::error::header_limit, most);
    }
    const auto space = buffer.prepare(kAnswerPiece);
    const int size =
        finish([&] { return SSL_read(tls_.get(), space.data(), static_cast<int>(space.size())); },
               "it ends the connection, or does not answer in time");
    buffer.commit(static_cast<std::size_t>(size));
    if (size > 0) continue;
    Failure failure = http::error::end_of_stream;
    if (parser.got_some()) parser.put_eof(failure);
    if (failure) fail_reading(failure, most);
    break;
  }
  return {static_cast<int>(parser.get().result_int()), std::move(parser.get().body())};
}

HttpAnswer HttpExchange::ask(const std::string& method, const std::string& path,
                             const std::string& body) {
  connect();
  handshake();
  write(
      fmt::format("{} {} HTTP/1.1\r\nHost: {}:{}\r\nConnection: close\r\n"
                  "Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{}",
                  method, path, address_.host, address_.port, body.size(), body));
  return read(answer_limit(path).text);
}

// A discarded value if the body is not JSON that we accept.
Json parse_answer(const std::string& body, std::size_t most_memory) {
  try {
    return parse_message(body, most_memory);
  } catch (const Refusal&) {
    return Json(Json::value_t::discarded);
  }
}

std::string words_of_refusal(const Json& json) {
  const auto text = [&](const char* key) {
    const bool is_there = json.is_object() && json.contains(key) && json[key].is_string();
    return is_there ? one_line(json[key].get<std::string>()) : std::string();
  };
  const std::string error = text("error");
  const std::string what_to_do = text("what_to_do");
  return (error.empty() ? "no reason is given" : error) +
         (what_to_do.empty() ? "" : "; " + what_to_do);
}

}  // namespace

void require_url(const std::string& url, const std::string& what) { parse_url(url, what); }

std::string host_of_url(const std::string& url) { return parse_url(url, "URL").host; }

Caller::Caller(Identity self) : self_(std::move(self)) { std::signal(SIGPIPE, SIG_IGN); }

Json Caller::get(const Server& server, const std::string& path, double seconds) const {
  return call(server, "GET", path, {}, seconds);
}

Json Caller::post(const Server& server, const std::string& path, const Json& body,
                  double seconds) const {
  return call(server, "POST", path, body.dump(-1, ' ', false, Json::error_handler_t::replace),
              seconds);
}

Json Caller::call(const Server& server, const std::string& method, const std::string& path,
                  const std::string& body, double seconds) const {
  const std::chrono::duration<double> limit(std::max(seconds, 0.001));
  const auto until = SteadyClock::now() + std::chrono::duration_cast<SteadyClock::duration>(limit);
  const auto [status, text] = HttpExchange(self_, server, until).ask(method, path, body);
  Json reply = parse_answer(text, answer_limit(path).memory);
  if (status != 200) throw Denied(status, server.url + path, words_of_refusal(reply));
  if (reply.is_discarded()) throw NoAnswer(server.url + path + ": the answer is not JSON");
  return reply;
}

}  // namespace dovetail::federation
