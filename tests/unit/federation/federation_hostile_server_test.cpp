// Callers among servers of all kinds: whatever a server answers, and whatever URL a message has, a
// call ends with an ordinary error.
#include <gtest/gtest.h>

#include "federation/agent/gather.hpp"
#include "support/hostile_server.hpp"

namespace dovetail::federation {
namespace {

using testing::failure_of;
using testing::HostileServer;
using testing::TestKeys;
using Say = HostileServer::Say;

constexpr const char* kFine = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";

class FederationHostileServer : public ::testing::Test {
 protected:
  // How a call ends when the server talks like that; "no error", "no answer: ..." or "denied: ...".
  std::string end_of_call(const std::function<void(const Say&)>& talk, double seconds = 20,
                          const std::string& path = "/v1/estimate") {
    const HostileServer server(daemon_, talk);
    try {
      caller_.post({server.url(), Role::daemon, "grillon"}, path, Json::object(), seconds);
      return "no error";
    } catch (const NoAnswer& error) {
      return std::string("no answer: ") + error.what();
    } catch (const Denied& error) {
      return std::string("denied: ") + error.what();
    }
  }

  std::string end_of_call_with(const std::string& text, const std::string& path = "/v1/estimate") {
    return end_of_call([&](const Say& say) { say(text); }, 20, path);
  }

  std::string end_of_call_with_json(const std::string& json,
                                    const std::string& path = "/v1/estimate") {
    return end_of_call_with(
        kFine + ("Content-Length: " + std::to_string(json.size())) + "\r\n\r\n" + json, path);
  }

  static void say_for_ever(const Say& say, const std::string& begin, const std::string& piece) {
    if (!say(begin)) return;
    while (say(piece)) {
    }
  }

  static bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }

  TestKeys keys_;
  Identity daemon_ = keys_.make(Role::daemon, "grillon");
  Caller caller_{keys_.make(Role::client, "alice")};
};

TEST_F(FederationHostileServer, AUrlThatIsNoneIsNoAnswer) {
  for (const std::string url :
       {"", "x", "https:/", "https://", "https:///", "https://127.0.0.1", "https://127.0.0.1:0",
        "https://127.0.0.1:99999", "https://127.0.0.1:-1", "http://127.0.0.1:80",
        "https://127.0.0.1:80/x", "https://127.0.0.1\n:80"}) {
    EXPECT_THROW(caller_.get({url, Role::daemon}, "/v1/capabilities", 5), NoAnswer) << url;
  }
  // As an agent's answer may have it: the thread that asks must survive.
  const std::vector<AgentMember> members = {{"azur", Role::daemon, "x"}};
  const Answers answers = gather(caller_, members, {.operation = "held", .request = {}}, 5'000);
  ASSERT_EQ(answers.refused.size(), 1U);
  EXPECT_EQ(answers.refused.front().name, "azur");
}

TEST_F(FederationHostileServer, AnEndlessAnswerIsNotReadToItsEnd) {
  const std::string piece(100'000, 'x');
  const auto endless = [&](const std::string& begin) {
    return end_of_call([&](const Say& say) { say_for_ever(say, begin, piece); }, 60);
  };
  EXPECT_TRUE(has(endless(""), "no answer: ")) << "not HTTP at all";
  EXPECT_TRUE(has(endless("HTTP/1.1 200 "), "no answer: ")) << "the first line";
  EXPECT_TRUE(has(endless("HTTP/1.1 200 OK\r\nX: "), "no answer: ")) << "a header";
  EXPECT_TRUE(has(endless(std::string(kFine) + "\r\n"), "its answer is larger than")) << "the body";
  EXPECT_TRUE(has(endless(std::string(kFine) + "Content-Length: 99999999999\r\n\r\n"),
                  "its answer is larger than"))
      << "a body that is announced";
  EXPECT_TRUE(
      has(endless(std::string(kFine) + "Transfer-Encoding: chunked\r\n\r\n5;"), "no answer: "))
      << "the length of a chunk";
  EXPECT_TRUE(has(end_of_call(
                      [&](const Say& say) {
                        say_for_ever(say, std::string(kFine) + "Transfer-Encoding: chunked\r\n\r\n",
                                     "186a0\r\n" + piece + "\r\n");
                      },
                      60),
                  "its answer is larger than"))
      << "chunks";
  EXPECT_TRUE(
      has(end_of_call([&](const Say& say) { say_for_ever(say, "HTTP/1.1 200 OK\r\n", "A: b\r\n"); },
                      60),
          "no answer: "))
      << "headers";
}

TEST_F(FederationHostileServer, AnOperationWithASmallAnswerReadsNoLargeOne) {
  const std::string large = "[\"" + std::string(100'000, 'x') + "\"]";
  EXPECT_EQ(end_of_call_with_json(large, "/v1/estimate"), "no error");
  const std::string end = end_of_call_with_json(large, "/v1/submit");
  EXPECT_TRUE(has(end, "larger than 65536 bytes")) << end;
}

TEST_F(FederationHostileServer, WhatIsNotJsonIsNoAnswer) {
  for (const std::string text : {"", "x", "{", "[1,", "\"\xff\"", "[1e999]", "nul"}) {
    EXPECT_TRUE(has(end_of_call_with_json(text), "the answer is not JSON")) << text;
  }
}

TEST_F(FederationHostileServer, WhatWouldTakeMuchMemoryIsNoAnswer) {
  std::string deep(100'000, '[');
  deep += std::string(100'000, ']');
  EXPECT_TRUE(has(end_of_call_with_json(deep), "not JSON"));
  std::string empty_objects = "[{}";
  while (empty_objects.size() < 3'000'000) empty_objects += ",{}";
  EXPECT_TRUE(has(end_of_call_with_json(empty_objects + "]"), "not JSON"));
  std::string fields = "{\"\":0";
  for (int i = 0; i < 100'000; ++i) fields += ",\"" + std::to_string(i) + "\":0";
  EXPECT_TRUE(has(end_of_call_with_json(fields + "}"), "not JSON"));
}

TEST_F(FederationHostileServer, WhatIsNotHttpIsNoAnswer) {
  for (const std::string text :
       {"", "\r\n\r\n", "HELLO\r\n\r\n", "HTTP/1.1 \r\n\r\n", "HTTP/9.9 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{}"}) {
    EXPECT_TRUE(has(end_of_call_with(text), "no answer: ")) << text;
  }
}

TEST_F(FederationHostileServer, ARefusalIsOneLineWhateverItSays) {
  const auto refused = [&](const std::string& json) {
    return end_of_call_with("HTTP/1.1 409 Conflict\r\nContent-Length: " +
                            std::to_string(json.size()) + "\r\n\r\n" + json);
  };
  EXPECT_TRUE(has(refused("{\"error\":\"a\\nb\\u001b[2J\"}"), "a b [2J"));
  for (const std::string json : {"", "x", "[]", "{\"error\":1}", "{\"error\":{}}"}) {
    EXPECT_TRUE(has(refused(json), "denied: ")) << json;
    EXPECT_TRUE(has(refused(json), "no reason is given")) << json;
  }
}

TEST_F(FederationHostileServer, ACallEndsInTimeAlsoWhenTheAnswerComesByteByByte) {
  const auto trickle = [](const Say& say) {
    if (!say("HTTP/1.1 200 OK\r\nX: ")) return;
    while (say("x")) usleep(20'000);
  };
  EXPECT_TRUE(has(end_of_call(trickle, 1), "does not answer in time"));
}

TEST_F(FederationHostileServer, ACallEndsInTimeWhenNothingIsSaid) {
  const auto silent = [](const Say& say) {
    while (say("")) usleep(20'000);
  };
  EXPECT_TRUE(has(end_of_call(silent, 1), "no answer: "));
}

}  // namespace
}  // namespace dovetail::federation
