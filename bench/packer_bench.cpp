// The packer against a scan over all nodes (tests/oracles/plain_packer.hpp), on clusters of 100 to
// 10,000 nodes that are full: a task that does not fit makes an old one end.
//
// ratio/KIND/N plays the same tasks to both in turns and reports how many times longer the scan
// takes. bench/README.md says what the kinds are.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/packer.hpp"
#include "core/random.hpp"
#include "measure.hpp"
#include "oracles/plain_packer.hpp"

namespace dovetail::bench {
namespace {

using testing::PlainPacker;

// Two of three nodes are ordinary, the others have GPUs or much memory.
std::vector<NodeType> three_types(Count nodes) {
  const Count special = nodes / 6;
  return {{nodes - 2 * special, 64, 256 * kGibibyte, 0, {}},
          {special, 128, 512 * kGibibyte, 4, {"a100"}},
          {special, 48, 2048 * kGibibyte, 0, {}}};
}

// As many types as there may be, no two alike; a quarter have GPUs.
std::vector<NodeType> many_types(Count nodes) {
  std::vector<NodeType> types;
  for (Count i = 0; i < static_cast<Count>(kMaxNodeTypes); ++i) {
    const Count count = nodes * (i + 1) / 64 - nodes * i / 64;
    types.push_back({count, 48 + i, (192 + 4 * i) * kGibibyte, i % 4 == 0 ? 4 : 0, {}});
  }
  return types;
}

std::vector<std::uint32_t> numbers_of(const std::vector<NodeType>& types) {
  std::vector<std::uint32_t> result;
  for (std::uint32_t type = 0; type < types.size(); ++type) {
    result.insert(result.end(), static_cast<std::size_t>(types[type].count), type);
  }
  return result;
}

using DrawNeeds = std::pair<TaskNeeds, Count> (*)(Random&);

Count among(Random& random, Count low, Count high) {
  return low + static_cast<Count>(random.below(static_cast<std::uint64_t>(high - low + 1)));
}

// Mostly one to eight cores and some memory; a few with GPUs, a tenth with much memory.
std::pair<TaskNeeds, Count> mixed(Random& random) {
  TaskNeeds needs{.memory = among(random, 1, 32) * kGibibyte};
  const double kind = random.uniform01();
  if (kind < 0.025) needs.gpus = among(random, 1, 4);
  if (kind > 0.9) needs.memory *= 8;
  return {needs, among(random, 1, random.chance(0.1) ? 48 : 8)};
}

// Where the fullest nodes lack memory: small tasks, no two with the same memory, which leave nodes
// with cores and no memory; every tenth task looks for what such nodes do not have.
std::pair<TaskNeeds, Count> short_of_memory(Random& random) {
  if (random.chance(0.1)) return {{.memory = 200 * kGibibyte}, 1};
  const auto more = static_cast<Bytes>(random.below(static_cast<std::uint64_t>(32 * kGibibyte)));
  return {{.memory = 16 * kGibibyte + more}, 1};
}

// Tasks over four to forty nodes.
std::pair<TaskNeeds, Count> wide(Random& random) { return {{}, 64 * among(random, 4, 40)}; }

struct Kind {
  const char* name;
  DrawNeeds draw;
  std::vector<NodeType> (*types)(Count nodes);
};

struct Task {
  NodeDemand demand;
  std::vector<std::uint32_t> nodes;  // empty: it does not run
};

// A packer and the tasks on it. Each new task is placed; while it does not fit, the oldest task
// ends. The nodes of all tasks are added up, so that two packers can be compared.
template <typename P>
class Site {
 public:
  explicit Site(P packer) : packer_(std::move(packer)) {}

  // The tasks of another site, on the same nodes.
  template <typename Other>
  void adopt(const Site<Other>& other) {
    sum_ = other.sum();
    running_.assign(other.running().begin(), other.running().end());
    for (const Task& task : running_) packer_.take(task.demand, task.nodes);
  }

  void play(const std::vector<NodeDemand>& demands) {
    std::vector<std::uint32_t> nodes;
    for (const NodeDemand& demand : demands) {
      while (!packer_.place(demand, nodes)) {
        const Task& oldest = running_[ended_++];
        packer_.release(oldest.demand, oldest.nodes);
      }
      for (const std::uint32_t node : nodes) sum_ = 31 * sum_ + node;
      running_.push_back({demand, nodes});
    }
  }

  // Forgets tasks that have ended.
  void tidy() {
    running_.erase(running_.begin(), running_.begin() + static_cast<std::ptrdiff_t>(ended_));
    ended_ = 0;
  }

  std::uint64_t sum() const { return sum_; }
  std::span<const Task> running() const { return std::span(running_).subspan(ended_); }
  std::size_t ended() const { return ended_; }

 private:
  P packer_;
  std::vector<Task> running_;
  std::size_t ended_ = 0;
  std::uint64_t sum_ = 0;
};

std::vector<NodeDemand> drawn(Random& random, DrawNeeds draw, const std::vector<NodeType>& types,
                              std::size_t count) {
  std::vector<NodeDemand> demands;
  while (demands.size() < count) {
    const auto [needs, processors] = draw(random);
    if (const auto demand = demand_of(needs, processors, types)) demands.push_back(*demand);
  }
  return demands;
}

// The sites are full before the clock starts.
void ratio(benchmark::State& state, const Kind& kind) {
  constexpr std::size_t kTasks = 500;
  const std::vector<NodeType> types = kind.types(static_cast<Count>(state.range(0)));
  Random random(1);
  Site<Packer> ours{Packer(types)};
  Site<PlainPacker> plain{PlainPacker(types, numbers_of(types))};
  while (ours.ended() == 0) ours.play(drawn(random, kind.draw, types, kTasks));
  plain.adopt(ours);
  double ours_ms = 0;
  double plain_ms = 0;
  for (auto _ : state) {
    const std::vector<NodeDemand> demands = drawn(random, kind.draw, types, kTasks);
    ours.tidy();
    plain.tidy();
    const double start = processor_ms();
    ours.play(demands);
    const double middle = processor_ms();
    plain.play(demands);
    plain_ms += processor_ms() - middle;
    ours_ms += middle - start;
    if (ours.sum() != plain.sum()) {
      state.SkipWithError("the nodes differ from the plain packer's");
      break;
    }
  }
  const double tasks = static_cast<double>(state.iterations()) * kTasks;
  state.counters["ours_us"] = 1e3 * ours_ms / tasks;
  state.counters["plain_us"] = 1e3 * plain_ms / tasks;
  state.counters["ratio"] = plain_ms / ours_ms;
  state.counters["running"] = static_cast<double>(ours.running().size());
}

// 100,000 tasks, from idle nodes on.
void all_tasks(benchmark::State& state, const Kind& kind) {
  const std::vector<NodeType> types = kind.types(static_cast<Count>(state.range(0)));
  Random random(1);
  const std::vector<NodeDemand> demands = drawn(random, kind.draw, types, 100'000);
  for (auto _ : state) {
    Site<Packer> site{Packer(types)};
    site.play(demands);
    benchmark::DoNotOptimize(site.sum());
  }
}

void make(benchmark::State& state) {
  const std::vector<NodeType> types = three_types(static_cast<Count>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(Packer(types));
}

void copy(benchmark::State& state) {
  const Packer packer(three_types(static_cast<Count>(state.range(0))));
  for (auto _ : state) {
    Packer twin = packer;
    benchmark::DoNotOptimize(twin);
  }
}

const bool kRegistered = [] {
  const auto of_all_sizes = [](const std::string& name, auto function, auto... arguments) {
    benchmark::RegisterBenchmark(name.c_str(), function, arguments...)
        ->Arg(100)
        ->Arg(1'000)
        ->Arg(10'000)
        ->Unit(benchmark::kMicrosecond);
  };
  const Kind kinds[] = {{"mixed", mixed, three_types},
                        {"many_types", mixed, many_types},
                        {"short_of_memory", short_of_memory, three_types},
                        {"wide", wide, three_types}};
  for (const Kind& kind : kinds) {
    of_all_sizes(std::string("ratio/") + kind.name, ratio, kind);
    of_all_sizes(std::string("100000_tasks/") + kind.name, all_tasks, kind);
  }
  of_all_sizes("make", make);
  of_all_sizes("copy", copy);
  return true;
}();

}  // namespace
}  // namespace dovetail::bench
