// The numbers that Aida and Casanova published in "Scheduling Mixed-Parallel Applications with
// Advance Reservations", to print beside ours. Facts only; the rows follow the table's order.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace dovetail::published {

// Table 4: mean degradation from best in per cent, and scenarios won out of 1,440.
struct TurnaroundRow {
  std::string_view bound;
  double turnaround_percent;
  int turnaround_wins;
  double cpu_percent;
  int cpu_wins;
};
std::span<const TurnaroundRow> turnaround_rows();
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

// Tables 9 and 10: mean milliseconds to make a plan. BD_HALF was not timed.
struct TimingRow {
  std::string_view bound;
  std::span<const double> milliseconds;
};
std::span<const TimingRow> timing_by_tasks();    // 10, 25, 50, 75, 100 tasks
std::span<const TimingRow> timing_by_density();  // density 0.1, 0.2, ... 0.9

// The row's number in that column; nothing when it was not published.
std::optional<double> find_timing(std::span<const TimingRow> rows, std::string_view bound,
                                  std::size_t column);

}  // namespace dovetail::published
