#include "planners/chain_ensemble.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>

#include "planners/month_formula.hpp"
#include "planners/windows.hpp"

namespace dovetail {

namespace {

constexpr std::size_t kMostLevels = 4;
constexpr std::int64_t kFirstSlots = 16;

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
  std::stable_sort(levels.begin(), levels.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<Count> counts = {most};
  for (const auto& [count, length] : levels) {
    if (counts.size() < kMostLevels) counts.push_back(count);
  }
  return counts;
}

const RepeatedUnit& unit_of(const ChainEnsemble& ensemble, std::size_t cluster) {
  return ensemble.units[ensemble.units.size() == 1 ? 0 : cluster];
}

// One cluster, and what is known of it.
class ChainSite {
 public:
  ChainSite(const ChainEnsemble& ensemble, const Platform& platform, std::size_t cluster,
            const UnitOnCluster& there)
      : ensemble_(ensemble),
        cluster_(platform.clusters()[cluster]),
        calendar_(platform.calendar(cluster)),
        now_(platform.now()),
        unit_(unit_of(ensemble, cluster)),
        there_(there),
        reserved_(ensemble.post_node ? cluster_.cores_per_node : ensemble.post_processors) {}

  struct Answer {
    Grouping grouping;
    Duration formula = 0;
    ChainPlan plan;
  };

  const RepeatedUnit& unit() const { return unit_; }

  // For so many scenarios; nothing when they never fit.
  std::optional<Answer> plan(Count scenarios, const EnsembleChoices& choices) const {
    const MonthProblem whole = months(scenarios, cluster_.processors);
    if (!whole.has_room()) return std::nullopt;
    const bool search = choices.heuristic->name == "best";
    std::optional<Answer> best;
    for (const Count level : levels_of(calendar_, now_, horizon(whole))) {
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
    if (best) best->formula = formula_makespan(whole, best->grouping);
    return best;
  }

  MonthProblem months(Count scenarios, Count processors) const {
    return there_.as_months(scenarios, ensemble_.months, processors, reserved_);
  }

 private:
  void try_grouping(Count scenarios, Grouping grouping, Dispatch dispatch,
                    std::optional<Answer>& best) const {
    const ChainProblem problem{unit_, there_, calendar_, now_, scenarios, ensemble_.months};
    auto plan = plan_chains(problem, grouping, dispatch);
    if (!plan || (best && plan->makespan >= best->plan.makespan)) return;
    best = Answer{std::move(grouping), 0, std::move(*plan)};
  }

  // As far as it is of interest what is free: some times as long as an empty cluster would take.
  Time horizon(const MonthProblem& whole) const {
    const Duration least = std::max<Duration>(1, bound_by_work(whole, whole.scenarios));
    return now_ + 4 * (least + whole.months * whole.sizes.back().time);
  }

  const ChainEnsemble& ensemble_;
  const Cluster& cluster_;
  const Calendar& calendar_;
  Time now_;
  const RepeatedUnit& unit_;
  const UnitOnCluster& there_;
  Count reserved_;
};

std::string scenario_name(std::uint32_t scenario, Count scenarios) {
  const std::string number = std::to_string(scenario + 1);
  const std::size_t digits = std::to_string(scenarios).size();
  return "s" + std::string(digits - number.size(), '0') + number;
}

class ChainEnsemblePlanner {
 public:
  ChainEnsemblePlanner(const ChainEnsemble& ensemble, const EnsembleChoices& choices,
                       const Platform& platform, std::span<const UnitOnCluster> there)
      : ensemble_(ensemble), choices_(choices), platform_(platform) {
    for (std::size_t c = 0; c < platform.clusters().size(); ++c) {
      sites_.push_back(std::make_unique<ChainSite>(ensemble, platform, c, there[c]));
    }
  }

  std::optional<ChainEnsemblePlan> run() {
    std::vector<PerformanceVector> vectors = performance();
    const Repartition repartition =
        sites_.size() == 1 ? Repartition(static_cast<std::size_t>(ensemble_.scenarios), 0)
                           : choices_.repartition->make(vectors, ensemble_.scenarios);
    EnsemblePlan summary;
    summary.sites.resize(sites_.size());
    for (std::uint32_t s = 0; s < repartition.size(); ++s) {
      summary.sites[repartition[s]].scenarios.push_back(s);
    }
    std::vector<ChainPlan> plans(sites_.size());
    for (std::size_t c = 0; c < sites_.size(); ++c) {
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
    summary.name = platform_.clusters()[cluster].name;
    summary.grouping.post_processors = platform_.clusters()[cluster].processors;
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

  // The scenarios as workflows in their own order, on their clusters.
  ChainEnsemblePlan merged(EnsemblePlan summary, std::vector<ChainPlan> plans,
                           const Repartition& repartition) const {
    std::vector<Workflow> workflows;
    Plan plan{.algorithm = std::string(choices_.heuristic->name), .now = platform_.now()};
    std::vector<std::size_t> taken(sites_.size(), 0);
    for (std::uint32_t s = 0; s < repartition.size(); ++s) {
      const std::uint32_t c = repartition[s];
      const RepeatedUnit& unit = sites_[c]->unit();
      workflows.push_back(unit.repeated(ensemble_.months, scenario_name(s, ensemble_.scenarios)));
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
        std::move(summary), Problem(std::move(workflows), platform_), std::move(plan), {}};
    for (ChainPlan& part : plans) answer.runs.push_back(std::move(part.runs));
    return answer;
  }

  const ChainEnsemble& ensemble_;
  const EnsembleChoices& choices_;
  const Platform& platform_;
  std::vector<std::unique_ptr<ChainSite>> sites_;
};

std::vector<UnitOnCluster> units_on_clusters(const ChainEnsemble& ensemble) {
  std::vector<UnitOnCluster> there;
  for (std::size_t c = 0; c < ensemble.platform.clusters().size(); ++c) {
    const Cluster& cluster = ensemble.platform.clusters()[c];
    const Count step = ensemble.node_multiples ? cluster.cores_per_node : 1;
    there.emplace_back(unit_of(ensemble, c), cluster, step);
  }
  return there;
}

// If all months can be done at all, then in so many slots: one for every task, and those that
// others hold.
std::int64_t most_slots(const ChainEnsemble& ensemble) {
  std::size_t tasks = 1;
  for (const RepeatedUnit& unit : ensemble.units) tasks = std::max(tasks, unit.workflow().size());
  auto most = static_cast<std::int64_t>(tasks) * ensemble.scenarios * ensemble.months;
  for (const Cluster& cluster : ensemble.platform.clusters()) {
    most += static_cast<std::int64_t>(cluster.reservations.size());
  }
  return most;
}

}  // namespace

std::optional<ChainEnsemblePlan> plan_chain_ensemble(const ChainEnsemble& ensemble,
                                                     const EnsembleChoices& choices) {
  if (choices.dispatch == Dispatch::ideal) return std::nullopt;
  Duration every = 0;
  for (const Windows& windows : ensemble.windows) every = std::max(every, windows.every);
  // Slots that come again are laid out as far as it takes. A slot in which nothing at all can be
  // done is like all others, but for what is reserved by others.
  const std::int64_t most = most_slots(ensemble);
  const std::vector<UnitOnCluster> there = units_on_clusters(ensemble);
  for (std::int64_t slots = kFirstSlots;; slots *= 2) {
    const Time horizon = ensemble.platform.now() + slots * every;
    const Platform platform = within_windows(ensemble.platform, ensemble.windows, horizon);
    auto plan = ChainEnsemblePlanner(ensemble, choices, platform, there).run();
    if (plan || every == 0 || slots > most) return plan;
  }
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

}  // namespace dovetail
