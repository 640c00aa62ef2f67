#include "federation/client/cluster_list.hpp"

#include "federation/agent/gather.hpp"
#include "federation/net/read_answer.hpp"

namespace dovetail::federation {

namespace {

constexpr std::size_t kMostServices = 10'000;
// Allowed for the way there and back, on top of the agent's own time.
constexpr double kTravelSeconds = 5;

ListedCluster cluster_of(const ClusterAnswer& answer) {
  const Fields fields(answer.reply, "capabilities");
  ListedCluster cluster{
      .name = answer.daemon,
      .processors = static_cast<Count>(fields.whole("processors", 1, kMaxProcessors)),
      .executor = fields.word("executor"),
      .url = answer.url};
  for (const Json& one : fields.list("services", kMostServices)) {
    const Fields service(one, "capabilities: service");
    cluster.services.push_back(service.text("name") +
                               (service.flag("ensembles") ? "" : " (tasks)"));
  }
  return cluster;
}

}  // namespace

ClusterList list_clusters(const Caller& caller, const std::string& agent, Duration deadline) {
  const Json reply = caller.post(
      {agent, Role::agent}, "/v1/find",
      {{"operation", "capabilities"}, {"request", Json::object()}, {"deadline_ms", deadline}},
      to_seconds(deadline) + kTravelSeconds);
  const Answers answers = read_answer(agent, [&] { return answers_of(reply); });
  ClusterList list;
  for (const ClusterAnswer& answer : answers.answers) {
    try {
      list.clusters.push_back(read_answer(answer.daemon, [&] { return cluster_of(answer); }));
    } catch (const BadAnswer& error) {
      list.troubles.emplace_back(error.what());
    }
  }
  for (const Answers::Refused& refused : answers.refused) {
    list.troubles.push_back(refused.name + " does not answer: " + refused.error);
  }
  for (const std::string& late : answers.late) {
    list.troubles.push_back(late + " did not answer in time");
  }
  return list;
}

}  // namespace dovetail::federation
