#include "gen/typed_tasks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include "dovetail/error.hpp"

namespace dovetail {
namespace {

constexpr std::array<double, 3> kSizes = {50, 250, 500};
constexpr std::array<double, 3> kTotals = {100, 500, 1000};

// The position of x on the axis: between `low` and low + 1, at the fraction `part`.
struct Position {
  std::size_t low;
  double part;
};

Position locate(const std::array<double, 3>& axis, double x) {
  const double inside = std::clamp(x, axis.front(), axis.back());
  const std::size_t low = inside < axis[1] ? 0 : 1;
  return {low, std::log(inside / axis[low]) / std::log(axis[low + 1] / axis[low])};
}

// A positive factor with mean near 1: normal, cut at 2.5 standard deviations and at 0.2.
double draw_factor(double variation, Random& random) {
  constexpr double kWidest = 2.5;
  constexpr double kLeast = 0.2;
  if (variation == 0) return 1;
  while (true) {
    const double deviation = random.normal();
    const double factor = 1 + variation * deviation;
    if (std::abs(deviation) <= kWidest && factor >= kLeast) return factor;
  }
}

std::vector<double> draw_seconds(double variation, std::uint32_t count, double total,
                                 Random& random) {
  std::vector<double> seconds(count);
  for (double& s : seconds) s = draw_factor(variation, random);
  const double scale = total / std::accumulate(seconds.begin(), seconds.end(), 0.0);
  for (double& s : seconds) s = std::max(1.0, std::round(100 * s * scale)) / 100;
  return seconds;
}

}  // namespace

double interpolated_share(const ShareTable& table, const PegasusSpec& spec) {
  const Position size = locate(kSizes, spec.tasks);
  const Position total = locate(kTotals, spec.hours);
  const auto along_totals = [&](const std::array<double, 3>& row) {
    return std::lerp(row[total.low], row[total.low + 1], total.part);
  };
  return std::lerp(along_totals(table[size.low]), along_totals(table[size.low + 1]), size.part);
}

TypedBuilder::TypedBuilder(std::string name, std::span<const TaskType> types,
                           const PegasusSpec& spec, Random& random)
    : builder_(std::move(name)), types_(types), spec_(spec), random_(random) {
  for (const TaskType& type : types) percent_sum_ += interpolated_share(type.percent, spec);
}

std::vector<TaskId> TypedBuilder::add(std::string_view type, std::uint32_t count) {
  const auto found =
      std::find_if(types_.begin(), types_.end(), [&](const TaskType& t) { return t.name == type; });
  assert(found != types_.end() && count >= 1);
  const double share = interpolated_share(found->percent, spec_) / percent_sum_;
  std::vector<TaskId> tasks;
  tasks.reserve(count);
  for (const double seconds :
       draw_seconds(found->variation, count, share * spec_.hours * 3600, random_)) {
    tasks.push_back(builder_.add_task(
        {.id = fmt::format("{}_{}", type, tasks.size()), .time = TimeSpec::fixed(seconds)}));
    seconds_ += seconds;
  }
  return tasks;
}

void TypedBuilder::join(std::span<const TaskId> from, TaskId to) {
  for (const TaskId task : from) edge(task, to);
}

void TypedBuilder::fork(TaskId from, std::span<const TaskId> to) {
  for (const TaskId task : to) edge(from, task);
}

void TypedBuilder::pairwise(std::span<const TaskId> from, std::span<const TaskId> to) {
  assert(from.size() == to.size());
  for (std::size_t i = 0; i < from.size(); ++i) edge(from[i], to[i]);
}

void TypedBuilder::chain(std::initializer_list<TaskId> tasks) {
  for (const TaskId* task = tasks.begin() + 1; task < tasks.end(); ++task) edge(task[-1], *task);
}

Workflow TypedBuilder::build() && {
  const double wanted = spec_.hours * 3600;
  const double off = std::abs(seconds_ - wanted);
  if (off > 3 * 3600 || off > wanted / 100) {
    throw InputError(fmt::format("hours is {}; too little for {} tasks of at least 0.01 s each",
                                 spec_.hours, builder_.size()));
  }
  return std::move(builder_).build();
}

}  // namespace dovetail
