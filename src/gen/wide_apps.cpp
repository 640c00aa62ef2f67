#include "gen/wide_apps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "gen/task_times.hpp"

namespace dovetail::gen {
namespace {

constexpr WideStage kBlast[] = {{"split"}, {"blast", true}, {"parse", true}, {"merge"}};

constexpr WideStage kWien2k[] = {{"StageIn"},     {"LAPW0"},   {"LAPW1", true}, {"LAPW2_FERMI"},
                                 {"LAPW2", true}, {"Sumpara"}, {"LCore"},       {"Mixer"},
                                 {"Converged"},   {"StageOut"}};

// The time of the tasks of an operation, and of the transfers from them.
struct OperationTimes {
  double seconds = 0;
  Duration transfer = 0;
};

OperationTimes draw_times(const WaysSpec& spec, Random& random) {
  const double milliseconds = std::round(1000 * random.uniform(0, 2 * spec.mean_seconds));
  return {std::max(1.0, milliseconds) / 1000,
          time_floor(random.uniform(0, 2 * spec.mean_seconds * spec.ccr))};
}

Workflow operations_in_turn(std::span<const WideStage> operations, const WaysSpec& spec,
                            Random& random, std::string name) {
  check_spec(spec);
  std::vector<OperationTimes> times(operations.size());
  for (OperationTimes& one : times) one = draw_times(spec, random);
  const WaysGraph graph = ways_graph(operations, spec.ways);
  WorkflowBuilder builder(std::move(name));
  std::vector<std::uint32_t> count(operations.size());
  for (const std::uint32_t operation : graph.operation) {
    builder.add_task({.id = fmt::format("{}_{}", operations[operation].name, count[operation]++),
                      .time = TimeSpec::fixed(times[operation].seconds)});
  }
  for (const auto& [from, to] : graph.edges) {
    builder.add_edge(from, to, times[graph.operation[from]].transfer);
  }
  return std::move(builder).build();
}

}  // namespace

std::span<const WideStage> blast_operations() { return kBlast; }

std::span<const WideStage> wien2k_operations() { return kWien2k; }

WaysGraph ways_graph(std::span<const WideStage> operations, std::uint32_t ways) {
  WaysGraph graph;
  TaskId last = 0;
  std::uint32_t last_size = 0;
  for (std::uint32_t operation = 0; operation < operations.size(); ++operation) {
    const auto first = static_cast<TaskId>(graph.operation.size());
    const std::uint32_t size = operations[operation].wide ? ways : 1;
    graph.operation.insert(graph.operation.end(), size, operation);
    for (std::uint32_t i = 0; operation > 0 && i < std::max(last_size, size); ++i) {
      graph.edges.push_back({last + i % last_size, first + i % size});
    }
    last = first;
    last_size = size;
  }
  return graph;
}

void check_spec(const WaysSpec& spec) {
  check_range("ways", spec.ways, 1, static_cast<double>(kMaxGeneratedTasks) / 2 - 8);
  check_range("mean time", spec.mean_seconds, 0.001, 1e6);
  check_range("ccr", spec.ccr, 0, 1000);
}

Workflow blast(const WaysSpec& spec, Random& random, std::string name) {
  return operations_in_turn(blast_operations(), spec, random, std::move(name));
}

Workflow wien2k(const WaysSpec& spec, Random& random, std::string name) {
  return operations_in_turn(wien2k_operations(), spec, random, std::move(name));
}

}  // namespace dovetail::gen
