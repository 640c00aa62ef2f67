// A server among callers that want to harm it: nothing they send or leave out costs it more than a
// little memory, and others are served meanwhile.
#include <gtest/gtest.h>

#include <atomic>
#include <iostream>
#include <optional>
#include <thread>

#include "federation/net/http_client.hpp"
#include "federation/net/http_server.hpp"
#include "support/federation.hpp"
#include "support/hostile_peers.hpp"

namespace dovetail::federation {
namespace {

using testing::LogLines;
using testing::RawConnection;
using testing::TestKeys;
using Connections = std::vector<std::unique_ptr<RawConnection>>;

class FederationHostileCallers : public ::testing::Test {
 protected:
  void start(const ServerLimits& limits = {}) {
    server_.emplace(
        Address{}, keys_.make(Role::daemon, "grillon"),
        std::vector<Operation>{
            {"GET",
             "/v1/capabilities",
             {Role::client},
             [](const Call& call) {
               return Json{{"caller", call.peer.name}};
             }},
            {"POST", "/v1/submit", {Role::client}, [](const Call& call) { return call.body; }},
            {"POST",
             "/v1/watch",
             {Role::client},
             [](const Call& call) {
               std::this_thread::sleep_for(std::chrono::seconds(2));
               return Json{{"values", call.body.size()}};
             }},
            {"POST",
             "/v1/find",
             {Role::client},
             [](const Call&) {
               return Json{{"long", std::string(100'000, 'x')}};
             }}},
        limits, log_.log());
    here_ = {"https://127.0.0.1:" + std::to_string(server_->port()), Role::daemon};
  }

  // Whether a client of ours is still served.
  void expect_well() {
    const Caller caller(keys_.make(Role::client, "bob"));
    EXPECT_EQ(caller.get(here_, "/v1/capabilities", 20)["caller"], "bob");
  }

  Connections silent(int count) const {
    Connections connections;
    for (int i = 0; i < count; ++i) {
      connections.push_back(std::make_unique<RawConnection>(server_->port()));
    }
    return connections;
  }

  // Sends `piece` again and again; whether the server ends that before a hundred megabytes.
  bool is_cut_off(const std::string& begin, const std::string& piece) {
    const Identity alice = keys_.make(Role::client, "alice");
    RawConnection endless(server_->port(), &alice);
    EXPECT_TRUE(endless.handshake());
    endless.say(begin);
    for (std::size_t sent = 0; sent < 100'000'000; sent += piece.size()) {
      if (!endless.say(piece)) return true;
    }
    return false;
  }

  std::string reply_to(const std::string& request) {
    const Identity alice = keys_.make(Role::client, "alice");
    RawConnection connection(server_->port(), &alice);
    EXPECT_TRUE(connection.handshake());
    connection.say(request);
    return connection.hear();
  }

  TestKeys keys_;
  LogLines log_;
  Server here_;
  std::optional<HttpServer> server_;
};

TEST_F(FederationHostileCallers, WithoutACertificateNoPlaceIsTaken) {
  start({.connections = 4, .header_seconds = 100});
  const Connections idle = silent(200);
  expect_well();
}

TEST_F(FederationHostileCallers, WhoShowsNoCertificateIsCutOff) {
  start({.handshake_seconds = 0.2, .header_seconds = 0.5});
  RawConnection idle(server_->port());
  RawConnection slow(server_->port());
  EXPECT_TRUE(slow.say_raw("\x16\x03\x01\x02"));
  EXPECT_TRUE(idle.is_ended());
  EXPECT_TRUE(slow.is_ended());
  EXPECT_TRUE(log_.comes("refused 127.0.0.1: took too long for its handshake")) << log_.text();
  expect_well();
}

TEST_F(FederationHostileCallers, OneOfManyWithoutACertificateIsCutOffSooner) {
  start({.unverified_per_address = 40, .handshake_seconds = 0.2, .header_seconds = 1000});
  const Connections idle = silent(40);
  for (const auto& connection : {idle.front().get(), idle[20].get()}) {
    EXPECT_TRUE(connection->is_ended());
  }
  EXPECT_TRUE(log_.comes("refused 127.0.0.1: took too long for its handshake")) << log_.text();
  expect_well();
}

TEST_F(FederationHostileCallers, TheOldestConnectionOfAnAddressIsCutFirst) {
  start({.unverified_per_address = 10, .handshake_seconds = 1000});
  const Connections idle = silent(11);
  EXPECT_TRUE(idle.front()->is_ended());
  expect_well();
  EXPECT_TRUE(idle[1]->is_ended());
  EXPECT_TRUE(log_.has("too many connections without a certificate")) << log_.text();
}

TEST_F(FederationHostileCallers, AFloodIsLoggedInAFewLines) {
  start({.unverified_per_address = 10, .handshake_seconds = 1000});
  const Connections idle = silent(500);
  expect_well();
  const std::string text = log_.text();
  EXPECT_LT(std::ranges::count(text, '\n'), 400) << text;
}

TEST_F(FederationHostileCallers, OneClientCannotTakeAllPlaces) {
  start({.connections = 4, .header_seconds = 100});
  const Identity mallory = keys_.make(Role::client, "mallory");
  Connections verified;
  for (int i = 0; i < 6; ++i) {
    verified.push_back(std::make_unique<RawConnection>(server_->port(), &mallory));
    ASSERT_TRUE(verified.back()->handshake());
  }
  expect_well();
}

std::string head_of(const std::string& path, std::size_t size) {
  return "POST " + path + " HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(size) +
         "\r\n\r\n";
}

TEST_F(FederationHostileCallers, LargeBodiesWaitForRoomAndSmallOnesDoNot) {
  const std::string large = "[" + std::string(20'000, ' ') + "]";
  start({.bodies_at_once = 2 * most_memory_of(large.size()), .body_seconds = 100});
  const Identity alice = keys_.make(Role::client, "alice");
  RawConnection first(server_->port(), &alice);
  ASSERT_TRUE(first.handshake());
  first.say(head_of("/v1/submit", large.size()));  // it has room now, and keeps it
  RawConnection second(server_->port(), &alice);
  ASSERT_TRUE(second.handshake());
  second.say(head_of("/v1/submit", large.size()) + large);
  EXPECT_NE(reply_to(head_of("/v1/submit", 2) + "[]").find("200 OK"), std::string::npos);
  const Caller bob(keys_.make(Role::client, "bob"));
  EXPECT_EQ(bob.post(here_, "/v1/submit", Json{{"a", std::string(15'000, 'x')}}, 20).size(), 1U)
      << "bob has a share of his own";
  first.say(large);
  EXPECT_NE(first.hear().find("200 OK"), std::string::npos);
  EXPECT_NE(second.hear().find("200 OK"), std::string::npos);
}

TEST_F(FederationHostileCallers, WhatNeverHasRoomIsRefused) {
  start({.bodies_at_once = 100'000, .answers_at_once = 50'000});
  EXPECT_NE(reply_to(head_of("/v1/submit", 10'000)).find("503 "), std::string::npos);
  EXPECT_TRUE(log_.comes("503: too many large requests wait")) << log_.text();
  EXPECT_NE(reply_to(head_of("/v1/find", 2) + "{}").find("503 "), std::string::npos);
  EXPECT_TRUE(log_.comes("503: other answers take all the memory")) << log_.text();
  expect_well();
}

// Without a limit for all of them they take 16 MB each, for two seconds.
TEST_F(FederationHostileCallers, ManyMaximalBodiesTakeLittleMemoryTogether) {
  start({.body_seconds = 100});
  expect_well();
  std::string body = "[[]";
  while (body.size() < 740'000) body += ",[]";
  body += "]";
  const std::string request = head_of("/v1/watch", body.size()) + body;
  const Identity clients[] = {keys_.make(Role::client, "alice"), keys_.make(Role::client, "carol")};
  const long before = testing::peak_megabytes(getpid());
  std::atomic<int> answered = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < 40; ++i) {
    callers.emplace_back([&, i] {
      RawConnection caller(server_->port(), &clients[i % 2]);
      if (!caller.handshake() || !caller.say(request)) return;
      if (caller.hear().find("200 OK") != std::string::npos) ++answered;
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(answered, 40) << log_.text();
  EXPECT_LT(testing::peak_megabytes(getpid()) - before, testing::most_megabytes());
  std::cout << testing::peak_megabytes(getpid()) - before << " MB more\n";
}

TEST_F(FederationHostileCallers, AnEndlessHeaderIsCutOff) {
  start({.header_seconds = 1000});
  const std::string piece(100'000, 'x');
  EXPECT_TRUE(is_cut_off("", piece)) << "the request line";
  EXPECT_TRUE(is_cut_off("GET /", piece)) << "the path";
  EXPECT_TRUE(is_cut_off("GET /v1/capabilities HTTP/1.1\r\nX: ", piece)) << "a header";
  std::string headers;
  while (headers.size() < 100'000) headers += "A: b\r\n";
  EXPECT_TRUE(is_cut_off("GET /v1/capabilities HTTP/1.1\r\n", headers)) << "headers";
  EXPECT_TRUE(log_.comes("431: the header is larger than 8192 bytes")) << log_.text();
  expect_well();
}

TEST_F(FederationHostileCallers, PartsOfAnAnswerAreRefused) {
  start();
  std::string range = "Range: bytes=0-";
  for (int i = 0; i < 1000; ++i) range += ",0-";
  EXPECT_NE(
      reply_to("GET /v1/capabilities HTTP/1.1\r\nHost: x\r\n" + range + "\r\n\r\n").find("416 "),
      std::string::npos);
  EXPECT_TRUE(log_.has("416: parts of an answer are not sent")) << log_.text();
  expect_well();
}

TEST_F(FederationHostileCallers, WhatIsNotHttpIsRefused) {
  start();
  for (const std::string request :
       {"HELLO\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\r\n\r\n\r\n",
        "POST /v1/submit HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        "POST /v1/submit HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}",
        "GET /v1/capabilities HTTP/1.1\r\n: x\r\n\r\n"}) {
    EXPECT_NE(reply_to(request).find("the request cannot be read"), std::string::npos) << request;
  }
  expect_well();
}

TEST_F(FederationHostileCallers, AMessageThatTakesMuchMemoryIsRefused) {
  start();
  const auto reply_to_body = [&](const std::string& body) {
    return reply_to("POST /v1/submit HTTP/1.1\r\nHost: x\r\nContent-Length: " +
                    std::to_string(body.size()) + "\r\n\r\n" + body);
  };
  std::string objects = "[{}";
  while (objects.size() < 1'000'000) objects += ",{}";
  EXPECT_NE(reply_to_body(objects + "]").find("too many values"), std::string::npos);
  std::string fields = "{\"\":0";
  for (int i = 0; i < 80'000; ++i) fields += ",\"" + std::to_string(i) + "\":0";
  EXPECT_NE(reply_to_body(fields + "}").find("more than 10000 fields"), std::string::npos);
  expect_well();
}

TEST_F(FederationHostileCallers, AnAnswerThatNoCallerWouldReadIsNotSent) {
  const std::string large(100'000, 'x');
  const HttpServer server({}, keys_.make(Role::daemon, "azur"),
                          {{"POST",
                            "/v1/submit",
                            {Role::client},
                            [&](const Call&) {
                              return Json{{"text", large}};
                            }}},
                          {}, log_.log());
  const Caller caller(keys_.make(Role::client, "alice"));
  const Server there{"https://127.0.0.1:" + std::to_string(server.port()), Role::daemon};
  EXPECT_NE(testing::failure_of([&] {
              caller.post(there, "/v1/submit", Json::object(), 20);
            }).find("the answer would be larger than 65536 bytes; ask for less at once"),
            std::string::npos);
}

TEST_F(FederationHostileCallers, WhoDoesNotReadItsAnswerIsCutOff) {
  const Identity alice = keys_.make(Role::client, "alice");
  // More than the sockets hold: the server has to wait for the reader.
  const HttpServer server({}, keys_.make(Role::daemon, "azur"),
                          {{"POST",
                            "/v1/find",
                            {Role::client},
                            [](const Call&) { return Json(std::string(12'000'000, 'x')); }}},
                          {.answer_seconds = 1}, log_.log());
  RawConnection lazy(server.port(), &alice);
  ASSERT_TRUE(lazy.handshake());
  lazy.say("POST /v1/find HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}");
  EXPECT_TRUE(log_.comes("took too long for the answer")) << log_.text();
}

TEST_F(FederationHostileCallers, WhoSendsAByteNowAndThenIsCutOff) {
  start({.header_seconds = 3, .body_seconds = 3});
  const Identity alice = keys_.make(Role::client, "alice");
  RawConnection slow(server_->port(), &alice);
  ASSERT_TRUE(slow.handshake());
  ASSERT_TRUE(slow.say("GET /v1/capabilities HTTP/1.1\r\n"));
  EXPECT_TRUE(testing::comes_true([&] {
    usleep(50'000);
    return !slow.say("X");
  }));
  EXPECT_TRUE(log_.comes("took too long for its request")) << log_.text();
  RawConnection slow_body(server_->port(), &alice);
  ASSERT_TRUE(slow_body.handshake());
  ASSERT_TRUE(slow_body.say("POST /v1/submit HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n"));
  EXPECT_TRUE(testing::comes_true([&] {
    usleep(50'000);
    return !slow_body.say("1");
  }));
  EXPECT_TRUE(log_.comes("took too long for the body")) << log_.text();
  expect_well();
}

}  // namespace
}  // namespace dovetail::federation
