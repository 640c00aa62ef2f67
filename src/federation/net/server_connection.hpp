#pragma once

// One connection of an HTTP server: handshake, header, body, answer, farewell, each with a
// deadline. `HttpServer` makes one for every caller it accepts. Everything here runs in the thread
// of `ServerState::io`; only the answer is computed by a worker.

// clang-format off
#include <utility>  // before Boost 1.74, which uses it without including it
// clang-format on
#include <array>
#include <boost/asio.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "federation/net/admission.hpp"
#include "federation/net/fair_shares.hpp"
#include "federation/net/http_server.hpp"
#include "federation/net/stranger_log.hpp"
#include "federation/net/workers.hpp"

namespace dovetail::federation {

class ServerConnection;

// What the connections of a server share. Used only by the thread that runs `io`, except for
// `table`.
struct ServerState {
  ServerState(const Identity& self, std::vector<Operation> operations, const ServerLimits& given,
              const Log& given_log)
      : limits(given),
        log(given_log),
        strangers(given_log),
        table(std::move(operations), self, given_log),
        admission({.places = given.connections,
                   .unverified = given.unverified,
                   .unverified_per_address = given.unverified_per_address}),
        bodies({.units = given.bodies_at_once, .waiting = given.connections}),
        answers({.units = given.answers_at_once, .waiting = 0}),
        workers(given.connections) {}

  ServerLimits limits;
  Log log;
  StrangerLog strangers;
  OperationTable table;
  Admission admission;
  FairShares bodies;   // bytes of those that are read or answered
  FairShares answers;  // bytes of those that are sent
  boost::asio::io_context io{1};
  boost::asio::ssl::context tls{boost::asio::ssl::context::tls_server};
  std::map<Admission::Id, std::shared_ptr<ServerConnection>> connections;
  Workers workers;
};

// One connection. Each phase has a deadline; when it passes, what was going on fails.
class ServerConnection : public std::enable_shared_from_this<ServerConnection> {
 public:
  ServerConnection(ServerState& server, Admission::Id id, boost::asio::ip::tcp::socket socket,
                   std::string address)
      : server_(server),
        id_(id),
        stream_(std::move(socket), server.tls),
        deadline_(server.io),
        request_{.address = std::move(address)} {}

  void begin();
  void read();       // when it has a place
  void read_body();  // when there is room for it
  void end();
  void close_socket();
  const std::string& address() const { return request_.address; }
  bool is_silent() { return SSL_get_state(stream_.native_handle()) == TLS_ST_BEFORE; }

 private:
  static constexpr std::size_t kReadBytes = 16'384;

  void allow(double seconds, const char* phase);
  void on_deadline();
  void on_handshake(const boost::system::error_code& failure);
  void on_header(const boost::system::error_code& failure);
  void on_body(const boost::system::error_code& failure);
  void check_header() const;
  void give_back_body();
  void find_room_for_answer();
  void compute();
  void refuse(const Refusal& refusal);
  void fail(const boost::system::error_code& failure);
  void write();
  void say_farewell();
  void throw_away();
  // The member, as a handler that keeps this object alive.
  auto then(void (ServerConnection::*member)(const boost::system::error_code&)) {
    return [self = shared_from_this(), member](const boost::system::error_code& failure,
                                               auto&&...) { (self.get()->*member)(failure); };
  }

  ServerState& server_;
  const Admission::Id id_;
  boost::asio::ssl::stream<boost::asio::ip::tcp::socket> stream_;
  boost::asio::steady_timer deadline_;
  const char* phase_ = "";
  bool may_go_on_ = true;  // with its handshake, for a second time, if there is room
  bool is_verified_ = false;
  bool waits_for_room_ = false;
  bool is_computing_ = false;  // a worker has it: it keeps its place until that has ended
  bool is_over_ = false;
  std::string caller_ = {};  // a name for its shares
  ReceivedRequest request_;
  boost::beast::flat_buffer buffer_{8 * kReadBytes};
  boost::beast::http::request_parser<boost::beast::http::string_body> parser_;
  Reply reply_;
  boost::beast::http::response<boost::beast::http::string_body> response_;
  std::array<char, 4096> ignored_ = {};
  std::size_t thrown_away_ = 0;
};

}  // namespace dovetail::federation
