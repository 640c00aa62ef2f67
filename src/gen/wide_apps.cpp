#include "gen/wide_apps.hpp"

#include <fmt/format.h>

#include <cmath>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include "gen/task_times.hpp"

namespace dovetail {
namespace {

struct Operation {
  std::string_view name;
  bool wide = false;
};

std::vector<TaskId> add_operation(WorkflowBuilder& builder, const Operation& operation,
                                  const WaysSpec& spec, Random& random) {
  const double seconds =
      std::max(1.0, std::round(1000 * random.uniform(0, 2 * spec.mean_seconds))) / 1000;
  std::vector<TaskId> tasks;
  for (std::uint32_t i = 0; i < (operation.wide ? spec.ways : 1); ++i) {
    tasks.push_back(builder.add_task(
        {.id = fmt::format("{}_{}", operation.name, i), .time = TimeSpec::fixed(seconds)}));
  }
  return tasks;
}

// Two wide operations are lines side by side; else everything of one is before the next.
void connect(WorkflowBuilder& builder, const std::vector<TaskId>& from,
             const std::vector<TaskId>& to, Duration transfer) {
  const bool lines = from.size() == to.size();
  for (std::size_t i = 0; i < std::max(from.size(), to.size()); ++i) {
    builder.add_edge(from[lines || to.size() == 1 ? i : 0], to[lines || from.size() == 1 ? i : 0],
                     transfer);
  }
}

Workflow operations_in_turn(std::initializer_list<Operation> operations, const WaysSpec& spec,
                            Random& random, std::string name) {
  WorkflowBuilder builder(std::move(name));
  std::vector<TaskId> last;
  Duration transfer = 0;
  for (const Operation& operation : operations) {
    std::vector<TaskId> tasks = add_operation(builder, operation, spec, random);
    if (!last.empty()) connect(builder, last, tasks, transfer);
    transfer = time_floor(random.uniform(0, 2 * spec.mean_seconds * spec.ccr));
    last = std::move(tasks);
  }
  return std::move(builder).build();
}

void check_spec(const WaysSpec& spec) {
  check_range("ways", spec.ways, 1, static_cast<double>(kMaxGeneratedTasks) / 2 - 8);
  check_range("mean time", spec.mean_seconds, 0.001, 1e6);
  check_range("ccr", spec.ccr, 0, 1000);
}

}  // namespace

Workflow blast(const WaysSpec& spec, Random& random, std::string name) {
  check_spec(spec);
  return operations_in_turn({{"split"}, {"blast", true}, {"parse", true}, {"merge"}}, spec, random,
                            std::move(name));
}

Workflow wien2k(const WaysSpec& spec, Random& random, std::string name) {
  check_spec(spec);
  return operations_in_turn({{"StageIn"},
                             {"LAPW0"},
                             {"LAPW1", true},
                             {"LAPW2_FERMI"},
                             {"LAPW2", true},
                             {"Sumpara"},
                             {"LCore"},
                             {"Mixer"},
                             {"Converged"},
                             {"StageOut"}},
                            spec, random, std::move(name));
}

}  // namespace dovetail
