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
constexpr TimingRow kByTasks[] = {
    {"BD_ALL", kAllByTasks}, {"BD_CPA", kCpaByTasks}, {"BD_CPAR", kCparByTasks}};

constexpr double kAllByDensity[] = {4.971, 5.119, 5.315, 5.507, 5.662, 5.792, 6.019, 6.090, 6.200};
constexpr double kCpaByDensity[] = {3.017, 3.255, 3.547, 3.825, 4.053, 4.204, 4.491, 4.605, 4.734};
constexpr double kCparByDensity[] = {2.797, 3.013, 3.286, 3.535, 3.771, 3.885, 4.149, 4.267, 4.361};
constexpr TimingRow kByDensity[] = {
    {"BD_ALL", kAllByDensity}, {"BD_CPA", kCpaByDensity}, {"BD_CPAR", kCparByDensity}};

}  // namespace

std::span<const TurnaroundRow> turnaround_rows() { return kTurnaround; }
std::span<const TimingRow> timing_by_tasks() { return kByTasks; }
std::span<const TimingRow> timing_by_density() { return kByDensity; }

std::optional<double> find_timing(std::span<const TimingRow> rows, std::string_view bound,
                                  std::size_t column) {
  for (const TimingRow& row : rows) {
    if (row.bound == bound && column < row.milliseconds.size()) return row.milliseconds[column];
  }
  return std::nullopt;
}

}  // namespace dovetail::published
