#include "dovetail/fairness.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

#include "dovetail/metrics.hpp"

namespace dovetail {

namespace {

// Processor-milliseconds that [start, end) has of the window.
double held_within(Interval window, Time start, Time end, Count procs) {
  const Duration common = std::min(window.end, end) - std::max(window.begin, start);
  return common > 0 ? static_cast<double>(common) * procs : 0;
}

class DelayFinder {
 public:
  DelayFinder(const Problem& problem, const Plan& plan)
      : problem_(problem), plan_(plan), placement_of_(problem.task_count(), nullptr) {
    for (const Placement& placement : plan.placements) {
      placement_of_[problem.number_of({placement.workflow, placement.task})] = &placement;
    }
  }

  std::vector<Delay> delays_of(std::size_t workflow) const {
    std::vector<double> waits(problem_.workflows().size(), 0);
    for (const Placement* at = last_of(workflow); at != nullptr;) {
      const auto [ready, before] = latest_input(*at);
      if (at->start > ready) share_out({ready, at->start}, at->cluster, waits);
      at = before;
    }
    std::vector<Delay> delays;
    for (std::size_t by = 0; by < waits.size(); ++by) {
      const auto length = static_cast<Duration>(std::llround(waits[by]));
      if (by != workflow && length > 0) delays.push_back({by, length});
    }
    std::ranges::stable_sort(delays, std::ranges::greater{}, &Delay::length);
    return delays;
  }

 private:
  const Placement* last_of(std::size_t workflow) const {
    const Placement* last = nullptr;
    for (const Placement& placement : plan_.placements) {
      if (placement.workflow != workflow) continue;
      if (last == nullptr || placement.end > last->end) last = &placement;
    }
    return last;
  }

  // When the task could have begun, and the task that brought the last of its inputs then.
  std::pair<Time, const Placement*> latest_input(const Placement& task) const {
    std::pair<Time, const Placement*> latest{problem_.release(task.workflow, task.task), nullptr};
    for (const TaskId before : problem_.workflows()[task.workflow].predecessors(task.task)) {
      const Placement* input = placement_of_[problem_.number_of({task.workflow, before})];
      if (input != nullptr && input->end >= latest.first) latest = {input->end, input};
    }
    return latest;
  }

  // Divides the window among all who hold processors of the cluster in it.
  void share_out(Interval window, std::size_t cluster, std::vector<double>& waits) const {
    std::vector<double> held(waits.size(), 0);
    double total = 0;
    for (const Placement& other : plan_.placements) {
      if (other.cluster != cluster) continue;
      const double share = held_within(window, other.start, other.end, other.procs);
      held[other.workflow] += share;
      total += share;
    }
    for (const Reservation& other : problem_.platform().clusters()[cluster].reservations) {
      total += held_within(window, other.start, other.end, other.procs);
    }
    if (total == 0) return;
    const auto length = static_cast<double>(window.end - window.begin);
    for (std::size_t i = 0; i < waits.size(); ++i) waits[i] += length * held[i] / total;
  }

  const Problem& problem_;
  const Plan& plan_;
  std::vector<const Placement*> placement_of_;
};

}  // namespace

Fairness measure_fairness(const Problem& problem, const Plan& plan) {
  Fairness fairness{.maximum_stretch = 0, .weighted_stretch = 0};
  double heaviest = 0;
  for (const Workflow& workflow : problem.workflows()) {
    heaviest = std::max(heaviest, workflow.terms().weight);
  }
  const DelayFinder finder(problem, plan);
  double lengths = 0;
  double alone = 0;
  for (std::size_t i = 0; i < problem.workflows().size(); ++i) {
    Fate fate{.length = makespan(problem, plan, i), .alone = std::max<Duration>(plan.alone[i], 1)};
    fate.stretch = static_cast<double>(fate.length) / static_cast<double>(fate.alone);
    fate.delays = finder.delays_of(i);
    lengths += static_cast<double>(fate.length);
    alone += static_cast<double>(fate.alone);
    fairness.maximum_stretch = std::max(fairness.maximum_stretch, fate.stretch);
    const double weight = problem.workflows()[i].terms().weight / heaviest;
    fairness.weighted_stretch = std::max(fairness.weighted_stretch, weight * fate.stretch);
    fairness.workflows.push_back(std::move(fate));
  }
  fairness.average_stretch = lengths / alone;
  return fairness;
}

std::size_t fairest_plan(const Problem& problem, std::span<const Plan> plans) {
  std::size_t best = 0;
  std::optional<std::tuple<double, double, Duration>> least;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (!plans[i].feasible) continue;
    const Fairness fairness = measure_fairness(problem, plans[i]);
    const std::tuple values{fairness.weighted_stretch, fairness.average_stretch,
                            makespan(plans[i])};
    if (least && *least <= values) continue;
    least = values;
    best = i;
  }
  return best;
}

}  // namespace dovetail
