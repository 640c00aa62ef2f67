// A server among clients of all kinds: who is refused is told or cut off, a line is logged, and the
// server goes on.
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <thread>

#include "federation/net/http_client.hpp"
#include "federation/net/http_server.hpp"
#include "support/federation.hpp"

namespace dovetail::federation {
namespace {

using testing::failure_of;
using testing::LogLines;
using testing::RawConnection;
using testing::TestKeys;

class FederationHttp : public ::testing::Test {
 protected:
  void start(const ServerLimits& limits = {}) {
    server_.emplace(Address{}, keys_.make(Role::daemon, "grillon"),
                    std::vector<Operation>{
                        {"GET",
                         "/v1/capabilities",
                         {Role::client, Role::agent},
                         [](const Call& call) {
                           return Json{{"caller", call.peer.name}};
                         }},
                        {"POST",
                         "/v1/submit",
                         {Role::client},
                         [this](const Call& call) {
                           ++served_;
                           return call.body;
                         }},
                        {"POST",
                         "/v1/no",
                         {Role::client},
                         [](const Call&) -> Json { throw Refusal(409, "not now", "come back"); }}},
                    limits, log_.log());
    here_ = {"https://127.0.0.1:" + std::to_string(server_->port()), Role::daemon};
  }

  // Whether a client of ours is still served.
  void expect_well() {
    const Caller caller(keys_.make(Role::client, "bob"));
    EXPECT_EQ(caller.get(here_, "/v1/capabilities", 20)["caller"], "bob");
  }

  std::string failure(const Identity& self, const std::string& path = "/v1/submit") {
    return failure_of([&] { Caller(self).post(here_, path, Json::object(), 20); });
  }

  TestKeys keys_;
  LogLines log_;
  std::atomic<int> served_ = 0;
  Server here_;
  std::optional<HttpServer> server_;
};

TEST_F(FederationHttp, WhatIsSentComesBack) {
  start();
  const Caller caller(keys_.make(Role::client, "alice"));
  const Json body = {{"text", "ü\"\\"}, {"numbers", {1, 2.5}}};
  EXPECT_EQ(caller.post(here_, "/v1/submit", body, 20), body);
  EXPECT_EQ(caller.get(here_, "/v1/capabilities", 20)["caller"], "alice");
}

TEST_F(FederationHttp, ARefusalSaysWhatAndWhatToDo) {
  start();
  EXPECT_NE(failure(keys_.make(Role::client, "alice"), "/v1/no").find("not now; come back"),
            std::string::npos);
  EXPECT_TRUE(log_.has("409: not now"));
  EXPECT_NE(failure(keys_.make(Role::client, "alice"), "/v2/submit").find("no such operation"),
            std::string::npos);
}

TEST_F(FederationHttp, AnotherRoleIsRefused) {
  start();
  EXPECT_NE(failure(keys_.make(Role::agent, "lyon")).find("role agent"), std::string::npos);
  EXPECT_EQ(served_, 0);
  EXPECT_TRUE(log_.has("by agent \"lyon\"")) << log_.text();
  expect_well();
}

TEST_F(FederationHttp, WithoutACertificateNothingIsAnswered) {
  start();
  RawConnection nobody(server_->port());
  nobody.handshake();
  nobody.say("GET /v1/capabilities HTTP/1.1\r\n\r\n");
  EXPECT_EQ(nobody.hear(), "");
  EXPECT_TRUE(log_.comes("refused 127.0.0.1")) << log_.text();
  expect_well();
}

TEST_F(FederationHttp, ACertificateOfAnotherAuthorityIsRefused) {
  start();
  const TestKeys others;
  const Identity stranger = others.make(Role::client, "alice");
  // As the stranger trusts our server, it is the server that refuses.
  Identity mixed = stranger;
  mixed.authority = keys_.path("ca.crt");
  EXPECT_NE(failure(mixed), "no error");
  EXPECT_TRUE(log_.comes("refused 127.0.0.1")) << log_.text();
  EXPECT_NE(failure(stranger), "no error");
  EXPECT_EQ(served_, 0);
  expect_well();
}

TEST_F(FederationHttp, AnExpiredCertificateIsRefused) {
  start();
  EXPECT_NE(failure(keys_.make(Role::client, "alice", -1)), "no error");
  EXPECT_TRUE(log_.comes("expired")) << log_.text();
  EXPECT_EQ(served_, 0);
  expect_well();
}

TEST_F(FederationHttp, AServerOfAnotherRoleOrNameIsNotTrusted) {
  start();
  const Caller caller(keys_.make(Role::client, "alice"));
  const auto ask = [&](const Server& server) {
    return failure_of([&] { caller.get(server, "/v1/capabilities", 20); });
  };
  EXPECT_NE(ask({here_.url, Role::agent}).find("not that of an agent"), std::string::npos);
  EXPECT_NE(ask({here_.url, Role::daemon, "azur"}).find("a daemon azur"), std::string::npos);
  EXPECT_EQ(ask({here_.url, Role::daemon, "grillon"}), "no error");
}

TEST_F(FederationHttp, AHundredMegabytesAreNotRead) {
  start();
  const Identity alice = keys_.make(Role::client, "alice");
  RawConnection large(server_->port(), &alice);
  ASSERT_TRUE(large.handshake());
  large.say("POST /v1/submit HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000\r\n\r\n");
  const std::string piece(100'000, 'x');
  int sent = 0;
  while (sent < 1000 && large.say(piece)) ++sent;
  EXPECT_LT(sent, 1000);
  EXPECT_TRUE(log_.comes("413")) << log_.text();
  EXPECT_EQ(served_, 0);
  expect_well();
}

TEST_F(FederationHttp, ABodyThatDoesNotSayItsSizeIsBoundedToo) {
  start();
  const Identity alice = keys_.make(Role::client, "alice");
  RawConnection large(server_->port(), &alice);
  ASSERT_TRUE(large.handshake());
  large.say("POST /v1/submit HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
  const std::string piece = "186a0\r\n" + std::string(100'000, 'x') + "\r\n";
  int sent = 0;
  while (sent < 1000 && large.say(piece)) ++sent;
  EXPECT_LT(sent, 1000);
  EXPECT_EQ(served_, 0);
  expect_well();
}

TEST_F(FederationHttp, ABodyThatIsNotJsonIsRefused) {
  start();
  const Identity alice = keys_.make(Role::client, "alice");
  RawConnection raw(server_->port(), &alice);
  ASSERT_TRUE(raw.handshake());
  raw.say("POST /v1/submit HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n{a:1}");
  EXPECT_NE(raw.hear().find("the body is not JSON"), std::string::npos);
  EXPECT_EQ(served_, 0);
}

TEST_F(FederationHttp, AServerThatIsGoneIsNamed) {
  start();
  server_.reset();
  EXPECT_NE(failure(keys_.make(Role::client, "alice")).find("no server answers there"),
            std::string::npos);
}

TEST_F(FederationHttp, TwoServersCannotHaveOnePort) {
  start();
  EXPECT_NE(failure_of([&] {
              HttpServer({"127.0.0.1", server_->port()}, keys_.make(Role::agent, "x"), {}, {},
                         log_.log());
            }).find("cannot listen at"),
            std::string::npos);
}

TEST_F(FederationHttp, APackedBodyIsNotUnpacked) {
  start();
  const Identity alice = keys_.make(Role::client, "alice");
  RawConnection packed(server_->port(), &alice);
  ASSERT_TRUE(packed.handshake());
  // {} by gzip: it may as well be a gigabyte of spaces.
  const std::string body(
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xab\xae\x05\x00\x43\xbf\xa6\xa3"
      "\x02\x00\x00\x00",
      22);
  packed.say("POST /v1/submit HTTP/1.1\r\nHost: x\r\nContent-Encoding: gzip\r\nContent-Length: " +
             std::to_string(body.size()) + "\r\n\r\n" + body);
  EXPECT_NE(packed.hear().find("the request is packed"), std::string::npos);
  EXPECT_EQ(served_, 0);
  expect_well();
}

TEST_F(FederationHttp, ListsWithinListsAreBounded) {
  start();
  const Identity alice = keys_.make(Role::client, "alice");
  RawConnection deep(server_->port(), &alice);
  ASSERT_TRUE(deep.handshake());
  constexpr int kDepth = 400'000;
  const std::string body = std::string(kDepth, '[') + std::string(kDepth, ']');
  deep.say("POST /v1/submit HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body.size()) +
           "\r\n\r\n" + body);
  EXPECT_NE(deep.hear().find("within each other"), std::string::npos);
  EXPECT_EQ(served_, 0);
  expect_well();
}

TEST_F(FederationHttp, AnAnswerOfListsWithinListsIsNone) {
  Json deep = Json::array();
  for (int i = 0; i < 60; ++i) {
    Json outer = Json::array();
    outer.push_back(std::move(deep));
    deep = std::move(outer);
  }
  const HttpServer server(
      {}, keys_.make(Role::daemon, "grillon"),
      {{"GET", "/v1/capabilities", {Role::client}, [&](const Call&) { return deep; }}}, {},
      log_.log());
  const Caller caller(keys_.make(Role::client, "alice"));
  const Server there{"https://127.0.0.1:" + std::to_string(server.port()), Role::daemon};
  EXPECT_NE(failure_of([&] { caller.get(there, "/v1/capabilities", 20); }).find("not JSON"),
            std::string::npos);
}

TEST_F(FederationHttp, ACertificateThatWasTakenBackIsRefused) {
  start();
  const Identity alice = keys_.make(Role::client, "alice");
  EXPECT_EQ(failure(alice), "no error");
  refuse_certificate(keys_.folder(), "alice");
  EXPECT_NE(failure(alice).find("revoked"), std::string::npos);
  EXPECT_TRUE(log_.has("403: the certificate is revoked")) << log_.text();
  expect_well();
  // Of a server as well.
  const Caller caller(keys_.make(Role::client, "carol"));
  refuse_certificate(keys_.folder(), "grillon");
  EXPECT_NE(failure_of([&] { caller.get(here_, "/v1/capabilities", 20); }).find("revoked"),
            std::string::npos);
}

}  // namespace
}  // namespace dovetail::federation
