#include "study/published.hpp"

#include <algorithm>

namespace dovetail::study::published {
namespace {

constexpr PublishedComparison kTurnaround[] = {
    {"BD_ALL", {33.75, 36}, {42.48, 0}},
    {"BD_HALF", {28.38, 3}, {37.83, 1}},
    {"BD_CPA", {0.29, 1026}, {0.75, 6}},
    {"BD_CPAR", {0.21, 386}, {0.00, 1434}},
};

constexpr PublishedDeadlines kDeadline[] = {
    {"DL_BD_ALL", {178.43, 175.58, 188.33, 227.03}, {3556.70, 3486.30, 3769.20, 2006.30}},
    {"DL_BD_CPA", {6.11, 6.16, 6.26, 8.00}, {252.30, 251.36, 275.05, 185.58}},
    {"DL_BD_CPAR", {6.52, 6.44, 6.91, 8.38}, {231.01, 236.97, 243.60, 179.35}},
    {"DL_RC_CPA", {13.17, 13.27, 17.36, 19.51}, {6.39, 6.80, 7.98, 2.15}},
    {"DL_RC_CPAR", {4.12, 4.27, 8.26, 15.13}, {0.16, 0.15, 0.16, 0.09}},
};

constexpr PublishedComparison kHybrid[] = {
    {"DL_BD_CPA", {10.96}, {123.98}},
    {"DL_RC_CPAR", {55.08}, {1.57}},
    {"DL_RC_CPAR-lambda", {4.73}, {24.46}},
    {"DL_RCBD_CPAR-lambda", {2.57}, {21.65}},
};

constexpr PublishedTiming kTimings[] = {
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

}  // namespace

std::span<const PublishedComparison> turnaround_rows() { return kTurnaround; }
std::span<const PublishedDeadlines> deadline_rows() { return kDeadline; }
std::span<const PublishedComparison> hybrid_rows() { return kHybrid; }

const PublishedTiming* find_timing(std::string_view algorithm) {
  const auto* found = std::ranges::find(kTimings, algorithm, &PublishedTiming::algorithm);
  return found == std::end(kTimings) ? nullptr : found;
}

}  // namespace dovetail::study::published
