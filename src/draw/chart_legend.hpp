// What explains the colours and lines of the charts in a picture, and the hatching that they share.
//
//   ChartLegend legend(left, chart.bottom());
//   legend.add_groups(groups, 420);
//   page += legend.take();
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "draw/gantt/gantt_look.hpp"

namespace dovetail::io {

// Explanations in lines, filled from the left.
class ChartLegend {
 public:
  static constexpr double kHeight = 40;  // of one line, with the room below it

  ChartLegend(double left, double top) : left_(left), x_(left), top_(top) {}

  // As many groups as leave `room` free at the right of one line.
  void add_groups(const TaskGroups& groups, double room);
  // All of them, with these names, on as many lines as they need; at most those with colours of
  // their own.
  void add_groups(const std::vector<std::string>& names);
  void add_reservations(std::string_view text = "reserved by others");
  void add_critical();
  void add_lost(std::string_view text = "cut short");
  void add_mark(bool strong, std::string_view text);

  // Where its last line ends.
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

// What hatches the runs that were cut short: once in a picture that has any.
std::string lost_patterns();

// The paint of such runs in the colour of a group; needs lost_patterns().
std::string lost_fill(std::size_t group);

}  // namespace dovetail::io
