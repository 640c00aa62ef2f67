#include "planners/search/lower_bound.hpp"

#include <algorithm>
#include <cmath>

namespace dovetail::planning {

namespace {

constexpr int kRounds = 200;
constexpr int kWidthRounds = 100;
constexpr int kCuts = 6;
constexpr Duration kResolution = 2000;

// For very many tasks, where the work matters more than the paths.
constexpr int kFewRounds = 10;
constexpr Duration kCoarse = 100;

// Far more than the rounding errors of a sum of that many numbers.
constexpr double kSafety = 1e-9;

}  // namespace

LowerBound::LowerBound(const ClusterView& view, const Calendar& calendar, Time now)
    : view_(view), calendar_(calendar), now_(now), heads_(heads_of(view, calendar)) {
  path_end_ = *std::ranges::max_element(heads_.ends);
}

// The most that tasks within the window can consume.
double LowerBound::room(Interval window) const {
  double area = 0;
  for (const Step& step : calendar_.steps(window)) {
    area += static_cast<double>(step.end - step.begin) * step.free;
  }
  return budget_ ? std::min(area, static_cast<double>(*budget_)) : area;
}

Certificate LowerBound::certificate(Time end, const TimeWindows& windows,
                                    const WindowFlow& flow) const {
  return {.end = end,
          .budget = budget_,
          .span = {now_, end},
          .ready = windows.ready,
          .due = windows.due,
          .begin_flow = flow.flows().begin,
          .end_flow = flow.flows().end,
          .edge_flow = flow.flows().edges};
}

std::optional<Certificate> LowerBound::prove_impossible(Time end, const TimeWindows& windows,
                                                        Interval span) const {
  WindowFlow flow(view_, windows, span);
  flow.push(has_few_tasks() ? kRounds : kFewRounds);
  if (flow.work() <= room(span) * (1 + kSafety)) return std::nullopt;
  Certificate proof = certificate(end, windows, flow);
  proof.span = span;
  return proof;
}

std::optional<Certificate> LowerBound::prove_impossible(Time end) const {
  const TimeWindows windows = windows_by(view_, calendar_, heads_, end);
  if (!windows.is_possible) return Certificate{.end = end, .budget = budget_, .span = {now_, end}};
  const Time first = *std::ranges::min_element(windows.ready);
  if (auto proof = prove_impossible(end, windows, {first, end})) return proof;
  for (int cut = 1; cut <= (has_few_tasks() ? kCuts : 0); ++cut) {
    const Time middle = first + (end - first) * cut / (kCuts + 1);
    if (auto proof = prove_impossible(end, windows, {middle, end})) return proof;
    if (auto proof = prove_impossible(end, windows, {first, middle})) return proof;
  }
  return std::nullopt;
}

Certificate LowerBound::on_end() const { return *prove_impossible(path_end_ - 1); }

Certificate LowerBound::on_end(Time known, Certificate so_far,
                               const std::function<bool()>& is_over) const {
  const Duration step =
      std::max<Duration>(1, (known - now_) / (has_few_tasks() ? kResolution : kCoarse));
  // The plan itself ends at `known`, so the latest end that can be impossible is a millisecond
  // earlier.
  for (Time high = known; high - so_far.end > step && !is_over();) {
    const Time middle = so_far.end + (high - so_far.end) / 2;
    if (auto proof = prove_impossible(middle)) {
      so_far = std::move(*proof);
    } else {
      high = middle;
    }
  }
  return so_far;
}

Certificate LowerBound::on_work(Time end) const {
  const TimeWindows windows = windows_by(view_, calendar_, heads_, end);
  WindowFlow flow(view_, windows);
  flow.push(has_few_tasks() ? 2 * kRounds : kFewRounds);
  Certificate proof = certificate(end, windows, flow);
  proof.budget.reset();
  proof.work = has_few_tasks() ? flow.whole_work()
                               : static_cast<Area>(std::floor(flow.work() * (1 - kSafety)));
  return proof;
}

std::optional<std::vector<Count>> LowerBound::widths_for(Time end) const {
  const TimeWindows windows = windows_by(view_, calendar_, heads_, end);
  if (!windows.is_possible) return std::nullopt;
  WindowFlow flow(view_, windows);
  flow.push(kWidthRounds);
  return flow.widths();
}

}  // namespace dovetail::planning
