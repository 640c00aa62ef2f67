// A server of operations: HTTP and JSON over mutual TLS, and nothing else.
//
//   HttpServer server({"127.0.0.1", 0}, identity("keys/grillon"),
//                     {{"GET", "/v1/capabilities", {Role::client}, answer}}, {}, log);
//   server.port();
//
// Every connection is bounded: in its bytes and in the time of each of its phases. Until its
// certificate is verified it costs no thread and takes no place (admission.hpp). Each serves one
// request. Every operation is open to certain certificate roles. A refused client is told why as
// {"error", "what_to_do"}, and the refusal is logged. One thread moves all bytes; answers are
// computed in other threads, several at a time.
#pragma once

#include <memory>
#include <vector>

#include "federation/net/address.hpp"
#include "federation/net/operation_table.hpp"

namespace dovetail::federation {

struct ServerLimits {
  std::size_t header_bytes = 8192;
  std::size_t body_bytes = kRequestLimit.text;
  // What bodies may take together, and answers that are not sent yet, in bytes. A body counts with
  // all that it may become; it is read when there is room for it. Small ones do not count.
  std::size_t bodies_at_once = std::size_t{128} << 20U;
  std::size_t answers_at_once = std::size_t{48} << 20U;
  std::size_t connections = 64;  // with a verified certificate, at a time; others wait for a place
  std::size_t unverified = 256;  // without one; beyond that the oldest is cut
  std::size_t unverified_per_address = 128;  // likewise
  // To show a certificate while there are many connections without one. When there are few, a
  // caller on a busy machine has `header_seconds`.
  double handshake_seconds = 2;
  double header_seconds = 10;  // from a place to the end of the request's header
  double body_seconds = 10;    // from there to the end of its body
  double answer_seconds = 90;  // from there to the end of the answer
};

class HttpServer {
 public:
  // Starts answering. Throws ExecutionError when it cannot listen at the address.
  HttpServer(const Address& address, const Identity& self, std::vector<Operation> operations,
             const ServerLimits& limits, Log log);
  // Ends all connections first, then waits for the answers that are being computed.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dovetail::federation
