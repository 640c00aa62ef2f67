#include "federation/agent.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "exec/clock.hpp"

namespace dovetail::federation {

namespace {

constexpr std::size_t kMostAgents = 9;  // above each other
constexpr Duration kShortestLease = 100;
constexpr Duration kLongestLease = 3'600'000;

std::size_t count_of(const std::vector<Member>& members, Role role) {
  return static_cast<std::size_t>(std::ranges::count(members, role, &Member::role));
}

}  // namespace

std::string own_url(const std::string& given, const Address& address, int port) {
  return given.empty() ? fmt::format("https://{}:{}", address.host, port) : given;
}

Agent::Agent(const AgentOptions& options, const Identity& self, Log log)
    : log_(std::move(log)), caller_(self) {
  server_ = std::make_unique<HttpServer>(options.address, self, operations(), options.limits, log_);
  url_ = own_url(options.public_url, options.address, server_->port());
  if (!options.parent.empty()) {
    registrar_.emplace(
        caller_, Registration{.agent = options.parent, .own_url = url_, .lease = options.lease},
        log_);
  }
}

std::vector<Operation> Agent::operations() {
  const std::vector<Role> below = {Role::agent, Role::daemon};
  const std::vector<Role> above = {Role::client, Role::agent};
  return {{"POST", "/v1/register", below, [this](const Call& call) { return enroll(call); }},
          {"POST", "/v1/leave", below, [this](const Call& call) { return leave(call); }},
          {"GET", "/v1/capabilities", above, [this](const Call&) { return capabilities(); }},
          {"POST", "/v1/find", above, [this](const Call& call) { return find(call); }}};
}

Json Agent::enroll(const Call& call) {
  const Fields fields(call.body, "register");
  fields.only({"url", "lease_ms", "capabilities"});
  const std::string url = fields.text("url");
  try {
    require_url(url, "register: url");
  } catch (const InputError& error) {
    throw Refusal(400, error.what());
  }
  const Duration lease = fields.whole("lease_ms", kShortestLease, kLongestLease);
  const Member member{call.peer.name, call.peer.role, url, fields.need("capabilities")};
  const std::lock_guard lock(mutex_);
  const Leases::Renewal renewal = leases_.renew(member, lease, exec::steady_now());
  if (renewal == Leases::Renewal::conflict) {
    throw Refusal(409, fmt::format("{} is registered at another place", call.peer.name),
                  "stop the other one, or wait until its lease is over");
  }
  if (renewal == Leases::Renewal::joined) {
    log_(fmt::format("{} {} joins at {}", name_of(member.role), member.name, url));
  }
  return {{"lease_ms", lease}};
}

Json Agent::leave(const Call& call) {
  const std::lock_guard lock(mutex_);
  if (leases_.leave(call.peer.name)) {
    log_(fmt::format("{} {} leaves", name_of(call.peer.role), call.peer.name));
  }
  return Json::object();
}

std::vector<Member> Agent::members() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> gone;
  auto members = leases_.live(exec::steady_now(), &gone);
  for (const std::string& name : gone) log_(name + " has not renewed its lease, and is forgotten");
  return members;
}

Json Agent::capabilities() {
  Json json = {{"protocol", 1}, {"name", caller_.self().self.name}, {"members", Json::array()}};
  for (const Member& member : members()) {
    json["members"].push_back({{"name", member.name},
                               {"role", name_of(member.role)},
                               {"url", member.url},
                               {"capabilities", member.capabilities}});
  }
  return json;
}

// Those that the question has passed, and this one.
std::vector<std::string> Agent::passed_agents(const Fields& fields) const {
  std::vector<std::string> through;
  if (fields.find("through") != nullptr) {
    for (const Json& name : fields.list("through")) {
      if (!name.is_string()) fields.fail("through: expected names of agents");
      through.push_back(name.get<std::string>());
    }
  }
  const std::string& self = caller_.self().self.name;
  if (std::ranges::find(through, self) != through.end()) {
    throw Refusal(508, fmt::format("agents are above each other in a circle: {} asks itself", self),
                  "give one of them another --parent, or none");
  }
  if (through.size() >= kMostAgents) {
    fields.fail(fmt::format("through: more than {} agents above each other", kMostAgents));
  }
  through.push_back(self);
  return through;
}

Json Agent::find(const Call& call) {
  const Fields fields(call.body, "find");
  fields.only({"operation", "request", "deadline_ms", "through"});
  Question question{.operation = fields.word("operation"), .request = fields.need("request")};
  if (!can_be_gathered(question.operation)) {
    fields.fail("operation: expected capabilities, estimate or predict");
  }
  question.through = passed_agents(fields);
  const Duration deadline = fields.whole("deadline_ms", 1, kMaxDeadline);
  const std::vector<Member> asked = members();
  const Time began = exec::steady_now();
  log_(fmt::format("step 2: {} asks {} daemons and {} agents: {}, within {} ms", call.peer.name,
                   count_of(asked, Role::daemon), count_of(asked, Role::agent), question.operation,
                   deadline));
  const Answers answers = gather(caller_, asked, question, deadline);
  log_(fmt::format("step 4: {} answers for {} after {} ms; {} refused, {} late",
                   answers.answers.size(), call.peer.name, exec::steady_now() - began,
                   answers.refused.size(), answers.late.size()));
  return json_of(answers);
}

}  // namespace dovetail::federation
