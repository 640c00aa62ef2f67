#include "planners/pool/heft.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "dovetail/time.hpp"

namespace dovetail::planning {

namespace {

// The busy times of one resource that runs one task at a time.
class Lane {
 public:
  // Empties it; nothing is free before `begin`.
  void clear(Time begin) {
    begin_ = begin;
    taken_.clear();
  }

  // The earliest start at or after `ready` of a free piece of this length.
  Time first_fit(Time ready, Duration length) const {
    Time start = std::max(ready, begin_);
    if (taken_.empty() || taken_.back().end <= start) return start;
    auto next = std::upper_bound(taken_.begin(), taken_.end(), start,
                                 [](Time t, const Interval& piece) { return t < piece.end; });
    for (; next != taken_.end() && next->begin < start + length; ++next) start = next->end;
    return start;
  }

  // The end of the last planned piece.
  Time last_end() const { return taken_.empty() ? begin_ : taken_.back().end; }

  // Needs the piece to be free. Neighbours become one piece.
  void take(Interval piece) {
    const auto next =
        std::upper_bound(taken_.begin(), taken_.end(), piece.begin,
                         [](Time t, const Interval& other) { return t < other.begin; });
    const bool joins_before = next != taken_.begin() && std::prev(next)->end == piece.begin;
    const bool joins_next = next != taken_.end() && next->begin == piece.end;
    if (joins_before && joins_next) {
      std::prev(next)->end = next->end;
      taken_.erase(next);
    } else if (joins_before) {
      std::prev(next)->end = piece.end;
    } else if (joins_next) {
      next->begin = piece.begin;
    } else {
      taken_.insert(next, piece);
    }
  }

 private:
  Time begin_ = 0;
  std::vector<Interval> taken_;  // apart from each other, in order of time
};

// The weight of one task from its costs on those resources of the pool where it can run.
double weight(std::vector<Duration>& costs, std::size_t pool, RankRule rule) {
  if (costs.empty()) return 0;
  const auto scale = static_cast<double>(2 * pool);
  switch (rule) {
    case RankRule::max:
      return scale * static_cast<double>(std::ranges::max(costs));
    case RankRule::min:
      return scale * static_cast<double>(std::ranges::min(costs));
    case RankRule::median: {
      const auto middle = costs.begin() + static_cast<std::ptrdiff_t>(costs.size() / 2);
      std::ranges::nth_element(costs, middle);
      const bool is_odd = costs.size() % 2 == 1;
      const Duration low = is_odd ? *middle : *std::max_element(costs.begin(), middle);
      return scale / 2 * static_cast<double>(low + *middle);
    }
    case RankRule::mean:
      break;
  }
  const auto sum = static_cast<double>(std::accumulate(costs.begin(), costs.end(), Duration{0}));
  // Rounded to whole numbers, so that equal ranks compare equal.
  return std::round(scale * sum / static_cast<double>(costs.size()));
}

class RestPlanner {
 public:
  RestPlanner(const CostGraph& graph, const Situation& situation, const HeftOptions& options,
              std::span<const double> ranks)
      : graph_(graph),
        situation_(situation),
        options_(options),
        ranks_(ranks),
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

  // Tasks that have started keep their places.
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
    std::vector<TaskId> order;
    for (TaskId task = 0; task < graph_.size(); ++task) {
      if (waits(task)) order.push_back(task);
    }
    std::ranges::stable_sort(order, std::greater<>(), [&](TaskId task) { return ranks_[task]; });
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
    if (options_.slots == SlotRule::insertion) return lane.first_fit(ready_[resource], cost);
    return std::max(ready_[resource], lane.last_end());
  }

  // An input that arrives everywhere at the same time, except at the resource that has it and those
  // to which it is on its way: exceptions_ from `first` to `last`.
  struct Arrival {
    Time elsewhere = 0;
    std::size_t first = 0;
    std::size_t last = 0;
  };

  // When all inputs of the task have arrived, by resource. The last input decides for all resources
  // except its exceptions, the second last for most of those, and so on. So few inputs are
  // processed more than once, however many inputs and resources there are.
  void find_ready(TaskId task) {
    std::ranges::fill(ready_, situation_.clock);
    arrivals_.clear();
    exceptions_.clear();
    std::uint32_t edge = graph_.first_input(task);
    for (const CostGraph::Input& input : graph_.inputs(task)) add_input(input, edge++);
    for (const auto& [resource, there] : exceptions_) {
      ready_[resource] = std::max(ready_[resource], there);
    }
    if (arrivals_.empty()) return;
    std::ranges::make_heap(arrivals_, {}, &Arrival::elsewhere);
    const Arrival last = next_arrival();
    open_.clear();
    for (std::size_t i = last.first; i < last.last; ++i) {
      open_.push_back({exceptions_[i].resource, ready_[exceptions_[i].resource]});
    }
    for (Time& ready : ready_) ready = std::max(ready, last.elsewhere);
    for (const auto& [resource, ready] : open_) ready_[resource] = ready;
    while (!open_.empty() && !arrivals_.empty()) settle(next_arrival());
  }

  Arrival next_arrival() {
    std::ranges::pop_heap(arrivals_, {}, &Arrival::elsewhere);
    const Arrival arrival = arrivals_.back();
    arrivals_.pop_back();
    return arrival;
  }

  // Settles the resources for which no later input decided and that are not exceptions of this one
  // either.
  void settle(const Arrival& arrival) {
    const auto here = std::span(exceptions_).subspan(arrival.first, arrival.last - arrival.first);
    std::erase_if(open_, [&](const Situation::Delivery& open) {
      Time& ready = ready_[open.resource];
      if (arrival.elsewhere <= ready) return true;
      const auto at = &Situation::Delivery::resource;
      if (std::ranges::find(here, open.resource, at) != here.end()) return false;
      ready = arrival.elsewhere;
      return true;
    });
  }

  void add_input(const CostGraph::Input& input, std::uint32_t edge) {
    const Assignment& from = schedule_.tasks[input.from];
    const bool has_ended = situation_.progress[input.from] == TaskProgress::finished;
    const bool leaves_now = has_ended && options_.transfer != TransferModel::multicast;
    const Time elsewhere = (leaves_now ? situation_.clock : from.end) + input.transfer;

    const std::size_t first = exceptions_.size();
    exceptions_.push_back({from.resource, from.end});
    if (leaves_now && options_.transfer == TransferModel::inflight && !situation_.sent.empty()) {
      for (const auto& [resource, arrival] : situation_.sent[edge]) {
        if (resource == from.resource) continue;
        exceptions_.push_back({resource, std::min(arrival, elsewhere)});
      }
    }
    arrivals_.push_back({elsewhere, first, exceptions_.size()});
  }

  const CostGraph& graph_;
  const Situation& situation_;
  HeftOptions options_;
  std::span<const double> ranks_;
  std::vector<Lane> lanes_;  // by resource
  std::vector<Time> ready_;  // by resource: scratch of place()
  // Scratch of find_ready().
  std::vector<Arrival> arrivals_;
  std::vector<Situation::Delivery> exceptions_;
  std::vector<Situation::Delivery> open_;
  Schedule schedule_;
};

}  // namespace

Situation::Situation(const CostGraph& graph, Time now)
    : clock(now),
      slowness(graph.resource_count(), 1.0),
      leaves(graph.resource_count(), kForever),
      progress(graph.size(), TaskProgress::waiting),
      placed(graph.size()) {}

std::vector<double> ranks(const CostGraph& graph, const Situation& situation, RankRule rule) {
  const auto scale = static_cast<double>(2 * situation.pool.size());
  std::vector<double> rank(graph.size());
  std::vector<Duration> costs;
  const auto order = graph.topological_order();
  for (auto task = order.rbegin(); task != order.rend(); ++task) {
    if (situation.progress[*task] != TaskProgress::waiting) continue;
    costs.clear();
    for (const ResourceId resource : situation.pool) {
      const Duration cost = situation.cost(graph, *task, resource);
      if (cost != kForever) costs.push_back(cost);
    }
    double behind = 0;
    for (const CostGraph::Output& output : graph.outputs(*task)) {
      const auto transfer = static_cast<double>(graph.input(output.input).transfer);
      behind = std::max(behind, scale * transfer + rank[output.to]);
    }
    rank[*task] = weight(costs, situation.pool.size(), rule) + behind;
  }
  return rank;
}

std::optional<Schedule> plan_rest(const CostGraph& graph, const Situation& situation,
                                  const HeftOptions& options) {
  return plan_rest(graph, situation, options, ranks(graph, situation, options.rank));
}

std::optional<Schedule> plan_rest(const CostGraph& graph, const Situation& situation,
                                  const HeftOptions& options, std::span<const double> ranks) {
  return RestPlanner(graph, situation, options, ranks).plan();
}

}  // namespace dovetail::planning
