// The numbers that Aida and Casanova published in "Scheduling Mixed-Parallel Applications with
// Advance Reservations", to print beside ours. The rows follow the table's order.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

namespace dovetail::study::published {

// Mean degradation from best in per cent, and scenarios won where these were published.
struct PublishedMetric {
  double percent;
  std::optional<int> wins = {};
};

// Turn-around or tightest deadline, and CPU-hours.
struct PublishedComparison {
  std::string_view algorithm;
  PublishedMetric time;
  PublishedMetric cpu;
};

// Table 4, with scenarios won out of 1,440.
std::span<const PublishedComparison> turnaround_rows();
inline constexpr int kTurnaroundScenarios = 1440;

// Gain in turn-around over BL_1, per cent, over all experiments; and how often each way of
// computing bottom levels was best, per cent.
struct BottomLevelFacts {
  double least_gain = -3.46;
  double greatest_gain = 5.69;
  double best_cpa_or_cpar = 78.4;
  double best_one = 13.7;
  double best_all = 7.9;
};

// Table 6: mean degradation from best in per cent, for the tightest deadline and for CPU-hours at a
// loose one. The columns are phi = 0.1, 0.2, 0.5 on SDSC-BLUE and 50 schedules of Grid'5000.
struct PublishedDeadlines {
  std::string_view algorithm;
  std::array<double, 4> tightest_percent;
  std::array<double, 4> cpu_percent;
};
std::span<const PublishedDeadlines> deadline_rows();

// Table 7: the same on Grid'5000 for the hybrids and what they are compared with.
std::span<const PublishedComparison> hybrid_rows();

// On Grid'5000, the share of cases in which the tightest deadline of DL_RC_CPAR is over twice, and
// over 1.02 times, that of DL_BD_CPA, per cent. The second is an upper limit.
struct BindFacts {
  double over_twice = 16;
  double over_slightly = 25;
};

// Table 8: the terms of the worst case, where V is tasks, E edges, P processors, P' of them usually
// free, R reservations, R' of them before the deadline. Tables 9 and 10: mean milliseconds to make
// a plan.
struct PublishedTiming {
  std::string_view algorithm;
  std::string_view terms;
  std::array<double, 5> by_tasks;    // 10, 25, 50, 75, 100 tasks
  std::array<double, 9> by_density;  // density 0.1, 0.2, ... 0.9
};

// Null for an algorithm that was not timed, such as BD_HALF.
const PublishedTiming* find_timing(std::string_view algorithm);

}  // namespace dovetail::study::published
