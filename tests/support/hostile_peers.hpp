// Peers that do not keep to the protocol: messages that are changed at random, servers that answer
// what they are told to, and what a healthy process looks like from outside.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "federation/agent/registrar.hpp"
#include "support/federation.hpp"

namespace dovetail::testing {

using federation::Json;

// Values that a careless reader takes for something else.
inline Json hostile_value(std::mt19937& random) {
  const auto nested = [] {
    Json json = 1;
    for (int i = 0; i < 40; ++i) json = Json::array({json});
    return json;
  };
  const std::vector<Json> values = {99999999999999,
                                    -1,
                                    0,
                                    9223372036854775807,
                                    18446744073709551615U,
                                    1e300,
                                    -0.5,
                                    nullptr,
                                    true,
                                    "",
                                    "..",
                                    "../../etc/passwd",
                                    "a/b",
                                    "x",
                                    "https://127.0.0.1",
                                    "https://:::",
                                    "\x1b[2J\n forged line",
                                    std::string(5000, 'a'),
                                    Json::array(),
                                    Json::object(),
                                    Json::array({1, "x", nullptr}),
                                    Json(std::vector<int>(20000, 7)),
                                    nested()};
  return values[random() % values.size()];
}

// The message with one place changed: another value, no value, or one that is there twice.
inline Json mutated(Json message, std::mt19937& random) {
  Json* place = &message;
  while (place->is_structured() && !place->empty() && random() % 4 != 0) {
    auto item = place->begin();
    std::advance(item, random() % place->size());
    if (random() % 8 == 0) {
      place->erase(item);
      return message;
    }
    if (place->is_array() && random() % 8 == 0) {
      place->push_back(Json(*item));
      return message;
    }
    place = &*item;
  }
  *place = hostile_value(random);
  return message;
}

// The text with some bytes changed, missing or repeated.
inline std::string broken_bytes(std::string text, std::mt19937& random) {
  for (int i = 0; i < 3 && !text.empty(); ++i) {
    const std::size_t place = random() % text.size();
    switch (random() % 3) {
      case 0:
        text[place] = static_cast<char>(random());
        break;
      case 1:
        text.erase(place, random() % 20);
        break;
      default:
        text.insert(place, text.substr(place, random() % 20));
    }
  }
  return text;
}

// A server with a real certificate that answers by functions of the test, and a registration with
// an agent.
class FakePeer {
 public:
  using Answer = std::function<Json(const Json& request)>;

  // Without an agent it is not registered.
  FakePeer(const TestKeys& keys, federation::Role role, const std::string& name,
           const std::map<std::string, Answer>& answers, const std::string& agent = {})
      : caller_(keys.make(role, name)) {
    std::vector<federation::Operation> operations;
    for (const auto& [operation, answer] : answers) {
      operations.push_back({operation == "capabilities" ? "GET" : "POST",
                            "/v1/" + operation,
                            {federation::Role::client, federation::Role::agent},
                            [answer](const federation::Call& call) { return answer(call.body); }});
    }
    server_ = std::make_unique<federation::HttpServer>(
        federation::Address{}, caller_.self(), operations, federation::ServerLimits{}, log_.log());
    if (agent.empty()) return;
    registrar_ = std::make_unique<federation::Registrar>(
        caller_, federation::Registration{.agent = agent, .own_url = url()}, log_.log());
  }

  std::string url() const { return "https://127.0.0.1:" + std::to_string(server_->port()); }
  const federation::Caller& caller() const { return caller_; }
  const LogLines& log() const { return log_; }

 private:
  LogLines log_;
  federation::Caller caller_;
  std::unique_ptr<federation::HttpServer> server_;
  std::unique_ptr<federation::Registrar> registrar_;
};

// The answers of a daemon that offers to be the fastest, takes everything and does nothing.
// `change` gets the name of the operation and the honest answer.
inline std::map<std::string, FakePeer::Answer> idle_daemon(
    const std::string& name, const std::function<Json(const std::string&, Json)>& change) {
  auto orders = std::make_shared<std::map<std::string, Json>>();
  auto mutex = std::make_shared<std::mutex>();
  std::map<std::string, FakePeer::Answer> answers;
  answers["capabilities"] = [=](const Json&) {
    return change("capabilities", {{"protocol", 1},
                                   {"name", name},
                                   {"processors", 4},
                                   {"cores_per_node", 4},
                                   {"executor", "local"},
                                   {"services",
                                    {{{"name", "sum"},
                                      {"ensembles", true},
                                      {"tasks", false},
                                      {"parameters", Json::array()}}}}});
  };
  answers["estimate"] = [=](const Json& request) {
    Json reply = {{"daemon", name},
                  {"service", "sum"},
                  {"makespans", Json::array()},
                  {"groups", Json::array()},
                  {"at_no_cost", 0},
                  {"busy_scenarios", 0},
                  {"queue_wait", 0},
                  {"valid_until", run::wall_now() + 60'000}};
    for (int k = 1; k <= request.at("scenarios").get<int>(); ++k) {
      reply["makespans"].push_back(0.01 * k);
      reply["groups"].push_back(Json::array({2}));
    }
    return change("estimate", reply);
  };
  answers["submit"] = [=](const Json& request) {
    const std::lock_guard lock(*mutex);
    (*orders)[request.at("request_id")] = request;
    return change("submit", {{"request_id", request.at("request_id")}, {"accepted", true}});
  };
  answers["watch"] = [=](const Json& request) {
    const std::lock_guard lock(*mutex);
    const auto order = orders->find(request.at("request_id").get<std::string>());
    if (order == orders->end()) throw federation::Refusal(404, "there is no such request");
    Json reply = {{"request_id", order->first},
                  {"cursor", 1},
                  {"over", false},
                  {"folder", "/nowhere"},
                  {"scenarios", Json::array()}};
    for (const Json& one : order->second.at("scenarios")) {
      reply["scenarios"].push_back({{"scenario", one.at("scenario")},
                                    {"last_completed_month", 0},
                                    {"posts_left", 0},
                                    {"state", "active"}});
    }
    return change("watch", reply);
  };
  answers["cancel"] = [=](const Json&) { return change("cancel", Json::object()); };
  answers["held"] = [=](const Json& request) {
    Json reply = {{"daemon", name}, {"scenarios", Json::array()}};
    for (const Json& number : request.at("scenarios")) {
      reply["scenarios"].push_back({{"scenario", number}, {"months", 1}});
    }
    return change("held", reply);
  };
  return answers;
}

// The most memory that a process has had, in megabytes; 0 when it is gone.
inline long peak_megabytes(pid_t pid) {
  std::istringstream status(text_of("/proc/" + std::to_string(pid) + "/status"));
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stol(line.substr(6)) / 1024;
  }
  return 0;
}

// The limit for a server under attack. A sanitizer keeps freed memory and a shadow of all of it.
inline long most_megabytes() {
  const char* given = std::getenv("DOVETAIL_TEST_MEGABYTES");
  if (given != nullptr) return std::atol(given);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return 1500;
#else
  return 256;
#endif
}

}  // namespace dovetail::testing
