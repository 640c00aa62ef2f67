// Small Gantt charts of the plans of a frontier, all on the same axes of time and processors, so
// that stepping from one to the next shows how the plan changes.
//
//   const FrontierGantts gantts(plans);
//   page += gantts.draw(7);   // an SVG fragment that fills 0,0 to kWidth,kHeight
//
// Few tasks are drawn as rectangles, as in the large chart. Many rectangles would make the file
// many megabytes large and be too small to see; then the chart shows the number of processors in
// use, column by column.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "dovetail/plan_record.hpp"
#include "draw/gantt/gantt_layout.hpp"
#include "draw/gantt/gantt_look.hpp"

namespace dovetail::io {

class FrontierGantts {
 public:
  static constexpr double kWidth = 356;
  static constexpr double kHeight = 238;

  // The plans (at least one) must outlive this. The reservations of others come from the longest
  // plan, since a record leaves out those that begin after its plan.
  explicit FrontierGantts(std::span<const PlanRecord> plans);

  std::string draw(std::size_t plan) const;

  // Whether tasks are drawn as rectangles.
  bool rectangles() const { return !scenes_.empty(); }

 private:
  // One cluster on the common axes.
  struct Panel {
    double top = 0;
    double height = 0;
    std::int64_t first_row = 0;  // rows below hold no task of any plan
    std::int64_t rows = 1;       // highest row, including overbooked ones
    Count processors = 0;
    double y_of(double row) const;
  };

  PlanRecord with_common_clusters(std::size_t plan) const;
  void lay_out_all();
  void place_panels();
  double x_of(Time t) const;
  std::string box(const Panel& panel, Interval window, RowBlock block) const;
  std::string rectangles_of(std::size_t plan) const;
  std::string profile_of(std::size_t plan) const;
  std::string profile_area(const Panel& panel, const std::vector<double>& bottom,
                           const std::vector<double>& top) const;
  std::string axes() const;
  std::string lines_of(const PlanRecord& plan) const;

  std::span<const PlanRecord> plans_;
  const PlanRecord& longest_;
  Interval window_;
  TaskGroups groups_;
  std::vector<GanttScene> scenes_;  // one per plan; none if profiles are drawn
  std::vector<Panel> panels_;
};

}  // namespace dovetail::io
