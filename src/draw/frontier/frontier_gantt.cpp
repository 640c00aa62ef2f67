#include "draw/frontier/frontier_gantt.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "draw/frontier/frontier_axis.hpp"
#include "draw/gantt/gantt_layout.hpp"
#include "draw/gantt/gantt_look.hpp"
#include "draw/svg_writer.hpp"

namespace dovetail::draw {
namespace {

constexpr double kLeft = 34;
constexpr double kTop = 22;
constexpr double kRight = kFrontierGanttWidth - 1;
constexpr double kBottom = kFrontierGanttHeight - 30;
constexpr double kPanelGap = 8;
constexpr double kMinThumbnailSide = 0.6;  // thinner rectangles would vanish

// Limits for drawing rectangles; each takes about 25 characters of the file.
constexpr std::size_t kMostTasks = 400;
constexpr std::size_t kMostReservations = 2000;
constexpr std::size_t kMostRectangles = 60'000;  // of all plans together

constexpr std::size_t kColumns = 160;  // of a profile

const PlanRecord& longest_of(std::span<const PlanRecord> plans) {
  return *std::ranges::max_element(plans, {}, &PlanRecord::makespan);
}

bool few_items(const PlanRecord& plan) {
  std::size_t reservations = 0;
  for (const ClusterRecord& cluster : plan.clusters) reservations += cluster.reservations.size();
  return plan.tasks.size() <= kMostTasks && reservations <= kMostReservations;
}

std::size_t rectangles_in(const GanttScene& scene) {
  std::size_t count = 0;
  for (const GanttCluster& cluster : scene.clusters) {
    for (const GanttItem& item : cluster.items) count += item.blocks.size();
  }
  return count;
}

// Processors in use, averaged over each column.
class Profile {
 public:
  explicit Profile(Interval window) : window_(window), change_(kColumns + 1), extra_(kColumns) {}

  void add(Interval busy, Count procs) {
    const double begin = column(busy.begin);
    const double end = column(busy.end);
    add_up_to(begin, -procs);
    add_up_to(end, procs);
  }

  std::vector<double> columns() const {
    std::vector<double> used(kColumns);
    double level = 0;
    for (std::size_t c = kColumns; c-- > 0;) {
      level += change_[c + 1];
      used[c] = std::max(0.0, level + extra_[c]);
    }
    return used;
  }

 private:
  double column(Time t) const {
    const double share =
        static_cast<double>(t - window_.begin) / static_cast<double>(window_.end - window_.begin);
    return std::clamp(share, 0.0, 1.0) * kColumns;
  }

  // Adds to the columns before `at` fully, and to the column of `at` in proportion.
  void add_up_to(double at, double procs) {
    const auto whole = static_cast<std::size_t>(at);
    change_[whole] += procs;
    if (whole < kColumns) extra_[whole] += procs * (at - std::floor(at));
  }

  Interval window_;
  std::vector<double> change_;  // [c]: added to every column before c
  std::vector<double> extra_;   // added to this column only
};

class FrontierGantts {
 public:
  explicit FrontierGantts(std::span<const PlanRecord> plans)
      : plans_(plans), longest_(longest_of(plans)), groups_(group_tasks(longest_)) {
    window_ = collect_items(longest_).window;
    if (!longest_.tasks.empty()) window_.end = longest_.now + longest_.makespan;
    window_.end = std::max(window_.end, window_.begin + 1);
    lay_out_all();
    place_panels();
  }

  std::string draw(std::size_t plan) const {
    return "<g class=\"gantt\">\n" + (!scenes_.empty() ? rectangles_of(plan) : profile_of(plan)) +
           axes() + lines_of(plans_[plan]) + "</g>\n";
  }

 private:
  // One cluster on the common axes.
  struct Panel {
    double top = 0;
    double height = 0;
    std::int64_t first_row = 0;  // rows below hold no task of any plan
    std::int64_t rows = 1;       // highest row, including overbooked ones
    Count processors = 0;
    double y_of(double row) const {
      const auto first = static_cast<double>(first_row);
      const double share = (row - first) / (static_cast<double>(rows) - first);
      return top + height * (1 - std::clamp(share, 0.0, 1.0));
    }
  };

  PlanRecord with_common_clusters(std::size_t plan) const {
    PlanRecord record = plans_[plan];
    record.clusters = longest_.clusters;
    return record;
  }

  void lay_out_all() {
    if (!std::all_of(plans_.begin(), plans_.end(), few_items)) return;
    std::size_t count = 0;
    for (std::size_t i = 0; i < plans_.size(); ++i) {
      scenes_.push_back(lay_out(with_common_clusters(i), window_.end));
      count += rectangles_in(scenes_.back());
    }
    if (count > kMostRectangles) scenes_.clear();
  }

  void place_panels() {
    for (const GanttCluster& cluster : collect_items(longest_).clusters) {
      Panel panel{.rows = std::max<std::int64_t>(1, cluster.processors),
                  .processors = cluster.processors};
      if (!scenes_.empty()) panel.first_row = panel.rows;
      for (const GanttScene& scene : scenes_) {
        const std::size_t c = panels_.size();
        if (c >= scene.clusters.size()) continue;
        panel.rows = std::max(panel.rows, scene.clusters[c].rows);
        panel.first_row = std::min(panel.first_row, scene.clusters[c].first_shown);
      }
      panels_.push_back(panel);
    }
    const auto count = static_cast<double>(std::max<std::size_t>(1, panels_.size()));
    const double height = (kBottom - kTop - kPanelGap * (count - 1)) / count;
    for (std::size_t c = 0; c < panels_.size(); ++c) {
      panels_[c].top = kTop + static_cast<double>(c) * (height + kPanelGap);
      panels_[c].height = std::max(height, 1.0);
    }
  }

  double x_of(Time t) const {
    const double share =
        static_cast<double>(t - window_.begin) / static_cast<double>(window_.end - window_.begin);
    return kLeft + (kRight - kLeft) * std::clamp(share, 0.0, 1.0);
  }

  // A piece of a path; empty if outside the panel.
  std::string box(const Panel& panel, Interval window, RowBlock block) const {
    if (block.row + block.rows <= panel.first_row || window.begin >= window_.end) return {};
    const double x = x_of(window.begin);
    const double y = panel.y_of(static_cast<double>(block.row + block.rows));
    const double width = std::max(x_of(window.end) - x, kMinThumbnailSide);
    const double height =
        std::max(panel.y_of(static_cast<double>(block.row)) - y, kMinThumbnailSide);
    return fmt::format("M{:.1f} {:.1f}h{:.1f}v{:.1f}h{:.1f}z", x, y, width, height, -width);
  }

  // Uses one path per colour to keep the file small.
  std::string rectangles_of(std::size_t plan) const {
    std::string reserved;
    std::map<std::size_t, std::string> by_colour;
    const GanttScene& scene = scenes_[plan];
    for (std::size_t c = 0; c < std::min(panels_.size(), scene.clusters.size()); ++c) {
      for (const GanttItem& item : scene.clusters[c].items) {
        const bool task = item.kind == GanttKind::task && item.index < groups_.of_task.size();
        const std::size_t colour = task ? groups_.of_task[item.index] % palette_size() : 0;
        std::string& path = item.kind == GanttKind::task ? by_colour[colour] : reserved;
        for (const RowBlock& block : item.blocks) path += box(panels_[c], item.window, block);
      }
    }
    std::string out = fmt::format("<path class=\"reserved\" d=\"{}\"/>\n", reserved);
    for (const auto& [colour, path] : by_colour) {
      out +=
          fmt::format("<path class=\"task\" fill=\"{}\" d=\"{}\"/>\n", group_colour(colour), path);
    }
    return out;
  }

  // The outline between two heights in every column: forth along the top, back along the bottom.
  // Equal neighbours share a piece.
  std::string profile_area(const Panel& panel, const std::vector<double>& bottom,
                           const std::vector<double>& top) const {
    constexpr double kStep = (kRight - kLeft) / kColumns;
    std::string path = fmt::format("M{:.1f} {:.1f}", kLeft, panel.y_of(bottom[0]));
    const auto trace = [&](std::vector<double> rows, bool back) {
      if (back) std::reverse(rows.begin(), rows.end());
      for (std::size_t begin = 0, end = 0; begin < kColumns; begin = end) {
        while (end < kColumns && rows[end] == rows[begin]) ++end;
        const double passed = kStep * static_cast<double>(end);
        fmt::format_to(std::back_inserter(path), "V{:.1f}H{:.1f}", panel.y_of(rows[begin]),
                       back ? kRight - passed : kLeft + passed);
      }
    };
    trace(top, false);
    trace(bottom, true);
    return path + "z";
  }

  // Draws the reservations of others at the bottom and the plan's tasks on top.
  std::string profile_of(std::size_t plan) const {
    const GanttScene scene = collect_items(with_common_clusters(plan), window_.end);
    std::string out;
    for (std::size_t c = 0; c < std::min(panels_.size(), scene.clusters.size()); ++c) {
      Profile reserved(window_);
      Profile ours(window_);
      for (const GanttItem& item : scene.clusters[c].items) {
        (item.kind == GanttKind::task ? ours : reserved).add(item.window, item.procs);
      }
      const std::vector<double> low = reserved.columns();
      std::vector<double> high = ours.columns();
      for (std::size_t i = 0; i < high.size(); ++i) high[i] += low[i];
      const std::vector<double> floor(kColumns, 0.0);
      out += fmt::format("<path class=\"reserved\" d=\"{}\"/>\n<path class=\"used\" d=\"{}\"/>\n",
                         profile_area(panels_[c], floor, low), profile_area(panels_[c], low, high));
    }
    return out;
  }

  std::string axes() const {
    std::string out;
    const auto add = [&out](double x, double y, std::string_view anchor, std::string_view text) {
      out += svg_words("tick", x, y, anchor, text);
    };
    add(0, 10, "start", "processors");
    if (has_reservations(collect_items(longest_))) {
      add(kRight, 10, "end", "grey: reserved by others");
    }
    for (const Panel& panel : panels_) {
      out += fmt::format("<path class=\"frame\" d=\"M{} {:.1f}V{:.1f}H{}\"/>\n", kLeft, panel.top,
                         panel.top + panel.height, kRight);
      add(kLeft - 5, panel.y_of(panel.processors) + 8, "end", short_number(panel.processors));
      add(kLeft - 5, panel.top + panel.height, "end",
          short_number(static_cast<double>(panel.first_row)));
    }
    for (const AxisTick& tick : axis_ticks(longest_, window_, 5)) {
      const double x = x_of(tick.at);
      const bool last = x > kRight - 16;
      out += fmt::format("<path class=\"frame\" d=\"M{:.1f} {}v3\"/>\n", x, kBottom);
      add(last ? kRight : x, kBottom + 13, last ? "end" : "middle", tick.label);
      if (!tick.date.empty()) {
        add(last ? kRight : std::max(x, kLeft + 14), kBottom + 25, last ? "end" : "middle",
            tick.date);
      }
    }
    return out;
  }

  std::string lines_of(const PlanRecord& plan) const {
    const auto line = [this](std::string_view name, Time at) {
      return fmt::format("<path class=\"{}\" d=\"M{:.1f} {}V{}\"/>\n", name, x_of(at), kTop - 4,
                         kBottom);
    };
    const Time end = plan.now + plan.makespan;
    std::string out = line("end", end);
    // Most plans for a deadline end exactly at it.
    const bool apart = plan.deadline && x_of(*plan.deadline) > x_of(end) + 1;
    if (apart && *plan.deadline <= window_.end) out += line("deadline", *plan.deadline);
    return out;
  }

  std::span<const PlanRecord> plans_;
  const PlanRecord& longest_;
  Interval window_;
  TaskGroups groups_;
  std::vector<GanttScene> scenes_;  // one per plan; none if profiles are drawn
  std::vector<Panel> panels_;
};

}  // namespace

std::vector<std::string> draw_frontier_gantts(std::span<const PlanRecord> plans) {
  const FrontierGantts gantts(plans);
  std::vector<std::string> drawn;
  for (std::size_t i = 0; i < plans.size(); ++i) drawn.push_back(gantts.draw(i));
  return drawn;
}

}  // namespace dovetail::draw
