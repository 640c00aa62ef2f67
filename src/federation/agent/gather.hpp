// One question to many servers at once, and what they answered by a deadline.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "federation/agent/leases.hpp"
#include "federation/net/http_client.hpp"

namespace dovetail::federation {

struct ClusterAnswer {
  std::string daemon;
  std::string url;
  Json reply;
};

struct Answers {
  struct Refused {
    std::string name;
    std::string error;
    int status = 0;  // of its answer; 0: it could not be reached
  };
  std::vector<ClusterAnswer> answers = {};  // by name
  std::vector<Refused> refused = {};        // who said no, or could not be reached
  std::vector<std::string> late = {};       // who did not answer in time

  void add(Answers other);
};

Json json_of(const Answers& answers);
// Of an agent's answer; throws what nlohmann::json throws when it is none.
Answers answers_of(const Json& json);

// Operations that may be asked of all daemons at once.
bool can_be_gathered(const std::string& operation);

struct GatherQuestion {
  std::string operation;  // "capabilities", "estimate", "predict"
  Json request;
  std::vector<std::string> through = {};  // names of the agents that it has passed
};

// Every daemon answers once, also when there are two ways to it. Returns at the deadline at the
// latest, whatever the members do; agents among them are told to answer somewhat earlier. What is
// still on its way then ends by itself a second later.
Answers gather(const Caller& caller, std::span<const AgentMember> members,
               const GatherQuestion& question, Duration deadline);

}  // namespace dovetail::federation
