// Runs the adaptive study: graph after graph, each on its pools.
#include <algorithm>
#include <set>
#include <utility>

#include "core/mapped.hpp"
#include "dovetail/error.hpp"
#include "gen/task_times.hpp"
#include "study/adaptive/adaptive_study.hpp"

namespace dovetail::study {
namespace {

constexpr std::size_t kModels = 80;
constexpr std::size_t kMostGraphs = 10'000;

// At the scale paper there are as many random graphs as published. For the others only the
// parameters were published: with 40 graphs of each type, a cell of Tables 7 and 8 has a thousand.
AdaptiveSize size_of(AdaptiveApplication application, const AdaptiveStudyOptions& options) {
  const bool is_random = application == AdaptiveApplication::random;
  AdaptiveSize size{application, 1, is_random ? std::size_t{4} : std::size_t{1}};
  if (options.scale == StudyScale::paper) {
    size.graphs = is_random ? 10 : 40;
    size.models = is_random ? kModels : 4;
  }
  size.graphs = options.graphs.value_or(size.graphs);
  size.models = options.models.value_or(size.models);
  gen::check_range("graphs", static_cast<double>(size.graphs), 1, kMostGraphs);
  gen::check_range("models", static_cast<double>(size.models), 1, kModels);
  return size;
}

std::vector<AdaptiveSize> sizes_of(const AdaptiveStudyOptions& options) {
  std::vector<AdaptiveSize> sizes;
  for (const AdaptiveApplication application : kAdaptiveApplications) {
    const auto& wanted = options.applications;
    if (wanted.empty() || std::ranges::find(wanted, application) != wanted.end()) {
      sizes.push_back(size_of(application, options));
    }
  }
  return sizes;
}

// One graph to draw, and its pools.
struct Item {
  AdaptiveType type;
  Random random;
  std::vector<gen::PoolSpec> pools;
};

// The wanted number of pools, evenly spread over all of them. From graph to graph the first one
// advances by the golden section, so that even a few graphs get pools of all kinds, whatever their
// types.
std::vector<gen::PoolSpec> choose_pools(const std::vector<gen::PoolSpec>& all, std::size_t count,
                                        std::size_t graph) {
  constexpr std::size_t kStep = 49;
  std::set<std::size_t> chosen;
  for (std::size_t i = 0; i < count; ++i) {
    chosen.insert((graph * kStep + i * all.size() / count) % all.size());
  }
  return mapped(chosen, [&](std::size_t pool) { return all[pool]; });
}

void add_items(std::vector<Item>& items, const AdaptiveSize& size,
               const AdaptiveStudyOptions& options) {
  const Random random = Random(options.seed).split(static_cast<std::uint64_t>(size.application));
  const std::vector<gen::PoolSpec> pools = adaptive_pools(size.application);
  const std::vector<AdaptiveType> types = adaptive_types(size.application);
  const auto& wanted = options.sizes;
  for (std::size_t type = 0; type < types.size(); ++type) {
    if (!wanted.empty() && std::ranges::count(wanted, types[type].size) == 0) continue;
    for (std::size_t graph = 0; graph < size.graphs; ++graph) {
      items.push_back({types[type], random.split(type).split(graph),
                       choose_pools(pools, size.models, type * size.graphs + graph)});
    }
  }
}

gen::PoolFlow draw(const Item& item, double mean_seconds) {
  const AdaptiveType& type = item.type;
  const gen::PoolCosts costs{mean_seconds, type.ccr, type.beta};
  Random random = item.random;
  switch (type.application) {
    case AdaptiveApplication::blast:
      return gen::blast_for_pool(type.size, costs, random);
    case AdaptiveApplication::wien2k:
      return gen::wien2k_for_pool(type.size, costs, random);
    case AdaptiveApplication::random:
      break;
  }
  return gen::heft_graph({.tasks = type.size, .out_degree = type.out_degree}, costs, random);
}

std::vector<AdaptiveCase> collect(const std::vector<Item>& items,
                                  const std::vector<std::vector<Makespans>>& ends) {
  std::vector<AdaptiveCase> cases;
  for (std::size_t item = 0; item < items.size(); ++item) {
    for (std::size_t i = 0; i < ends[item].size(); ++i) {
      cases.push_back({static_cast<std::uint32_t>(item), items[item].type, items[item].pools[i],
                       ends[item][i]});
    }
  }
  return cases;
}

void add_tables(AdaptiveStudyResult& result) {
  for (const AdaptiveSize& size : result.sizes) {
    result.totals.push_back({size.application, adaptive_total(result.cases, size.application)});
    for (const AdaptiveAxis axis : kAdaptiveAxes) {
      if (axis_values(size.application, axis).empty()) continue;
      result.tables.push_back(adaptive_table(result.cases, size.application, axis));
    }
  }
}

}  // namespace

AdaptiveStudyResult run_adaptive_study(const AdaptiveStudyOptions& options) {
  gen::check_range("mean time", options.mean_seconds, 0.001, 1e6);
  AdaptiveStudyResult result{.scale = options.scale,
                             .seed = options.seed,
                             .mean_seconds = options.mean_seconds,
                             .sizes = sizes_of(options)};
  std::vector<Item> items;
  for (const AdaptiveSize& size : result.sizes) add_items(items, size, options);
  if (items.empty()) throw InputError("no graphs of these sizes; see Tables 2 and 5 of the paper");
  std::vector<std::vector<Makespans>> ends(items.size());
  const auto run_item = [&](std::size_t i) {
    const bool with_min_min = items[i].type.application == AdaptiveApplication::random;
    ends[i] = run_cases(draw(items[i], options.mean_seconds), items[i].pools, with_min_min);
  };
  parallel_for(items.size(), options.threads, run_item, options.progress);
  result.cases = collect(items, ends);
  add_tables(result);
  return result;
}

}  // namespace dovetail::study
