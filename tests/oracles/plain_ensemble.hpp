// Ensembles as the specification reads, without any idea to make them fast: whole lists in every
// cell of the knapsack, and a simulation that looks at everything at every instant. It is the
// baseline that the benchmark compares with and the oracle of the property tests, and shares
// nothing with the library's planners. Times are whole numbers of any unit.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

namespace dovetail::plain {

using Whole = std::int64_t;
__extension__ typedef __int128 Huge;

struct Months {
  int scenarios = 1;                // NS
  int months = 1;                   // NM
  int processors = 1;               // R
  std::map<int, Whole> times = {};  // T, by allowed size
  Whole post = 1;                   // TP
};

using Sizes = std::vector<int>;

inline Whole up(Whole value, Whole by) { return (value + by - 1) / by; }

// Section 2: equations 1 to 5 for groups of one size.
inline Whole formula(const Months& m, int size) {
  const Whole tasks = Whole{m.scenarios} * m.months;
  const Whole groups = std::min(m.scenarios, m.processors / size);
  const Whole r2 = m.processors - groups * size;
  const Whole used = tasks % groups;
  const Whole n = up(tasks, groups);
  const Whole time = m.times.at(size);
  const Whole per = time / m.post;
  const Whole main = n * time;
  const Whole left = m.processors - used * size;
  if (r2 == 0) {
    if (used == 0) return main + up(tasks, m.processors) * m.post;
    const Whole rest = used + std::max<Whole>(0, tasks - used - per * left);
    return main + up(rest, m.processors) * m.post;
  }
  const Whole possible = per * r2;
  if (used == 0) {
    const Whole over = std::max<Whole>(0, (n - 1) * (groups - possible));
    return main + up(over + groups, m.processors) * m.post;
  }
  const Whole over = std::max<Whole>(0, (n - 2) * (groups - possible)) + groups;
  const Whole rest = used + std::max<Whole>(0, over - per * left);
  return main + up(rest, m.processors) * m.post;
}

inline Sizes basic(const Months& m) {
  int chosen = 0;
  for (const auto& [size, time] : m.times) {
    if (size > m.processors) continue;
    if (chosen == 0 || formula(m, size) < formula(m, chosen)) chosen = size;
  }
  return Sizes(static_cast<std::size_t>(std::min(m.scenarios, m.processors / chosen)), chosen);
}

// Section 3: improvements 1 and 2.
inline Sizes improved(const Months& m, bool second) {
  Sizes groups = basic(m);
  const Whole per = m.times.at(groups[0]) / m.post;
  const auto count = static_cast<Whole>(groups.size());
  Whole spare = m.processors - count * groups[0];
  if (!second) spare = per == 0 ? 0 : std::max<Whole>(0, spare - up(count, per));
  for (std::size_t stuck = 0, g = 0; stuck < groups.size(); g = (g + 1) % groups.size()) {
    const auto next = m.times.upper_bound(groups[g]);
    if (next == m.times.end() || next->first - groups[g] > spare) {
      ++stuck;
      continue;
    }
    stuck = 0;
    spare -= next->first - groups[g];
    groups[g] = next->first;
  }
  return groups;
}

// Section 3: the knapsack, a best list for every number of groups and processors.
class PlainKnapsack {
 public:
  explicit PlainKnapsack(const Months& m) {
    Huge multiple = 1;
    for (const auto& [size, time] : m.times) multiple = lcm(multiple, time);
    std::vector<std::map<int, Entry>> best(1);
    best[0][0] = {};
    for (int k = 1; k <= m.scenarios; ++k) {
      best.emplace_back();
      for (const auto& [procs, entry] : best[static_cast<std::size_t>(k) - 1]) {
        for (const auto& [size, time] : m.times) {
          if (procs + size > m.processors) continue;
          Entry candidate = entry;
          candidate.value += multiple / time;
          candidate.processors += size;
          candidate.list.push_back(size);
          std::sort(candidate.list.rbegin(), candidate.list.rend());
          Entry& cell = best.back()[procs + size];
          if (better(candidate, cell)) cell = candidate;
        }
      }
      Entry cap = caps_.empty() ? Entry{} : caps_.back();
      for (const auto& [procs, entry] : best.back()) {
        if (better(entry, cap)) cap = entry;
      }
      caps_.push_back(cap);
    }
  }

  // With at most so many groups.
  const Sizes& groups(int cap) const { return caps_[static_cast<std::size_t>(cap) - 1].list; }

 private:
  struct Entry {
    Huge value = 0;
    int processors = 0;
    Sizes list = {};
  };

  static bool better(const Entry& a, const Entry& b) {
    if (a.value != b.value) return a.value > b.value;
    if (a.processors != b.processors) return a.processors < b.processors;
    return a.list > b.list;
  }

  static Huge lcm(Huge a, Huge b) {
    Huge x = a;
    for (Huge y = b; y != 0;) {
      const Huge rest = x % y;
      x = y;
      y = rest;
    }
    return a / x * b;
  }

  std::vector<Entry> caps_;
};

// Section 4: everything is looked at at every instant at which something ends.
class PlainSimulation {
 public:
  PlainSimulation(const Months& m, const Sizes& groups, const std::string& rule)
      : m_(m), rule_(rule), done_(n(m.scenarios)), started_(n(m.scenarios)) {
    int used = 0;
    for (const int size : groups) {
      groups_.push_back({m.times.at(size), size});
      used += size;
    }
    free_posts_ = m.processors - used;
    while (isqrt_ * isqrt_ <= m.months) ++isqrt_;
    --isqrt_;
  }

  Whole run() {
    while (true) {
      dispatch();
      start_posts();
      std::optional<Whole> next;
      for (const Group& g : groups_) {
        if (g.scenario >= 0 && (!next || g.end < *next)) next = g.end;
      }
      for (const Whole end : posts_) {
        if (!next || end < *next) next = end;
      }
      if (!next) return now_;
      now_ = *next;
      complete();
    }
  }

 private:
  struct Group {
    Whole time = 0;
    int size = 0;
    int scenario = -1;  // that it computes
    Whole end = 0;
    int awaits = -1;  // the scenario that it waits for
    bool lent = false;
  };

  static std::size_t n(int value) { return static_cast<std::size_t>(value); }

  void complete() {
    std::vector<int> ended;
    for (Group& g : groups_) {
      if (g.scenario < 0 || g.end != now_) continue;
      ended.push_back(g.scenario);
      ++done_[n(g.scenario)];
      ++waiting_;
      g.scenario = -1;
    }
    for (const int s : ended) {
      for (Group& g : groups_) {
        if (g.awaits != s) continue;
        g.awaits = -1;
        start(g, s);
      }
    }
    const auto still = std::remove(posts_.begin(), posts_.end(), now_);
    free_posts_ += static_cast<int>(posts_.end() - still);
    posts_.erase(still, posts_.end());
  }

  void start(Group& g, int scenario) {
    g.scenario = scenario;
    g.end = now_ + g.time;
    ++started_[n(scenario)];
  }

  bool runs(int scenario) const {
    return std::any_of(groups_.begin(), groups_.end(),
                       [&](const Group& g) { return g.scenario == scenario; });
  }

  // Of those that may start, the one with the fewest months; -1: none.
  int next_scenario() const {
    int least = -1;
    for (int s = 0; s < m_.scenarios; ++s) {
      if (started_[n(s)] == m_.months || (rule_ != "ideal" && runs(s))) continue;
      const auto& key = rule_ == "ideal" ? started_ : done_;
      if (least < 0 || key[n(s)] < key[n(least)]) least = s;
    }
    return least;
  }

  Group* next_group() {
    Group* fastest = nullptr;
    for (Group& g : groups_) {
      if (g.scenario >= 0 || g.awaits >= 0) continue;
      if (fastest == nullptr || g.time < fastest->time) fastest = &g;
    }
    return fastest;
  }

  int lagging(const Group& group, int scenario) const {
    if (rule_ != "rotate") return -1;
    const int distance = std::max(2, isqrt_ / 2);
    int least = -1;
    for (int x = 0; x < m_.scenarios; ++x) {
      bool slower = false;
      bool awaited = false;
      for (const Group& g : groups_) {
        slower = slower || (g.scenario == x && g.time > group.time);
        awaited = awaited || g.awaits == x;
      }
      if (!slower || awaited || m_.months - done_[n(x)] < 2) continue;
      if (done_[n(scenario)] - done_[n(x)] < distance) continue;
      if (least < 0 || done_[n(x)] < done_[n(least)]) least = x;
    }
    return least;
  }

  void dispatch() {
    while (true) {
      Group* const g = next_group();
      const int s = next_scenario();
      if (g == nullptr || s < 0) break;
      g->awaits = lagging(*g, s);
      if (g->awaits < 0) start(*g, s);
    }
    if (std::accumulate(started_.begin(), started_.end(), Whole{0}) !=
        Whole{m_.scenarios} * m_.months) {
      return;
    }
    for (Group& g : groups_) {
      if (g.scenario >= 0 || g.lent) continue;
      g.lent = true;
      free_posts_ += g.size;
    }
  }

  void start_posts() {
    for (; waiting_ > 0 && free_posts_ > 0; --waiting_, --free_posts_) {
      posts_.push_back(now_ + m_.post);
    }
  }

  const Months& m_;
  std::string rule_;
  std::vector<Group> groups_;
  std::vector<int> done_;
  std::vector<int> started_;
  std::vector<Whole> posts_;  // ends of those that run
  Whole waiting_ = 0;
  int free_posts_ = 0;
  int isqrt_ = 0;
  Whole now_ = 0;
};

inline Whole simulate(const Months& m, const Sizes& groups, const std::string& rule) {
  return PlainSimulation(m, groups, rule).run();
}

inline Sizes best(const Months& m, const std::string& rule) {
  std::vector<Sizes> candidates;
  const PlainKnapsack knapsack(m);
  for (int cap = 1; cap <= m.scenarios; ++cap) candidates.push_back(knapsack.groups(cap));
  candidates.push_back(basic(m));
  candidates.push_back(improved(m, false));
  candidates.push_back(improved(m, true));
  std::size_t shortest = 0;
  std::vector<Whole> ends;
  for (const Sizes& groups : candidates) ends.push_back(simulate(m, groups, rule));
  for (std::size_t i = 1; i < ends.size(); ++i) {
    if (ends[i] < ends[shortest]) shortest = i;
  }
  return candidates[shortest];
}

inline Sizes grouping(const Months& m, const std::string& heuristic, const std::string& rule);

// Section 6: makespans of 1, 2, ... scenarios, without dips.
inline std::vector<Whole> performance(Months m, const std::string& heuristic,
                                      const std::string& rule) {
  std::vector<Whole> values;
  const int most = m.scenarios;
  for (m.scenarios = 1; m.scenarios <= most; ++m.scenarios) {
    values.push_back(simulate(m, grouping(m, heuristic, rule), rule));
  }
  for (std::size_t k = values.size() - 1; k-- > 0;) values[k] = std::min(values[k], values[k + 1]);
  return values;
}

// Algorithm 1: scenarios of each cluster.
inline std::vector<int> greedy(const std::vector<std::vector<Whole>>& vectors, int scenarios) {
  std::vector<int> counts(vectors.size(), 0);
  for (int s = 0; s < scenarios; ++s) {
    std::size_t chosen = 0;
    for (std::size_t c = 1; c < vectors.size(); ++c) {
      if (vectors[c][static_cast<std::size_t>(counts[c])] <
          vectors[chosen][static_cast<std::size_t>(counts[chosen])]) {
        chosen = c;
      }
    }
    ++counts[chosen];
  }
  return counts;
}

inline Sizes grouping(const Months& m, const std::string& heuristic, const std::string& rule) {
  if (heuristic == "basic") return basic(m);
  if (heuristic == "imp1") return improved(m, false);
  if (heuristic == "imp2") return improved(m, true);
  if (heuristic == "knapsack") return PlainKnapsack(m).groups(m.scenarios);
  return best(m, rule);
}

}  // namespace dovetail::plain
