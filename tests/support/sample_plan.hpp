// Plans for the tests of pictures: a small one that is written out, and random valid ones of any
// size, made with a calendar so that capacity holds at every instant.
#pragma once

#include <algorithm>
#include <random>
#include <string>

#include "dovetail/calendar.hpp"
#include "dovetail/plan_record.hpp"

namespace dovetail::testing {

inline constexpr Duration kTestMinute = 60'000;
inline constexpr Duration kTestHour = 60 * kTestMinute;

// Sets what follows from the tasks.
inline void complete(PlanRecord& record) {
  for (const TaskRecord& task : record.tasks) {
    record.makespan = std::max(record.makespan, task.end - record.now);
    record.cpu_hours += static_cast<double>(task.processors) *
                        static_cast<double>(task.end - task.start) / double(kTestHour);
  }
  for (WorkflowRecord& workflow : record.workflows) workflow.makespan = record.makespan;
}

// Six tasks on 16 processors between four reservations, one of which began before now.
inline PlanRecord small_plan() {
  constexpr Duration m = kTestMinute;
  PlanRecord record;
  record.algorithm = "BL_CPAR_BD_CPAR";
  record.deadline = 200 * m;
  record.workflows = {{"demo", 0, 1.0}};
  record.clusters = {
      {"kth",
       16,
       {{-30 * m, 40 * m, 6}, {0, 20 * m, 4}, {70 * m, 130 * m, 8}, {110 * m, 300 * m, 3}}}};
  record.tasks = {{"demo", "prepare", "kth", 0, 10 * m, 2, true},
                  {"demo", "solve", "kth", 20 * m, 70 * m, 8, true},
                  {"demo", "mesh", "kth", 10 * m, 45 * m, 2, false},
                  {"demo", "statistics", "kth", 70 * m, 95 * m, 3, false},
                  {"demo", "render", "kth", 70 * m, 150 * m, 4, true},
                  {"demo", "publish", "kth", 150 * m, 162 * m, 1, true}};
  complete(record);
  return record;
}

// The small plan after "solve" and "mesh" had begun once before and were cut short; the runs that
// were lost fit where the plan left room.
inline PlanRecord small_plan_with_lost() {
  constexpr Duration m = kTestMinute;
  PlanRecord record = small_plan();
  record.lost = {{"demo", "solve", "kth", 10 * m, 15 * m, 2, false},
                 {"demo", "mesh", "kth", 2 * m, 10 * m, 4, false}};
  return record;
}

struct RandomPlanShape {
  int tasks = 50;
  Count processors = 128;
  int reservations = 40;
  int workflows = 1;
  int clusters = 1;
  Duration horizon = 24 * kTestHour;  // reservations and ready times lie within it
};

// A valid plan: same seed and shape, same plan.
inline PlanRecord random_plan(std::uint64_t seed, const RandomPlanShape& shape = {}) {
  std::mt19937_64 random(seed);
  const auto between = [&random](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, std::max(low, high))(random);
  };
  PlanRecord record;
  record.algorithm = "random";
  record.now = between(0, 1) * 1'000'000;
  std::vector<Calendar> calendars;
  for (int c = 0; c < shape.clusters; ++c) {
    record.clusters.push_back({"cluster" + std::to_string(c), shape.processors, {}});
    calendars.emplace_back(shape.processors, record.now - shape.horizon);
  }
  for (int i = 0; i < shape.reservations; ++i) {
    const auto c = static_cast<std::size_t>(between(0, shape.clusters - 1));
    const Time start = record.now + between(-shape.horizon / 8, shape.horizon);
    const Time end = start + between(1, shape.horizon / 6);
    const auto procs = static_cast<Count>(between(1, shape.processors / 3));
    if (!calendars[c].fits({start, end}, procs)) continue;
    calendars[c].reserve({start, end}, procs);
    record.clusters[c].reservations.push_back({start, end, procs});
  }
  for (int w = 0; w < shape.workflows; ++w) {
    record.workflows.push_back({"flow" + std::to_string(w), 0, 1.0});
  }
  for (int i = 0; i < shape.tasks; ++i) {
    const auto c = static_cast<std::size_t>(between(0, shape.clusters - 1));
    const auto procs = static_cast<Count>(between(1, shape.processors / 4));
    const Duration length = between(1, shape.horizon / 8);
    const Time ready = record.now + between(0, shape.horizon / 2);
    const Time start = calendars[c].earliest_fit(procs, length, ready).value();
    calendars[c].reserve({start, start + length}, procs);
    record.tasks.push_back({"flow" + std::to_string(between(0, shape.workflows - 1)),
                            "t" + std::to_string(i), record.clusters[c].name, start, start + length,
                            procs, between(0, 9) == 0});
  }
  complete(record);
  return record;
}

}  // namespace dovetail::testing
