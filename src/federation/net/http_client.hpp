// Calls an operation of an agent or a daemon: HTTP and JSON over mutual TLS.
//
//   Caller caller(identity("keys/alice"));
//   const Json reply = caller.post({url, Role::agent}, "/v1/find", request, 5.0);
//
// Safe to use from several threads.
#pragma once

#include <string>

#include "dovetail/error.hpp"
#include "federation/net/keys.hpp"
#include "federation/net/message.hpp"

namespace dovetail::federation {

// The server does not answer, answers too late, too much or nonsense, or has no acceptable
// certificate; or its URL is none. It is unknown whether it served the request.
class NoAnswer : public ExecutionError {
 public:
  using ExecutionError::ExecutionError;
};

// The server refused the request.
class Denied : public ExecutionError {
 public:
  Denied(int status, const std::string& where, std::string reason)
      : ExecutionError(where + ": " + reason), status_(status), reason_(std::move(reason)) {}
  int status() const { return status_; }
  // The reason without the server's address.
  const std::string& reason() const { return reason_; }

 private:
  int status_;
  std::string reason_;
};

// A server, and the role and the name that its certificate must have.
struct Server {
  std::string url;  // "https://127.0.0.1:7700"
  Role role = Role::agent;
  std::string name = {};  // empty: any
};

// Throws InputError, beginning with `what`, unless the URL has the form https://HOST:PORT.
void require_url(const std::string& url, const std::string& what);

// The host of a valid URL.
std::string host_of_url(const std::string& url);

class Caller {
 public:
  // Makes the process ignore SIGPIPE: a server that goes away must not kill us.
  explicit Caller(Identity self);

  // Throw NoAnswer or Denied and nothing else, whatever the server does, after `seconds` at the
  // latest; only the look-up of a host name may take longer. No more of an answer is read than
  // answer_limit(path) allows.
  Json get(const Server& server, const std::string& path, double seconds) const;
  Json post(const Server& server, const std::string& path, const Json& body, double seconds) const;

  const Identity& self() const { return self_; }

 private:
  Json call(const Server& server, const std::string& method, const std::string& path,
            const std::string& body, double seconds) const;

  Identity self_;
};

}  // namespace dovetail::federation
