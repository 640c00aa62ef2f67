#include "planners/heft.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "planners/lane.hpp"

namespace dovetail {

Situation::Situation(const UnlikeGraph& graph, Time now)
    : clock(now),
      slowness(graph.resource_count(), 1.0),
      leaves(graph.resource_count(), kForever),
      progress(graph.size(), TaskProgress::waiting),
      placed(graph.size()) {}

Duration Situation::cost(const UnlikeGraph& graph, TaskId task, ResourceId resource) const {
  const Duration cost = graph.cost(task, resource);
  if (slowness[resource] == 1.0 || cost == kForever) return cost;
  return run_time(to_seconds(cost) * slowness[resource]);
}

namespace {

// The costs of one task on the pool, those that it has.
double weight(std::vector<Duration>& costs, std::size_t pool, RankRule rule) {
  if (costs.empty()) return 0;
  const auto scale = static_cast<double>(2 * pool);
  switch (rule) {
    case RankRule::max:
      return scale * static_cast<double>(std::ranges::max(costs));
    case RankRule::min:
      return scale * static_cast<double>(std::ranges::min(costs));
    case RankRule::median: {
      std::ranges::sort(costs);
      const Duration low = costs[(costs.size() - 1) / 2];
      const Duration high = costs[costs.size() / 2];
      return scale / 2 * static_cast<double>(low + high);
    }
    case RankRule::mean:
      break;
  }
  const auto sum = static_cast<double>(std::accumulate(costs.begin(), costs.end(), Duration{0}));
  // Whole numbers, so that equal ranks are equal.
  return std::round(scale * sum / static_cast<double>(costs.size()));
}

class RestPlanner {
 public:
  RestPlanner(const UnlikeGraph& graph, const Situation& situation, const HeftOptions& options)
      : graph_(graph),
        situation_(situation),
        options_(options),
        lanes_(graph.resource_count()),
        ready_(graph.resource_count()) {
    schedule_.tasks = situation.placed;
    schedule_.end = situation.clock;
  }

  std::optional<Schedule> plan() {
    for (const ResourceId resource : situation_.pool) lanes_[resource].clear(situation_.clock);
    for (TaskId task = 0; task < graph_.size(); ++task) keep(task);
    for (const TaskId task : order()) {
      if (!place(task)) return std::nullopt;
    }
    return std::move(schedule_);
  }

 private:
  bool waits(TaskId task) const { return situation_.progress[task] == TaskProgress::waiting; }

  // Tasks that have started stay.
  void keep(TaskId task) {
    if (waits(task)) return;
    const Assignment& place = situation_.placed[task];
    schedule_.end = std::max(schedule_.end, place.end);
    if (situation_.progress[task] == TaskProgress::running) {
      lanes_[place.resource].clear(place.end);
    }
  }

  // The farthest from the exit first.
  std::vector<TaskId> order() const {
    const std::vector<double> rank = ranks(graph_, situation_, options_.rank);
    std::vector<TaskId> order;
    for (TaskId task = 0; task < graph_.size(); ++task) {
      if (waits(task)) order.push_back(task);
    }
    std::ranges::stable_sort(order, std::greater<>(), [&](TaskId task) { return rank[task]; });
    return order;
  }

  bool place(TaskId task) {
    find_ready(task);
    Assignment best{.end = kForever};
    for (const ResourceId resource : situation_.pool) {
      const Duration cost = situation_.cost(graph_, task, resource);
      if (cost == kForever) continue;
      const Time start = start_on(resource, cost);
      const Time end = start + cost;
      if (end < best.end && end <= situation_.leaves[resource]) best = {resource, start, end};
    }
    if (best.end == kForever) return false;
    lanes_[best.resource].take({best.start, best.end});
    schedule_.tasks[task] = best;
    schedule_.end = std::max(schedule_.end, best.end);
    return true;
  }

  Time start_on(ResourceId resource, Duration cost) const {
    const Lane& lane = lanes_[resource];
    if (options_.slots == Slots::insertion) return lane.first_fit(ready_[resource], cost);
    return std::max(ready_[resource], lane.last_end());
  }

  // When all inputs of the task are there, by resource.
  void find_ready(TaskId task) {
    std::ranges::fill(ready_, situation_.clock);
    std::uint32_t edge = graph_.first_input(task);
    for (const UnlikeGraph::Input& input : graph_.inputs(task)) add_input(input, edge++);
  }

  void add_input(const UnlikeGraph::Input& input, std::uint32_t edge) {
    const Assignment& from = schedule_.tasks[input.from];
    const bool has_ended = situation_.progress[input.from] == TaskProgress::finished;
    const bool leaves_now = has_ended && options_.transfer != TransferModel::multicast;
    const Time elsewhere = (leaves_now ? situation_.clock : from.end) + input.transfer;

    // Everywhere alike, but for the resource that has it and those to which it is under way.
    exceptions_.clear();
    exceptions_.push_back({from.resource, std::max(ready_[from.resource], from.end)});
    if (leaves_now && options_.transfer == TransferModel::inflight && !situation_.sent.empty()) {
      for (const auto& [resource, arrival] : situation_.sent[edge]) {
        const Time earlier = std::min(arrival, elsewhere);
        if (resource != from.resource) {
          exceptions_.push_back({resource, std::max(ready_[resource], earlier)});
        }
      }
    }
    for (Time& ready : ready_) ready = std::max(ready, elsewhere);
    for (const auto& [resource, ready] : exceptions_) ready_[resource] = ready;
  }

  const UnlikeGraph& graph_;
  const Situation& situation_;
  HeftOptions options_;
  std::vector<Lane> lanes_;  // by resource
  std::vector<Time> ready_;  // by resource: scratch of place()
  std::vector<Situation::Delivery> exceptions_;
  Schedule schedule_;
};

}  // namespace

std::vector<double> ranks(const UnlikeGraph& graph, const Situation& situation, RankRule rule) {
  const auto scale = static_cast<double>(2 * situation.pool.size());
  std::vector<double> rank(graph.size());
  std::vector<Duration> costs;
  const auto order = graph.topological_order();
  for (auto task = order.rbegin(); task != order.rend(); ++task) {
    costs.clear();
    for (const ResourceId resource : situation.pool) {
      const Duration cost = situation.cost(graph, *task, resource);
      if (cost != kForever) costs.push_back(cost);
    }
    double behind = 0;
    for (const UnlikeGraph::Output& output : graph.outputs(*task)) {
      const auto transfer = static_cast<double>(graph.input(output.input).transfer);
      behind = std::max(behind, scale * transfer + rank[output.to]);
    }
    rank[*task] = weight(costs, situation.pool.size(), rule) + behind;
  }
  return rank;
}

std::optional<Schedule> plan_rest(const UnlikeGraph& graph, const Situation& situation,
                                  const HeftOptions& options) {
  return RestPlanner(graph, situation, options).plan();
}

}  // namespace dovetail
