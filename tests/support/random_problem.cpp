#include "support/random_problem.hpp"

#include <algorithm>
#include <cmath>

namespace dovetail::testing {

std::uint64_t Dice::next() {
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

std::int64_t Dice::between(std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(high - low + 1));
}

double Dice::real(double low, double high) {
  return low + (high - low) * static_cast<double>(next() >> 11) * 0x1.0p-53;
}

namespace {

double random_seconds(Dice& dice, const RandomProblemOptions& options) {
  if (options.tiny_times) return static_cast<double>(dice.between(0, 40)) / 1000.0;
  return std::round(dice.real(0.5, 90.0) * 1000.0) / 1000.0;
}

TimeSpec random_time(Dice& dice, const RandomProblemOptions& options, Count processors) {
  const auto some_procs = [&] { return static_cast<Count>(dice.between(1, processors)); };
  const int kind = options.all_models ? static_cast<int>(dice.between(0, 5)) : 0;
  if (kind == 4) return TimeSpec::fixed(random_seconds(dice, options), some_procs());
  if (kind == 5) {
    std::vector<std::pair<Count, double>> measured;
    for (Count procs = some_procs(); procs <= processors + 2; procs += some_procs()) {
      measured.emplace_back(procs, random_seconds(dice, options));
    }
    return TimeSpec::table(measured);
  }
  ProcessorRange range;
  if (kind == 3) {
    range.min = some_procs();
    range.max = dice.chance(0.5) ? 0 : static_cast<Count>(dice.between(range.min, processors + 3));
  }
  const double alpha = dice.chance(0.1) ? 0.0 : dice.chance(0.1) ? 1.0 : dice.real(0.0, 0.5);
  return TimeSpec::amdahl(random_seconds(dice, options), alpha, range);
}

}  // namespace

Workflow random_workflow(Dice& dice, const RandomProblemOptions& options, Count processors,
                         const std::string& name) {
  WorkflowBuilder builder(name);
  const auto tasks = static_cast<TaskId>(dice.between(1, options.max_tasks));
  const double density = dice.real(0.0, 0.6);
  for (TaskId task = 0; task < tasks; ++task) {
    builder.add_task(
        {.id = "t" + std::to_string(task), .time = random_time(dice, options, processors)});
  }
  for (TaskId from = 0; from < tasks; ++from) {
    for (TaskId to = from + 1; to < tasks; ++to) {
      // Against the order of numbers too, so that nothing rests on sorted input.
      const bool reversed = tasks % 2 == 0;
      if (!dice.chance(density)) continue;
      builder.add_edge(reversed ? tasks - 1 - from : from, reversed ? tasks - 1 - to : to);
    }
  }
  return std::move(builder).build();
}

Platform random_platform(Dice& dice, const RandomProblemOptions& options) {
  Cluster cluster{.name = "c",
                  .processors = static_cast<Count>(dice.between(1, options.max_processors))};
  if (dice.chance(0.7)) cluster.free_on_average = dice.real(0.0, cluster.processors + 1.0);
  if (dice.chance(0.2)) cluster.speed = dice.real(0.5, 2.0);
  if (dice.chance(0.1)) cluster.speed = dice.real(2.0, 10'000.0);
  const Time now = dice.between(-5000, 5000);
  const Duration span = options.tiny_times ? 200 : 300'000;
  const auto wanted = dice.between(0, options.max_reservations);
  for (std::int64_t i = 0; i < wanted; ++i) {
    const Time start = now + dice.between(-span / 4, span);
    const Reservation reservation{start, start + dice.between(1, span / 3),
                                  static_cast<Count>(dice.between(1, cluster.processors))};
    cluster.reservations.push_back(reservation);
    if (find_overbooking(cluster)) cluster.reservations.pop_back();
  }
  return Platform(now, {cluster});
}

Problem random_problem(std::uint64_t seed, const RandomProblemOptions& options) {
  Dice dice(seed);
  Platform platform = random_platform(dice, options);
  Workflow workflow = random_workflow(dice, options, platform.clusters()[0].processors);
  return Problem({std::move(workflow)}, std::move(platform));
}

}  // namespace dovetail::testing
