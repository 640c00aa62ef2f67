// The layout of a picture of a plan.
//
// A plan holds only counts of processors. To draw it, a sweep in the order of starts gives every
// task, every run that was cut short and every reservation concrete rows of its cluster. Row 0 is
// the lowest processor; reservations gather at the bottom, the others at the top. At each start a
// valid plan has enough free rows, but they may not be neighbours; then the item becomes several
// blocks.
//
//   GanttScene scene = lay_out(record);
//   for (const GanttItem& item : scene.clusters[0].items) draw(item.window, item.blocks);
//
// A plan that exceeds its cluster's capacity is drawn too: the excess goes to rows at and above
// `processors`. The functions are pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dovetail/plan_record.hpp"
#include "dovetail/time.hpp"

namespace dovetail::draw {

// In pixels, for all charts.
inline constexpr double kMinSide = 0.8;      // thinner rectangles would vanish
inline constexpr double kOutlineSide = 4;    // thinner rectangles would be all outline
inline constexpr double kLetterWidth = 6.1;  // of the label font, on average

// A run of neighbouring rows. Its type is wider than Count, since an overbooked picture may need
// more rows than any cluster has processors.
struct RowBlock {
  std::int64_t row = 0;
  std::int64_t rows = 0;
  friend bool operator==(const RowBlock&, const RowBlock&) = default;
};

enum class GanttKind { task, lost, reservation };

struct GanttItem {
  GanttKind kind = GanttKind::task;
  std::size_t index = 0;  // in PlanRecord::tasks or ::lost, or in the cluster's reservations
  Interval window;        // never reversed; a reservation is clipped to the scene and to now
  Count procs = 0;
  std::vector<RowBlock> blocks = {};  // by row, not touching each other; empty without processors
};

// The run of an item of kind task or lost.
const TaskRecord& run_of(const PlanRecord& record, const GanttItem& item);

struct GanttCluster {
  std::string name;
  Count processors = 0;
  std::int64_t rows = 0;              // the processors, more if the plan overbooks them
  std::int64_t first_shown = 0;       // rows below hold no run and need no drawing
  std::vector<GanttItem> items = {};  // by start; at the same start reservations first, then wide
};

struct GanttScene {
  Interval window;  // not empty; holds now, every run, and the deadline unless it is far away
  std::vector<GanttCluster> clusters;
};

// Items without blocks. The clusters are those of the record, in its order, then one for each name
// that only runs mention, as large as those runs need. The window extends at least to `until`.
GanttScene collect_items(const PlanRecord& record, Time until = kBeginning);

// Items with blocks. Ten thousand tasks on ten thousand processors take about ten milliseconds.
GanttScene lay_out(const PlanRecord& record, Time until = kBeginning);

}  // namespace dovetail::draw
