#include <algorithm>
#include <map>
#include <numeric>

#include "core/mapped.hpp"
#include "planners/pool/min_min.hpp"
#include "planners/replan/aheft.hpp"
#include "study/adaptive/adaptive_study.hpp"

namespace dovetail::study {
namespace {

std::vector<planning::ResourceId> first_resources(std::size_t count) {
  std::vector<planning::ResourceId> resources(count);
  std::iota(resources.begin(), resources.end(), planning::ResourceId{0});
  return resources;
}

// A workflow on a pool, with the joins up to some time.
struct Case {
  planning::CostGraph graph;
  std::vector<planning::ResourceId> at_start;
  std::vector<Event> joins;
};

class FlowCases {
 public:
  explicit FlowCases(const gen::PoolFlow& flow) : flow_(flow), first_input_(flow.size() + 1) {
    for (const auto& [from, to, transfer] : flow.edges) {
      inputs_.push_back({from, transfer});
      ++first_input_[to + 1];
    }
    std::partial_sum(first_input_.begin(), first_input_.end(), first_input_.begin());
  }

  Makespans run(const gen::PoolSpec& pool, bool with_min_min) {
    Makespans ends;
    ends[AdaptiveStrategy::heft] = heft(pool.resources);
    // Replanning never ends later than HEFT, so the joins until its end suffice.
    const Case until_heft = make_case(pool, ends[AdaptiveStrategy::heft]);
    follow_joins(until_heft, {}, ends[AdaptiveStrategy::heft_best], ends[AdaptiveStrategy::aheft]);
    Duration first = 0;
    follow_joins(until_heft, planning::paper_options(), first, ends[AdaptiveStrategy::aheft_paper]);
    follow_joins(
        until_heft,
        {.ranks = {planning::RankRule::mean}, .transfers = {planning::TransferModel::inflight}},
        first, ends[AdaptiveStrategy::aheft_inflight]);
    if (with_min_min) {
      ends[AdaptiveStrategy::min_min] =
          min_min(pool, StageIn::parallel, 3 * ends[AdaptiveStrategy::heft]);
      ends[AdaptiveStrategy::min_min_sum] =
          min_min(pool, StageIn::sum, 8 * ends[AdaptiveStrategy::heft]);
    }
    return ends;
  }

 private:
  // HEFT considers only the resources at the start.
  Duration heft(std::uint32_t resources) {
    const auto [known, is_new] = heft_.try_emplace(resources);
    if (is_new) {
      const planning::CostGraph graph = make_graph(resources);
      planning::Situation situation(graph, 0);
      situation.pool = first_resources(resources);
      known->second = planning::plan_rest(graph, situation, {})->end;
    }
    return known->second;
  }

  static void follow_joins(const Case& one, const planning::AheftOptions& options, Duration& first,
                           Duration& last) {
    planning::AheftWorld world(one.graph, 0, one.at_start, options);
    planning::KnownEvents feed(one.joins);
    first = *planning::follow(world, feed, 0).front().candidate;
    last = *world.current_end();
  }

  // The result does not depend on the first guess of the makespan.
  Duration min_min(const gen::PoolSpec& pool, StageIn stage_in, Duration guess) {
    for (Duration until = guess;; until *= 2) {
      const Case one = make_case(pool, until);
      const Duration end =
          planning::run_min_min(one.graph, 0, one.at_start, one.joins, stage_in)->end;
      if (end <= until) return end;
    }
  }

  Case make_case(const gen::PoolSpec& pool, Time until) {
    const std::vector<Time> times = gen::join_times(pool, until);
    std::vector<Event> joins;
    for (planning::ResourceId resource = pool.resources; resource < times.size(); ++resource) {
      joins.push_back({times[resource], Event::Kind::join, resource});
    }
    return {make_graph(times.size()), first_resources(pool.resources), std::move(joins)};
  }

  planning::CostGraph make_graph(std::size_t resources) {
    while (costs_.size() < resources) {
      costs_.push_back(flow_.costs_on(static_cast<std::uint32_t>(costs_.size())));
    }
    std::vector<Duration> costs;
    costs.reserve(flow_.size() * resources);
    for (const std::uint32_t operation : flow_.operation) {
      for (std::size_t resource = 0; resource < resources; ++resource) {
        costs.push_back(costs_[resource][operation]);
      }
    }
    return {resources, std::move(costs), inputs_, first_input_};
  }

  const gen::PoolFlow& flow_;
  std::vector<planning::CostGraph::Input> inputs_;  // by task
  std::vector<std::uint32_t> first_input_;
  std::vector<std::vector<Duration>> costs_;  // by resource and operation, as far as needed
  std::map<std::uint32_t, Duration> heft_;    // by resources at the start
};

}  // namespace

std::string_view to_string(AdaptiveStrategy strategy) {
  constexpr std::array<std::string_view, kAdaptiveStrategies.size()> kNames = {
      "HEFT", "HEFT_BEST", "AHEFT", "AHEFT_PAPER", "AHEFT_INFLIGHT", "MINMIN", "MINMIN_SUM"};
  return kNames[static_cast<std::size_t>(strategy)];
}

std::vector<Makespans> run_cases(const gen::PoolFlow& flow, std::span<const gen::PoolSpec> pools,
                                 bool with_min_min) {
  FlowCases cases(flow);
  return mapped(pools, [&](const gen::PoolSpec& pool) { return cases.run(pool, with_min_min); });
}

}  // namespace dovetail::study
