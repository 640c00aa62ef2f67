// The two axes of a frontier picture: which values they span, whether they are logarithmic, and
// where their round marks are.
//
//   const Axis axis = Axis::around({9.5, 120.0});    // logarithmic: 120 is more than 8 times 9.5
//   for (const Mark& mark : hour_marks(axis, 6)) draw(axis.share(mark.value), mark.label);
//
// All functions are pure.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace dovetail::draw {

// A range of values with a margin on both sides.
class Axis {
 public:
  static constexpr double kAir = 0.07;  // of the range of values

  // Spans all values (at least one), with headroom above them as a share of their range.
  // Logarithmic when they are positive and the largest is more than eight times the smallest.
  static Axis around(std::span<const double> values, double headroom = kAir);

  bool logarithmic() const { return logarithmic_; }
  double low() const { return low_; }
  double high() const { return high_; }

  // 0 at the low end, 1 at the high end.
  double share(double value) const;

 private:
  double low_ = 0;
  double high_ = 1;
  bool logarithmic_ = false;
};

struct Mark {
  double value = 0;
  std::string label;
};

// Round numbers on the axis, in increasing order, about `count` of them at most.
std::vector<Mark> hour_marks(const Axis& axis, int count);

// The same for an axis of milliseconds: "30m", "6h", "1d".
std::vector<Mark> time_marks(const Axis& axis, int count);

// "1500", "0.25", "2e9", "1e-7": up to ten digits, without needless zeros.
std::string short_number(double value);

}  // namespace dovetail::draw
