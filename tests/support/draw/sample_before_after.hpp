// Plans before and after something happened, for the tests of the pictures of both.
#pragma once

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "dovetail/calendar.hpp"
#include "dovetail/plan_record.hpp"
#include "support/sample_plan.hpp"

namespace dovetail::testing {

struct BeforeAndAfter {
  PlanRecord before;
  PlanRecord after;
};

struct PoolTask {
  std::string id;
  std::string resource;
  int start;  // seconds
  int end;
};

inline PlanRecord pool_plan(const std::vector<PoolTask>& tasks) {
  PlanRecord record;
  record.algorithm = "AHEFT";
  record.workflows = {{"sample", 0, 1.0}};
  record.clusters = {{"r1", 1, {}}, {"r2", 1, {}}, {"r3", 1, {}}, {"r4", 1, {}}};
  for (const auto& [id, resource, start, end] : tasks) {
    record.tasks.push_back({"sample", id, resource, start * 1000, end * 1000, 1, false});
  }
  complete(record);
  return record;
}

// The ten tasks of the HEFT papers: 80 seconds on three resources, 76 once r4 has joined at 15.
inline BeforeAndAfter joined_pool() {
  BeforeAndAfter sample{pool_plan({{"n1", "r3", 0, 9},
                                   {"n2", "r1", 27, 40},
                                   {"n3", "r3", 9, 28},
                                   {"n4", "r2", 18, 26},
                                   {"n5", "r3", 28, 38},
                                   {"n6", "r2", 26, 42},
                                   {"n7", "r3", 38, 49},
                                   {"n8", "r1", 57, 62},
                                   {"n9", "r2", 56, 68},
                                   {"n10", "r2", 73, 80}}),
                        pool_plan({{"n1", "r3", 0, 9},
                                   {"n2", "r1", 27, 40},
                                   {"n3", "r3", 9, 28},
                                   {"n4", "r2", 18, 26},
                                   {"n5", "r2", 26, 39},
                                   {"n6", "r3", 28, 37},
                                   {"n7", "r3", 37, 48},
                                   {"n8", "r1", 53, 58},
                                   {"n9", "r2", 56, 68},
                                   {"n10", "r2", 69, 76}})};
  for (const std::size_t critical : {0u, 3u, 8u, 9u}) {
    sample.before.tasks[critical].critical = sample.after.tasks[critical].critical = true;
  }
  sample.after.history = {{0, "start", 80'000, {}, true},
                          {15'000, "join r4", 76'000, 80'000, true},
                          {50'000, "late n9 x1.01", {}, 76'000, false}};
  return sample;
}

// The plan again between more reservations than it was made for: every task where it fits first,
// not before its old start. Those that do not fit themselves are left out; each other reservation
// is an event, which happens when it begins.
inline BeforeAndAfter disturbed(PlanRecord before, std::vector<Reservation> more) {
  BeforeAndAfter sample{before, std::move(before)};
  PlanRecord& after = sample.after;
  ClusterRecord& cluster = after.clusters[0];
  Calendar calendar(cluster.processors, after.now - 100 * kTestHour);
  for (const Reservation& r : cluster.reservations) calendar.reserve({r.start, r.end}, r.procs);
  std::erase_if(more, [&](const Reservation& r) {
    if (!calendar.fits({r.start, r.end}, r.procs)) return true;
    calendar.reserve({r.start, r.end}, r.procs);
    cluster.reservations.push_back(r);
    return false;
  });
  std::vector<std::size_t> order(after.tasks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return after.tasks[a].start < after.tasks[b].start;
  });
  for (const std::size_t i : order) {
    TaskRecord& task = after.tasks[i];
    const Duration length = task.end - task.start;
    task.start = calendar.earliest_fit(task.processors, length, task.start).value();
    task.end = task.start + length;
    calendar.reserve({task.start, task.end}, task.processors);
  }
  after.makespan = 0;
  after.cpu_hours = 0;
  complete(after);
  after.history = {{after.now, "start", {}, {}, true}};
  const Time old_end = sample.before.now + sample.before.makespan;
  const Time new_end = after.now + after.makespan;
  std::sort(more.begin(), more.end(), [](auto& a, auto& b) { return a.start < b.start; });
  for (const Reservation& r : more) {
    const bool adopted = after.history.size() % 3 == 1;
    const std::string name = "reserve " + std::to_string(r.procs) + " from " +
                             format_seconds(r.start) + " to " + format_seconds(r.end);
    after.history.push_back({r.start, name, adopted ? new_end : old_end,
                             adopted ? std::optional<Time>{} : old_end, adopted});
  }
  return sample;
}

}  // namespace dovetail::testing
