#include "federation/net/http_client.hpp"

#include <fmt/format.h>
#include <httplib.h>

#include <chrono>
#include <csignal>

#include "federation/net/http_server.hpp"
#include "federation/net/socket_deadlines.hpp"
#include "io/text.hpp"

namespace dovetail::federation {

namespace {

constexpr std::string_view kScheme = "https://";
constexpr std::size_t kMaxReply = std::size_t{16} << 20U;

Address address_of_url(const std::string& url) {
  std::string rest = url.substr(kScheme.size());
  while (!rest.empty() && rest.back() == '/') rest.pop_back();
  return parse_address(rest, url);
}

// The state of a call while the server's certificate is verified.
struct CallContext {
  const Server& server;
  const Identity& self;
  std::vector<std::string> hosts = {};  // of the certificate
};

// Called for each certificate of the server's chain; the one at depth 0 is its own.
int check_role(int is_fine, X509_STORE_CTX* store) {
  if (is_fine != 1 || X509_STORE_CTX_get_error_depth(store) != 0) return is_fine;
  const auto* connection = static_cast<const SSL*>(
      X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()));
  auto* call = static_cast<CallContext*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(connection)));
  const X509* certificate = X509_STORE_CTX_get_current_cert(store);
  call->hosts = hosts_of(certificate);
  const auto peer = peer_of(certificate);
  const bool is_named = call->server.name.empty() || (peer && peer->name == call->server.name);
  const bool is_meant = peer && peer->role == call->server.role && is_named;
  const bool is_revoked = is_refused(call->self, certificate);
  if (is_meant && !is_revoked) return 1;
  X509_STORE_CTX_set_error(
      store, is_revoked ? X509_V_ERR_CERT_REVOKED : X509_V_ERR_APPLICATION_VERIFICATION);
  return 0;
}

bool is_of_another_authority(long verdict) {
  return verdict == X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY ||
         verdict == X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE ||
         verdict == X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN ||
         verdict == X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT ||
         verdict == X509_V_ERR_CERT_SIGNATURE_FAILURE;
}

std::string why_no_answer(httplib::Error error, const httplib::SSLClient& client,
                          const CallContext& call) {
  const Server& server = call.server;
  switch (error) {
    case httplib::Error::Connection:
      return "no server answers there";
    case httplib::Error::ConnectionTimeout:
      return "no answer in time";
    case httplib::Error::SSLServerVerification: {
      const long verdict = client.get_openssl_verify_result();
      if (verdict == X509_V_ERR_APPLICATION_VERIFICATION) {
        return fmt::format("its certificate is not that of {} {}",
                           server.role == Role::agent ? "an agent" : "a daemon", server.name);
      }
      if (is_of_another_authority(verdict)) {
        return fmt::format("its certificate is of another authority; both sides need the same {}",
                           call.self.authority);
      }
      if (verdict != X509_V_OK) return X509_verify_cert_error_string(verdict);
      return fmt::format(
          "its certificate is for another host, {}; make it again with dovetail keys add --host",
          fmt::join(call.hosts, ", "));
    }
    case httplib::Error::SSLConnection:
      return "no secure connection can be made";
    case httplib::Error::Read:
      return "it ends the connection, or does not answer in time";
    default:
      return httplib::to_string(error);
  }
}

// A discarded value if the body is not JSON that we accept.
Json parse_answer(const std::string& body) {
  try {
    return parse_message(body);
  } catch (const Refusal&) {
    return Json(Json::value_t::discarded);
  }
}

std::string words_of_refusal(const std::string& body) {
  const Json json = parse_answer(body);
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

void require_url(const std::string& url, const std::string& what) {
  if (!url.starts_with(kScheme)) {
    throw InputError(what + ": expected https://HOST:PORT, found " + io::quote(url));
  }
  if (address_of_url(url).port == 0) throw InputError(what + ": has no port: " + io::quote(url));
}

Caller::Caller(Identity self)
    : self_(std::move(self)), deadlines_(std::make_shared<SocketDeadlines>()) {
  std::signal(SIGPIPE, SIG_IGN);
}

Json Caller::get(const Server& server, const std::string& path, double seconds) const {
  return call(server, "GET", path, {}, seconds);
}

Json Caller::post(const Server& server, const std::string& path, const Json& body,
                  double seconds) const {
  return call(server, "POST", path, body.dump(-1, ' ', false, Json::error_handler_t::replace),
              seconds);
}

std::string host_of_url(const std::string& url) { return address_of_url(url).host; }

Json Caller::call(const Server& server, const std::string& method, const std::string& path,
                  const std::string& body, double seconds) const {
  using Clock = std::chrono::steady_clock;
  const auto limit = std::chrono::duration<double>(std::max(seconds, 0.001));
  const auto until = Clock::now() + std::chrono::duration_cast<Clock::duration>(limit);
  const Address address = address_of_url(server.url);
  httplib::SSLClient client(address.host, address.port, self_.certificate, self_.key);
  // The files may be in the middle of being replaced.
  if (!client.is_valid()) {
    throw NoAnswer(self_.certificate + ": certificate and key cannot be used together");
  }
  client.set_ca_cert_path(self_.authority);
  client.enable_server_certificate_verification(true);
  client.set_connection_timeout(limit);
  client.set_read_timeout(limit);
  client.set_write_timeout(limit);
  client.set_tcp_nodelay(true);
  SocketDeadlines::Watch deadline(*deadlines_);
  deadline.allow(limit.count());
  client.set_socket_options([&deadline](socket_t socket) { deadline.set(socket); });
  CallContext context{server, self_};
  SSL_CTX_set_app_data(client.ssl_context(), &context);
  SSL_CTX_set_min_proto_version(client.ssl_context(), TLS1_3_VERSION);
  SSL_CTX_set_verify(client.ssl_context(), SSL_VERIFY_PEER, &check_role);

  httplib::Request request;
  request.method = method;
  request.path = path;
  request.body = body;
  if (!body.empty()) request.set_header("Content-Type", "application/json");
  std::string received;
  request.content_receiver = [&](const char* data, std::size_t size, std::uint64_t, std::uint64_t) {
    received.append(data, size);
    return received.size() <= kMaxReply && Clock::now() < until;
  };
  httplib::Response response;
  httplib::Error error = httplib::Error::Success;
  if (!client.send(request, response, error)) {
    throw NoAnswer(server.url + ": " + why_no_answer(error, client, context));
  }
  if (response.status != 200) {
    throw Denied(response.status, server.url + path, words_of_refusal(received));
  }
  Json reply = parse_answer(received);
  if (reply.is_discarded()) throw NoAnswer(server.url + path + ": the answer is not JSON");
  return reply;
}

}  // namespace dovetail::federation
