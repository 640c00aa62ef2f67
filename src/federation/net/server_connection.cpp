#include "federation/net/server_connection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "federation/net/openssl.hpp"

namespace dovetail::federation {

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using Tcp = asio::ip::tcp;
using Failure = boost::system::error_code;

// What a refused caller still sends is thrown away for a while: a reset would destroy the reply.
constexpr double kFarewellSeconds = 2;
constexpr std::size_t kFarewellBytes = std::size_t{1} << 20U;

// Bodies and answers up to this do not count: those of all connections together are not much, and
// small questions are answered whatever others send.
constexpr std::size_t kSmall = 4096;

}  // namespace

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
  if (waits_for_room_) {
    return refuse(Refusal(503, "other requests take all the memory that there is for them",
                          "send it again in a while"));
  }
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
  server_.answers.leave(id_);
  give_back_body();
  for (const Admission::Id next : server_.admission.leave(id_)) {
    server_.connections.at(next)->read();
  }
}

void ServerConnection::give_back_body() {
  waits_for_room_ = false;
  for (const FairShares::Id next : server_.bodies.leave(id_)) {
    server_.connections.at(next)->read_body();
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
  caller_ =
      request_.peer ? fmt::format("{} {}", name_of(request_.peer->role), request_.peer->name) : "";
  switch (server_.admission.verify(id_, caller_)) {
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
  const std::uint64_t said = parser_.content_length().value_or(0);
  const std::size_t size = std::min<std::uint64_t>(said, server_.limits.body_bytes);
  if (size <= kSmall) return read_body();
  switch (server_.bodies.ask(id_, caller_, most_memory_of(size))) {
    case FairShares::Entry::begins:
      return read_body();
    case FairShares::Entry::waits:
      waits_for_room_ = true;
      return allow(server_.limits.body_seconds, "room for its request");
    case FairShares::Entry::refused:
      return refuse(Refusal(503, "too many large requests wait", "send it again in a while"));
  }
}

void ServerConnection::read_body() {
  waits_for_room_ = false;
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
  std::string().swap(request_.body);
  give_back_body();
  find_room_for_answer();
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

// Callers that read slowly must not make a server keep many large answers.
void ServerConnection::find_room_for_answer() {
  if (reply_.text.size() <= kSmall) return;
  if (server_.answers.ask(id_, caller_, reply_.text.size()) == FairShares::Entry::begins) return;
  reply_ = server_.table.refuse(
      request_, Refusal(503, "other answers take all the memory that there is for them",
                        "ask again in a while"));
}

void ServerConnection::say_farewell() {
  if (is_over_) return;
  std::string().swap(response_.body());
  server_.answers.leave(id_);
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

}  // namespace dovetail::federation
