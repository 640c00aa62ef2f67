#include "federation/agent/agent.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "federation/net/read_answer.hpp"
#include "run/clock.hpp"

namespace dovetail::federation {

namespace {

constexpr std::size_t kMostAgents = 9;  // levels of the tree
// Of what a member says that it can do.
constexpr std::size_t kMostCapabilities = std::size_t{256} << 10U;
// Contested names that are looked into at one registration; the rest at later ones.
constexpr std::size_t kMostRivals = 16;
// The time limit for a daemon to show that it is there; much less than half a lease, the time limit
// of a registration.
constexpr Duration kShowUp = 700;
// How long a daemon that has shown up need not do so again.
constexpr Duration kConfirmed = 10'000;
constexpr Duration kShortestLease = 100;
constexpr Duration kLongestLease = 3'600'000;

std::size_t count_of(const std::vector<AgentMember>& members, Role role) {
  return static_cast<std::size_t>(std::ranges::count(members, role, &AgentMember::role));
}

// Ids of requests belong to their client, whom daemons know only by what the agent says.
void name_client(Json& request, const std::string& client) {
  if (!request.is_object() || !request.contains("without")) return;
  for (Json& id : request.at("without")) {
    if (id.is_string()) id = client + "/" + id.get<std::string>();
  }
}

DaemonUrls daemons_of(const Fields& fields) {
  DaemonUrls daemons;
  if (fields.find("daemons") == nullptr) return daemons;
  const Json& given = fields.need("daemons");
  if (!given.is_object() || given.size() > kMostDaemons) {
    fields.fail(fmt::format("daemons: expected up to {} names and URLs", kMostDaemons));
  }
  const Fields urls = fields.object("daemons");
  for (const auto& [name, url] : given.items()) {
    if (!is_word(name)) fields.fail("daemons: not a name");
    daemons[name] = url_in(urls, name.c_str());
  }
  return daemons;
}

// The daemons that answer at the claimed address with their own certificate.
std::set<std::string> daemons_that_answer(const Caller& caller,
                                          const std::vector<DaemonClaim>& claims) {
  std::vector<AgentMember> servers;
  for (const DaemonClaim& claim : claims)
    servers.push_back({claim.daemon, Role::daemon, claim.url});
  const Answers answers =
      gather(caller, servers, {.operation = "capabilities", .request = Json::object()}, kShowUp);
  std::set<std::string> names;
  for (const ClusterAnswer& answer : answers.answers) names.insert(answer.daemon);
  for (const Answers::Refused& refused : answers.refused) {
    // A refusal with a status came from a server with that certificate.
    if (refused.status != 0) names.insert(refused.name);
  }
  return names;
}

[[noreturn]] void refuse_second(const std::string& name) {
  throw Refusal(409, fmt::format("{} is registered at another place", name),
                "stop the other one, or wait until its lease is over");
}

}  // namespace

std::string own_url(const std::string& given, const Address& address, int port) {
  return given.empty() ? fmt::format("https://{}:{}", address.host, port) : given;
}

Agent::Agent(const AgentOptions& options, const Identity& self, Log log)
    : log_(std::move(log)), caller_(self) {
  server_ = std::make_unique<HttpServer>(options.address, self, operations(), options.limits, log_);
  url_ = own_url(options.public_url, options.address, server_->port());
  if (options.parent.empty()) return;
  if (options.parent == url_) throw InputError("--parent: " + url_ + " is this agent itself");
  const auto daemons = [this] {
    const std::lock_guard lock(mutex_);
    return leases_.daemons(run::steady_now());
  };
  const auto forget = [this](const std::string& daemon) {
    const std::lock_guard lock(mutex_);
    if (leases_.forget_daemon(daemon)) {
      log_(fmt::format("daemon {} is known above at another place, and forgotten here", daemon));
    }
  };
  auto registrar = std::make_shared<Registrar>(caller_,
                                               Registration{.agent = options.parent,
                                                            .own_url = url_,
                                                            .lease = options.lease,
                                                            .daemons = daemons,
                                                            .is_elsewhere = forget},
                                               log_);
  const std::lock_guard lock(mutex_);
  registrar_ = std::move(registrar);
}

Agent::~Agent() {
  std::shared_ptr<Registrar> registrar;
  const std::lock_guard lock(mutex_);
  registrar.swap(registrar_);
}

std::vector<Operation> Agent::operations() {
  const std::vector<Role> below = {Role::agent, Role::daemon};
  const std::vector<Role> above = {Role::client, Role::agent};
  return {{"POST", "/v1/register", below, [this](const Call& call) { return enroll(call); }},
          {"POST", "/v1/leave", below, [this](const Call& call) { return leave(call); }},
          {"GET", "/v1/capabilities", above, [this](const Call&) { return capabilities(); }},
          {"POST", "/v1/find", above, [this](const Call& call) { return find(call); }}};
}

AgentMember Agent::member_of(const Call& call, const Fields& fields) const {
  fields.only({"url", "lease_ms", "capabilities", "daemons"});
  if (call.peer.name == caller_.self().self.name) {
    throw Refusal(kConflict, fmt::format("{} is the name of this agent", call.peer.name),
                  "give every member a certificate with a name of its own");
  }
  if (call.peer.role == Role::daemon && fields.find("daemons") != nullptr) {
    throw Refusal(403, "register: daemons: a daemon's certificate stands for itself alone",
                  "register other daemons with their own certificates");
  }
  const Json& capabilities = fields.need("capabilities");
  if (!capabilities.is_object() || is_nested_deeper(capabilities, kMostNestedReply) ||
      capabilities.dump().size() > kMostCapabilities) {
    fields.fail(fmt::format("capabilities: expected an object of at most {} bytes and {} levels",
                            kMostCapabilities, kMostNestedReply));
  }
  return {call.peer.name, call.peer.role, url_in(fields, "url"), capabilities, daemons_of(fields)};
}

// Looks into the words of other agents that stand in the way of the member. The first to say a
// daemon's name keeps it, unless the daemon answers to the member's address and not to that one.
void Agent::settle_rivals(const AgentMember& member) {
  const auto find_rivals = [&] {
    const std::lock_guard lock(mutex_);
    auto rivals = leases_.rivals(member, run::steady_now());
    rivals.resize(std::min(rivals.size(), kMostRivals));
    return rivals;
  };
  if (find_rivals().empty()) return;
  // A daemon waits for its turn. An agent, which could contest any number of names, comes back.
  std::unique_lock turn(settling_, std::defer_lock);
  if (member.role == Role::daemon) turn.lock();
  if (!turn.owns_lock() && !turn.try_lock()) return;
  const std::vector<DaemonClaim> rivals = find_rivals();
  const std::set<std::string> there = daemons_that_answer(caller_, rivals);
  std::vector<DaemonClaim> wanted;
  for (const DaemonClaim& rival : rivals) {
    if (there.contains(rival.daemon)) continue;
    const bool is_its_own = member.role == Role::daemon;
    wanted.push_back(
        {member.name, rival.daemon, is_its_own ? member.url : member.below.at(rival.daemon)});
  }
  const std::set<std::string> shown = daemons_that_answer(caller_, wanted);
  const std::lock_guard lock(mutex_);
  for (const DaemonClaim& rival : rivals) {
    if (there.contains(rival.daemon)) {
      leases_.confirm(rival, run::steady_now() + kConfirmed);
    } else if (shown.contains(rival.daemon)) {
      leases_.drop(rival);
      log_(
          fmt::format("agent {} says that daemon {} is at {}, where it is not: the name goes to {}",
                      rival.agent, rival.daemon, rival.url, member.name));
    }
  }
}

Json Agent::enroll(const Call& call) {
  const Fields fields(call.body, "register");
  const AgentMember member = member_of(call, fields);
  const Duration lease = fields.whole("lease_ms", kShortestLease, kLongestLease);
  settle_rivals(member);
  DaemonUrls known;
  {
    const std::lock_guard lock(mutex_);
    const Time now = run::steady_now();
    known = leases_.daemons(now);
    const Leases::Renewal renewal = leases_.renew(member, lease, now);
    if (renewal == Leases::Renewal::conflict) refuse_second(member.name);
    if (renewal == Leases::Renewal::joined) {
      log_(fmt::format("{} {} joins at {}", name_of(member.role), member.name, member.url));
    }
  }
  ask_above(member, known);
  const std::lock_guard lock(mutex_);
  const DaemonUrls now = leases_.daemons(run::steady_now());
  if (member.role == Role::daemon && !now.contains(member.name)) refuse_second(member.name);
  Json reply = {{"lease_ms", lease}};
  for (const auto& [name, its_url] : member.below) {
    const auto found = now.find(name);
    if (found == now.end() || found->second != its_url) reply["elsewhere"].push_back(name);
  }
  return reply;
}

// Passes new daemons up at once: only the master knows whether a name is already used elsewhere in
// the tree.
void Agent::ask_above(const AgentMember& member, const DaemonUrls& known) {
  const auto is_new = [&](const std::string& name) { return !known.contains(name); };
  const bool has_new =
      (member.role == Role::daemon && is_new(member.name)) ||
      std::ranges::any_of(member.below, [&](const auto& daemon) { return is_new(daemon.first); });
  if (!has_new) return;
  std::shared_ptr<Registrar> registrar;
  {
    const std::lock_guard lock(mutex_);
    registrar = registrar_;
  }
  if (registrar) registrar->renew();  // if this fails, a later renewal tells the agent above
}

Json Agent::leave(const Call& call) {
  const std::lock_guard lock(mutex_);
  if (leases_.leave(call.peer)) {
    log_(fmt::format("{} {} leaves", name_of(call.peer.role), call.peer.name));
  }
  return Json::object();
}

std::vector<AgentMember> Agent::members() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> gone;
  auto members = leases_.live(run::steady_now(), &gone);
  for (const std::string& name : gone) log_(name + " has not renewed its lease, and is forgotten");
  return members;
}

Json Agent::capabilities() {
  Json json = {{"protocol", 1}, {"name", caller_.self().self.name}, {"members", Json::array()}};
  for (const AgentMember& member : members()) {
    json["members"].push_back({{"name", member.name},
                               {"role", name_of(member.role)},
                               {"url", member.url},
                               {"capabilities", member.capabilities}});
  }
  return json;
}

// The agents that the question has passed, including this one.
std::vector<std::string> Agent::passed_agents(const Fields& fields) const {
  auto through = fields.items<std::string>("through", "names of agents");
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
  GatherQuestion question{.operation = fields.word("operation"), .request = fields.need("request")};
  if (!can_be_gathered(question.operation)) {
    fields.fail("operation: expected capabilities, estimate or predict");
  }
  if (call.peer.role == Role::client) name_client(question.request, call.peer.name);
  question.through = passed_agents(fields);
  const Duration deadline = fields.whole("deadline_ms", 1, kMaxDeadline);
  const std::vector<AgentMember> asked = members();
  const Time began = run::steady_now();
  log_(fmt::format("step 2: {} asks {} daemons and {} agents: {}, within {} ms", call.peer.name,
                   count_of(asked, Role::daemon), count_of(asked, Role::agent), question.operation,
                   deadline));
  Answers answers = gather(caller_, asked, question, deadline);
  log_(fmt::format("step 4: {} answers for {} after {} ms; {} refused, {} late",
                   answers.answers.size(), call.peer.name, run::steady_now() - began,
                   answers.refused.size(), answers.late.size()));
  return json_of(std::move(answers));
}

}  // namespace dovetail::federation
