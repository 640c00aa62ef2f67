// Robust statistics: single outliers have little effect.
#pragma once

#include <span>
#include <utility>
#include <vector>

namespace dovetail::run {

struct Weighted {
  double value = 0;
  double weight = 1;
};

// The smallest value such that those up to it have that share of the weight; the mean of two
// neighbours when the share falls between them exactly. Needs a value with a weight above 0.
double quantile(std::vector<Weighted> values, double share);

inline double median(std::vector<Weighted> values) { return quantile(std::move(values), 0.5); }

// A point through which y = constant + slope * x should pass. y is above 0.
struct LinePoint {
  double x = 0;
  double y = 0;
  double weight = 1;
};

struct Line {
  double constant = 0;
  double slope = 0;
  double at(double x) const { return constant + slope * x; }
};

// The line whose weighted relative misses |line - y| / y have the least sum, with neither part
// negative. Takes time that grows with the cube of the number of points. Needs a point, x above 0.
Line fit_line(std::span<const LinePoint> points);

}  // namespace dovetail::run
