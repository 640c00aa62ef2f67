// A server of operations: HTTP and JSON over mutual TLS, and nothing else.
//
//   HttpServer server({"127.0.0.1", 0}, identity("keys/grillon"),
//                     {{"GET", "/v1/capabilities", {Role::client}, answer}}, {}, log);
//   server.port();
//
// Every connection is bounded: in the time until its request has arrived and in the size of that
// request. The number of connections is limited too, and each serves one request. Every operation
// is open to certain certificate roles. A refused client is told why as {"error", "what_to_do"},
// and the refusal is logged. Answers are computed in separate threads, several at a time.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "federation/net/keys.hpp"
#include "federation/net/message.hpp"

namespace dovetail::federation {

struct Address {
  std::string host = "127.0.0.1";
  int port = 0;  // 0: any free port
};

// Parses "127.0.0.1:7700", ":7700" or "7700". Throws InputError, beginning with `what`.
Address parse_address(const std::string& text, const std::string& what);

// Whether a server could listen at the address now.
bool is_free(const Address& address);

struct Call {
  Peer peer;
  Json body;  // null for GET
};

struct Operation {
  std::string method;  // "GET" or "POST"
  std::string path;    // "/v1/submit"
  std::vector<Role> roles;
  std::function<Json(const Call&)> answer;  // may throw Refusal
};

struct ServerLimits {
  std::size_t body_bytes = std::size_t{1} << 20U;
  std::size_t connections = 64;  // at a time; others wait for a free place
  double header_seconds = 10;    // from the connection to the end of the request's header
  double body_seconds = 10;      // from there to the end of its body
  double answer_seconds = 90;    // from there to the end of the answer
};

using Log = std::function<void(const std::string& line)>;  // called from many threads

class HttpServer {
 public:
  // Starts answering. Throws ExecutionError when it cannot listen at the address.
  HttpServer(const Address& address, const Identity& self, std::vector<Operation> operations,
             const ServerLimits& limits, Log log);
  // Ends all connections first.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dovetail::federation
