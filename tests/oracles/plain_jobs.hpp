// When tasks start inside of jobs and on which nodes, read off the definition, second by second. It
// is the oracle of the property tests and shares nothing with the library.
//
//   plain::JobsOfTasks jobs{.nodes = {2}, .cores = 4, .tasks = {{.seconds = 5, .cores = 3}, ...}};
//   std::vector<plain::PlaceOfTask> places = plain::task_places(jobs);
#pragma once

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

namespace dovetail::plain {

struct TaskOfJob {
  int job = 0;  // -1: of another batch system, say; it is done when its seconds are over, -1: never
  int seconds = 1;
  std::vector<int> parents = {};
  bool fails = false;  // at its end
  int loses = 0;       // when it fails: that many of its nodes, the first ones
  // What it takes of each of its nodes.
  int nodes = 1;
  int cores = 1;
  int memory = 0;
  int gpus = 0;
  bool is_whole = false;  // and nothing else may be there
};

struct JobsOfTasks {
  std::vector<int> nodes = {1};  // by job; all begin at 0
  // Of each node.
  int cores = 1;
  int memory = 0;  // 0: it does not count
  int gpus = 0;
  std::vector<TaskOfJob> tasks = {};
  bool picks_longest = false;
  int limit = 1 << 30;  // of all jobs: no task starts that would end later
};

constexpr int kNotStarted = -1;

struct PlaceOfTask {
  int start = kNotStarted;
  std::vector<int> nodes = {};  // of its job, in order

  friend bool operator==(const PlaceOfTask&, const PlaceOfTask&) = default;
};

class JobsBySecond {
 public:
  explicit JobsBySecond(const JobsOfTasks& work) : work_(work), places_(work.tasks.size()) {
    for (const int nodes : work.nodes) is_lost_.emplace_back(nodes, false);
  }

  std::vector<PlaceOfTask> run() {
    int last = 1;
    for (int i = 0; i < count(); ++i) {
      last += std::max(0, task(i).seconds);
      if (task(i).job < 0) place(i).start = 0;
    }
    for (int now = 0; now <= last; ++now) {
      for (int i = 0; i < count(); ++i) lose_nodes(i, now);
      for (int job = 0; job < static_cast<int>(work_.nodes.size()); ++job) {
        while (start_one(job, now)) {
        }
      }
    }
    return places_;
  }

 private:
  struct Room {
    int cores, gpus, memory;
    bool is_idle;
  };

  int count() const { return static_cast<int>(work_.tasks.size()); }
  const TaskOfJob& task(int i) const { return work_.tasks[static_cast<std::size_t>(i)]; }
  PlaceOfTask& place(int i) { return places_[static_cast<std::size_t>(i)]; }
  const PlaceOfTask& place(int i) const { return places_[static_cast<std::size_t>(i)]; }

  bool has_ended(int i, int now) const {
    const int start = place(i).start;
    return start != kNotStarted && task(i).seconds >= 0 && start + task(i).seconds <= now;
  }

  void lose_nodes(int i, int now) {
    if (task(i).job < 0 || !task(i).fails || !has_ended(i, now)) return;
    for (int k = 0; k < std::min(task(i).loses, task(i).nodes); ++k) {
      const auto node = static_cast<std::size_t>(place(i).nodes[static_cast<std::size_t>(k)]);
      is_lost_[static_cast<std::size_t>(task(i).job)][node] = true;
    }
  }

  Room room(int job, int node, int now) const {
    Room room{work_.cores, work_.gpus, work_.memory, true};
    for (int i = 0; i < count(); ++i) {
      const auto& nodes = place(i).nodes;
      const bool is_there = std::find(nodes.begin(), nodes.end(), node) != nodes.end();
      if (task(i).job != job || !is_there || has_ended(i, now)) continue;
      room.is_idle = false;
      room.cores -= task(i).is_whole ? work_.cores : task(i).cores;
      room.gpus -= task(i).is_whole ? work_.gpus : task(i).gpus;
      room.memory -= task(i).is_whole ? work_.memory : task(i).memory;
    }
    return room;
  }

  // The nodes that a task gets now; none when it does not fit.
  std::vector<int> nodes_for(int i, int now) const {
    const int job = task(i).job;
    const bool needs_idle = task(i).is_whole || task(i).nodes > 1;
    std::vector<std::tuple<int, int, int, int>> found;  // what is left free, and the number
    for (int node = 0; node < work_.nodes[static_cast<std::size_t>(job)]; ++node) {
      if (is_lost_[static_cast<std::size_t>(job)][static_cast<std::size_t>(node)]) continue;
      const Room room = this->room(job, node, now);
      const int cores = room.cores - task(i).cores;
      const int gpus = room.gpus - task(i).gpus;
      const int memory = work_.memory == 0 ? 0 : room.memory - task(i).memory;
      if (cores < 0 || gpus < 0 || memory < 0 || (needs_idle && !room.is_idle)) continue;
      found.emplace_back(cores, gpus, memory, node);
    }
    if (static_cast<int>(found.size()) < task(i).nodes) return {};
    std::sort(found.begin(), found.end());
    std::vector<int> nodes;
    for (int k = 0; k < task(i).nodes; ++k) {
      nodes.push_back(std::get<3>(found[static_cast<std::size_t>(k)]));
    }
    std::sort(nodes.begin(), nodes.end());
    return nodes;
  }

  bool may_start(int i, int job, int now) const {
    if (task(i).job != job || place(i).start != kNotStarted) return false;
    bool may = now + task(i).seconds <= work_.limit;
    for (const int parent : task(i).parents) {
      may = may && has_ended(parent, now) && !task(parent).fails;
    }
    return may && !nodes_for(i, now).empty();
  }

  bool start_one(int job, int now) {
    int best = kNotStarted;
    for (int i = 0; i < count(); ++i) {
      if (!may_start(i, job, now)) continue;
      const bool is_better =
          best == kNotStarted || (work_.picks_longest ? task(i).seconds > task(best).seconds
                                                      : task(i).seconds < task(best).seconds);
      if (is_better) best = i;
    }
    if (best == kNotStarted) return false;
    place(best) = {now, nodes_for(best, now)};
    return true;
  }

  const JobsOfTasks& work_;
  std::vector<PlaceOfTask> places_;
  std::vector<std::vector<bool>> is_lost_;  // by job and node
};

// Of every task, also of those outside, which start at 0 on no node.
inline std::vector<PlaceOfTask> task_places(const JobsOfTasks& work) {
  return JobsBySecond(work).run();
}

// The first node that has too much to do at a second, whatever placed the tasks there; empty: none.
inline std::string find_overbooked(const JobsOfTasks& work,
                                   const std::vector<PlaceOfTask>& places) {
  for (std::size_t i = 0; i < places.size(); ++i) {
    const TaskOfJob& task = work.tasks[i];
    if (task.job < 0 || places[i].start == kNotStarted) continue;
    const std::string name = "task " + std::to_string(i);
    if (static_cast<int>(places[i].nodes.size()) != task.nodes) return name + ": nodes";
    for (std::size_t k = 0; k < places[i].nodes.size(); ++k) {
      const int node = places[i].nodes[k];
      if (k > 0 && places[i].nodes[k - 1] >= node) return name + ": a node twice";
      // At the start of a task, what runs there then: nodes only get fuller when one starts.
      int cores = 0, memory = 0, gpus = 0, tasks = 0;
      bool has_whole = false;
      for (std::size_t j = 0; j < places.size(); ++j) {
        const TaskOfJob& other = work.tasks[j];
        const auto& nodes = places[j].nodes;
        const bool runs =
            places[j].start <= places[i].start && places[i].start < places[j].start + other.seconds;
        const bool is_there = std::find(nodes.begin(), nodes.end(), node) != nodes.end();
        if (other.job != task.job || places[j].start == kNotStarted || !runs || !is_there) continue;
        ++tasks;
        cores += other.cores;
        memory += other.memory;
        gpus += other.gpus;
        has_whole = has_whole || other.is_whole;
      }
      const bool too_much = cores > work.cores || gpus > work.gpus ||
                            (work.memory > 0 && memory > work.memory) || (has_whole && tasks > 1);
      if (too_much) return name + ": node " + std::to_string(node);
    }
  }
  return {};
}

}  // namespace dovetail::plain
