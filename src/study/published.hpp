// The numbers that Aida and Casanova published in "Scheduling Mixed-Parallel Applications with
// Advance Reservations", to print beside ours. The rows follow the table's order.
#pragma once

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
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
inline constexpr PublishedComparison kTurnaroundRows[] = {
    {"BD_ALL", {33.75, 36}, {42.48, 0}},
    {"BD_HALF", {28.38, 3}, {37.83, 1}},
    {"BD_CPA", {0.29, 1026}, {0.75, 6}},
    {"BD_CPAR", {0.21, 386}, {0.00, 1434}},
};
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
inline constexpr PublishedDeadlines kDeadlineRows[] = {
    {"DL_BD_ALL", {178.43, 175.58, 188.33, 227.03}, {3556.70, 3486.30, 3769.20, 2006.30}},
    {"DL_BD_CPA", {6.11, 6.16, 6.26, 8.00}, {252.30, 251.36, 275.05, 185.58}},
    {"DL_BD_CPAR", {6.52, 6.44, 6.91, 8.38}, {231.01, 236.97, 243.60, 179.35}},
    {"DL_RC_CPA", {13.17, 13.27, 17.36, 19.51}, {6.39, 6.80, 7.98, 2.15}},
    {"DL_RC_CPAR", {4.12, 4.27, 8.26, 15.13}, {0.16, 0.15, 0.16, 0.09}},
};

// Table 7: the same on Grid'5000 for the hybrids and what they are compared with.
inline constexpr PublishedComparison kHybridRows[] = {
    {"DL_BD_CPA", {10.96}, {123.98}},
    {"DL_RC_CPAR", {55.08}, {1.57}},
    {"DL_RC_CPAR-lambda", {4.73}, {24.46}},
    {"DL_RCBD_CPAR-lambda", {2.57}, {21.65}},
};

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

inline constexpr PublishedTiming kTimings[] = {
    {"BD_ALL",
     "V^2 P' + V^2 P + V E P' + V R P",
     {0.531, 1.981, 5.681, 12.310, 20.264},
     {4.971, 5.119, 5.315, 5.507, 5.662, 5.792, 6.019, 6.090, 6.200}},
    {"BD_CPA",
     "V^2 P' + V^2 P + V E P' + V E P + V R P",
     {0.217, 1.206, 4.059, 10.025, 17.244},
     {3.017, 3.255, 3.547, 3.825, 4.053, 4.204, 4.491, 4.605, 4.734}},
    {"BD_CPAR",
     "V^2 P' + V E P' + V R P'",
     {0.201, 1.112, 3.753, 9.289, 15.920},
     {2.797, 3.013, 3.286, 3.535, 3.771, 3.885, 4.149, 4.267, 4.361}},
    {"DL_BD_ALL",
     "V^2 P' + V^2 P + V E P' + V R' P",
     {0.524, 1.946, 5.585, 12.112, 19.937},
     {4.878, 5.011, 5.210, 5.398, 5.571, 5.690, 5.918, 6.008, 6.104}},
    {"DL_BD_CPA",
     "V^2 P' + V^2 P + V E P' + V E P + V R' P",
     {0.387, 2.197, 7.607, 18.815, 32.588},
     {5.614, 6.095, 6.616, 7.161, 7.596, 7.857, 8.431, 8.622, 8.852}},
    {"DL_BD_CPAR",
     "V^2 P' + V E P' + V R' P'",
     {0.205, 1.117, 3.764, 9.272, 15.977},
     {2.814, 3.046, 3.292, 3.553, 3.765, 3.893, 4.156, 4.264, 4.384}},
    {"DL_RC_CPA",
     "V^2 P' + V^2 P + V E P' + V E P + V R' P",
     {2.711, 30.084, 200.079, 732.413, 1690.289},
     {147.555, 159.882, 174.086, 188.301, 199.822, 206.957, 221.579, 226.611, 232.671}},
    {"DL_RC_CPAR",
     "V^2 P' + V E P' + V R' P'",
     {2.303, 24.813, 166.258, 627.961, 1474.890},
     {123.758, 134.074, 145.794, 156.901, 166.037, 172.068, 184.152, 188.308, 193.274}},
    {"DL_RC_CPAR-lambda",
     "V^2 P' + V E P' + V R' P'",
     {2.347, 24.810, 166.360, 629.305, 1476.448},
     {123.758, 134.078, 145.782, 156.937, 166.084, 172.348, 184.114, 188.304, 193.341}},
    {"DL_RCBD_CPAR-lambda",
     "V^2 P' + V E P' + V R' P'",
     {2.351, 24.881, 166.140, 628.664, 1474.986},
     {124.357, 134.602, 145.725, 156.896, 166.066, 172.121, 184.443, 188.329, 193.234}},
};

// Null for an algorithm that was not timed, such as BD_HALF.
constexpr const PublishedTiming* find_timing(std::string_view algorithm) {
  const auto* found = std::ranges::find(kTimings, algorithm, &PublishedTiming::algorithm);
  return found == std::end(kTimings) ? nullptr : found;
}

}  // namespace dovetail::study::published
