#include "draw/frontier/frontier_axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dovetail/time.hpp"
#include "draw/gantt/gantt_look.hpp"

namespace dovetail::draw {
namespace {

constexpr double kLogRatio = 8;
constexpr double kAlike = 1e-6;  // values relatively closer than this count as equal

// Round values in tiers, the roundest first.
using Tiers = std::vector<std::vector<double>>;

void add_decades(Tiers& tiers, double first, double last, double unit) {
  tiers.resize(3);
  for (double decade = first; decade <= last * 1.0000001; decade *= 10) {
    tiers[0].push_back(decade * unit);
    for (const double factor : {2.0, 5.0}) tiers[1].push_back(factor * decade * unit);
    for (const double factor : {1.5, 3.0, 4.0, 7.0}) tiers[2].push_back(factor * decade * unit);
  }
}

Tiers hour_tiers(const Axis& axis) {
  Tiers tiers;
  add_decades(tiers, std::pow(10, std::floor(std::log10(axis.low()))), axis.high(), 1);
  return tiers;
}

// Powers of ten below a second and beyond ten days; in between, the units of clocks and calendars.
Tiers time_tiers(const Axis& axis) {
  Tiers tiers;
  if (axis.low() < kSecond) add_decades(tiers, 1, kSecond / 10, 1);
  add_decades(tiers, 10, std::max(10.0, axis.high() / kDay), kDay);
  const Tiers clock = {{kSecond, kMinute, kHour, kDay},
                       {10 * kSecond, 10 * kMinute, 6 * kHour, 3 * kDay},
                       {30 * kSecond, 30 * kMinute, 3 * kHour, 12 * kHour, 2 * kDay, 5 * kDay},
                       {2 * kSecond, 5 * kSecond, 2 * kMinute, 5 * kMinute, 2 * kHour, 18 * kHour,
                        1.5 * kDay, 4 * kDay, 7 * kDay}};
  tiers.resize(clock.size());
  for (std::size_t i = 0; i < clock.size(); ++i) {
    tiers[i].insert(tiers[i].end(), clock[i].begin(), clock[i].end());
    std::sort(tiers[i].begin(), tiers[i].end());
  }
  return tiers;
}

// The roundest values that keep a minimum distance from each other.
std::vector<double> spread(const Axis& axis, const Tiers& tiers, int count) {
  const double least = 1.0 / count;
  std::vector<double> kept;
  for (const std::vector<double>& tier : tiers) {
    for (const double value : tier) {
      if (value < axis.low() || value > axis.high()) continue;
      const bool near = std::any_of(kept.begin(), kept.end(), [&](double other) {
        return std::abs(axis.share(value) - axis.share(other)) < least;
      });
      if (!near) kept.push_back(value);
    }
  }
  std::sort(kept.begin(), kept.end());
  return kept;
}

// The smallest of 1, 2, 5 times a power of ten that is not below `least`.
double round_step(double least) {
  const double decade = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * decade >= least) return factor * decade;
  }
  return 10 * decade;
}

}  // namespace

Axis Axis::around(std::span<const double> values, double headroom) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  Axis axis;
  axis.logarithmic_ = *least > 0 && *most > kLogRatio * *least;
  if (axis.logarithmic_) {
    axis.low_ = *least / std::pow(*most / *least, kAir);
    axis.high_ = *most * std::pow(*most / *least, headroom);
    return axis;
  }
  const double size = std::max(std::abs(*least), std::abs(*most));
  const bool alike = *most - *least <= kAlike * size;
  const double range = alike ? (size > 0 ? size : 1.0) : *most - *least;
  axis.low_ = *least >= 0 ? std::max(0.0, *least - kAir * range) : *least - kAir * range;
  axis.high_ = *most + headroom * range;
  return axis;
}

double Axis::share(double value) const {
  if (logarithmic_) return std::log(value / low_) / std::log(high_ / low_);
  return (value - low_) / (high_ - low_);
}

std::vector<Mark> hour_marks(const Axis& axis, int count) {
  std::vector<Mark> marks;
  if (axis.logarithmic()) {
    for (const double value : spread(axis, hour_tiers(axis), count)) {
      marks.push_back({value, short_number(value)});
    }
    return marks;
  }
  const double step = round_step((axis.high() - axis.low()) / count);
  const double first = std::ceil(axis.low() / step);
  for (double i = 0; (first + i) * step <= axis.high(); ++i) {
    marks.push_back({(first + i) * step, short_number((first + i) * step)});
  }
  return marks;
}

std::vector<Mark> time_marks(const Axis& axis, int count) {
  std::vector<Mark> marks;
  if (axis.logarithmic()) {
    for (const double value : spread(axis, time_tiers(axis), count)) {
      marks.push_back({value, format_duration(static_cast<Duration>(value))});
    }
    return marks;
  }
  const Interval window{static_cast<Time>(std::ceil(axis.low())), static_cast<Time>(axis.high())};
  for (const AxisTick& tick : axis_ticks(PlanRecord{}, window, count)) {
    // A label has at most two units, so the labels of a very short axis would all be the same.
    if (!marks.empty() && marks.back().label == tick.label) continue;
    marks.push_back({static_cast<double>(tick.at), tick.label});
  }
  return marks;
}

std::string short_number(double value) {
  const double size = std::abs(value);
  const bool plain = size == 0 || (size >= 1e-4 && size < 1e6);
  std::string text = fmt::format("{:.{}g}", value, plain ? 10 : 4);
  const std::size_t exponent = text.find('e');
  if (exponent == std::string::npos) return text;
  // "2e+09" -> "2e9", "1e-07" -> "1e-7"
  std::string tail = text.substr(exponent + 1);
  const std::string sign = tail[0] == '-' ? "-" : "";
  tail.erase(0, tail.find_first_not_of("+-0"));
  return text.substr(0, exponent) + "e" + sign + tail;
}

}  // namespace dovetail::draw
