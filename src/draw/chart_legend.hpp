// The legend of the charts in a picture, and the hatching that they share.
//
//   ChartLegend legend(left, chart.bottom());
//   legend.add_groups(groups, 420);
//   page += legend.take();
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "draw/gantt/gantt_look.hpp"

namespace dovetail::draw {

// Legend entries in lines, filled from the left.
class ChartLegend {
 public:
  static constexpr double kHeight = 40;  // of one line, including the gap below it

  ChartLegend(double left, double top) : left_(left), x_(left), top_(top) {}

  // Adds as many groups as fit on one line with `room` left free at the right.
  void add_groups(const TaskGroups& groups, double room);
  // Adds all groups with these names, on as many lines as needed, up to the number of distinct
  // colours.
  void add_groups(const std::vector<std::string>& names);
  void add_reservations(std::string_view text = "reserved by others");
  void add_critical();
  void add_lost(std::string_view text = "cut short");
  void add_mark(bool strong, std::string_view text);

  // The lower edge of the last line.
  double bottom() const { return top_ + kHeight; }

  std::string take() { return std::move(out_); }

 private:
  void add(std::string_view attributes, std::string_view text);
  void add_text(std::string_view text);
  void make_room(std::string_view text);

  double left_;
  double x_;
  double top_;
  std::string out_ = {};
};

// The patterns that hatch runs that were cut short; include them once in a picture that has any.
std::string lost_patterns();

// The fill of a run that was cut short, in the colour of its group; needs lost_patterns().
std::string lost_fill(std::size_t group);

}  // namespace dovetail::draw
