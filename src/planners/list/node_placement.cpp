#include "planners/list/node_placement.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <tuple>

#include "core/held_nodes.hpp"
#include "core/order.hpp"
#include "core/packer.hpp"
#include "dovetail/metrics.hpp"

namespace dovetail::planning {

namespace {

// The tasks of a plan in the order in which they may go, with what they need.
struct Queue {
  struct QueuedTask {
    std::size_t placement = 0;  // in the plan
    NodeDemand demand = {};
    std::size_t kind = 0;  // tasks of one kind have the same demand
    Duration length = 0;
    Time planned = 0;
    Time release = 0;
    std::vector<std::size_t> next = {};  // places in the queue
    std::size_t inputs = 0;
  };

  Queue(const Problem& problem, const Plan& plan);

  std::vector<QueuedTask> tasks = {};  // the first may go first
  std::size_t kinds = 0;
};

// By placement: the longest path behind a task, with its own length.
std::vector<Duration> paths_behind(const Problem& problem, const Plan& plan,
                                   const std::vector<std::vector<std::size_t>>& at) {
  std::vector<Duration> paths(plan.placements.size());
  const auto by_end = order_by<std::size_t>(
      plan.placements.size(), [&](std::size_t i) { return plan.placements[i].end; },
      std::ranges::greater{});
  for (const std::size_t i : by_end) {
    const Placement& placement = plan.placements[i];
    Duration behind = 0;
    for (const TaskId next : problem.workflows()[placement.workflow].successors(placement.task)) {
      behind = std::max(behind, paths[at[placement.workflow][next]]);
    }
    paths[i] = behind + placement.end - placement.start;
  }
  return paths;
}

Queue::Queue(const Problem& problem, const Plan& plan) {
  const auto at = positions_in(problem, plan);
  const auto paths = paths_behind(problem, plan, at);
  const auto order = order_by<std::size_t>(plan.placements.size(), [&](std::size_t i) {
    return std::pair(plan.placements[i].start, -paths[i]);
  });
  std::vector<std::size_t> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  const auto& types = problem.platform().clusters().front().node_types;
  using DemandKey = std::tuple<Count, Count, Bytes, Count, bool, std::uint64_t>;
  std::map<DemandKey, std::size_t> known;
  for (const std::size_t i : order) {
    const Placement& placement = plan.placements[i];
    const Workflow& workflow = problem.workflows()[placement.workflow];
    QueuedTask& task = tasks.emplace_back();
    task.placement = i;
    task.demand = demand_of(workflow.needs(placement.task), placement.procs, types).value();
    const NodeDemand& d = task.demand;
    const DemandKey key{d.nodes, d.cores, d.memory, d.gpus, d.is_whole, d.types};
    task.kind = known.emplace(key, known.size()).first->second;
    task.length = placement.end - placement.start;
    task.planned = placement.start;
    task.release = problem.release(placement.workflow, placement.task);
    const auto after = workflow.successors(placement.task);
    for (const TaskId next : after) task.next.push_back(place[at[placement.workflow][next]]);
    task.inputs = workflow.predecessors(placement.task).size();
  }
  kinds = known.size();
}

// Nodes as time goes on: what runs on each, and what will be taken of it.
class NodesOverTime {
 public:
  explicit NodesOverTime(const Cluster& cluster)
      : packer_(cluster.node_types),
        holds_(held_nodes(cluster)),
        of_node_(packer_.size()),
        running_(packer_.size()),
        leaves_(cluster.leaves) {
    for (std::size_t i = 0; i < holds_.size(); ++i) of_node_[holds_[i].node].push_back(i);
  }

  bool has_holds() const { return !holds_.empty(); }

  // Gives back and takes what reservations hold. Time goes forward only.
  void go_to(Time now) {
    std::erase_if(active_, [&](std::size_t i) {
      if (holds_[i].window.end > now) return false;
      packer_.release(demand_of_hold(holds_[i]), {&holds_[i].node, 1});
      return true;
    });
    for (; next_hold_ < holds_.size() && holds_[next_hold_].window.begin <= now; ++next_hold_) {
      const NodeHold& hold = holds_[next_hold_];
      if (hold.window.end <= now) continue;
      packer_.take(demand_of_hold(hold), {&hold.node, 1});
      active_.push_back(next_hold_);
    }
    now_ = now;
  }

  // When something changes by itself, after now.
  Time next_change() const {
    Time next = kForever;
    for (const std::size_t i : active_) next = std::min(next, holds_[i].window.end);
    if (next_hold_ < holds_.size()) next = std::min(next, holds_[next_hold_].window.begin);
    return next;
  }

  bool start(const Queue::QueuedTask& task, std::vector<NodeId>& nodes) {
    if (now_ + task.length > leaves_) return false;
    const Time end = now_ + task.length;
    const bool is_placed =
        has_holds() ? packer_.place(task.demand, nodes,
                                    [&](NodeId node) { return fits_until(node, task, end); })
                    : packer_.place(task.demand, nodes);
    if (!is_placed) return false;
    for (const NodeId node : nodes) running_[node].push_back({end, &task.demand});
    return true;
  }

  void end(const Queue::QueuedTask& task, std::span<const NodeId> nodes) {
    packer_.release(task.demand, nodes);
    for (const NodeId node : nodes) {
      std::erase_if(running_[node],
                    [&](const RunningTask& running) { return running.demand == &task.demand; });
    }
  }

 private:
  struct RunningTask {
    Time end = 0;
    const NodeDemand* demand = nullptr;
  };

  static NodeDemand demand_of_hold(const NodeHold& hold) {
    return {.cores = hold.cores, .memory = hold.memory, .gpus = hold.gpus, .types = ~0ULL};
  }

  // Whether the node also has room for the task at every later moment at which a reservation
  // begins there.
  bool fits_until(NodeId node, const Queue::QueuedTask& task, Time end) const {
    for (const std::size_t i : of_node_[node]) {
      const Time moment = holds_[i].window.begin;
      if (moment <= now_ || moment >= end) continue;
      if (!has_room(node, task.demand, moment)) return false;
    }
    return true;
  }

  bool has_room(NodeId node, const NodeDemand& demand, Time moment) const {
    const NodeType& type = packer_.type_of(node);
    if (demand.is_whole) return false;  // the reservation that begins takes a part
    Count cores = type.cores - demand.cores;
    Bytes memory = type.memory - demand.memory;
    Count gpus = type.gpus - demand.gpus;
    const auto take = [&](Count less_cores, Bytes less_memory, Count less_gpus) {
      cores -= less_cores;
      memory -= less_memory;
      gpus -= less_gpus;
    };
    for (const RunningTask& running : running_[node]) {
      if (running.end <= moment) continue;
      take(running.demand->cores, running.demand->memory, running.demand->gpus);
    }
    for (const std::size_t i : of_node_[node]) {
      const NodeHold& hold = holds_[i];
      if (hold.window.begin > moment || hold.window.end <= moment) continue;
      take(hold.cores, hold.memory, hold.gpus);
    }
    return cores >= 0 && gpus >= 0 && (memory >= 0 || type.memory == 0);
  }

  Packer packer_;
  std::vector<NodeHold> holds_;                    // by their beginnings
  std::vector<std::vector<std::size_t>> of_node_;  // positions in holds_
  std::vector<std::vector<RunningTask>> running_;  // by node
  std::vector<std::size_t> active_;
  std::size_t next_hold_ = 0;
  Time now_ = kBeginning;
  Time leaves_ = kForever;
};

// Plays the queue once.
class Placing {
 public:
  // `as_planned`: no task begins before the plan says.
  Placing(const Queue& queue, const Cluster& cluster, bool as_planned)
      : queue_(queue),
        nodes_(cluster),
        as_planned_(as_planned),
        missing_(queue.tasks.size()),
        ready_(queue.kinds) {
    for (std::size_t i = 0; i < queue.tasks.size(); ++i) {
      missing_[i] = queue.tasks[i].inputs;
      if (missing_[i] == 0) hold(i);
    }
  }

  // Sets times and nodes; false when a task fits nowhere any more.
  bool run(Plan& plan, Time now) {
    plan.nodes.assign(plan.placements.size(), {});
    for (Time time = now; time < kForever; time = next_time()) {
      end_tasks(plan, time);  // before reservations begin at the same moment
      nodes_.go_to(time);
      for (; !waiting_.empty() && waiting_.top().first <= time; waiting_.pop()) {
        ready_[queue_.tasks[waiting_.top().second].kind].insert(waiting_.top().second);
      }
      start_tasks(plan, time);
    }
    return done_ == queue_.tasks.size();
  }

 private:
  using Moment = std::pair<Time, std::size_t>;  // and the task
  using Moments = std::priority_queue<Moment, std::vector<Moment>, std::greater<>>;

  void hold(std::size_t i) {
    const Queue::QueuedTask& task = queue_.tasks[i];
    waiting_.push({as_planned_ ? std::max(task.release, task.planned) : task.release, i});
  }

  // Without ready tasks nothing has to be done when a reservation begins or ends: go_to() catches
  // up.
  Time next_time() const {
    Time next = ready_count() > 0 ? nodes_.next_change() : kForever;
    if (!ends_.empty()) next = std::min(next, ends_.top().first);
    if (!waiting_.empty()) next = std::min(next, waiting_.top().first);
    return next;
  }

  std::size_t ready_count() const {
    std::size_t count = 0;
    for (const auto& kind : ready_) count += kind.size();
    return count;
  }

  void end_tasks(const Plan& plan, Time time) {
    for (; !ends_.empty() && ends_.top().first <= time; ends_.pop()) {
      const std::size_t i = ends_.top().second;
      const Queue::QueuedTask& task = queue_.tasks[i];
      nodes_.end(task, plan.nodes[task.placement]);
      ++done_;
      for (const std::size_t next : task.next) {
        if (--missing_[next] == 0) hold(next);
      }
    }
  }

  // Kinds take turns by their first task. A kind of which one did not fit is left alone until the
  // next event, but for shorter tasks where reservations are to come.
  void start_tasks(Plan& plan, Time time) {
    std::set<std::pair<std::size_t, std::size_t>> heads;  // first ready task, kind
    for (std::size_t kind = 0; kind < ready_.size(); ++kind) {
      if (!ready_[kind].empty()) heads.emplace(*ready_[kind].begin(), kind);
    }
    std::vector<Duration> too_long(ready_.size(), kForever);
    while (!heads.empty()) {
      const auto [i, kind] = *heads.begin();
      heads.erase(heads.begin());
      const Queue::QueuedTask& task = queue_.tasks[i];
      auto next = ready_[kind].upper_bound(i);
      if (task.length < too_long[kind]) {
        std::vector<NodeId> nodes;
        if (nodes_.start(task, nodes)) {
          begin(plan, i, time, std::move(nodes));
        } else if (nodes_.has_holds()) {
          too_long[kind] = task.length;
        } else {
          continue;
        }
      }
      if (next != ready_[kind].end()) heads.emplace(*next, kind);
    }
  }

  void begin(Plan& plan, std::size_t i, Time time, std::vector<NodeId> nodes) {
    const Queue::QueuedTask& task = queue_.tasks[i];
    ready_[task.kind].erase(i);
    ends_.push({time + task.length, i});
    Placement& placement = plan.placements[task.placement];
    placement.start = time;
    placement.end = time + task.length;
    plan.nodes[task.placement] = std::move(nodes);
  }

  const Queue& queue_;
  NodesOverTime nodes_;
  bool as_planned_;
  std::vector<std::size_t> missing_;
  std::vector<std::set<std::size_t>> ready_;  // by kind
  Moments waiting_;                           // not before then
  Moments ends_;
  std::size_t done_ = 0;
};

}  // namespace

std::vector<std::vector<std::size_t>> positions_in(const Problem& problem, const Plan& plan) {
  std::vector<std::vector<std::size_t>> at;
  for (const Workflow& workflow : problem.workflows()) at.emplace_back(workflow.size());
  for (std::size_t i = 0; i < plan.placements.size(); ++i) {
    at[plan.placements[i].workflow][plan.placements[i].task] = i;
  }
  return at;
}

Plan place_on_nodes(const Problem& problem, Plan plan) {
  const auto clusters = problem.platform().clusters();
  const Cluster& cluster = clusters.front();
  if (!plan.feasible || clusters.size() > 1 || cluster.node_types.empty()) return plan;
  const Queue queue(problem, plan);
  const Time from = std::max(problem.now(), cluster.joins);
  const Time wanted = plan.now + makespan(plan);
  Plan best = plan;
  best.feasible = false;
  for (const bool as_planned : {true, false}) {
    Plan placed = plan;
    if (!Placing(queue, cluster, as_planned).run(placed, from)) continue;
    if (!best.feasible || makespan(placed) < makespan(best)) best = std::move(placed);
    if (best.now + makespan(best) <= wanted) break;
  }
  if (!best.feasible) {
    best.placements.clear();
    best.nodes.clear();
  }
  return best;
}

}  // namespace dovetail::planning
