#include "run/history/robust.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace dovetail::run {

double quantile(std::vector<Weighted> values, double share) {
  assert(!values.empty() && "a quantile of nothing");
  std::ranges::sort(values, {}, &Weighted::value);
  double total = 0;
  for (const Weighted& v : values) total += v.weight;
  double sum = 0;
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    sum += values[i].weight;
    if (sum == share * total) return (values[i].value + values[i + 1].value) / 2;
    if (sum > share * total) return values[i].value;
  }
  return values.back().value;
}

namespace {

double miss(const Line& line, std::span<const LinePoint> points) {
  double sum = 0;
  for (const LinePoint& p : points) sum += p.weight * std::abs(line.at(p.x) - p.y) / p.y;
  return sum;
}

}  // namespace

// The sum is convex and piecewise linear in the two parts, so its minimum is at a corner: a line
// through two of the points, or through one of them with the other part 0. Tries them all.
Line fit_line(std::span<const LinePoint> points) {
  assert(!points.empty() && "a line needs a point");
  Line best;
  double least = std::numeric_limits<double>::infinity();
  const auto offer = [&](const Line& line) {
    if (!(line.constant >= 0 && line.slope >= 0)) return;
    const double sum = miss(line, points);
    if (sum < least) {
      least = sum;
      best = line;
    }
  };
  for (std::size_t i = 0; i < points.size(); ++i) {
    offer({.constant = points[i].y, .slope = 0});
    offer({.constant = 0, .slope = points[i].y / points[i].x});
    for (std::size_t j = i + 1; j < points.size(); ++j) {
      if (points[i].x == points[j].x) continue;
      const double slope = (points[i].y - points[j].y) / (points[i].x - points[j].x);
      offer({.constant = points[i].y - slope * points[i].x, .slope = slope});
    }
  }
  return best;
}

}  // namespace dovetail::run
