#include "study/timing.hpp"

#include <time.h>

#include <string_view>

#include "dovetail/planner.hpp"

namespace dovetail {
namespace {

// Processor time of this thread: what others do on the machine does not count.
double thread_milliseconds() {
  timespec spent{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
  return 1e3 * static_cast<double>(spent.tv_sec) + 1e-6 * static_cast<double>(spent.tv_nsec);
}

// Mean milliseconds of one planner over the problems.
double mean_time(std::string_view name, std::span<const Problem> problems) {
  const PlannerInfo& planner = *find_planner(name);
  const double begin = thread_milliseconds();
  for (const Problem& problem : problems) plan(planner, problem);
  return (thread_milliseconds() - begin) / static_cast<double>(problems.size());
}

TimingTable measure(std::string_view parameter, std::uint64_t seed, std::size_t workflows,
                    std::span<const Platform> platforms) {
  TimingTable table;
  table.parameter = parameter;
  table.instances = workflows * platforms.size();
  const std::vector<ApplicationSpec> specs = application_specs();
  for (std::size_t application = 0; application < specs.size(); ++application) {
    if (specs[application].parameter != parameter) continue;
    std::vector<Problem> problems;
    for (std::size_t i = 0; i < workflows; ++i) {
      const Workflow workflow = study_workflow(seed, specs[application], application, i);
      for (const Platform& platform : platforms) problems.push_back(Problem({workflow}, platform));
    }
    table.values.push_back(specs[application].value);
    for (std::size_t bound = 0; bound < kBoundNames.size(); ++bound) {
      table.milliseconds[bound].push_back(mean_time(kBoundNames[bound], problems));
    }
  }
  return table;
}

}  // namespace

std::vector<TimingTable> measure_run_times(std::uint64_t seed, std::size_t workflows,
                                           std::span<const Platform> platforms) {
  return {measure("tasks", seed, workflows, platforms),
          measure("density", seed, workflows, platforms)};
}

}  // namespace dovetail
