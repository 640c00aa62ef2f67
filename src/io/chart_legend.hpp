// What explains the colours and lines of the charts in a picture, and the hatching that they share.
//
//   ChartLegend legend(left, chart.bottom());
//   legend.add_groups(groups, 420);
//   page += legend.take();
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "io/gantt_look.hpp"

namespace dovetail::io {

// A line of explanations, filled from the left.
class ChartLegend {
 public:
  static constexpr double kHeight = 40;

  ChartLegend(double left, double top) : x_(left), top_(top) {}

  // As many groups as leave `room` free at the right.
  void add_groups(const TaskGroups& groups, double room);
  void add_reservations(std::string_view text = "reserved by others");
  void add_critical();
  void add_lost(std::string_view text = "cut short");
  void add_mark(bool strong, std::string_view text);

  std::string take() { return std::move(out_); }

 private:
  void add(std::string_view attributes, std::string_view text);
  void add_text(std::string_view text);

  double x_;
  double top_;
  std::string out_ = {};
};

// What hatches the runs that were cut short: once in a picture that has any.
std::string lost_patterns();

// The paint of such runs in the colour of a group; needs lost_patterns().
std::string lost_fill(std::size_t group);

}  // namespace dovetail::io
