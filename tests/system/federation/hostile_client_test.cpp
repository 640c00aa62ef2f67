// Clients that send nonsense to a live daemon and a live agent, as messages and as bytes. Whatever
// comes, an honest client is answered, and the daemon stays registered.
#include <gtest/gtest.h>

#include "support/documents.hpp"
#include "support/hostile_peers.hpp"
#include "support/system/experiment_test.hpp"

namespace dovetail::testing {
namespace {

using federation::Caller;
using federation::Role;

class HostileClient : public ExperimentTest {
 protected:
  void start() {
    start_agent("master");
    write_daemon("azur", 2, "0.05");
    start_daemon("azur", "master");
    wait_for_daemons(1);
    call("azur", "submit", order("honest", 1, 1));
    watch_to_end("azur", "honest");
  }

  // What a server must be after an attack.
  void expect_well() {
    EXPECT_EQ(watch_to_end("azur", "honest")["scenarios"][0]["state"], "done") << log_of("azur");
    wait_for_daemons(1);
    for (const char* name : {"master", "azur"}) {
      EXPECT_EQ(waitpid(servers_.at(name).pid, nullptr, WNOHANG), 0)
          << name << ": " << log_of(name);
      EXPECT_LT(peak_megabytes(servers_.at(name).pid), most_megabytes()) << name;
    }
    EXPECT_EQ(log_of("master").find("has not renewed its lease"), std::string::npos)
        << log_of("master");
  }

  int port_of(const std::string& name) const {
    return std::stoi(url(name).substr(url(name).rfind(':') + 1));
  }

  // The examples of the protocol's document, by path.
  static std::map<std::string, Json> examples() {
    const Json document = Json::parse(test::read_document("docs/federation-openapi.json"));
    std::map<std::string, Json> examples;
    for (const auto& [path, methods] : document["paths"].items()) {
      const Json body = methods.value("post", Json::object()).value("requestBody", Json());
      if (!body.is_null()) examples[path] = body["content"]["application/json"]["example"];
    }
    return examples;
  }

  static std::string request(const std::string& path, const std::string& body) {
    return "POST " + path + " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" +
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }
};

TEST_F(HostileClient, MessagesThatAreChangedAtRandom) {
  start();
  std::mt19937 random(1);
  const Caller bad(keys_.make(Role::client, "mallory"));
  int refused = 0;
  for (const auto& [path, example] : examples()) {
    for (int i = 0; i < 8; ++i) {
      Json message = mutated(example, random);
      // A legal order would take its time.
      if (path == "/v1/watch" && message.is_object()) message["wait_seconds"] = 0;
      for (const auto& [name, role] : {std::pair("azur", Role::daemon), {"master", Role::agent}}) {
        try {
          bad.post({url(name), role}, path, message, 20);
        } catch (const federation::Denied& denied) {
          EXPECT_LT(denied.status(), 500) << path << " " << message << " " << denied.what();
          ++refused;
        }
      }
    }
  }
  EXPECT_GT(refused, 30);
  expect_well();
}

TEST_F(HostileClient, BytesThatAreNoRequest) {
  start();
  std::mt19937 random(2);
  const federation::Identity mallory = keys_.make(Role::client, "mallory");
  const std::string watch =
      request("/v1/watch", R"({"request_id": "honest", "cursor": 0, "wait_seconds": 0})");
  const std::vector<std::string> texts = {
      "",
      "\r\n\r\n",
      "GET",
      "GET / HTTP/1.1\r\n",
      "GET /../../etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n",
      "POST /v1/watch HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
      "POST /v1/watch HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n{}",
      "POST /v1/watch HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 500\r\n\r\n{}",
      "POST /v1/watch HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nfffffffff\r\n{}",
      watch.substr(0, watch.size() - 5),
      watch + watch,
      std::string(1000, '\0'),
      request("/v1/watch", std::string(2'000'000, '[')),
      request("/v1/watch", "{\"request_id\": \"\xff\xfe\"}")};
  for (const char* name : {"azur", "master"}) {
    for (int i = 0; i < 50; ++i) {
      const std::string text =
          i < static_cast<int>(texts.size()) ? texts[i] : broken_bytes(watch, random);
      RawConnection connection(port_of(name), &mallory);
      if (connection.handshake()) connection.say(text);  // and goes without waiting for an answer
    }
    // No certificate, and no TLS at all.
    RawConnection nobody(port_of(name));
    nobody.handshake();
  }
  expect_well();
}

TEST_F(HostileClient, AServerThatRunsAsRootSaysSo) {
  start();
  for (const char* name : {"azur", "master"}) {
    EXPECT_EQ(log_of(name).find("warning: runs as root") != std::string::npos, geteuid() == 0)
        << log_of(name);
  }
}

}  // namespace
}  // namespace dovetail::testing
