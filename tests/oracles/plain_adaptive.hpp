// Planning on heterogeneous resources that come, go and slow down, for jobs that are late or lost,
// as its specification reads: HEFT and AHEFT without any idea to make them fast. A plan is a list
// of spots, every question goes through all jobs and all edges, and what a job is doing is read off
// its spot and the clock. It is the oracle of the property tests and shares nothing with the
// library's planners.
//
//   const plain::Dag dag(problem);
//   plain::Adaptive world(dag, 0, {0, 1, 2}, {.ranks = {plain::RankBy::mean}});
//   const plain::Course course = world.run({{.time = 15'000, .resource = 3}});  // it joins
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "dovetail/problem.hpp"

namespace dovetail::plain {

// What each job costs on each resource, and what each edge costs between two. Several workflows are
// one graph.
struct Dag {
  struct Edge {
    std::size_t from = 0, to = 0;
    Duration transfer = 0;
  };

  explicit Dag(const Problem& problem) {
    for (std::size_t w = 0; w < problem.workflows().size(); ++w) {
      const std::size_t first = cost.size();
      const Workflow& workflow = problem.workflows()[w];
      for (TaskId task = 0; task < workflow.size(); ++task) {
        cost.emplace_back();
        for (std::size_t r = 0; r < problem.platform().clusters().size(); ++r) {
          const bool runs = problem.allows(w, task, r, 1);
          cost.back().push_back(runs ? problem.time(w, task, r).duration(1) : kForever);
        }
        const auto before = workflow.predecessors(task);
        const auto transfers = workflow.transfers_in(task);
        for (std::size_t i = 0; i < before.size(); ++i) {
          edges.push_back({first + before[i], first + task, transfers.empty() ? 0 : transfers[i]});
        }
      }
    }
  }

  std::size_t jobs() const { return cost.size(); }
  std::size_t resources() const { return cost.empty() ? 0 : cost[0].size(); }

  std::vector<std::vector<Duration>> cost = {};  // by job and resource; kForever: not there
  std::vector<Edge> edges = {};
};

struct Spot {
  std::size_t resource = 0;
  Time start = 0, end = 0;
  friend bool operator==(const Spot&, const Spot&) = default;
};

// By job; nothing where a job has no place.
using Spots = std::vector<std::optional<Spot>>;

struct Change {
  enum What { join, leave, leave_later, slow, late, lost };
  Time time = 0;
  What what = join;  // of one that is there: it does not leave as announced
  std::size_t resource = 0;
  Time until = 0;       // leave_later
  double factor = 1;    // slow: of the costs in the table; late: of the rest of the job
  std::size_t job = 0;  // late, lost
};

inline Time last_end(const Spots& spots) {
  Time end = kBeginning;
  for (const auto& spot : spots) end = std::max(end, spot->end);
  return end;
}

// A length times a factor in whole milliseconds, rounded up as run times are.
inline Duration scaled(Duration length, double factor) {
  const double exact = static_cast<double>(length) * factor;
  return std::max<Duration>(1, static_cast<Duration>(std::ceil(exact - 1e-6)));
}

enum class RankBy { mean, max, min, median };
enum class Files { inflight, literal, multicast };

struct AdaptiveRules {
  std::vector<RankBy> ranks = {RankBy::mean, RankBy::max, RankBy::min, RankBy::median};
  std::vector<Files> files = {Files::inflight, Files::literal};
  bool append = false;   // no insertion between jobs
  bool restart = false;  // running jobs are killed and planned again
  // Static HEFT: only on resources of the start, planned again only when the plan broke.
  bool once = false;
};

// What happened: an entry per evaluation, and the resource of each job in every plan adopted.
struct Course {
  struct Entry {
    Time time = 0;
    std::optional<Time> candidate, current;
    bool adopted = false;
  };
  struct Version {
    Time time = 0;
    std::vector<std::size_t> resources;
  };
  bool feasible = false;
  Spots spots;
  std::vector<Entry> history;
  std::vector<Version> versions;
};

class Adaptive {
 public:
  Adaptive(const Dag& dag, Time now, std::vector<std::size_t> pool, AdaptiveRules rules = {})
      : dag_(dag),
        rules_(std::move(rules)),
        clock_(now),
        pool_(std::move(pool)),
        first_pool_(pool_),
        factor_(dag.resources(), 1.0),
        lateness_(dag.jobs(), 1.0),
        until_(dag.resources(), kForever),
        spots_(dag.jobs()) {}

  // The changes in order of time.
  Course run(const std::vector<Change>& changes) {
    evaluate();
    for (std::size_t i = 0; i < changes.size();) {
      const Time time = changes[i].time;
      if (has_plan_ && time >= last_end(spots_)) break;
      std::vector<Change> at_once;
      for (; i < changes.size() && changes[i].time == time; ++i) at_once.push_back(changes[i]);
      advance(time);
      apply(at_once);
      evaluate();
    }
    course_.feasible = has_plan_;
    course_.spots = spots_;
    return course_;
  }

  // HEFT, or what is left of it: every job that waits, by rank, where it ends first. Nothing when
  // one of them can end nowhere.
  std::optional<Spots> schedule(RankBy rank, Files files) const {
    Spots plan = kept();
    for (std::size_t job = 0; job < dag_.jobs(); ++job) {
      if (!plan[job] && costs_in_pool(job).empty()) return std::nullopt;
    }
    for (std::size_t job : by_rank(rank)) {
      if (plan[job]) continue;
      for (std::size_t r : pool_) {
        const Duration cost = cost_now(job, r);
        if (cost == kForever) continue;
        const Time start = first_free(plan, r, ready(plan, job, r, files), cost);
        if (start + cost > until_[r]) continue;
        if (!plan[job] || start + cost < plan[job]->end) plan[job] = Spot{r, start, start + cost};
      }
      if (!plan[job]) return std::nullopt;
    }
    return plan;
  }

  // By job, multiplied by rank_scale() so that all are whole numbers.
  std::vector<std::int64_t> ranks(RankBy rule) const {
    const std::int64_t scale = rank_scale();
    std::vector<std::int64_t> rank(dag_.jobs(), -1);
    for (std::size_t job = 0; job < dag_.jobs(); ++job) rank_of(job, rule, scale, rank);
    return rank;
  }

  // Twice the least number that every count of resources in a mean divides.
  std::int64_t rank_scale() const {
    std::int64_t scale = 1;
    for (std::size_t job = 0; job < dag_.jobs(); ++job) {
      const auto costs = static_cast<std::int64_t>(costs_in_pool(job).size());
      if (costs > 0) scale = std::lcm(scale, costs);
    }
    return 2 * scale;
  }

 private:
  bool finished(std::size_t job) const { return spots_[job] && spots_[job]->end <= clock_; }
  bool running(std::size_t job) const {
    return spots_[job] && spots_[job]->start < clock_ && clock_ < spots_[job]->end;
  }
  bool waiting(std::size_t job) const { return !finished(job) && !running(job); }
  static bool is_in(const std::vector<std::size_t>& pool, std::size_t r) {
    return std::find(pool.begin(), pool.end(), r) != pool.end();
  }

  Duration cost_now(std::size_t job, std::size_t r) const {
    const Duration cost = dag_.cost[job][r];
    const double factor = factor_[r] * lateness_[job];
    return cost == kForever || factor == 1.0 ? cost : scaled(cost, factor);
  }

  std::vector<Duration> costs_in_pool(std::size_t job) const {
    std::vector<Duration> costs;
    for (std::size_t r : pool_) {
      if (dag_.cost[job][r] != kForever) costs.push_back(cost_now(job, r));
    }
    std::sort(costs.begin(), costs.end());
    return costs;
  }

  std::int64_t weight(std::size_t job, RankBy rule, std::int64_t scale) const {
    const std::vector<Duration> costs = costs_in_pool(job);
    if (costs.empty()) return 0;
    const auto count = static_cast<std::int64_t>(costs.size());
    switch (rule) {
      case RankBy::mean:
        return std::accumulate(costs.begin(), costs.end(), Duration{0}) * (scale / count);
      case RankBy::max:
        return costs.back() * scale;
      case RankBy::min:
        return costs.front() * scale;
      case RankBy::median:
        return (costs[(costs.size() - 1) / 2] + costs[costs.size() / 2]) * (scale / 2);
    }
    return 0;
  }

  std::int64_t rank_of(std::size_t job, RankBy rule, std::int64_t scale,
                       std::vector<std::int64_t>& rank) const {
    if (rank[job] >= 0) return rank[job];
    std::int64_t longest = 0;
    for (const Dag::Edge& edge : dag_.edges) {
      if (edge.from != job) continue;
      const std::int64_t after = rank_of(edge.to, rule, scale, rank);
      longest = std::max(longest, edge.transfer * scale + after);
    }
    return rank[job] = weight(job, rule, scale) + longest;
  }

  std::vector<std::size_t> by_rank(RankBy rule) const {
    const std::vector<std::int64_t> rank = ranks(rule);
    std::vector<std::size_t> jobs(dag_.jobs());
    std::iota(jobs.begin(), jobs.end(), std::size_t{0});
    std::stable_sort(jobs.begin(), jobs.end(),
                     [&](std::size_t a, std::size_t b) { return rank[a] > rank[b]; });
    return jobs;
  }

  // The spots that a new plan leaves as they are.
  Spots kept() const {
    Spots spots(dag_.jobs());
    for (std::size_t job = 0; job < dag_.jobs(); ++job) {
      if (finished(job) || (running(job) && !rules_.restart)) spots[job] = spots_[job];
    }
    return spots;
  }

  Time ready(const Spots& plan, std::size_t job, std::size_t r, Files files) const {
    Time time = clock_;
    for (std::size_t e = 0; e < dag_.edges.size(); ++e) {
      if (dag_.edges[e].to == job) time = std::max(time, file_at(plan, e, r, files));
    }
    return time;
  }

  // When the file of an edge is at a resource: the four cases of the table in section 3.3.
  Time file_at(const Spots& plan, std::size_t e, std::size_t r, Files files) const {
    const Spot& from = *plan[dag_.edges[e].from];
    const Duration transfer = dag_.edges[e].transfer;
    if (from.resource == r) return from.end;
    if (from.end > clock_ || files == Files::multicast) return from.end + transfer;
    const auto sent = sent_.find({e, r});
    if (files == Files::inflight && sent != sent_.end()) return sent->second;
    return clock_ + transfer;
  }

  Time first_free(const Spots& plan, std::size_t r, Time from, Duration length) const {
    std::vector<Spot> taken;
    for (const auto& spot : plan) {
      if (spot && spot->resource == r) taken.push_back(*spot);
    }
    std::sort(taken.begin(), taken.end(),
              [](const Spot& a, const Spot& b) { return a.start < b.start; });
    Time start = from;
    for (const Spot& spot : taken) {
      if (!rules_.append && start + length <= spot.start) break;
      start = std::max(start, spot.end);
    }
    return start;
  }

  // What ends until then sends its files to where the plan in force has the jobs that need them.
  // Resources leave as announced.
  void advance(Time time) {
    for (std::size_t e = 0; e < dag_.edges.size(); ++e) {
      const auto& from = spots_[dag_.edges[e].from];
      const auto& to = spots_[dag_.edges[e].to];
      if (!from || !to || from->end <= clock_ || from->end > time) continue;
      send(e, to->resource, from->end);
    }
    clock_ = time;
    for (std::size_t r = 0; r < dag_.resources(); ++r) {
      if (is_in(pool_, r) && until_[r] <= clock_) go(r, until_[r]);
    }
  }

  // Files that are still on their way there arrive nowhere.
  void go(std::size_t r, Time when) {
    std::erase(pool_, r);
    std::erase_if(sent_, [&](const auto& file) {
      const auto& [edge_and_resource, arrival] = file;
      return edge_and_resource.second == r && arrival > when;
    });
  }

  void send(std::size_t e, std::size_t r, Time leaves) {
    const bool stays = spots_[dag_.edges[e].from]->resource == r;
    sent_.emplace(std::pair{e, r}, leaves + (stays ? 0 : dag_.edges[e].transfer));
  }

  void apply(const std::vector<Change>& changes) {
    bool moved = false;
    for (const Change& change : changes) {
      if (change.what == Change::join) join(change.resource);
      if (change.what == Change::leave) leave(change.resource);
      if (change.what == Change::leave_later) until_[change.resource] = change.until;
      if (change.what == Change::slow) slow(change.resource, change.factor);
      if (change.what == Change::late) {
        stretch(change.job, change.factor);
        lateness_[change.job] *= change.factor;
      }
      const bool cut_short = change.what == Change::lost && running(change.job);
      if (cut_short) spots_[change.job]->start = clock_;
      moved = moved || cut_short || change.what == Change::slow || change.what == Change::late;
    }
    for (std::size_t job = 0; job < dag_.jobs(); ++job) {
      if (running(job) && ends_too_late(job)) drop(job);
    }
    if (moved && has_plan_) shift();
    for (std::size_t job = 0; job < dag_.jobs() && has_plan_; ++job) {
      if (!finished(job) && ends_too_late(job)) has_plan_ = false;
    }
  }

  bool ends_too_late(std::size_t job) const {
    return spots_[job]->end > until_[spots_[job]->resource];
  }

  // The plan in force cannot go on; a job that ran has not started.
  void drop(std::size_t job) {
    has_plan_ = false;
    if (running(job)) spots_[job].reset();
  }

  void join(std::size_t r) {
    if (rules_.once && !is_in(first_pool_, r)) return;
    until_[r] = kForever;
    if (!is_in(pool_, r)) pool_.push_back(r);
  }

  void leave(std::size_t r) {
    go(r, clock_);
    for (std::size_t job = 0; job < dag_.jobs(); ++job) {
      if (spots_[job] && spots_[job]->resource == r && !finished(job)) drop(job);
    }
  }

  void slow(std::size_t r, double factor) {
    for (std::size_t job = 0; job < dag_.jobs(); ++job) {
      if (spots_[job] && spots_[job]->resource == r) stretch(job, factor / factor_[r]);
    }
    factor_[r] = factor;
  }

  void stretch(std::size_t job, double factor) {
    if (!running(job)) return;
    spots_[job]->end = clock_ + scaled(spots_[job]->end - clock_, factor);
  }

  // The same resources and the same order on each, every job as early as these and its files allow.
  void shift() {
    std::vector<std::size_t> jobs;
    for (std::size_t job = 0; job < dag_.jobs(); ++job) {
      if (waiting(job)) jobs.push_back(job);
    }
    std::stable_sort(jobs.begin(), jobs.end(), [&](std::size_t a, std::size_t b) {
      return spots_[a]->start < spots_[b]->start;
    });
    const bool anywhere = rules_.files == std::vector{Files::multicast};
    std::vector<Time> free(dag_.resources(), clock_);
    for (std::size_t job = 0; job < dag_.jobs(); ++job) {
      if (running(job)) free[spots_[job]->resource] = spots_[job]->end;
    }
    for (std::size_t job : jobs) {
      const std::size_t r = spots_[job]->resource;
      const Time files = ready(spots_, job, r, anywhere ? Files::multicast : Files::inflight);
      const Time start = std::max(free[r], files);
      spots_[job] = Spot{r, start, start + cost_now(job, r)};
      free[r] = spots_[job]->end;
    }
  }

  std::optional<Spots> best_schedule() const {
    std::optional<Spots> best;
    for (Files files : rules_.files) {
      for (RankBy rank : rules_.ranks) {
        const auto plan = schedule(rank, files);
        if (plan && (!best || last_end(*plan) < last_end(*best))) best = plan;
      }
    }
    return best;
  }

  void evaluate() {
    Course::Entry entry{.time = clock_, .candidate = {}, .current = {}};
    if (has_plan_) entry.current = last_end(spots_);
    std::optional<Spots> plan;
    if (!has_plan_ || !rules_.once) plan = best_schedule();
    if (plan) entry.candidate = last_end(*plan);
    entry.adopted = plan && (!entry.current || *entry.candidate < *entry.current);
    if (entry.adopted) adopt(*plan);
    if (!entry.adopted && !has_plan_) give_up();
    course_.history.push_back(entry);
  }

  void adopt(const Spots& plan) {
    spots_ = plan;
    has_plan_ = true;
    for (std::size_t e = 0; e < dag_.edges.size(); ++e) {
      const Dag::Edge& edge = dag_.edges[e];
      if (finished(edge.from) && waiting(edge.to)) send(e, spots_[edge.to]->resource, clock_);
    }
    course_.versions.push_back({clock_, {}});
    for (const auto& spot : spots_) course_.versions.back().resources.push_back(spot->resource);
  }

  void give_up() {
    for (std::size_t job = 0; job < dag_.jobs(); ++job) {
      if (waiting(job)) spots_[job].reset();
    }
  }

  const Dag& dag_;
  AdaptiveRules rules_;
  Time clock_;
  std::vector<std::size_t> pool_;
  std::vector<std::size_t> first_pool_;
  std::vector<double> factor_;    // by resource
  std::vector<double> lateness_;  // by job, the same
  std::vector<Time> until_;       // by resource: announced
  bool has_plan_ = false;         // and it is possible
  Spots spots_;                   // of the plan in force; of the past, what was
  std::map<std::pair<std::size_t, std::size_t>, Time> sent_;  // by edge and resource: arrival
  Course course_;
};

}  // namespace dovetail::plain
