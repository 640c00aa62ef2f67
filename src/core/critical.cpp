#include "dovetail/critical.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace dovetail {

namespace {

class ChainWalker {
 public:
  ChainWalker(const Problem& problem, const Plan& plan)
      : problem_(problem),
        plan_(plan),
        placement_of_(problem.task_count(), kNone),
        is_in_chain_(plan.placements.size(), false) {
    for (std::size_t i = 0; i < plan.placements.size(); ++i) {
      const Placement& placement = plan.placements[i];
      placement_of_[problem.number_of({placement.workflow, placement.task})] = i;
      ending_at_[{placement.cluster, placement.end}].placements.push_back(i);
    }
  }

  // Ends for every input, since no placement is visited twice. In what really ran, tasks may have
  // no length and may begin before their inputs end, as clocks are set back; then a chain would
  // circle.
  std::vector<CriticalLink> walk() {
    std::vector<CriticalLink> chain;
    const auto last = std::ranges::max_element(plan_.placements, {}, &Placement::end);
    if (last == plan_.placements.end()) return chain;
    for (auto at = static_cast<std::size_t>(last - plan_.placements.begin());;) {
      is_in_chain_[at] = true;
      const auto [link, before, explained] = step_back(at);
      if (!explained) return {};
      chain.push_back(link);
      if (before == kNone) break;
      if (is_in_chain_[before]) return {};
      at = before;
    }
    std::ranges::reverse(chain);
    return chain;
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  struct Back {
    CriticalLink link;
    std::size_t before;
    bool explained = true;  // false: the task could have begun earlier
  };

  // Placements that end at the same moment on the same cluster.
  struct Neighbours {
    std::vector<std::size_t> placements = {};  // lower positions first
    std::size_t next = 0;                      // those before it are in the chain
  };

  Back step_back(std::size_t at) {
    const Placement& placement = plan_.placements[at];
    const auto [ready, before] = latest_input(placement);
    CriticalLink link{.placement = at, .waited = placement.start - ready};
    if (link.waited <= 0) return {link, before};
    if (placement.start == problem_.platform().clusters()[placement.cluster].joins) {
      return {link, before};
    }
    if (reservation_ends_at(placement.cluster, placement.start)) {
      link.for_reservation = true;
      return {link, before};
    }
    const std::size_t neighbour = task_that_ends_at(placement.cluster, placement.start);
    if (neighbour == kNone) return {link, before, false};
    link.waited = 0;
    return {link, neighbour};
  }

  // When the last input arrives, and the placement that provides it.
  std::pair<Time, std::size_t> latest_input(const Placement& placement) const {
    const Workflow& workflow = problem_.workflows()[placement.workflow];
    const auto before = workflow.predecessors(placement.task);
    const auto transfers = workflow.transfers_in(placement.task);
    std::pair<Time, std::size_t> latest{plan_.now, kNone};
    for (std::size_t i = 0; i < before.size(); ++i) {
      const std::size_t at = placement_of_[problem_.number_of({placement.workflow, before[i]})];
      if (at == kNone) continue;
      const Placement& input = plan_.placements[at];
      const bool moved = input.cluster != placement.cluster && !transfers.empty();
      const Time arrives = input.end + (moved ? transfers[i] : 0);
      if (arrives > latest.first || latest.second == kNone) latest = {arrives, at};
    }
    const Time ready = problem_.ready(placement.workflow);
    if (latest.first < ready) return {ready, kNone};
    return latest;
  }

  bool reservation_ends_at(std::size_t cluster, Time time) const {
    const auto& reservations = problem_.platform().clusters()[cluster].reservations;
    return std::ranges::find(reservations, time, &Reservation::end) != reservations.end();
  }

  // The first that the chain does not have yet: a task does not wait for what waits for it.
  std::size_t task_that_ends_at(std::size_t cluster, Time time) {
    const auto found = ending_at_.find({cluster, time});
    if (found == ending_at_.end()) return kNone;
    auto& [placements, next] = found->second;
    while (next < placements.size() && is_in_chain_[placements[next]]) ++next;
    return next < placements.size() ? placements[next] : kNone;
  }

  const Problem& problem_;
  const Plan& plan_;
  std::vector<std::size_t> placement_of_;  // by task; kNone: the plan leaves it out
  std::vector<bool> is_in_chain_;
  std::map<std::pair<std::size_t, Time>, Neighbours> ending_at_ = {};  // by cluster and end
};

}  // namespace

std::vector<CriticalLink> critical_chain(const Problem& problem, const Plan& plan) {
  return ChainWalker(problem, plan).walk();
}

}  // namespace dovetail
