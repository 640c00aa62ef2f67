#include "planners/replan/warm_search.hpp"

#include <algorithm>

#include "dovetail/metrics.hpp"
#include "planners/list/one_cluster.hpp"
#include "planners/list/turnaround.hpp"
#include "planners/search/search_parts.hpp"

namespace dovetail::planning {

namespace {

// Counted in tasks placed, as efforts are: a few milliseconds. Small rests need fewer trials than
// that.
constexpr std::uint64_t kPlaced = 60'000;
constexpr std::uint64_t kMostTrials = 2'000;
constexpr std::uint64_t kPlacedBack = 30'000;  // to bring tasks back

// The tasks that kept their processors and order: the longest sequence of tasks that have as many
// processors as before and start in the same order.
std::vector<char> find_kept(std::span<const Slot> before, std::span<const Slot> after) {
  std::vector<TaskId> order;
  for (TaskId task = 0; task < after.size(); ++task) {
    if (before[task].procs == after[task].procs) order.push_back(task);
  }
  std::ranges::sort(order, {}, [&](TaskId task) {
    return std::tuple(after[task].start, before[task].start, task);
  });
  constexpr TaskId kNone = ~TaskId{0};
  std::vector<TaskId> ends;  // by sequence length, the best last task
  std::vector<TaskId> previous(after.size(), kNone);
  for (const TaskId task : order) {
    const auto place = std::ranges::upper_bound(ends, before[task].start, {},
                                                [&](TaskId end) { return before[end].start; });
    if (place != ends.begin()) previous[task] = *std::prev(place);
    if (place == ends.end()) {
      ends.push_back(task);
    } else {
      *place = task;
    }
  }
  std::vector<char> is_kept(after.size(), 0);
  if (ends.empty()) return is_kept;
  for (TaskId task = ends.back(); task != kNone; task = previous[task]) is_kept[task] = 1;
  return is_kept;
}

std::size_t count_moved(const std::vector<char>& is_kept) {
  return static_cast<std::size_t>(std::ranges::count(is_kept, 0));
}

// A list of tasks with their positions.
class TaskList {
 public:
  TaskList(const Workflow& workflow, std::vector<TaskId> order)
      : workflow_(workflow), order_(std::move(order)), places_(places_in(order_)) {}

  std::vector<TaskId> take() && { return std::move(order_); }

  // Moves the task as close behind the other as predecessors and successors allow; without another,
  // to the front.
  void put_behind(TaskId task, std::optional<TaskId> other) {
    std::uint32_t to = 0;
    if (other) to = places_[*other] + (places_[*other] < places_[task] ? 1 : 0);
    for (const TaskId after : workflow_.successors(task)) to = std::min(to, places_[after] - 1);
    for (const TaskId before : workflow_.predecessors(task)) {
      to = std::max(to, places_[before] + 1);
    }
    move_task(order_, places_, task, to);
  }

 private:
  const Workflow& workflow_;
  std::vector<TaskId> order_;
  std::vector<std::uint32_t> places_;  // by task
};

class WarmSearch {
 public:
  WarmSearch(PlanningContext& context, std::span<const Slot> in_hand, const WarmStart& how)
      : cluster_(context.shared<OneCluster>()),
        how_(how),
        limits_{.seed = context.options().search.seed, .threads = 1},
        clock_(limits_),
        search_(view(), cluster_.calendar(), now(), limits_, clock_),
        decoder_(search_.make_decoder()),
        in_hand_(measured({in_hand.begin(), in_hand.end()}, now())),
        old_(draft_of(in_hand)),
        best_(in_hand_) {
    if (!how.deadline) set_budget(context.options().search);
  }

  std::vector<Slot> run() {
    // Starts each task as soon as its inputs arrive, if nothing is in its way.
    decoder_.decode(old_, {}, best_);
    make_better();
    bring_back();
    return std::move(best_.slots);
  }

 private:
  const ClusterView& view() const { return cluster_.view(); }
  Time now() const { return cluster_.now(); }
  bool is_in_time(const DecodedPlan& plan) const {
    return how_.deadline && plan.end <= *how_.deadline;
  }

  void set_budget(const SearchLimits& asked) {
    if (asked.budget) {
      budget_ = in_hand_.area;  // the plan in hand was within the total budget
    } else if (asked.cpu_factor) {
      const Plan plan = plan_turnaround(cluster_, BottomLevel::cpar, Bound::cpar);
      if (plan.feasible) thrifty_ = measured(slots_of(plan), now());
      budget_ = std::max(in_hand_.area, allowed_area(asked, consumed(plan)));
    }
  }

  std::uint64_t trials() const {
    return std::clamp<std::uint64_t>(kPlaced / view().size(), 1, kMostTrials);
  }

  // A lower bound on the end: every task as wide as it may be, and without waiting.
  Time least_end() const {
    Time least = std::max(now(), how_.busy_until);
    for (TaskId task = 0; task < view().size(); ++task) {
      const Duration length = decoder_.menu().widest(task).length + decoder_.tail(task);
      least = std::max(least, view().release(task) + length);
    }
    return least;
  }

  void make_better() {
    const Time least = least_end();
    if (!is_in_time(best_)) {
      SearchGoal goal{.limits = {.area = std::max(budget_, best_.area)},
                      .enough = Area{std::max(least, how_.deadline.value_or(least)) - now()}};
      if (thrifty_ && goal.allows(*thrifty_) && goal.is_better(*thrifty_, best_, now())) {
        best_ = *thrifty_;
      }
      best_ = search_.improve(best_, goal, trials());
    }
    if (!is_in_time(best_)) return;
    Shrinker shrinker(view(), cluster_.calendar(), now());
    SearchGoal goal{.value = SearchValue::area, .limits = {.end = *how_.deadline}};
    for (TaskId task = 0; task < view().size(); ++task) {
      goal.enough += decoder_.menu().least_area(task);
    }
    shrinker.shrink(best_, *how_.deadline);
    best_ = search_.improve(best_, goal, trials());
    shrinker.shrink(best_, *how_.deadline);
  }

  // The cost of a plan that is within the limits, including the cost of moving tasks. The plan in
  // hand costs 1.
  double cost(const DecodedPlan& plan, std::size_t moved) const {
    const bool by_area = is_in_time(best_);
    const auto value = [&](const DecodedPlan& one) {
      return by_area ? static_cast<double>(one.area)
                     : static_cast<double>(std::max(one.end, how_.busy_until) - now());
    };
    const double share = static_cast<double>(moved) / static_cast<double>(view().size());
    return value(plan) / std::max(1.0, value(in_hand_)) + how_.stability * share;
  }

  // The best plan as a draft, and which tasks it keeps from the plan in hand.
  struct Standing {
    DraftPlan draft;
    std::vector<char> is_kept;
    std::size_t moved() const { return count_moved(is_kept); }
  };

  // Gives tasks the processors and the position of the plan in hand where that costs nothing, or no
  // more than moving them would: all at once, then by halves.
  void bring_back() {
    std::uint64_t left = std::max<std::uint64_t>(4, kPlacedBack / view().size());
    Standing standing{draft_of(best_.slots), find_kept(in_hand_.slots, best_.slots)};
    const DecodeLimits limits = limits_of_return();
    for (std::size_t length = standing.moved(); length > 0; length /= 2) {
      const std::vector<TaskId> away = not_kept(standing);
      for (std::size_t first = 0; first < away.size(); first += length) {
        if (left-- == 0) return;
        const auto some = std::span(away).subspan(first, std::min(length, away.size() - first));
        try_to_return(some, limits, standing);
      }
    }
  }

  // Never worse than the plan in hand, even if few tasks move.
  DecodeLimits limits_of_return() const {
    if (!is_in_time(best_)) return {.end = in_hand_.end, .area = std::max(budget_, best_.area)};
    return {.end = *how_.deadline, .area = std::max(in_hand_.area, best_.area)};
  }

  // The tasks not kept, in the order of the plan in hand.
  std::vector<TaskId> not_kept(const Standing& standing) const {
    std::vector<TaskId> away;
    for (const TaskId task : old_.order) {
      if (!standing.is_kept[task]) away.push_back(task);
    }
    return away;
  }

  void try_to_return(std::span<const TaskId> some, const DecodeLimits& limits, Standing& standing) {
    DraftPlan draft = brought_back(standing.draft, standing.is_kept, some);
    DecodedPlan plan;
    if (!decoder_.decode(draft, limits, plan)) return;
    Standing next{std::move(draft), find_kept(in_hand_.slots, plan.slots)};
    if (next.moved() >= standing.moved()) return;
    if (cost(plan, next.moved()) > cost(best_, standing.moved())) return;
    best_ = std::move(plan);
    standing = std::move(next);
  }

  // Puts each task behind the one that preceded it in the old order, among the tasks that are where
  // they were.
  DraftPlan brought_back(const DraftPlan& draft, const std::vector<char>& is_kept,
                         std::span<const TaskId> some) const {
    DraftPlan trial = draft;
    TaskList list(view().workflow(), draft.order);
    std::optional<TaskId> last;
    auto next = some.begin();
    for (const TaskId task : old_.order) {
      const bool is_one = next != some.end() && *next == task;
      if (is_one) {
        trial.bounds[task] = old_.bounds[task];
        list.put_behind(task, last);
        ++next;
      }
      if (is_one || is_kept[task]) last = task;
    }
    trial.order = std::move(list).take();
    return trial;
  }

  OneCluster& cluster_;
  const WarmStart& how_;
  SearchLimits limits_;
  SearchClock clock_;
  PlanSearch search_;
  DraftDecoder decoder_;
  DecodedPlan in_hand_;
  DraftPlan old_;
  DecodedPlan best_;
  std::optional<DecodedPlan> thrifty_ = {};  // another starting plan
  Area budget_ = DecodeLimits{}.area;
};

}  // namespace

std::size_t moved_tasks(std::span<const Slot> before, std::span<const Slot> after) {
  return count_moved(find_kept(before, after));
}

std::vector<Slot> search_from(PlanningContext& context, std::span<const Slot> in_hand,
                              const WarmStart& how) {
  return WarmSearch(context, in_hand, how).run();
}

}  // namespace dovetail::planning
