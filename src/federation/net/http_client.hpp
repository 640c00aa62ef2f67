// Calls an operation of a server of ours: HTTP and JSON over mutual TLS.
//
//   Caller caller(identity("keys/alice"));
//   const Json reply = caller.post({url, Role::agent}, "/v1/find", request, 5.0);
//
// Safe to use from several threads.
#pragma once

#include <memory>
#include <string>

#include "dovetail/error.hpp"
#include "federation/net/keys.hpp"
#include "federation/net/message.hpp"

namespace dovetail::federation {

class CallDeadlines;

// Nobody answers there, not in time, or not with a certificate that will do. Whether a request was
// served is not known.
class NoAnswer : public ExecutionError {
 public:
  using ExecutionError::ExecutionError;
};

// The server says no.
class Denied : public ExecutionError {
 public:
  Denied(int status, const std::string& where, std::string reason)
      : ExecutionError(where + ": " + reason), status_(status), reason_(std::move(reason)) {}
  int status() const { return status_; }
  // Without the address of the server.
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

// Throws InputError, beginning with `what`, unless it is https://HOST:PORT.
void require_url(const std::string& url, const std::string& what);

// Of such a URL.
std::string host_of_url(const std::string& url);

class Caller {
 public:
  // From now on the process ignores SIGPIPE: a server that goes away is an answer, not an end.
  explicit Caller(Identity self);

  // Throw NoAnswer or Denied, after so many seconds at the latest; only the look-up of a host's
  // name may take longer.
  Json get(const Server& server, const std::string& path, double seconds) const;
  Json post(const Server& server, const std::string& path, const Json& body, double seconds) const;

  const Identity& self() const { return self_; }

 private:
  Json call(const Server& server, const std::string& method, const std::string& path,
            const std::string& body, double seconds) const;

  Identity self_;
  std::shared_ptr<CallDeadlines> deadlines_;
};

}  // namespace dovetail::federation
