// A machine over time in a terminal:
//
//   busy     ▂▃▅▆████▇▆▅▅▆█
//   waiting      ▁▂▅█▃▁
//            0s     5d     10d
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "draw/machine_chart.hpp"

namespace dovetail::draw {
namespace {

constexpr std::array<std::string_view, 9> kBars = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::string_view kMargin = "  ";
constexpr int kNames = 9;  // columns
constexpr int kLeastBars = 16;
constexpr int kMostBars = 200;
constexpr int kTickColumns = 14;

// The mean of a value over each of the columns.
std::vector<double> means(const MachinePicture& picture, double MachineMoment::*value,
                          int columns) {
  const auto span = static_cast<double>(picture.window.end - picture.window.begin);
  std::vector<double> sums(static_cast<std::size_t>(columns));
  for (const MachineMoment& moment : picture.moments) {
    const Time end = std::min(moment.begin + picture.step, picture.window.end);
    const double first = static_cast<double>(moment.begin - picture.window.begin) / span * columns;
    const double last = static_cast<double>(end - picture.window.begin) / span * columns;
    for (int i = static_cast<int>(first); i < std::min<double>(columns, last); ++i) {
      const double share = std::min(last, i + 1.0) - std::max(first, static_cast<double>(i));
      sums[static_cast<std::size_t>(i)] += share * moment.*value;
    }
  }
  return sums;
}

std::string bars(const std::vector<double>& values, double most) {
  std::string line;
  for (const double value : values) {
    const double eighths = std::ceil(value / most * 8 - 1e-9);
    line += kBars[static_cast<std::size_t>(std::clamp(eighths, 0.0, 8.0))];
  }
  return line;
}

std::string axis(const MachinePicture& picture, int columns) {
  const auto span = static_cast<double>(picture.window.end - picture.window.begin);
  std::string line;
  for (const AxisTick& tick : machine_ticks(picture, std::max(2, columns / kTickColumns))) {
    const double at = static_cast<double>(tick.at - picture.window.begin) / span * columns;
    const std::string label = tick.text();
    const auto column = static_cast<std::size_t>(at);
    const bool fits = column + label.size() <= static_cast<std::size_t>(columns) &&
                      (line.empty() || column > line.size());
    if (fits) line += std::string(column - line.size(), ' ') + label;
  }
  return line;
}

}  // namespace

std::string machine_text(const MachinePicture& picture, int columns) {
  const int width =
      std::clamp(columns - kNames - static_cast<int>(kMargin.size()), kLeastBars, kMostBars);
  const auto waiting = means(picture, &MachineMoment::waiting, width);
  const double most = *std::ranges::max_element(waiting);
  const auto line = [](std::string_view name, const std::string& text) {
    const std::string whole = fmt::format("{}{:<{}}{}", kMargin, name, kNames, text);
    return whole.substr(0, whole.find_last_not_of(' ') + 1) + "\n";
  };
  return line("busy", bars(means(picture, &MachineMoment::busy, width), picture.nodes)) +
         line("waiting", bars(waiting, std::max(most, 1.0))) + line("", axis(picture, width));
}

}  // namespace dovetail::draw
