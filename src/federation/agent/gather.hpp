// Asks many servers one question at once, and collects the answers that arrive by a deadline.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "federation/agent/leases.hpp"
#include "federation/net/http_client.hpp"

namespace dovetail::federation {

// The most daemons of a tree.
inline constexpr std::size_t kMostDaemons = 10'000;
// The deepest nesting of what a daemon says of itself. Much less than a message may have, since
// agents wrap it into answers of their own.
inline constexpr int kMostNestedReply = 20;

struct ClusterAnswer {
  std::string daemon;
  std::string url;
  Json reply;
};

struct Answers {
  struct Refused {
    std::string name;
    std::string error;
    int status = 0;  // HTTP status; 0: it could not be reached
  };
  std::vector<ClusterAnswer> answers = {};  // by name
  std::vector<Refused> refused = {};        // members that refused, or could not be reached
  std::vector<std::string> late = {};       // members that did not answer in time

  void add(Answers other);
};

// Answers may be large: both take what they are given apart rather than copying it.
Json json_of(Answers answers);
// Reads an agent's answer to `find`. Throws Refusal when it is malformed; see read_answer().
Answers answers_of(Json json);

// Operations that may be asked of all daemons at once.
bool can_be_gathered(const std::string& operation);

struct GatherQuestion {
  std::string operation;  // "capabilities", "estimate", "predict"
  Json request;
  std::vector<std::string> through = {};  // names of the agents it has passed
};

// Every daemon counts once, even if two agents lead to it: what an agent says of a daemon that
// another member has registered does not count. Returns at the deadline at the latest, whatever the
// members do; agents among them are told to answer slightly earlier. Calls that are still open then
// end by themselves a second later. A member that answers nonsense has refused.
Answers gather(const Caller& caller, std::span<const AgentMember> members,
               const GatherQuestion& question, Duration deadline);

}  // namespace dovetail::federation
