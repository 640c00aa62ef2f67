// Runs made up entry by entry, for the tests of what is shown of runs.
//
//   ScriptedRun run(problem);
//   run.plan(0, {.event = "start", .candidate = 40'000, .adopted = true}, slots);
//   run.start(0, a, 1, 2);
//   run.end(12'000, a, 1, 0, 11.0);
#pragma once

#include <algorithm>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dovetail/planner.hpp"
#include "run/dispatcher.hpp"
#include "run/run_state.hpp"

namespace dovetail::testing {

class ScriptedRun {
 public:
  explicit ScriptedRun(const Problem& problem) : state_(problem.task_count()) {}

  void plan(Time at, const Evaluation& decision, const std::vector<planning::Slot>& slots = {}) {
    state_.apply(run::plan_entry(stamp(at), decision, "BL_CPAR_BD_CPAR", slots));
  }
  void start(Time at, std::size_t task, std::uint32_t attempt, Count procs) {
    state_.apply(run::start_entry(stamp(at), number(task), attempt, procs));
  }
  // `cpu` seconds; how long it ran follows from its start.
  void end(Time at, std::size_t task, std::uint32_t attempt, int exit_code, double cpu) {
    const Duration length = at - state_.tasks()[task].started;
    state_.apply(run::end_entry(stamp(at), number(task), attempt,
                                {.exit_code = exit_code,
                                 .seconds = to_seconds(length),
                                 .cpu_seconds = cpu,
                                 .peak_kib = 51'200}));
  }
  void apply(const run::Json& entry) { state_.apply(entry); }
  void note(Time at, const std::string& what) { state_.apply(run::note_entry(stamp(at), what)); }

  static run::Stamp stamp(Time at) { return {1'763'287'200'000 + at, at}; }
  const run::RunState& state() const { return state_; }

 private:
  static std::uint32_t number(std::size_t task) { return static_cast<std::uint32_t>(task); }
  run::RunState state_;
};

// The tasks of diamond().
enum DiamondTask : std::size_t { a, b, c, d };

inline const std::vector<planning::Slot> kDiamondPlan = {
    {1, 0, 10'000}, {2, 10'000, 30'000}, {1, 10'000, 30'000}, {1, 30'000, 40'000}};

// a, then b on two processors and c, then d.
inline Problem diamond(const std::vector<std::string>& ids = {"a", "b", "c", "d"},
                       std::optional<Time> deadline = {}) {
  WorkflowBuilder builder("diamond");
  const auto task = [&](std::size_t i, double seconds, Count procs) {
    builder.add_task({.id = ids[i], .time = TimeSpec::fixed(seconds, procs), .run = "true"});
  };
  task(a, 10, 1);
  task(b, 20, 2);
  task(c, 20, 1);
  task(d, 10, 1);
  for (const auto& [from, to] : {std::pair{a, b}, {a, c}, {b, d}, {c, d}}) {
    builder.add_edge(static_cast<TaskId>(from), static_cast<TaskId>(to));
  }
  std::vector<Workflow> workflows;
  workflows.push_back(std::move(builder).build());
  return {std::move(workflows), Platform::empty(4, "local"), Goal::turnaround, deadline};
}

inline void begin_diamond(ScriptedRun& run) {
  run.note(0, "begin");
  run.plan(0, {.event = "first plan", .candidate = 40'000, .adopted = true}, kDiamondPlan);
}

// b fails after 8 seconds and is tried again 5 seconds later.
inline ScriptedRun bumpy_run(const Problem& problem) {
  ScriptedRun run(problem);
  begin_diamond(run);
  run.start(0, a, 1, 1);
  run.end(12'000, a, 1, 0, 11);
  run.plan(12'000, {.event = "late a", .candidate = 41'000, .current = 42'000, .adopted = true},
           kDiamondPlan);
  run.start(12'000, b, 1, 2);
  run.start(13'000, c, 1, 1);
  run.end(20'000, b, 1, 7, 10);
  run.plan(20'000, {.event = "b failed", .current = 52'000});
  run.apply(run::retry_entry(ScriptedRun::stamp(20'000), b, 25'000));
  run.start(25'000, b, 2, 2);
  run.end(33'000, c, 1, 0, 20);
  run.end(47'000, b, 2, 0, 40);
  run.start(48'000, d, 1, 1);
  run.end(57'000, d, 1, 0, 9);
  run.note(57'001, "done");
  return run;
}

struct RandomRunOptions {
  std::size_t tasks = 40;
  Count processors = 16;
  double failing = 0.1;        // share of the attempts that fail
  double band = 0.5;           // real times are up to this much shorter or longer
  std::size_t stop_after = 0;  // attempts that have ended; 0: all
};

// Moldable tasks in layers; each needs one to three of the layer before.
inline Problem layered_problem(unsigned seed, const RandomRunOptions& options) {
  std::mt19937 random(seed);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
  const char* const kinds[] = {"prepare", "align", "filter", "merge", "report"};
  const std::size_t layer = std::max<std::size_t>(1, options.tasks / std::size(kinds));
  WorkflowBuilder builder("layers");
  for (std::size_t i = 0; i < options.tasks; ++i) {
    const std::string kind = kinds[std::min(i / layer, std::size(kinds) - 1)];
    const auto seconds = static_cast<double>(20 + below(200));
    builder.add_task({.id = kind + "_" + std::to_string(i),
                      .time = TimeSpec::amdahl(seconds, 0.1),
                      .run = "true"});
    if (i < layer) continue;
    for (std::size_t k = 1 + below(3); k > 0; --k) {
      const std::size_t first = (std::min(i / layer, std::size(kinds) - 1) - 1) * layer;
      builder.add_edge(static_cast<TaskId>(first + below(layer)), static_cast<TaskId>(i));
    }
  }
  std::vector<Workflow> workflows;
  workflows.push_back(std::move(builder).build());
  return {std::move(workflows), Platform::empty(options.processors, "local")};
}

// What the dispatcher makes of a plan when times are other than planned and attempts fail.
inline ScriptedRun random_run(const Problem& problem, unsigned seed,
                              const RandomRunOptions& options) {
  std::mt19937 random(seed);
  const auto chance = [&] { return static_cast<double>(random() % 1000) / 1000; };
  const Plan made = plan(*find_planner("BL_CPAR_BD_CPAR"), problem);
  std::vector<planning::Slot> slots(problem.task_count());
  Time end = 0;
  for (const Placement& placed : made.placements) {
    slots[problem.number_of({placed.workflow, placed.task})] = {placed.procs, placed.start,
                                                                placed.end};
    end = std::max(end, placed.end);
  }
  ScriptedRun run(problem);
  run.plan(0, {.event = "first plan", .candidate = end, .adopted = true}, slots);
  run::Dispatcher dispatcher(problem, options.processors);
  dispatcher.follow(slots);
  std::set<std::pair<Time, std::size_t>> ends;
  const std::size_t most = options.stop_after > 0 ? options.stop_after : slots.size() * 100;
  std::size_t ended = 0;
  for (Time now = 5;; now += 7) {
    for (const std::size_t task : dispatcher.start(now)) {
      const double factor = 1 + options.band * (2 * chance() - 1);
      const auto length = static_cast<double>(dispatcher.length_of(task)) * factor;
      ends.emplace(now + std::max<Time>(1, static_cast<Time>(length)), task);
      run.start(now, task, run.state().tasks()[task].attempt + 1, dispatcher.processors_of(task));
    }
    if (ends.empty() || ended++ == most) return run;
    const std::size_t task = ends.begin()->second;
    now = std::max(now, ends.begin()->first);
    ends.erase(ends.begin());
    const run::TaskStatus& status = run.state().tasks()[task];
    const bool fails = chance() < options.failing;
    const double cpu =
        to_seconds(now - status.started) * status.processors * (0.7 + 0.3 * chance());
    run.end(now, task, status.attempt, fails ? 3 : 0, cpu);
    if (fails) {
      run.apply(run::retry_entry(ScriptedRun::stamp(now), static_cast<std::uint32_t>(task), now));
      dispatcher.retry(task, now);
    } else {
      dispatcher.end(task, true);
    }
    if (ended % 20 == 7) {
      const Time current = dispatcher.forecast(now);
      const bool adopted = ended % 40 == 7;
      run.plan(now,
               {.event = "late " + problem.task_name(task),
                .candidate = current - (adopted ? 3000 : 0),
                .current = current,
                .adopted = adopted},
               slots);
    }
  }
}

}  // namespace dovetail::testing
