#include "study/published.hpp"

namespace dovetail::published {
namespace {

constexpr TurnaroundRow kTurnaround[] = {
    {"BD_ALL", 33.75, 36, 42.48, 0},
    {"BD_HALF", 28.38, 3, 37.83, 1},
    {"BD_CPA", 0.29, 1026, 0.75, 6},
    {"BD_CPAR", 0.21, 386, 0.00, 1434},
};

constexpr double kAllByTasks[] = {0.531, 1.981, 5.681, 12.310, 20.264};
constexpr double kCpaByTasks[] = {0.217, 1.206, 4.059, 10.025, 17.244};
constexpr double kCparByTasks[] = {0.201, 1.112, 3.753, 9.289, 15.920};
constexpr double kDlAllByTasks[] = {0.524, 1.946, 5.585, 12.112, 19.937};
constexpr double kDlCpaByTasks[] = {0.387, 2.197, 7.607, 18.815, 32.588};
constexpr double kDlCparByTasks[] = {0.205, 1.117, 3.764, 9.272, 15.977};
constexpr double kRcCpaByTasks[] = {2.711, 30.084, 200.079, 732.413, 1690.289};
constexpr double kRcCparByTasks[] = {2.303, 24.813, 166.258, 627.961, 1474.890};
constexpr double kLambdaByTasks[] = {2.347, 24.810, 166.360, 629.305, 1476.448};
constexpr double kBoundedByTasks[] = {2.351, 24.881, 166.140, 628.664, 1474.986};
constexpr PublishedTiming kByTasks[] = {
    {"BD_ALL", kAllByTasks},
    {"BD_CPA", kCpaByTasks},
    {"BD_CPAR", kCparByTasks},
    {"DL_BD_ALL", kDlAllByTasks},
    {"DL_BD_CPA", kDlCpaByTasks},
    {"DL_BD_CPAR", kDlCparByTasks},
    {"DL_RC_CPA", kRcCpaByTasks},
    {"DL_RC_CPAR", kRcCparByTasks},
    {"DL_RC_CPAR-lambda", kLambdaByTasks},
    {"DL_RCBD_CPAR-lambda", kBoundedByTasks},
};

constexpr double kAllByDensity[] = {4.971, 5.119, 5.315, 5.507, 5.662, 5.792, 6.019, 6.090, 6.200};
constexpr double kCpaByDensity[] = {3.017, 3.255, 3.547, 3.825, 4.053, 4.204, 4.491, 4.605, 4.734};
constexpr double kCparByDensity[] = {2.797, 3.013, 3.286, 3.535, 3.771, 3.885, 4.149, 4.267, 4.361};
constexpr double kDlAllByDensity[] = {4.878, 5.011, 5.210, 5.398, 5.571,
                                      5.690, 5.918, 6.008, 6.104};
constexpr double kDlCpaByDensity[] = {5.614, 6.095, 6.616, 7.161, 7.596,
                                      7.857, 8.431, 8.622, 8.852};
constexpr double kDlCparByDensity[] = {2.814, 3.046, 3.292, 3.553, 3.765,
                                       3.893, 4.156, 4.264, 4.384};
constexpr double kRcCpaByDensity[] = {147.555, 159.882, 174.086, 188.301, 199.822,
                                      206.957, 221.579, 226.611, 232.671};
constexpr double kRcCparByDensity[] = {123.758, 134.074, 145.794, 156.901, 166.037,
                                       172.068, 184.152, 188.308, 193.274};
constexpr double kLambdaByDensity[] = {123.758, 134.078, 145.782, 156.937, 166.084,
                                       172.348, 184.114, 188.304, 193.341};
constexpr double kBoundedByDensity[] = {124.357, 134.602, 145.725, 156.896, 166.066,
                                        172.121, 184.443, 188.329, 193.234};
constexpr PublishedTiming kByDensity[] = {
    {"BD_ALL", kAllByDensity},
    {"BD_CPA", kCpaByDensity},
    {"BD_CPAR", kCparByDensity},
    {"DL_BD_ALL", kDlAllByDensity},
    {"DL_BD_CPA", kDlCpaByDensity},
    {"DL_BD_CPAR", kDlCparByDensity},
    {"DL_RC_CPA", kRcCpaByDensity},
    {"DL_RC_CPAR", kRcCparByDensity},
    {"DL_RC_CPAR-lambda", kLambdaByDensity},
    {"DL_RCBD_CPAR-lambda", kBoundedByDensity},
};

constexpr PublishedDeadlines kDeadline[] = {
    {"DL_BD_ALL", {178.43, 175.58, 188.33, 227.03}, {3556.70, 3486.30, 3769.20, 2006.30}},
    {"DL_BD_CPA", {6.11, 6.16, 6.26, 8.00}, {252.30, 251.36, 275.05, 185.58}},
    {"DL_BD_CPAR", {6.52, 6.44, 6.91, 8.38}, {231.01, 236.97, 243.60, 179.35}},
    {"DL_RC_CPA", {13.17, 13.27, 17.36, 19.51}, {6.39, 6.80, 7.98, 2.15}},
    {"DL_RC_CPAR", {4.12, 4.27, 8.26, 15.13}, {0.16, 0.15, 0.16, 0.09}},
};

constexpr HybridRow kHybrid[] = {
    {"DL_BD_CPA", 10.96, 123.98},
    {"DL_RC_CPAR", 55.08, 1.57},
    {"DL_RC_CPAR-lambda", 4.73, 24.46},
    {"DL_RCBD_CPAR-lambda", 2.57, 21.65},
};

struct Complexity {
  std::string_view algorithm;
  std::string_view terms;
};

constexpr Complexity kComplexities[] = {
    {"BD_ALL", "V^2 P' + V^2 P + V E P' + V R P"},
    {"BD_CPA", "V^2 P' + V^2 P + V E P' + V E P + V R P"},
    {"BD_CPAR", "V^2 P' + V E P' + V R P'"},
    {"DL_BD_ALL", "V^2 P' + V^2 P + V E P' + V R' P"},
    {"DL_BD_CPA", "V^2 P' + V^2 P + V E P' + V E P + V R' P"},
    {"DL_BD_CPAR", "V^2 P' + V E P' + V R' P'"},
    {"DL_RC_CPA", "V^2 P' + V^2 P + V E P' + V E P + V R' P"},
    {"DL_RC_CPAR", "V^2 P' + V E P' + V R' P'"},
    {"DL_RC_CPAR-lambda", "V^2 P' + V E P' + V R' P'"},
    {"DL_RCBD_CPAR-lambda", "V^2 P' + V E P' + V R' P'"},
};

}  // namespace

std::span<const TurnaroundRow> turnaround_rows() { return kTurnaround; }
std::span<const PublishedDeadlines> deadline_rows() { return kDeadline; }
std::span<const HybridRow> hybrid_rows() { return kHybrid; }
std::span<const PublishedTiming> timing_by_tasks() { return kByTasks; }
std::span<const PublishedTiming> timing_by_density() { return kByDensity; }

std::optional<double> find_timing(std::span<const PublishedTiming> rows, std::string_view algorithm,
                                  std::size_t column) {
  for (const PublishedTiming& row : rows) {
    if (row.algorithm == algorithm && column < row.milliseconds.size())
      return row.milliseconds[column];
  }
  return std::nullopt;
}

std::string_view find_complexity(std::string_view algorithm) {
  for (const Complexity& row : kComplexities) {
    if (row.algorithm == algorithm) return row.terms;
  }
  return {};
}

}  // namespace dovetail::published
