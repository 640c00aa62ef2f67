#include "federation/agent/gather.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "federation/net/read_answer.hpp"

namespace dovetail::federation {

namespace {

// The share of its time that an agent reserves to assemble and send the answers.
Duration margin_of(Duration deadline) { return std::clamp<Duration>(deadline / 10, 20, 500); }

// How much longer a call may take than gather() waits for it. gather() reports the member as late;
// a call that was cut off at the same moment would report it as refused.
constexpr Duration kGrace = 1'000;

// The state shared by the calling threads and gather(); it lives as long as any of them.
struct Pending {
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::size_t, Answers> by_member;  // by position
};

// A reason of a peer, of which others are told.
std::string reason_of(const std::string& why) { return one_line(shortened(why, 1000)); }

Answers ask(const Caller& caller, const AgentMember& member, const GatherQuestion& question,
            Duration deadline) {
  const Server server{member.url, member.role, member.name};
  const double seconds = to_seconds(deadline + kGrace);
  try {
    if (member.role == Role::agent) {
      Json reply = caller.post(server, "/v1/find",
                               {{"operation", question.operation},
                                {"request", question.request},
                                {"through", question.through},
                                {"deadline_ms", deadline - margin_of(deadline)}},
                               seconds);
      return read_answer(member.url, [&] { return answers_of(std::move(reply)); });
    }
    Json reply = question.operation == "capabilities"
                     ? caller.get(server, "/v1/capabilities", seconds)
                     : caller.post(server, "/v1/" + question.operation, question.request, seconds);
    if (!reply.is_object() || is_nested_deeper(reply, kMostNestedReply)) {
      throw BadAnswer(member.url + ": the answer cannot be understood: expected an object");
    }
    Answers answers;
    answers.answers.push_back({member.name, member.url, std::move(reply)});
    return answers;
  } catch (const Denied& denied) {
    return {.refused = {{member.name, reason_of(denied.reason()), denied.status()}}};
  } catch (const std::exception& error) {
    return {.refused = {{member.name, reason_of(error.what())}}};
  }
}

// By daemon, the member that has registered it: itself, or the agent that leads to it.
std::map<std::string, std::size_t> registered_by(std::span<const AgentMember> members) {
  std::map<std::string, std::size_t> by;
  for (std::size_t i = 0; i < members.size(); ++i) {
    for (const auto& [daemon, url] : members[i].below) by.emplace(daemon, i);
  }
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (members[i].role == Role::daemon) by[members[i].name] = i;
  }
  return by;
}

}  // namespace

void Answers::add(Answers other) {
  const auto append = [](auto& to, auto& from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  };
  append(answers, other.answers);
  append(refused, other.refused);
  append(late, other.late);
}

Json json_of(Answers answers) {
  Json json = {{"answers", Json::array()}, {"refused", Json::array()}, {"late", answers.late}};
  for (ClusterAnswer& answer : answers.answers) {
    json["answers"].push_back(
        {{"daemon", answer.daemon}, {"url", answer.url}, {"reply", std::move(answer.reply)}});
  }
  for (const auto& refused : answers.refused) {
    json["refused"].push_back(
        {{"name", refused.name}, {"error", refused.error}, {"status", refused.status}});
  }
  return json;
}

Answers answers_of(Json json) {
  Answers answers;
  const Fields fields(json, "find");
  fields.list("answers", kMostDaemons);
  for (Json& one : json.at("answers")) {
    const Fields answer(one, "find: answer");
    answer.need("reply");
    answers.answers.push_back(
        {answer.word("daemon"), url_in(answer, "url"), std::move(one.at("reply"))});
  }
  for (const Json& one : fields.list("refused", kMostDaemons)) {
    const Fields refused(one, "find: refused");
    const bool has_status = refused.find("status") != nullptr;
    answers.refused.push_back({refused.word("name"), refused.said("error", "no reason is given"),
                               has_status ? static_cast<int>(refused.whole("status", 0, 999)) : 0});
  }
  fields.list("late", kMostDaemons);
  answers.late = fields.items<std::string>("late", "names");
  if (!std::ranges::all_of(answers.late, is_word)) fields.fail("late: expected names");
  return answers;
}

bool can_be_gathered(const std::string& operation) {
  return operation == "capabilities" || operation == "estimate" || operation == "predict";
}

Answers gather(const Caller& caller, std::span<const AgentMember> members,
               const GatherQuestion& question, Duration deadline) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(deadline);
  const auto pending = std::make_shared<Pending>();
  // The threads may outlive this call. The question may be large, and there may be many of them.
  const auto asked = std::make_shared<const GatherQuestion>(question);
  for (std::size_t i = 0; i < members.size(); ++i) {
    std::thread([pending, caller, i, member = members[i], asked, deadline] {
      Answers answers = ask(caller, member, *asked, deadline);
      const std::lock_guard lock(pending->mutex);
      pending->by_member[i] = std::move(answers);
      pending->changed.notify_all();
    }).detach();
  }
  std::unique_lock lock(pending->mutex);
  pending->changed.wait_until(lock, until,
                              [&] { return pending->by_member.size() == members.size(); });
  const auto owners = registered_by(members);
  Answers all;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto found = pending->by_member.find(i);
    if (found == pending->by_member.end()) {
      all.late.push_back(members[i].name);
      continue;
    }
    std::erase_if(found->second.answers, [&](const ClusterAnswer& answer) {
      const auto owner = owners.find(answer.daemon);
      return owner != owners.end() && owner->second != i;
    });
    all.add(std::move(found->second));
  }
  std::ranges::stable_sort(all.answers, {}, &ClusterAnswer::daemon);
  const auto again = std::ranges::unique(all.answers, {}, &ClusterAnswer::daemon);
  all.answers.erase(again.begin(), again.end());
  return all;
}

}  // namespace dovetail::federation
