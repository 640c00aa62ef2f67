// Two machines as far as the network is concerned: servers in one network namespace, a client in
// another, a cable between them that can be pulled. Nothing outside of the two is touched.
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

#include <array>
#include <functional>
#include <string>

#include "batch/timed_command.hpp"
#include "federation/agent/agent.hpp"
#include "support/federation.hpp"

namespace dovetail::testing {
namespace {

using federation::Json;
using federation::Role;

bool ip(const std::vector<std::string>& arguments) {
  std::vector<std::string> command = {"ip"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return batch::run_command(command, {.seconds = 20}).is_fine();
}

// Of a child: where it is when it has come so far, and what it waits for.
class Signpost {
 public:
  Signpost() {
    if (pipe(ends_.data()) != 0) throw std::runtime_error("pipe");
  }
  void reach() const {
    if (write(ends_[1], "x", 1) != 1) _exit(8);
  }
  bool wait() const {
    pollfd file{.fd = ends_[0], .events = POLLIN, .revents = 0};
    char c = 0;
    return poll(&file, 1, 30'000) == 1 && read(ends_[0], &c, 1) == 1;
  }

 private:
  std::array<int, 2> ends_{};
};

pid_t child(const std::function<int()>& work) {
  const pid_t pid = fork();
  if (pid == 0) _exit(work());
  return pid;
}

constexpr const char* kServers = "10.77.0.1";
constexpr const char* kClient = "10.77.0.2";
constexpr int kSkip = 77;

class FederationNamespace : public ::testing::Test {
 protected:
  federation::Identity make(Role role, const std::string& name) const {
    federation::make_certificate(keys_.folder(), {role, name, {kServers}}, {.overwrite = true});
    return federation::identity(keys_.path(name));
  }

  // The servers, once their end of the cable is there.
  int serve() const {
    if (unshare(CLONE_NEWNET) != 0) return kSkip;
    unshared_.reach();
    if (!plugged_.wait()) return 1;
    if (!ip({"addr", "add", std::string(kServers) + "/24", "dev", "far"}) ||
        !ip({"link", "set", "far", "up"}) || !ip({"link", "set", "lo", "up"})) {
      return 1;
    }
    LogLines log;
    const federation::Agent agent({.address = {kServers, 7700}}, make(Role::agent, "master"),
                                  log.log());
    const federation::Caller self(make(Role::daemon, "azur"));
    const federation::HttpServer daemon({kServers, 7701}, self.self(),
                                        {{"GET",
                                          "/v1/capabilities",
                                          {Role::agent},
                                          [](const auto&) {
                                            return Json{{"x", 1}};
                                          }}},
                                        {}, log.log());
    const federation::Registrar registrar(
        self, {.agent = agent.url(), .own_url = "https://10.77.0.1:7701", .lease = 300}, log.log());
    serving_.reach();
    for (;;) pause();
  }

  std::size_t answers(const federation::Caller& caller) const {
    const Json reply = caller.post(
        {"https://10.77.0.1:7700", Role::agent}, "/v1/find",
        {{"operation", "capabilities"}, {"request", Json::object()}, {"deadline_ms", 2000}}, 3);
    return reply["answers"].size();
  }

  bool comes(const federation::Caller& caller) const {
    for (int i = 0; i < 50; ++i) {
      try {
        if (answers(caller) == 1) return true;
      } catch (const ExecutionError&) {
      }
      usleep(200'000);
    }
    return false;
  }

  int ask(pid_t servers) const {
    if (unshare(CLONE_NEWNET) != 0) return kSkip;
    if (!ip({"link", "add", "near", "type", "veth", "peer", "name", "far", "netns",
             std::to_string(servers)})) {
      return kSkip;
    }
    if (!ip({"addr", "add", std::string(kClient) + "/24", "dev", "near"}) ||
        !ip({"link", "set", "near", "up"})) {
      return 2;
    }
    plugged_.reach();
    if (!serving_.wait()) return 3;
    const federation::Caller caller(make(Role::client, "alice"));
    if (!comes(caller)) return 4;
    ip({"link", "set", "near", "down"});
    try {
      answers(caller);
      return 5;
    } catch (const federation::NoAnswer&) {
    }
    ip({"link", "set", "near", "up"});
    return comes(caller) ? 0 : 6;
  }

  TestKeys keys_;
  Signpost unshared_;
  Signpost plugged_;
  Signpost serving_;
};

TEST_F(FederationNamespace, ServersAreReachedOverACableThatMayBePulled) {
  if (geteuid() != 0 || access("/usr/sbin/ip", X_OK) != 0) {
    GTEST_SKIP() << "needs root and the program ip, to make network namespaces";
  }
  alarm(200);
  const pid_t servers = child([&] { return serve(); });
  int status = kSkip << 8;
  if (unshared_.wait()) {
    const pid_t client = child([&] { return ask(servers); });
    waitpid(client, &status, 0);
  }
  kill(servers, SIGKILL);
  waitpid(servers, nullptr, 0);
  alarm(0);
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  if (code == kSkip) GTEST_SKIP() << "this system does not allow network namespaces";
  EXPECT_EQ(code, 0);
}

}  // namespace
}  // namespace dovetail::testing
