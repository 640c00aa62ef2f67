// Agents and daemons as processes among callers and members that want to harm them: clusters stay
// registered, clients are served, and memory stays small.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <deque>
#include <fstream>
#include <iostream>
#include <thread>

#include "federation/agent/registrar.hpp"
#include "support/hostile_server.hpp"
#include "support/system/real_federation.hpp"

namespace dovetail::testing {
namespace {

using federation::Json;
using federation::Role;

// Opens connections that show no certificate, some of them with the first bytes of a handshake,
// hundreds in a second, and keeps the last ones.
class Flood {
 public:
  Flood(int port, std::size_t kept) : kept_(kept), thread_([this, port] { work(port); }) {}
  ~Flood() {
    is_over_ = true;
    thread_.join();
  }
  int count() const { return count_; }

 private:
  void work(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
    std::deque<run::Descriptor> connections;
    while (!is_over_) {
      // Without waiting for an answer: a server that is full gives none.
      connections.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
      connect(connections.back().get(), reinterpret_cast<sockaddr*>(&address), sizeof address);
      if (++count_ % 2 == 0) send(connections.back().get(), "\x16\x03\x01", 3, MSG_NOSIGNAL);
      if (connections.size() > kept_) connections.pop_front();
      usleep(2'000);
    }
  }

  const std::size_t kept_;
  std::atomic<bool> is_over_ = false;
  std::atomic<int> count_ = 0;
  std::thread thread_;
};

// As many as the system gives to a process.
std::size_t open_files() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_cur;
}

class FederationFlood : public RealFederation {
 protected:
  int port_of(const std::string& name) const {
    return std::stoi(url(name).substr(url(name).rfind(':') + 1));
  }

  // The most memory that a server has had so far, in megabytes.
  double peak_of(const std::string& name) const {
    std::ifstream file("/proc/" + std::to_string(servers_.at(name).pid) + "/status");
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) / 1024;
    }
    ADD_FAILURE() << name << " is gone";
    return 0;
  }

  std::size_t members_of(const std::string& agent) {
    return client_.get({url(agent), Role::agent}, "/v1/capabilities", 20)["members"].size();
  }

  void start_site() {
    start_agent("master");
    write_daemon("azur", 2, "0.05");
    start_daemon("azur", "master");
    ASSERT_TRUE(comes_true([&] { return members_of("master") == 1; }));
  }

  // How much more memory than ever before a server has had after `harm`, in megabytes.
  template <typename Harm>
  double growth(const std::string& name, Harm harm) {
    // So that what a first request needs is there.
    const Role role = name == "master" ? Role::agent : Role::daemon;
    client_.get({url(name), role}, "/v1/capabilities", 20);
    const double before = peak_of(name);
    harm();
    const double grown = peak_of(name) - before;
    std::cout << name << ": " << grown << " MB more\n";
    return grown;
  }

  // What the server takes before it ends the connection, at most 300 megabytes.
  std::size_t send_for_ever(int port, const std::string& begin, const std::string& piece) const {
    const federation::Identity alice = client_.self();
    RawConnection endless(port, &alice);
    EXPECT_TRUE(endless.handshake());
    endless.say(begin);
    std::size_t sent = 0;
    while (sent < 300'000'000 && endless.say(piece)) sent += piece.size();
    return sent;
  }

  static constexpr double kLittle = 48;  // megabytes
};

TEST_F(FederationFlood, ClustersStayRegisteredAndClientsAreServed) {
  start_site();
  // Closing a connection gives its place back: a flood keeps all until the server closes them.
  const std::size_t kept = std::min<std::size_t>(open_files() / 3, 4'000);
  const Flood at_agent(port_of("master"), kept);
  const Flood at_daemon(port_of("azur"), kept);
  const Time until = run::steady_now() + 2 * federation::kLease;
  while (run::steady_now() < until) {
    ASSERT_EQ(members_of("master"), 1U) << log_of("master");
    const Json can = client_.get({url("azur"), Role::daemon}, "/v1/capabilities", 20);
    ASSERT_EQ(can["name"], "azur");
  }
  std::cout << at_agent.count() << " and " << at_daemon.count() << " connections\n";
  EXPECT_EQ(log_of("master").find("has not renewed"), std::string::npos);
  EXPECT_EQ(log_of("azur").find("not registered"), std::string::npos) << log_of("azur");
}

TEST_F(FederationFlood, AnEndlessHeaderCostsLittleMemory) {
  start_site();
  const std::string piece(100'000, 'x');
  for (const std::string begin : {"GET /", "GET /v1/capabilities HTTP/1.1\r\nX: "}) {
    for (const std::string name : {"azur", "master"}) {
      std::size_t sent = 0;
      EXPECT_LT(growth(name, [&] { sent = send_for_ever(port_of(name), begin, piece); }), kLittle)
          << name << " " << begin;
      EXPECT_LT(sent, 12'000'000U) << "more than sockets hold: the server reads on";
    }
  }
}

TEST_F(FederationFlood, ThousandsOfPartsCostLittleMemory) {
  start_site();
  const std::string question = R"({"service": "sum", "scenarios": 1000, "months": 2})";
  std::string request = "POST /v1/estimate HTTP/1.1\r\nHost: x\r\nContent-Length: " +
                        std::to_string(question.size()) + "\r\nRange: bytes=0-";
  while (request.size() < 8'000) request += ",0-";
  request += "\r\n\r\n" + question;
  const federation::Identity alice = client_.self();
  EXPECT_LT(growth("azur",
                   [&] {
                     RawConnection parts(port_of("azur"), &alice);
                     ASSERT_TRUE(parts.handshake());
                     parts.say(request);
                     EXPECT_LT(parts.hear().size(), 10'000U);
                   }),
            kLittle);
}

TEST_F(FederationFlood, ADaemonWithALargeAnswerCostsItsAgentLittle) {
  start_agent("master");
  const federation::Caller daemon(keys_.make(Role::daemon, "mallory"));
  std::string estimate = "[{}";
  while (estimate.size() < 15'600'000) estimate += ",{}";
  estimate += "]";
  const HostileServer server(daemon.self(), [&](const HostileServer::Say& say) {
    say("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(estimate.size()) + "\r\n\r\n");
    say(estimate);
  });
  daemon.post({url("master"), Role::agent}, "/v1/register",
              {{"url", server.url()}, {"lease_ms", 600'000}, {"capabilities", Json::object()}}, 20);
  Json answer;
  EXPECT_LT(growth("master",
                   [&] {
                     answer = client_.post({url("master"), Role::agent}, "/v1/find",
                                           {{"operation", "estimate"},
                                            {"request", Json::object()},
                                            {"deadline_ms", 20'000}},
                                           30);
                   }),
            kLittle);
  EXPECT_EQ(answer["answers"].size(), 0U);
  ASSERT_EQ(answer["refused"].size(), 1U) << answer;
  EXPECT_NE(answer["refused"][0]["error"].get<std::string>().find("larger than"),
            std::string::npos);
}

}  // namespace
}  // namespace dovetail::testing
