#include "federation/net/operation_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/text.hpp"

namespace dovetail::federation {

namespace {

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string name_of(const ReceivedRequest& request) {
  if (!request.peer) return request.address;
  return fmt::format("{} {} ({})", name_of(request.peer->role), io::quote(request.peer->name),
                     request.address);
}

Reply OperationTable::answer(const ReceivedRequest& request) const {
  try {
    return {.text = result_of(request)};
  } catch (const Refusal& refusal) {
    return refuse(request, refusal);
  } catch (const std::exception& error) {
    return refuse(request, Refusal(500, error.what(), "look into the server's log"));
  }
}

Reply OperationTable::refuse(const ReceivedRequest& request, const Refusal& refusal) const {
  Json body = {{"error", refusal.what()}};
  if (!refusal.what_to_do().empty()) body["what_to_do"] = refusal.what_to_do();
  log_(fmt::format("refused {} {} by {}: {}: {}", one_line(request.method.substr(0, 10)),
                   io::quote(request.path), name_of(request), refusal.status(),
                   one_line(refusal.what())));
  return {refusal.status(), text_of(body)};
}

std::string OperationTable::result_of(const ReceivedRequest& request) const {
  if (is_refused(self_, request.certificate.get())) {
    throw Refusal(403, "the certificate is revoked", "ask for a new one");
  }
  if (!request.peer) {
    throw Refusal(403, "the certificate has no role", "make one with dovetail keys add");
  }
  const Operation& operation = operation_of(request);
  if (std::ranges::find(operation.roles, request.peer->role) == operation.roles.end()) {
    throw Refusal(403,
                  fmt::format("not an operation for a certificate of the role {}",
                              name_of(request.peer->role)),
                  "ask for a certificate of another role");
  }
  Call call{.peer = *request.peer, .body = nullptr};
  if (operation.method == "POST") {
    call.body = parse_message(request.body);
    if (call.body.is_discarded()) throw Refusal(400, "the body is not JSON");
  }
  std::string text = text_of(operation.answer(call));
  const std::size_t most = answer_limit(operation.path).text;
  if (text.size() > most) {
    throw Refusal(413, fmt::format("the answer would be larger than {} bytes", most),
                  "ask for less at once");
  }
  return text;
}

const Operation& OperationTable::operation_of(const ReceivedRequest& request) const {
  const auto found = std::ranges::find_if(operations_, [&](const Operation& operation) {
    return operation.method == request.method && operation.path == request.path;
  });
  if (found != operations_.end()) return *found;
  throw Refusal(404, "there is no such operation", "see docs/federation.md; this is version 1");
}

}  // namespace dovetail::federation
