// Which tasks start now, by a table of what is free at every moment: the slow twin of the
// dispatcher of runs, with memory and GPUs. Small numbers only.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace dovetail::plain {

class PlainDispatch {
 public:
  // Processors, memory, GPUs.
  using Amounts = std::array<std::int64_t, 3>;

  struct Task {
    Amounts needs = {};
    std::int64_t start = 0;  // by the plan
    std::int64_t length = 0;
  };
  struct Held {
    std::int64_t start = 0;
    std::int64_t end = 0;
    Amounts amounts = {};
  };

  Amounts all = {};
  std::vector<Task> tasks;
  std::set<std::size_t> ready;
  std::map<std::size_t, std::int64_t> running;  // with the time at which each is thought to end
  std::vector<Held> reserved;
  Amounts others = {};  // what other runs hold

  // The tasks that start, in order; they are not ready any more, and run.
  std::vector<std::size_t> start(std::int64_t now) {
    make_table(now);
    std::vector<std::pair<std::int64_t, std::size_t>> order;
    for (const std::size_t task : ready) order.emplace_back(tasks[task].start, task);
    std::ranges::sort(order);
    std::vector<std::size_t> started;
    bool somebody_waits = false;
    for (const auto& [planned, task] : order) {
      if (table_.front()[0] <= 0) break;
      const auto when = first_fit(tasks[task]);
      if (when < 0 || (when > 0 && somebody_waits)) continue;
      subtract({when, when + tasks[task].length, tasks[task].needs});
      if (when > 0) {
        somebody_waits = true;
        continue;
      }
      started.push_back(task);
      ready.erase(task);
      running[task] = now + tasks[task].length;
    }
    return started;
  }

 private:
  // By moments after now; the last row stands for all that come after it.
  void make_table(std::int64_t now) {
    std::int64_t last = 1;
    for (const Held& held : reserved) last = std::max(last, held.end - now);
    for (const auto& [task, end] : running) last = std::max(last, end - now);
    for (const std::size_t task : ready) last += std::max<std::int64_t>(1, tasks[task].length);
    table_.assign(static_cast<std::size_t>(last + 2), all);
    for (const Held& held : reserved) {
      subtract({std::max<std::int64_t>(0, held.start - now), held.end - now, held.amounts});
    }
    for (const auto& [task, end] : running) {
      subtract({0, std::max<std::int64_t>(1, end - now), tasks[task].needs});
    }
    for (Amounts& row : table_) {
      row[1] = std::max<std::int64_t>(0, row[1] - others[1]);
      row[2] = std::max<std::int64_t>(0, row[2] - others[2]);
    }
  }

  // Memory and GPUs are held for a moment at least.
  void subtract(const Held& held) {
    for (std::int64_t moment = held.start; moment < std::max(held.end, held.start + 1); ++moment) {
      if (moment >= static_cast<std::int64_t>(table_.size())) return;
      Amounts& row = table_[static_cast<std::size_t>(moment)];
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (i == 0 && moment >= held.end) continue;
        row[i] = std::max<std::int64_t>(0, row[i] - held.amounts[i]);
      }
    }
  }

  std::int64_t first_fit(const Task& task) const {
    for (std::int64_t when = 0; when < static_cast<std::int64_t>(table_.size()); ++when) {
      bool fits = true;
      for (std::int64_t i = 0; fits && i < std::max<std::int64_t>(1, task.length); ++i) {
        const auto row = std::min(static_cast<std::size_t>(when + i), table_.size() - 1);
        for (std::size_t kind = 0; kind < 3; ++kind) {
          fits = fits && table_[row][kind] >= task.needs[kind];
        }
      }
      if (fits) return when;
    }
    return -1;
  }

  std::vector<Amounts> table_;
};

}  // namespace dovetail::plain
