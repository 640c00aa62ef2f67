#include "dovetail/fairness.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "dovetail/metrics.hpp"

namespace dovetail {

namespace {

// The processor-milliseconds that a run on [start, end) takes within the window.
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

  void add_delays(std::size_t workflow, Fate& fate) const {
    const std::size_t reservations = problem_.workflows().size();
    std::vector<double> waits(reservations + 1, 0);
    for (const Placement* at = last_of(workflow); at != nullptr;) {
      const auto [ready, before] = latest_input(*at);
      if (at->start > ready) share_out({ready, at->start}, at->cluster, waits);
      at = before;
    }
    for (std::size_t by = 0; by < reservations; ++by) {
      const auto length = static_cast<Duration>(std::llround(waits[by]));
      if (by != workflow && length > 0) fate.delays.push_back({by, length});
    }
    std::ranges::stable_sort(fate.delays, std::ranges::greater{}, &Delay::length);
    fate.reserved = static_cast<Duration>(std::llround(waits[reservations]));
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

  // When the task could have begun, and the task that provided the last of its inputs.
  std::pair<Time, const Placement*> latest_input(const Placement& task) const {
    std::pair<Time, const Placement*> latest{problem_.release(task.workflow, task.task), nullptr};
    for (const TaskId before : problem_.workflows()[task.workflow].predecessors(task.task)) {
      const Placement* input = placement_of_[problem_.number_of({task.workflow, before})];
      if (input != nullptr && input->end >= latest.first) latest = {input->end, input};
    }
    return latest;
  }

  // Divides the window among the workflows that hold processors of the cluster in it; reservations
  // come last.
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
      const double share = held_within(window, other.start, other.end, other.procs);
      held.back() += share;
      total += share;
    }
    if (total == 0) return;
    const auto length = static_cast<double>(window.end - window.begin);
    for (std::size_t i = 0; i < waits.size(); ++i) waits[i] += length * held[i] / total;
  }

  const Problem& problem_;
  const Plan& plan_;
  std::vector<const Placement*> placement_of_;
};

// Leaves the delays empty.
Fairness measure_stretches(const Problem& problem, const Plan& plan) {
  Fairness fairness{.maximum_stretch = 0, .weighted_stretch = 0};
  double heaviest = 0;
  for (const Workflow& workflow : problem.workflows()) {
    heaviest = std::max(heaviest, workflow.terms().weight);
  }
  double lengths = 0;
  double alone = 0;
  for (std::size_t i = 0; i < problem.workflows().size(); ++i) {
    Fate fate{.length = makespan(problem, plan, i), .alone = std::max<Duration>(plan.alone[i], 1)};
    fate.stretch = static_cast<double>(fate.length) / static_cast<double>(fate.alone);
    fate.weighted_stretch = problem.workflows()[i].terms().weight / heaviest * fate.stretch;
    lengths += static_cast<double>(fate.length);
    alone += static_cast<double>(fate.alone);
    fairness.maximum_stretch = std::max(fairness.maximum_stretch, fate.stretch);
    fairness.weighted_stretch = std::max(fairness.weighted_stretch, fate.weighted_stretch);
    fairness.workflows.push_back(std::move(fate));
  }
  fairness.average_stretch = lengths / alone;
  return fairness;
}

}  // namespace

bool differ_in_weight(const Problem& problem) {
  return std::ranges::any_of(problem.workflows(), [&](const Workflow& workflow) {
    return workflow.terms().weight != problem.workflows().front().terms().weight;
  });
}

Fairness measure_fairness(const Problem& problem, const Plan& plan) {
  Fairness fairness = measure_stretches(problem, plan);
  const DelayFinder finder(problem, plan);
  for (std::size_t i = 0; i < fairness.workflows.size(); ++i) {
    finder.add_delays(i, fairness.workflows[i]);
  }
  return fairness;
}

std::size_t fairest_plan(const Problem& problem, std::span<const Plan> plans) {
  constexpr double kAlike = 1.01;
  std::vector<std::size_t> left;
  std::vector<std::array<double, 3>> values(plans.size());
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (!plans[i].feasible) continue;
    left.push_back(i);
    const Fairness fairness = measure_stretches(problem, plans[i]);
    values[i] = {fairness.weighted_stretch, static_cast<double>(makespan(plans[i])),
                 fairness.average_stretch};
  }
  if (left.empty()) return plans.size() - 1;
  for (std::size_t k = 0; k < values.front().size(); ++k) {
    const auto value = [&](std::size_t i) { return values[i][k]; };
    const double least = value(std::ranges::min(left, {}, value));
    std::erase_if(left, [&](std::size_t i) { return value(i) > kAlike * least; });
  }
  return left.back();
}

}  // namespace dovetail
