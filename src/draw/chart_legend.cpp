#include "draw/chart_legend.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "draw/gantt/gantt_chart.hpp"
#include "draw/plain_text.hpp"

namespace dovetail::draw {
namespace {

constexpr std::size_t kLegendGroups = 10;
constexpr std::string_view kAnyGroup = "any";
constexpr double kLetter = 6.5;  // width of a letter, slightly low

std::string pattern_url(std::string_view name) { return fmt::format("url(#lost-{})", name); }

std::string hatching(std::string_view name, std::string_view colour) {
  return fmt::format(
      "<pattern id=\"lost-{}\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\" "
      "patternTransform=\"rotate(45)\" fill=\"{}\"><path d=\"M0 0h8v8h-8z\" "
      "fill-opacity=\".25\"/><path d=\"M0 0h3.5v8h-3.5z\"/></pattern>\n",
      name, colour);
}

}  // namespace

void ChartLegend::add_groups(const TaskGroups& groups, double room) {
  const std::size_t shown = std::min(groups.names.size(), kLegendGroups);
  for (std::size_t i = 0; i < shown && x_ < kChartWidth - room; ++i) {
    add(fmt::format("class=\"task edge\" fill=\"{}\"", group_colour(i)), fit(groups.names[i], 24));
  }
}

void ChartLegend::add_groups(const std::vector<std::string>& names) {
  const std::size_t shown = std::min(names.size(), palette_size());
  for (std::size_t i = 0; i < shown; ++i) {
    add(fmt::format("class=\"task edge\" fill=\"{}\"", group_colour(i)), names[i]);
  }
  if (shown < names.size()) {
    add("class=\"edge\" fill=\"none\"", fmt::format("{} more", names.size() - shown));
  }
}

void ChartLegend::add_reservations(std::string_view text) { add("class=\"reservation\"", text); }

void ChartLegend::add_critical() { add("class=\"critical edge\" fill=\"none\"", "critical chain"); }

void ChartLegend::add_lost(std::string_view text) {
  add(fmt::format("class=\"lost edge\" fill=\"{}\"", pattern_url(kAnyGroup)), text);
}

void ChartLegend::add_mark(bool strong, std::string_view text) {
  make_room(text);
  out_ += fmt::format("<path class=\"mark{}\" d=\"M{:.1f} {:.1f}v16\"/>", strong ? " strong" : "",
                      x_ + 10, top_ + 2);
  add_text(text);
}

void ChartLegend::add(std::string_view attributes, std::string_view text) {
  make_room(text);
  out_ += fmt::format("<path {} d=\"M{:.1f} {:.1f}h14v12h-14z\"/>", attributes, x_, top_ + 4);
  add_text(text);
}

// Starts a new line if this one is full.
void ChartLegend::make_room(std::string_view text) {
  constexpr double kLine = 22;
  if (x_ == left_ || x_ + 20 + kLetter * display_width(text) <= kChartRight) return;
  x_ = left_;
  top_ += kLine;
}

void ChartLegend::add_text(std::string_view text) {
  out_ += fmt::format("<text class=\"axis\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", x_ + 20,
                      top_ + 14, escape_markup(text));
  x_ += 20 + kLetter * display_width(text) + 22;
}

std::string lost_patterns() {
  std::string out = "<defs>\n" + hatching(kAnyGroup, "#8c96a1");
  for (std::size_t i = 0; i < palette_size(); ++i) {
    out += hatching(std::to_string(i), group_colour(i));
  }
  return out + "</defs>\n";
}

std::string lost_fill(std::size_t group) {
  return pattern_url(std::to_string(group % palette_size()));
}

}  // namespace dovetail::draw
