#include "federation/agent/gather.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

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
  std::map<std::string, Answers> by_member;
};

Answers ask(const Caller& caller, const AgentMember& member, const GatherQuestion& question,
            Duration deadline) {
  const Server server{member.url, member.role, member.name};
  const double seconds = to_seconds(deadline + kGrace);
  try {
    if (member.role == Role::agent) {
      return answers_of(caller.post(server, "/v1/find",
                                    {{"operation", question.operation},
                                     {"request", question.request},
                                     {"through", question.through},
                                     {"deadline_ms", deadline - margin_of(deadline)}},
                                    seconds));
    }
    Answers answers;
    answers.answers.push_back(
        {member.name, member.url,
         question.operation == "capabilities"
             ? caller.get(server, "/v1/capabilities", seconds)
             : caller.post(server, "/v1/" + question.operation, question.request, seconds)});
    return answers;
  } catch (const Denied& denied) {
    return {.refused = {{member.name, denied.reason(), denied.status()}}};
  } catch (const ExecutionError& error) {
    return {.refused = {{member.name, error.what()}}};
  } catch (const Json::exception& error) {
    return {.refused = {
                {member.name, std::string("the answer cannot be understood: ") + error.what()}}};
  }
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
  for (Json& answer : json.at("answers")) {
    answers.answers.push_back({answer.at("daemon").get<std::string>(),
                               answer.at("url").get<std::string>(), std::move(answer.at("reply"))});
  }
  for (const Json& refused : json.at("refused")) {
    answers.refused.push_back({refused.at("name").get<std::string>(),
                               one_line(refused.at("error").get<std::string>()),
                               refused.value("status", 0)});
  }
  json.at("late").get_to(answers.late);
  return answers;
}

bool can_be_gathered(const std::string& operation) {
  return operation == "capabilities" || operation == "estimate" || operation == "predict";
}

Answers gather(const Caller& caller, std::span<const AgentMember> members,
               const GatherQuestion& question, Duration deadline) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(deadline);
  const auto pending = std::make_shared<Pending>();
  for (const AgentMember& member : members) {
    // Captures by value, since the thread may outlive this call.
    std::thread([pending, caller, member, question, deadline] {
      Answers answers = ask(caller, member, question, deadline);
      const std::lock_guard lock(pending->mutex);
      pending->by_member[member.name] = std::move(answers);
      pending->changed.notify_all();
    }).detach();
  }
  std::unique_lock lock(pending->mutex);
  pending->changed.wait_until(lock, until,
                              [&] { return pending->by_member.size() == members.size(); });
  Answers all;
  for (const AgentMember& member : members) {
    const auto found = pending->by_member.find(member.name);
    if (found == pending->by_member.end()) {
      all.late.push_back(member.name);
    } else {
      all.add(std::move(found->second));
    }
  }
  std::ranges::stable_sort(all.answers, {}, &ClusterAnswer::daemon);
  const auto again = std::ranges::unique(all.answers, {}, &ClusterAnswer::daemon);
  all.answers.erase(again.begin(), again.end());
  return all;
}

}  // namespace dovetail::federation
