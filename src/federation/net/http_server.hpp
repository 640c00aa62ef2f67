// A server of operations: HTTP and JSON over mutual TLS, and nothing else.
//
//   HttpServer server({"127.0.0.1", 0}, identity("keys/grillon"),
//                     {{"GET", "/v1/capabilities", {Role::client}, answer}}, {}, log);
//   server.port();
//
// Every connection is bounded: in the time until its request is there, in the size of that request,
// and in number together with all others; a connection serves one request. Operations are for roles
// of certificates. Whoever is refused is told why as
// {"error", "what_to_do"}, and a line about it is logged. Answers are computed in threads of their
// own, several at a time.
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
  int port = 0;  // 0: any that is free
};

// "127.0.0.1:7700", ":7700" or "7700". Throws InputError, beginning with `what`.
Address parse_address(const std::string& text, const std::string& what);

// Whether a server could listen there now.
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
  std::size_t connections = 64;  // at a time; others wait until one of them is over
  double header_seconds = 10;    // from the connection to the end of the request's header
  double body_seconds = 10;      // from there to the end of its body
  double answer_seconds = 90;    // from there to the end of the answer
};

using Log = std::function<void(const std::string& line)>;  // called from many threads

class HttpServer {
 public:
  // Answers from now on. Throws ExecutionError when it cannot listen there.
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
