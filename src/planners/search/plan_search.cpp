#include "planners/search/plan_search.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>

namespace dovetail::planning {

namespace {

constexpr std::uint64_t kFirstRound = 1'000;

// More lanes find no better plans, and fewer trials in each find worse ones.
constexpr std::uint64_t kTrialsPerLane = 4'000;
constexpr std::size_t kMostLanes = 4;

}  // namespace

PlanSearch::PlanSearch(const ClusterView& view, const Calendar& calendar, Time now,
                       const SearchLimits& limits, const SearchClock& clock)
    : view_(view), calendar_(calendar), now_(now), limits_(limits), clock_(clock), menu_(view) {}

DecodedPlan PlanSearch::improve(const DecodedPlan& from, const SearchGoal& goal,
                                std::uint64_t trials, double share_of_time) {
  DecodedPlan best = from;
  std::uint64_t length = kFirstRound;
  while (trials > 0 && goal.value_of(best, now_) > goal.enough && !clock_.is_over(share_of_time)) {
    // Adds the trials of a short last round to this one, where they are of more use.
    const std::uint64_t some = trials < 3 * length ? trials : length;
    run_round({rounds_++, some, share_of_time}, goal, best);
    trials -= some;
    length *= 2;
  }
  return best;
}

// Every second lane is bold.
void PlanSearch::run_round(const Round& round, const SearchGoal& goal, DecodedPlan& best) {
  const auto lanes = std::clamp<std::size_t>(round.trials / kTrialsPerLane, 1, kMostLanes);
  std::vector<std::optional<AnnealedPlan>> found(lanes);
  std::atomic<std::size_t> next = 0;
  const DraftPlan start = draft_of(best.slots);
  const auto work = [&] {
    for (std::size_t lane = next++; lane < lanes; lane = next++) {
      DraftDecoder decoder = make_decoder();
      const AnnealingRun run{.is_bold = lane % 2 == 1,
                             .random = Random(limits_.seed).split(round.number * kMostLanes + lane),
                             .trials = round.trials / lanes,
                             .is_over = [&] { return clock_.is_over(round.share_of_time); }};
      found[lane] = anneal(decoder, goal, start, run);
    }
  };
  const unsigned threads =
      limits_.threads > 0 ? limits_.threads : std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::jthread> helpers;
  for (std::size_t i = 1; i < std::min<std::size_t>(threads, lanes); ++i) {
    helpers.emplace_back(work);
  }
  work();
  helpers.clear();
  for (const std::optional<AnnealedPlan>& lane : found) {
    if (!lane) continue;
    trials_ += lane->trials;
    if (goal.is_better(lane->best, best, now_)) best = lane->best;
  }
}

}  // namespace dovetail::planning
