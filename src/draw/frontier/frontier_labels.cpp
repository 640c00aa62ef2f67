#include "draw/frontier/frontier_labels.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace dovetail::draw {
namespace {

constexpr std::array<double, 11> kDistances = {9, 14, 20, 28, 38, 50, 66, 86, 110, 140, 180};
constexpr double kNear = 20;  // within this distance no line is needed

// Costs in pixels of distance.
constexpr double kCovers = 1000;
constexpr double kCrosses = 14;

struct Direction {
  double x, y;
  double cost;  // a frontier leaves room above and to the right
};
constexpr std::array<Direction, 8> kDirections = {{{0.71, -0.71, 0},
                                                   {1, 0, 1},
                                                   {0, -1, 3},
                                                   {0.71, 0.71, 4},
                                                   {-0.71, -0.71, 5},
                                                   {-0.71, 0.71, 6},
                                                   {0, 1, 7},
                                                   {-1, 0, 8}}};

// Where the box begins along one axis when the dot is at `at`.
double beside(double at, double direction, double distance, double length) {
  const double near = at + direction * distance;
  if (direction > 0) return near;
  return direction < 0 ? near - length : near - length / 2;
}

// The box, moved into the room if it fits there.
LabelBox within(LabelBox box, const LabelBox& room) {
  box.x = std::max(room.x, std::min(box.x, room.right() - box.width));
  box.y = std::max(room.y, std::min(box.y, room.bottom() - box.height));
  return box;
}

}  // namespace

bool overlap(const LabelBox& a, const LabelBox& b) {
  return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

double LabelPlacer::cost(const LabelBox& box) const {
  const auto covered = [&box](const LabelBox& other) { return overlap(box, other); };
  const auto hard = std::count_if(hard_.begin(), hard_.end(), covered);
  const auto soft = std::count_if(soft_.begin(), soft_.end(), covered);
  return kCovers * static_cast<double>(hard) + kCrosses * static_cast<double>(soft);
}

PlacedLabel LabelPlacer::place(double x, double y, double width, double height) {
  PlacedLabel best;
  double least = std::numeric_limits<double>::infinity();
  for (const double distance : kDistances) {
    for (const Direction& way : kDirections) {
      const LabelBox box = within(
          {beside(x, way.x, distance, width), beside(y, way.y, distance, height), width, height},
          room_);
      const double total = distance + way.cost + cost(box);
      if (total >= least) continue;
      least = total;
      best = {box, box.x + width / 2 < x, distance > kNear};
    }
  }
  avoid(best.box);
  return best;
}

}  // namespace dovetail::draw
