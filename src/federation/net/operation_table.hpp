// The operations of a server: finds the one that a request asks for, checks the caller, and words
// the reply. A refused caller is told why as {"error", "what_to_do"}, and the refusal is logged.
//
//   OperationTable table({{"GET", "/v1/capabilities", {Role::client}, answer}}, self, log);
//   table.answer(request).text;
//
// Safe to use from several threads.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "federation/net/keys.hpp"
#include "federation/net/message.hpp"

namespace dovetail::federation {

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

using Log = std::function<void(const std::string& line)>;  // called from many threads

struct ReceivedRequest {
  std::string address;                           // of the caller
  std::shared_ptr<const X509> certificate = {};  // verified
  std::optional<Peer> peer = {};                 // of the certificate; nothing: it has no role
  std::string method = {};
  std::string path = {};
  std::string body = {};
};

struct Reply {
  int status = 200;
  std::string text = {};  // JSON
};

class OperationTable {
 public:
  OperationTable(std::vector<Operation> operations, Identity self, Log log)
      : operations_(std::move(operations)), self_(std::move(self)), log_(std::move(log)) {}

  // Never throws: whatever goes wrong is a refusal.
  Reply answer(const ReceivedRequest& request) const;

  // The reply to a request that cannot even be read.
  Reply refuse(const ReceivedRequest& request, const Refusal& refusal) const;

 private:
  std::string result_of(const ReceivedRequest& request) const;
  const Operation& operation_of(const ReceivedRequest& request) const;

  std::vector<Operation> operations_;
  Identity self_;
  Log log_;
};

// The caller for a log: its role, name and address.
std::string name_of(const ReceivedRequest& request);

}  // namespace dovetail::federation
