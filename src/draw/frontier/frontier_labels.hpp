// Places a few labels beside dots, so that no label covers a dot, another label or the edge of the
// picture.
//
//   LabelPlacer placer({0, 0, 600, 400});
//   for (const Dot& dot : dots) placer.avoid(box_of(dot));
//   const PlacedLabel label = placer.place(x, y, width, height);
//
// Of all places around the dot, the one with the least cost wins: far costs more than near,
// crossing a line more than lying beside it, and covering something most. The result depends only
// on the earlier calls and their order.
#pragma once

#include <vector>

namespace dovetail::draw {

struct LabelBox {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
  double right() const { return x + width; }
  double bottom() const { return y + height; }
};

// Whether the boxes share more than an edge.
bool overlap(const LabelBox& a, const LabelBox& b);

struct PlacedLabel {
  LabelBox box;
  bool to_the_left = false;  // of the dot: align the text with the right edge of the box
  bool far = false;          // far enough from the dot to need a connecting line
};

class LabelPlacer {
 public:
  explicit LabelPlacer(LabelBox room) : room_(room) {}

  // Something that a label must not cover.
  void avoid(const LabelBox& box) { hard_.push_back(box); }

  // Something that a label should not cover if possible: a piece of a line.
  void rather_avoid(const LabelBox& box) { soft_.push_back(box); }

  // The best place for a label of this size near (x, y), which later labels avoid.
  PlacedLabel place(double x, double y, double width, double height);

 private:
  double cost(const LabelBox& box) const;

  LabelBox room_;
  std::vector<LabelBox> hard_;
  std::vector<LabelBox> soft_;
};

}  // namespace dovetail::draw
