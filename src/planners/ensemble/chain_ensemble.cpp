#include "planners/ensemble/chain_ensemble.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "dovetail/ensemble.hpp"
#include "dovetail/platform.hpp"
#include "planners/ensemble/month_formula.hpp"

namespace dovetail::planning {

namespace {

// Those from now to the horizon, in order.
std::vector<Interval> windows_until(const Windows& windows, Time now, Time horizon) {
  std::vector<Interval> list = windows.list;
  if (windows.length > 0 && windows.length == windows.every) {
    list.push_back({windows.first, kForever});  // they touch each other
  } else if (windows.length > 0) {
    const Time since = std::max<Time>(0, now - windows.first);
    Time begin = windows.first + since / windows.every * windows.every;
    for (; begin < horizon; begin += windows.every) list.push_back({begin, begin + windows.length});
  }
  std::erase_if(list, [now](const Interval& window) { return window.end <= now; });
  return list;
}

Cluster cut_to_windows(const Cluster& cluster, const Calendar& free, Time now,
                       std::span<const Interval> windows) {
  Cluster cut = cluster;
  Time begin = kBeginning;
  for (const Interval& window : windows) {
    for (const Step& step : free.steps({begin, window.begin})) {
      if (step.free > 0) cut.reservations.push_back({step.begin, step.end, step.free});
    }
    begin = window.end;
  }
  cut.leaves = std::min(cut.leaves, std::max(begin, now));
  if (cut.joins >= cut.leaves) cut.joins = kBeginning, cut.leaves = now;  // it is never ours
  // What others hold before it joins or after it leaves is of no interest any more.
  std::erase_if(cut.reservations,
                [&](const Reservation& held) { return held.start >= cut.leaves; });
  for (Reservation& held : cut.reservations) held.end = std::min(held.end, cut.leaves);
  return cut;
}

constexpr std::size_t kMostLevels = 4;
constexpr std::int64_t kFirstSlots = 16;
constexpr Duration kLatest = kForever / 4;  // from now; slots are not laid out further

// Numbers of processors that are free: the most that ever are, then those that are for the longest
// time until then.
std::vector<Count> levels_of(const Calendar& calendar, Time now, Time until) {
  Count most = 0;
  for (const Step& step : calendar.steps({now, kForever})) most = std::max(most, step.free);
  std::map<Count, Duration> lengths;
  for (const Step& step : calendar.steps({now, until})) lengths[step.free] += step.end - step.begin;
  lengths.erase(0);
  lengths.erase(most);
  std::vector<std::pair<Count, Duration>> levels(lengths.begin(), lengths.end());
  std::ranges::stable_sort(levels, std::ranges::greater{}, &std::pair<Count, Duration>::second);
  std::vector<Count> counts = {most};
  for (const auto& [count, length] : levels) {
    if (counts.size() < kMostLevels) counts.push_back(count);
  }
  return counts;
}

const RepeatedUnit& unit_of(const ChainEnsemble& ensemble, std::size_t cluster) {
  return ensemble.units[ensemble.units.size() == 1 ? 0 : cluster];
}

// When others hold nothing of the cluster any more, and its slots have begun.
Time last_change(const Cluster& cluster, const Windows& windows, Time now) {
  Time last = std::max(now, windows.first);
  if (cluster.joins > last) last = cluster.joins;
  for (const Reservation& held : cluster.reservations) last = std::max(last, held.end);
  return last;
}

Platform alone(const Platform& platform, std::size_t cluster) {
  return Platform(platform.now(), {platform.clusters()[cluster]}, platform.wall_clock());
}

// One cluster, and what is known of it. Slots that come again are laid out as far as it takes, and
// stay so.
class ChainSite {
 public:
  // Begins with slots until the horizon.
  ChainSite(const ChainEnsemble& ensemble, std::size_t cluster, Time horizon)
      : ensemble_(ensemble),
        number_(cluster),
        whole_(alone(ensemble.platform, cluster)),
        now_(whole_.now()),
        unit_(unit_of(ensemble, cluster)),
        there_(unit_, whole_.clusters()[0],
               ensemble.node_multiples ? whole_.clusters()[0].cores_per_node : 1),
        reserved_(ensemble.post_node ? whole_.clusters()[0].cores_per_node
                                     : ensemble.post_processors),
        horizon_(horizon),
        ours_(laid_out()) {
    const Duration every = windows().every;
    if (every == 0) return;
    const Time change =
        std::min(last_change(whole_.clusters()[0], windows(), now_), now_ + kLatest);
    alike_ = change + 2 * every;
    // Once slots are all alike, one of them does at least one task, or none ever does any.
    const auto tasks = static_cast<std::int64_t>(unit_.workflow().size());
    const std::int64_t slots = tasks * ensemble.scenarios * ensemble.months + 1;
    last_horizon_ = change + std::min(slots, kLatest / every) * every;
  }

  // Within its windows, as far as they are laid out.
  const Cluster& cluster() const { return ours_.clusters()[0]; }

  struct GroupsPlan {
    Grouping grouping;
    Duration formula = kForever;
    ChainPlan plan;
  };

  const RepeatedUnit& unit() const { return unit_; }

  // For this number of scenarios; nothing when they never fit.
  std::optional<GroupsPlan> plan(Count scenarios, const EnsembleChoices& choices) {
    const MonthProblem whole = months(scenarios, cluster().processors);
    if (!whole.has_room()) return std::nullopt;
    auto answer = plan_until_horizon(whole, choices);
    while (!answer && horizon_ < last_horizon_ && may_fit()) {
      horizon_ = now_ + 2 * (horizon_ - now_);
      ours_ = laid_out();
      answer = plan_until_horizon(whole, choices);
    }
    return answer;
  }

 private:
  const Windows& windows() const { return ensemble_.windows[number_]; }

  // Whether slots may come that have room for a month; they do not when no slot so far had, and the
  // last ones are like all that come.
  bool may_fit() const {
    const auto layouts = there_.layouts();
    return horizon_ < alike_ || std::ranges::any_of(layouts, [&](const UnitLayout& layout) {
             return ours_.calendar(0).earliest_fit(layout.procs, layout.time, now_).has_value();
           });
  }

  // The cluster, of which others hold everything outside of its windows. Slots that come again are
  // laid out up to the horizon; then it leaves.
  Platform laid_out() const {
    if (windows().always()) return whole_;
    return Platform(now_,
                    {cut_to_windows(whole_.clusters()[0], whole_.calendar(0), now_,
                                    windows_until(windows(), now_, horizon_))},
                    whole_.wall_clock());
  }

  MonthProblem months(Count scenarios, Count processors) const {
    return there_.as_months(scenarios, ensemble_.months, processors, reserved_);
  }

  std::optional<GroupsPlan> plan_until_horizon(const MonthProblem& whole,
                                               const EnsembleChoices& choices) const {
    const Count scenarios = whole.scenarios;
    const Calendar& calendar = ours_.calendar(0);
    const bool search = choices.heuristic->tries_all;
    std::optional<GroupsPlan> best;
    for (const Count level : levels_of(calendar, now_, until(whole))) {
      const MonthProblem problem = months(scenarios, level);
      if (!problem.has_room()) continue;
      const auto candidates = search
                                  ? grouping_candidates(problem)
                                  : std::vector{choices.heuristic->make(problem, choices.dispatch)};
      for (const Grouping& grouping : candidates) {
        if (best && shortest_possible(problem, grouping, choices.dispatch) >= best->plan.makespan) {
          continue;
        }
        try_grouping(scenarios, with_rest(whole, grouping.groups), choices.dispatch, best);
      }
      if (!search && best) break;
    }
    const bool is_always_ours = calendar.min_free({now_, kForever}) == whole.processors;
    if (best && is_always_ours) best->formula = formula_makespan(whole, best->grouping);
    return best;
  }

  void try_grouping(Count scenarios, Grouping grouping, Dispatch dispatch,
                    std::optional<GroupsPlan>& best) const {
    const ChainProblem problem{unit_, there_, ours_.calendar(0), now_, scenarios, ensemble_.months};
    auto plan = plan_chains(problem, grouping, dispatch);
    if (!plan || (best && plan->makespan >= best->plan.makespan)) return;
    best = GroupsPlan{std::move(grouping), kForever, std::move(*plan)};
  }

  // As far as it is of interest what is free: some times as long as an empty cluster would take.
  Time until(const MonthProblem& whole) const {
    const Duration least = std::max<Duration>(1, bound_by_work(whole, whole.scenarios));
    return now_ + 4 * (least + whole.months * whole.sizes.back().time);
  }

  const ChainEnsemble& ensemble_;
  std::size_t number_;
  Platform whole_;  // the cluster alone, as if it were always ours
  Time now_;
  const RepeatedUnit& unit_;
  UnitOnCluster there_;
  Count reserved_;
  Time horizon_;           // of the slots that are laid out
  Time alike_ = 0;         // until then there was a slot of which others hold nothing
  Time last_horizon_ = 0;  // there is no use in going further
  Platform ours_;          // the cluster alone, within its windows
};

class ChainEnsemblePlanner {
 public:
  ChainEnsemblePlanner(const ChainEnsemble& ensemble, const EnsembleChoices& choices)
      : ensemble_(ensemble), choices_(choices) {
    Duration every = 0;
    for (const Windows& windows : ensemble.windows) every = std::max(every, windows.every);
    const Time horizon = ensemble.platform.now() + std::min(kLatest, kFirstSlots * every);
    for (std::size_t c = 0; c < ensemble.platform.clusters().size(); ++c) {
      sites_.push_back(std::make_unique<ChainSite>(ensemble, c, horizon));
    }
  }

  // Where there is no room, `full` gets the number of the cluster.
  std::optional<ChainEnsemblePlan> run(std::size_t& full) {
    std::vector<PerformanceVector> vectors = performance();
    EnsemblePlan summary;
    const Repartition repartition =
        divide_scenarios(vectors, ensemble_.scenarios, choices_, summary);
    std::vector<ChainPlan> plans(sites_.size());
    for (std::size_t c = 0; c < sites_.size(); ++c) {
      full = c;
      if (!plan_site(c, summary.sites[c], plans[c])) return std::nullopt;
      summary.makespan = std::max(summary.makespan, summary.sites[c].makespan);
    }
    return merged(std::move(summary), std::move(plans), repartition);
  }

 private:
  std::vector<PerformanceVector> performance() const {
    std::vector<PerformanceVector> vectors;
    for (const auto& site : sites_) {
      const auto measure = [this, &site](Count scenarios) {
        const auto answer = site->plan(scenarios, choices_);
        return answer ? answer->plan.makespan : Duration{kForever};
      };
      // The schedule of more scenarios is never asked for: a plan has the scenarios that there are.
      const auto bound = [](Count) { return Duration{kForever}; };
      vectors.push_back(PerformanceVector({measure, bound, ensemble_.scenarios, 0}));
    }
    return vectors;
  }

  bool plan_site(std::size_t cluster, SitePlan& summary, ChainPlan& plan) const {
    summary.name = sites_[cluster]->cluster().name;
    summary.grouping.post_processors = sites_[cluster]->cluster().processors;
    if (summary.scenarios.empty()) return true;
    summary.planned_for = static_cast<Count>(summary.scenarios.size());
    auto answer = sites_[cluster]->plan(summary.planned_for, choices_);
    if (!answer) return false;
    summary.grouping = std::move(answer->grouping);
    summary.formula = answer->formula;
    plan = std::move(answer->plan);
    summary.makespan = plan.makespan;
    return true;
  }

  Platform platform() const {
    std::vector<Cluster> clusters;
    for (const auto& site : sites_) clusters.push_back(site->cluster());
    return Platform(ensemble_.platform.now(), std::move(clusters), ensemble_.platform.wall_clock());
  }

  // The scenarios as workflows in their own order, on their clusters.
  ChainEnsemblePlan merged(EnsemblePlan summary, std::vector<ChainPlan> plans,
                           const Repartition& repartition) const {
    std::vector<Workflow> workflows;
    Plan plan{.algorithm = std::string(choices_.heuristic->name), .now = ensemble_.platform.now()};
    std::vector<std::size_t> taken(sites_.size(), 0);
    for (std::uint32_t s = 0; s < repartition.size(); ++s) {
      const std::uint32_t c = repartition[s];
      const RepeatedUnit& unit = sites_[c]->unit();
      workflows.push_back(
          unit.repeated(ensemble_.months, "s" + padded_number(s + 1, ensemble_.scenarios)));
      const std::size_t tasks = workflows.back().size();
      const std::size_t first = taken[c]++ * tasks;
      for (std::size_t i = 0; i < tasks; ++i) {
        Placement placement = plans[c].placements[first + i];
        placement.workflow = s;
        placement.cluster = c;
        plan.placements.push_back(placement);
      }
    }
    ChainEnsemblePlan answer{
        std::move(summary), Problem(std::move(workflows), platform()), std::move(plan), {}, {}};
    for (ChainPlan& part : plans) {
      answer.runs.push_back(std::move(part.runs));
      answer.off_chain.push_back(std::move(part.off_chain));
    }
    return answer;
  }

  const ChainEnsemble& ensemble_;
  const EnsembleChoices& choices_;
  std::vector<std::unique_ptr<ChainSite>> sites_;
};

}  // namespace

std::optional<ChainEnsemblePlan> plan_chain_ensemble(const ChainEnsemble& ensemble,
                                                     const EnsembleChoices& choices,
                                                     std::size_t* full_cluster) {
  if (choices.dispatch == Dispatch::ideal) return std::nullopt;
  std::size_t full = 0;
  auto plan = ChainEnsemblePlanner(ensemble, choices).run(full);
  if (full_cluster) *full_cluster = full;
  return plan;
}

RepeatedUnit month_unit(const std::vector<GroupTime>& sizes, Duration post, Count posts) {
  WorkflowBuilder builder("month");
  std::vector<std::pair<Count, double>> measured;
  measured.reserve(sizes.size());
  for (const GroupTime& size : sizes) measured.emplace_back(size.procs, to_seconds(size.time));
  const TaskId main = builder.add_task({.id = "main", .time = TimeSpec::table(measured)});
  for (Count i = 0; post > 0 && i < posts; ++i) {
    const std::string id = posts == 1 ? "post" : "post" + std::to_string(i + 1);
    builder.add_edge(main, builder.add_task({.id = id, .time = TimeSpec::fixed(to_seconds(post))}));
  }
  return RepeatedUnit(std::move(builder).build(), std::vector{main});
}

}  // namespace dovetail::planning
