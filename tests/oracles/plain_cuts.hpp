// Which tasks of a workflow go into the next batch job, with how many nodes and how much time, as
// the specification of the strategies reads: every set of levels and every node count is tried
// anew, and each question about a wait goes through the whole plan. Part of the oracle of the
// property tests; shares nothing with the library. Times are whole seconds.
//
//   plain::Flow flow(tasks, plain::Pick::shortest);
//   plain::Seconds time = flow.run({0, 1, 2}, 2);
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "oracles/plain_queue.hpp"

namespace dovetail::plain {

struct Task {
  Seconds time = 1;  // on its one node
  std::vector<int> parents = {};
};

enum class RequestRule { exact, authors };
enum class Published { paper, code };  // the published description, or what its authors ran
enum class LeewayRule { exact, code };
enum class Pick { shortest, longest };

struct QueueOptions {
  int cap = 16;  // the most jobs of the workflow that wait or run at once
  RequestRule request_rule = RequestRule::exact;
  Published zhang_rule = Published::paper;
  Published glume_rule = Published::paper;
  LeewayRule leeway_rule = LeewayRule::exact;
  Pick pick = Pick::shortest;
  int user = -2;  // whose jobs they are, for a cap on running jobs; by default nobody of the log
};

// The tasks with their levels, and what sets of them take. A set is a list in file order.
class Flow {
 public:
  Flow(std::vector<Task> tasks, Pick pick)
      : tasks_(std::move(tasks)), pick_(pick), levels_(tasks_.size(), 0) {
    for (bool changed = true; changed;) {
      changed = false;
      for (int task = 0; task < size(); ++task) {
        for (int parent : parents(task)) {
          if (level(task) > level(parent)) continue;
          levels_[index(task)] = level(parent) + 1;
          changed = true;
        }
      }
    }
  }

  int size() const { return static_cast<int>(tasks_.size()); }
  Seconds time(int task) const { return tasks_[index(task)].time; }
  const std::vector<int>& parents(int task) const { return tasks_[index(task)].parents; }
  int level(int task) const { return levels_[index(task)]; }
  const std::vector<int>& levels() const { return levels_; }

  // The tasks of a set on the levels first..last.
  std::vector<int> between(const std::vector<int>& set, int first, int last) const {
    std::vector<int> kept;
    for (int task : set) {
      if (level(task) >= first && level(task) <= last) kept.push_back(task);
    }
    return kept;
  }

  int lowest_level(const std::vector<int>& set) const {
    int lowest = level(set.front());
    for (int task : set) lowest = std::min(lowest, level(task));
    return lowest;
  }

  int highest_level(const std::vector<int>& set) const {
    int highest = level(set.front());
    for (int task : set) highest = std::max(highest, level(task));
    return highest;
  }

  // The most tasks of a set on one level.
  int width(const std::vector<int>& set) const {
    std::vector<int> tasks(tasks_.size(), 0);
    int most = 0;
    for (int task : set) most = std::max(most, ++tasks[index(level(task))]);
    return most;
  }

  // Of two ready tasks, the one that an idle node takes has the lesser rank.
  std::pair<Seconds, int> rank(int task) const {
    return {pick_ == Pick::shortest ? time(task) : -time(task), task};
  }

  // When a set is finished by list scheduling on so many nodes, all other tasks done.
  Seconds run(const std::vector<int>& set, int nodes) const {
    std::vector<int> missing(tasks_.size(), 0);  // parents within the set that are not done
    std::vector<std::vector<int>> children(tasks_.size());
    std::vector<bool> in_set(tasks_.size(), false);
    for (int task : set) in_set[index(task)] = true;
    for (int task : set) {
      for (int parent : parents(task)) {
        if (!in_set[index(parent)]) continue;
        ++missing[index(task)];
        children[index(parent)].push_back(task);
      }
    }
    std::set<std::pair<Seconds, int>> ready, running;  // by rank; by end
    for (int task : set) {
      if (missing[index(task)] == 0) ready.insert(rank(task));
    }
    Seconds now = 0;
    while (!ready.empty() || !running.empty()) {
      while (!ready.empty() && static_cast<int>(running.size()) < nodes) {
        const int task = ready.begin()->second;
        ready.erase(ready.begin());
        running.insert({now + time(task), task});
      }
      now = running.begin()->first;
      while (!running.empty() && running.begin()->first == now) {
        for (int child : children[index(running.begin()->second)]) {
          if (--missing[index(child)] == 0) ready.insert(rank(child));
        }
        running.erase(running.begin());
      }
    }
    return now;
  }

 private:
  static std::size_t index(int number) { return static_cast<std::size_t>(number); }

  std::vector<Task> tasks_;
  Pick pick_;
  std::vector<int> levels_;
};

// A set of tasks as a job: what it would ask for and, asked now, how long it would wait.
struct Cut {
  std::vector<int> tasks;
  int nodes = 0;
  Seconds run = 0, wait = 0, leeway = 0;
};

// The choices among cuts at one instant.
class Chooser {
 public:
  Chooser(const Flow& flow, const QueueOptions& options, int nodes, Estimate estimate)
      : flow_(flow), options_(options), nodes_(nodes), estimate_(std::move(estimate)) {}

  Cut best_nodes(std::vector<int> set, Seconds delay) const {
    Cut best;
    const int most = std::min(flow_.width(set), nodes_);
    for (int nodes = 1; nodes <= most; ++nodes) {
      const Seconds run = flow_.run(set, nodes);
      const Seconds wait = estimate_.wait(nodes, run);
      if (best.nodes > 0 && std::max(delay, wait) + run >= std::max(delay, best.wait) + best.run) {
        continue;
      }
      best = {{}, nodes, run, wait, 0};
    }
    best.tasks = std::move(set);
    return best;
  }

  // Nothing when the wait says that the tasks should become single jobs.
  std::optional<Cut> zhang(const std::vector<int>& open, Seconds delay) const {
    Cut best = options_.zhang_rule == Published::paper ? zhang_paper(open) : zhang_code(open);
    if (best.tasks.size() == open.size() && best.wait > 2 * best.run) return std::nullopt;
    Seconds leeway = std::max<Seconds>(0, delay - best.wait);
    while (leeway > 600) {
      const Seconds half = (leeway + 1) / 2;
      if (estimate_.wait(best.nodes, best.run + half) <= delay) break;
      leeway = half;
    }
    best.leeway = leeway;
    return best;
  }

  Cut glume(const std::vector<int>& open, Seconds delay) const {
    const int last = flow_.highest_level(open);
    Cut best = allocation(open, delay);
    Seconds value = best.wait + best.leeway + best.run;
    for (int x = flow_.lowest_level(open); x < last; ++x) {
      Cut a = allocation(flow_.between(open, 0, x), delay);
      if (10 * a.leeway > a.run) continue;
      const Cut b = allocation(flow_.between(open, x + 1, last), a.leeway + a.run);
      if (10 * b.leeway > b.run) continue;
      const Seconds until_b =
          options_.glume_rule == Published::paper ? b.wait : std::max(a.leeway + a.run, b.wait);
      const Seconds split = a.wait + until_b + b.leeway + b.run;
      if (split >= value) continue;
      value = split;
      best = std::move(a);
    }
    return best;
  }

 private:
  Cut zhang_option(const std::vector<int>& open, int x) const {
    Cut cut{flow_.between(open, 0, x)};
    cut.nodes = std::min(flow_.width(cut.tasks), nodes_);
    cut.run = flow_.run(cut.tasks, cut.nodes);
    cut.wait = estimate_.wait(cut.nodes, cut.run);
    return cut;
  }

  static bool lower_ratio(const Cut& a, const Cut& b) { return a.wait * b.run < b.wait * a.run; }

  Cut zhang_paper(const std::vector<int>& open) const {
    const int last = flow_.highest_level(open);
    Cut best = zhang_option(open, last);
    for (int x = flow_.lowest_level(open); x < last; ++x) {
      Cut cut = zhang_option(open, x);
      if (lower_ratio(best, cut)) break;
      best = std::move(cut);
    }
    return best;
  }

  Cut zhang_code(const std::vector<int>& open) const {
    const int last = flow_.highest_level(open);
    std::optional<Cut> best;
    for (int x = flow_.lowest_level(open); x <= last; ++x) {
      Cut cut = zhang_option(open, x);
      if (!best && cut.wait > cut.run && x < last) continue;
      if (best && lower_ratio(*best, cut)) break;
      best = std::move(cut);
    }
    return *best;
  }

  Cut allocation(std::vector<int> set, Seconds delay) const {
    Cut cut = best_nodes(std::move(set), delay);
    cut.leeway = leeway(cut, delay);
    cut.wait = estimate_.wait(cut.nodes, cut.run + cut.leeway);
    return cut;
  }

  // The least leeway with which the job still has its run time left after the delay. With the
  // authors' rule the search stops 600 seconds before it.
  Seconds leeway(const Cut& cut, Seconds delay) const {
    const auto enough = [&](Seconds leeway) {
      return estimate_.wait(cut.nodes, cut.run + leeway) + leeway >= delay;
    };
    if (enough(0)) return 0;
    const bool exact = options_.leeway_rule == LeewayRule::exact;
    Seconds low = 0, high = delay;  // not enough, enough
    while (high - low > (exact ? 1 : 600)) {
      const Seconds middle = (low + high) / 2;
      (enough(middle) ? high : low) = middle;
    }
    return exact ? high : low;
  }

  const Flow& flow_;
  const QueueOptions& options_;
  int nodes_;
  Estimate estimate_;
};

}  // namespace dovetail::plain
