// Min-Min, just in time, as its specification reads: whenever something happens, all pairs of a job
// that is ready and a resource are gone through until no job is ready. The oracle of the property
// tests; it shares nothing with the library's planners.
//
//   plain::Spots spots = plain::MinMin(dag, 0, {0, 1, 2}).run(changes);
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "oracles/plain_adaptive.hpp"

namespace dovetail::plain {

enum class Stage { parallel, sum, compute, idle, blocking };

// Min-Min, just in time, with joins and sudden leaves.
class MinMin {
 public:
  MinMin(const Dag& dag, Time now, std::vector<std::size_t> pool, Stage stage = Stage::parallel)
      : dag_(dag),
        stage_(stage),
        clock_(now),
        pool_(std::move(pool)),
        avail_(dag.resources(), now),
        spots_(dag.jobs()) {}

  // The changes in order of time. Some job has no spot when no resource was left for it.
  Spots run(const std::vector<Change>& changes) {
    std::size_t next = 0;
    for (;;) {
      while (assign_one()) continue;
      Time time = next < changes.size() ? changes[next].time : kForever;
      for (const auto& spot : spots_) {
        if (spot && spot->end > clock_) time = std::min(time, spot->end);
      }
      if (time == kForever) return spots_;
      clock_ = time;
      for (; next < changes.size() && changes[next].time == time; ++next) apply(changes[next]);
    }
  }

 private:
  bool is_ready(std::size_t job) const {
    if (spots_[job]) return false;
    return std::all_of(dag_.edges.begin(), dag_.edges.end(), [&](const Dag::Edge& edge) {
      return edge.to != job || (spots_[edge.from] && spots_[edge.from]->end <= clock_);
    });
  }

  Duration stage_in(std::size_t job, std::size_t r) const {
    Duration time = 0;
    for (const Dag::Edge& edge : dag_.edges) {
      if (edge.to != job || spots_[edge.from]->resource == r) continue;
      time = stage_ == Stage::sum ? time + edge.transfer : std::max(time, edge.transfer);
    }
    return time;
  }

  Time start_of(std::size_t job, std::size_t r) const {
    if (stage_ == Stage::blocking) return std::max(avail_[r], clock_) + stage_in(job, r);
    return std::max(avail_[r], clock_ + stage_in(job, r));
  }

  // Gives the pair that ends first its place; false when there is none.
  bool assign_one() {
    std::optional<std::size_t> best_job;
    std::size_t best_resource = 0;
    Time best_end = kForever;
    for (std::size_t job = 0; job < dag_.jobs(); ++job) {
      if (!is_ready(job)) continue;
      for (std::size_t r : pool_) {
        const bool busy = stage_ == Stage::idle && avail_[r] > clock_;
        if (busy || dag_.cost[job][r] == kForever) continue;
        const Time start =
            stage_ == Stage::compute ? std::max(avail_[r], clock_) : start_of(job, r);
        if (start + dag_.cost[job][r] >= best_end) continue;
        best_job = job;
        best_resource = r;
        best_end = start + dag_.cost[job][r];
      }
    }
    if (!best_job) return false;
    const Time start = start_of(*best_job, best_resource);
    const Time end = start + dag_.cost[*best_job][best_resource];
    spots_[*best_job] = Spot{best_resource, start, end};
    avail_[best_resource] = end;
    return true;
  }

  void apply(const Change& change) {
    if (change.what == Change::join) {
      pool_.push_back(change.resource);
      avail_[change.resource] = clock_;
      return;
    }
    std::erase(pool_, change.resource);
    for (auto& spot : spots_) {
      if (spot && spot->resource == change.resource && spot->end > clock_) spot.reset();
    }
  }

  const Dag& dag_;
  Stage stage_;
  Time clock_;
  std::vector<std::size_t> pool_;
  std::vector<Time> avail_;  // by resource
  Spots spots_;
};

}  // namespace dovetail::plain
