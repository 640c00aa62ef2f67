#include "planners/anytime.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <numeric>
#include <thread>

#include "dovetail/metrics.hpp"
#include "planners/anneal.hpp"
#include "planners/levels.hpp"
#include "planners/lower_bound.hpp"
#include "planners/shrink.hpp"
#include "planners/turnaround.hpp"

namespace dovetail {

namespace {

// More lanes than that find no more; fewer trials in each find less.
constexpr std::uint64_t kTrialsPerLane = 20'000;
constexpr std::size_t kMostLanes = 4;

// For more tasks, all published plans and bounds would take longer than people wait.
constexpr std::size_t kManyTasks = 500;

// Ends for which widths are asked, as shares of the least possible one.
constexpr double kWidthEnds[] = {1.02, 1.1, 1.05, 1.01, 1.18, 1.33};

// The draft whose plan is at least as good: in order of start, each task exactly as wide as it is.
DraftPlan draft_of(std::span<const Slot> slots) {
  DraftPlan draft{.order = std::vector<TaskId>(slots.size()),
                  .bounds = std::vector<SizeChoice>(slots.size()),
                  .is_exact = std::vector<char>(slots.size(), 1)};
  std::iota(draft.order.begin(), draft.order.end(), TaskId{0});
  std::ranges::sort(draft.order, [&](TaskId a, TaskId b) {
    return std::pair(slots[a].start, a) < std::pair(slots[b].start, b);
  });
  for (TaskId task = 0; task < slots.size(); ++task) {
    draft.bounds[task] = {slots[task].procs, slots[task].end - slots[task].start};
  }
  return draft;
}

class AnytimeSearch {
 public:
  AnytimeSearch(PlanningContext& context, const SearchLimits& limits)
      : cluster_(context.shared<OneCluster>()),
        limits_(limits),
        menu_(cluster_.view()),
        bound_(cluster_.view(), cluster_.calendar(), cluster_.now()) {}

  SearchResult run() {
    set_goal();
    offer_published();
    if (cluster_.view().size() <= kManyTasks) offer_widths();
    SearchResult result;
    if (!best_ && limits_.deadline && earliest_) meet_deadline(result);
    if (!best_) {
      result.plan = cluster_.to_plan("DOVETAIL", std::nullopt);
      return result;
    }
    search(goal_, *best_, result);
    shrink();
    result.plan = cluster_.to_plan("DOVETAIL", best_->slots);
    result.bound = limits_.deadline ? bound_.on_work(*limits_.deadline) : bound_.on_end(best_->end);
    return result;
  }

 private:
  void set_goal() {
    if (limits_.deadline) {
      goal_.value = SearchValue::area;
      goal_.limits.end = *limits_.deadline;
      return;
    }
    goal_.enough = Area{bound_.path_end() - cluster_.now()};
    if (limits_.budget) {
      goal_.limits.area = *limits_.budget;
    } else if (limits_.cpu_factor) {
      const Plan thrifty =
          plan_turnaround(cluster_, BottomLevel::cpar, Bound::cpar, "BL_CPAR_BD_CPAR");
      const double most = static_cast<double>(consumed(thrifty)) * *limits_.cpu_factor;
      goal_.limits.area = std::max(consumed(thrifty), static_cast<Area>(most));
    }
  }

  Area value(const DecodedPlan& plan) const {
    return goal_.value == SearchValue::area ? plan.area : Area{plan.end - cluster_.now()};
  }

  // By value, then by the other one.
  bool is_better(const DecodedPlan& a, const DecodedPlan& b) const {
    if (value(a) != value(b)) return value(a) < value(b);
    return a.area + a.end < b.area + b.end;
  }

  bool is_within(const DecodedPlan& plan) const {
    return plan.end <= goal_.limits.end && plan.area <= goal_.limits.area;
  }

  void offer(DecodedPlan plan) {
    if (!earliest_ || plan.end < earliest_->end) earliest_ = plan;
    if (!is_within(plan)) return;
    if (!best_ || is_better(plan, *best_)) best_ = std::move(plan);
  }

  void offer_published() {
    const bool all = cluster_.view().size() <= kManyTasks;
    for (const BottomLevel level :
         {BottomLevel::cpar, BottomLevel::cpa, BottomLevel::one, BottomLevel::all}) {
      for (const Bound bound : {Bound::cpar, Bound::cpa, Bound::half, Bound::all}) {
        if (!all && (level != BottomLevel::cpar || bound != Bound::cpar)) continue;
        const auto slots = place_forward(cluster_.view(), cluster_.order(level),
                                         cluster_.bounds(bound), cluster_.calendar());
        if (slots) offer(measured(*slots));
      }
    }
  }

  DecodedPlan measured(std::vector<Slot> slots) const {
    DecodedPlan plan{.slots = std::move(slots), .end = cluster_.now()};
    for (const Slot& slot : plan.slots) {
      plan.end = std::max(plan.end, slot.end);
      plan.area += Area{slot.procs} * (slot.end - slot.start);
    }
    return plan;
  }

  // Widths that the bound likes, in the order of their bottom levels.
  void offer_widths() {
    DraftDecoder decoder = make_decoder();
    Shrinker shrinker(cluster_.view(), cluster_.calendar(), cluster_.now());
    for (const double share : kWidthEnds) {
      const auto span = static_cast<double>(bound_.path_end() - cluster_.now());
      const Time end = limits_.deadline ? deadline_share(share)
                                        : cluster_.now() + static_cast<Time>(span * share);
      const auto widths = bound_.widths_for(end);
      if (!widths) continue;
      DecodedPlan plan;
      if (!decoder.decode(draft_by(*widths), {}, plan)) continue;
      if (plan.end <= goal_.limits.end && limits_.deadline)
        shrinker.shrink(plan, *limits_.deadline);
      offer(std::move(plan));
    }
  }

  // A little less time than there is leaves room for what widths alone do not see.
  Time deadline_share(double share) const {
    const auto span = static_cast<double>(*limits_.deadline - cluster_.now());
    return cluster_.now() + static_cast<Time>(span * (2 - share));
  }

  DraftPlan draft_by(std::span<const Count> widths) const {
    DraftPlan draft{.order = by_decreasing_level(bottom_levels(cluster_.view(), widths)),
                    .bounds = {},
                    .is_exact = std::vector<char>(widths.size(), 0)};
    for (TaskId task = 0; task < widths.size(); ++task) {
      draft.bounds.push_back({widths[task], cluster_.view().time(task).duration(widths[task])});
    }
    return draft;
  }

  DraftDecoder make_decoder() const {
    return DraftDecoder(cluster_.view(), menu_, cluster_.calendar(), cluster_.now());
  }

  // None of the plans to begin with is in time: as early as can be, first, and no earlier than
  // needed.
  void meet_deadline(SearchResult& result) {
    const SearchGoal early{.enough = Area{*limits_.deadline - cluster_.now()}};
    search(early, *earliest_, result);
  }

  // Lanes by number: every other one is bold.
  void search(const SearchGoal& goal, const DecodedPlan& from, SearchResult& result) {
    const auto lanes = std::clamp<std::size_t>(limits_.trials / kTrialsPerLane, 1, kMostLanes);
    std::vector<std::optional<DecodedPlan>> found(lanes);
    std::vector<std::uint64_t> trials(lanes);
    std::atomic<std::size_t> next = 0;
    std::atomic<bool> is_over = false;
    const DraftPlan start = draft_of(from.slots);
    const auto work = [&] {
      for (std::size_t lane = next++; lane < lanes; lane = next++) {
        DraftDecoder decoder = make_decoder();
        const SearchSettings settings =
            lane % 2 == 0 ? SearchSettings::fine(cluster_.view().size()) : SearchSettings::coarse();
        Annealer annealer(decoder, goal, settings, Random(limits_.seed).split(lane));
        if (!annealer.start(start)) continue;
        annealer.run(limits_.trials / lanes, [&] {
          if (limits_.is_over && limits_.is_over()) is_over = true;
          return is_over.load();
        });
        found[lane] = annealer.best();
        trials[lane] = annealer.trials();
      }
    };
    std::vector<std::jthread> helpers;
    for (unsigned i = 1; i < std::min<std::size_t>(limits_.threads, lanes); ++i) {
      helpers.emplace_back(work);
    }
    work();
    helpers.clear();
    for (auto& plan : found) {
      if (plan) offer(std::move(*plan));
    }
    result.trials += std::accumulate(trials.begin(), trials.end(), std::uint64_t{0});
    result.is_truncated = result.is_truncated || is_over;
  }

  // What the same end, or the deadline, leaves to save.
  void shrink() {
    DecodedPlan cheaper = *best_;
    Shrinker shrinker(cluster_.view(), cluster_.calendar(), cluster_.now());
    shrinker.shrink(cheaper, limits_.deadline.value_or(cheaper.end));
    offer(std::move(cheaper));
  }

  OneCluster& cluster_;
  const SearchLimits& limits_;
  SizeMenu menu_;
  LowerBound bound_;
  SearchGoal goal_;
  std::optional<DecodedPlan> best_;      // within the limits
  std::optional<DecodedPlan> earliest_;  // whether within or not
};

}  // namespace

SearchResult plan_anytime(PlanningContext& context, const SearchLimits& limits) {
  return AnytimeSearch(context, limits).run();
}

}  // namespace dovetail
