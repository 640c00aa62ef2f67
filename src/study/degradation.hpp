// How much worse algorithms are than the best of them: on an instance, over a scenario, over a
// table.
//
//   ComparedSums<4> sums;                       // of one metric of four algorithms
//   sums.add_instance({120, 100, kNoAnswer, 100});
//   DegradationMean mean(4);
//   mean.add(sums.view());                      // one scenario
//   std::vector<Degradation> rows = mean.finish();
//
// Studies compare two metrics at a time: ComparedMetrics has the sums of both, and a
// ComparisonTableMaker turns scenarios into a ComparisonTable.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace dovetail::study {

// Marks an algorithm without a value on an instance.
inline constexpr std::int64_t kNoAnswer = std::numeric_limits<std::int64_t>::max();

// One metric of one algorithm over a set of scenarios.
struct Degradation {
  double percent = 0;                // above the best: mean over instances, then scenarios
  std::size_t scenario_wins = 0;     // scenarios with the least mean value; ties count for all
  double instance_wins_percent = 0;  // instances with the least value; ties count for all
  std::size_t unanswered = 0;        // instances without a value, left out of `percent`
};

// For one instance: adds (value - best) / best of each present value, and counts the best.
void add_excess(std::span<const std::int64_t> values, std::span<double> excess,
                std::span<std::size_t> best);

// One metric of the compared algorithms, summed over the instances of a scenario.
struct ComparedView {
  std::size_t instances = 0;
  std::size_t complete = 0;                 // instances on which all have a value
  std::span<const std::int64_t> total;      // over the complete ones
  std::span<const double> excess;           // over those with a value
  std::span<const std::size_t> best;        // instances on which it is best
  std::span<const std::size_t> unanswered;  // instances without a value
};

template <typename T, std::size_t N>
void add_each(std::array<T, N>& to, const std::array<T, N>& from) {
  for (std::size_t i = 0; i < N; ++i) to[i] += from[i];
}

// The sums behind such a view.
template <std::size_t N>
struct ComparedSums {
  std::size_t instances = 0;
  std::size_t complete = 0;
  std::array<std::int64_t, N> total = {};
  std::array<double, N> excess = {};
  std::array<std::size_t, N> best = {};
  std::array<std::size_t, N> unanswered = {};

  ComparedView view() const { return {instances, complete, total, excess, best, unanswered}; }

  void add_instance(const std::array<std::int64_t, N>& values) {
    ++instances;
    add_excess(values, excess, best);
    for (std::size_t i = 0; i < N; ++i) unanswered[i] += values[i] == kNoAnswer;
    if (std::find(values.begin(), values.end(), kNoAnswer) != values.end()) return;
    ++complete;
    add_each(total, values);
  }

  void add(const ComparedSums& other) {
    instances += other.instances;
    complete += other.complete;
    add_each(total, other.total);
    add_each(excess, other.excess);
    add_each(best, other.best);
    add_each(unanswered, other.unanswered);
  }
};

// Averages scenarios that are added one by one. Each counts the same. A scenario in which an
// algorithm has no value is left out of that algorithm's mean; a scenario without a complete
// instance has no winner.
class DegradationMean {
 public:
  explicit DegradationMean(std::size_t algorithms) : rows_(algorithms), scenarios_(algorithms) {}

  void add(const ComparedView& scenario);

  // One per algorithm.
  std::vector<Degradation> finish() const;

 private:
  std::vector<Degradation> rows_;  // sums so far
  std::vector<std::size_t> scenarios_;
  std::size_t instances_ = 0;
};

// Both metrics of N algorithms over the instances of a scenario: turn-around or tightest deadline
// in ms from now, and processors x ms.
template <std::size_t N>
struct ComparedMetrics {
  ComparedSums<N> time;
  ComparedSums<N> cpu;

  void add(const ComparedMetrics& other) {
    time.add(other.time);
    cpu.add(other.cpu);
  }
};

struct ComparisonRow {
  Degradation time;
  Degradation cpu;
};

// The algorithms over some scenarios.
struct ComparisonTable {
  std::string title;
  std::size_t scenarios = 0;
  std::size_t instances = 0;
  std::vector<ComparisonRow> rows = {};  // by algorithm
};

// Makes a table from scenarios that are added one by one.
class ComparisonTableMaker {
 public:
  ComparisonTableMaker(std::string title, std::size_t algorithms)
      : table_{std::move(title)}, time_(algorithms), cpu_(algorithms) {}

  template <std::size_t N>
  void add(const ComparedMetrics<N>& sums) {
    ++table_.scenarios;
    table_.instances += sums.time.instances;
    time_.add(sums.time.view());
    cpu_.add(sums.cpu.view());
  }

  ComparisonTable finish() &&;

 private:
  ComparisonTable table_;
  DegradationMean time_;
  DegradationMean cpu_;
};

}  // namespace dovetail::study
