// A plan in a terminal: a headline, a strip of use against capacity for each cluster, the time
// axis, and a bar for each of the first tasks.
//
//   kth        ░░░░░░░░░░░░████████
//   128 procs  ░░░░████████████████████
//              └──────────┴─────────┴────
//              0s         1h        2h      procs  time
//   prepare    ██                               1    6m
//   solve *      ████████████████              64  1h5m
//
// A star marks the critical chain; a run that was cut short has its own bar. No line is wider than
// requested.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "dovetail/draw.hpp"
#include "draw/gantt/gantt_layout.hpp"
#include "draw/gantt/gantt_look.hpp"
#include "draw/plain_text.hpp"

namespace dovetail::draw {
namespace {

constexpr int kLeastColumns = 30;   // narrower terminals get lines of this width
constexpr int kMostColumns = 1000;  // longer lines are unreadable
constexpr std::size_t kMostRuns = 40;
constexpr int kLeastPlot = 16;  // below this, drop the numbers on the right to widen the bars
constexpr int kProcsWidth = 7;
constexpr int kTimeWidth = 8;  // at least

constexpr std::string_view kReservedColour = "\x1b[2m";
constexpr std::string_view kTaskColour = "\x1b[36m";
constexpr std::string_view kCriticalColour = "\x1b[1;31m";
constexpr std::string_view kPlainColour = "\x1b[0m";

// Mean processors in use in one column of a strip.
struct Use {
  double reserved = 0;
  double ours = 0;
};

std::size_t index(int i) { return static_cast<std::size_t>(i); }

class TextChart {
 public:
  TextChart(const PlanRecord& record, int columns, bool colour)
      : record_(record),
        scene_(collect_items(record)),
        columns_(std::clamp(columns, kLeastColumns, kMostColumns)),
        colour_(colour) {
    choose_runs();
    choose_widths();
  }

  std::string draw() {
    headline();
    for (const GanttCluster& cluster : scene_.clusters) strip(cluster);
    axis();
    for (const GanttItem* item : runs_) bar(*item);
    footer();
    return std::move(out_);
  }

 private:
  void choose_runs() {
    for (const GanttCluster& cluster : scene_.clusters) {
      for (const GanttItem& item : cluster.items) {
        if (item.kind != GanttKind::reservation) runs_.push_back(&item);
      }
    }
    std::sort(runs_.begin(), runs_.end(), [](const GanttItem* a, const GanttItem* b) {
      return std::tuple(a->window.begin, a->window.end, a->kind, a->index) <
             std::tuple(b->window.begin, b->window.end, b->kind, b->index);
    });
    if (runs_.size() > kMostRuns) runs_.resize(kMostRuns);
  }

  bool is_critical(const GanttItem& item) const {
    return item.kind == GanttKind::task && run_of(record_, item).critical;
  }

  void choose_widths() {
    int longest = 0;
    for (const GanttItem* item : runs_) longest = std::max(longest, display_width(name_of(*item)));
    for (const GanttCluster& cluster : scene_.clusters) {
      longest = std::max({longest, display_width(plain_text(cluster.name)),
                          display_width(capacity_text(cluster))});
    }
    name_width_ = std::min(longest, std::max(8, columns_ / 4));
    if (scene_.clusters.size() > 1) {
      for (const GanttCluster& cluster : scene_.clusters) {
        cluster_width_ = std::max(cluster_width_, display_width(plain_text(cluster.name)));
      }
      cluster_width_ = std::min(cluster_width_, 12) + 2;
    }
    for (const GanttItem* item : runs_) {
      time_width_ = std::max(time_width_, display_width(time_of(*item)) + 2);
    }
    const int wanted = kProcsWidth + time_width_ + cluster_width_;
    const int rest = columns_ - name_width_ - 2;
    numbers_ = rest - wanted >= kLeastPlot;
    plot_width_ = numbers_ ? rest - wanted : rest;
  }

  std::string name_of(const GanttItem& item) const {
    const TaskRecord& run = run_of(record_, item);
    std::string name = plain_text(run.id);
    if (record_.workflows.size() > 1) name = plain_text(run.workflow) + "/" + name;
    if (item.kind == GanttKind::lost) return name + " (lost)";
    return run.critical ? name + " *" : name;
  }

  static std::string time_of(const GanttItem& item) {
    return format_duration(item.window.end - item.window.begin);
  }

  static std::string capacity_text(const GanttCluster& cluster) {
    return std::to_string(cluster.processors) + " procs";
  }

  // Adds a line without trailing spaces.
  void line(std::string text) {
    text.erase(text.find_last_not_of(' ') + 1);
    out_ += text + "\n";
  }

  std::string coloured(std::string_view colour, const std::string& text) const {
    if (!colour_ || text.empty()) return text;
    return std::string(colour) + text + std::string(kPlainColour);
  }

  // On as many lines as the facts need.
  void headline() {
    std::string text = plan_title(record_);
    for (const std::string& fact : plan_facts(record_)) {
      text += ",";
      if (display_width(text) + display_width(fact) + 2 > columns_) {  // a space and a comma
        line(fit(text, columns_));
        text = " ";
      }
      text += " " + fact;
    }
    line(fit(text, columns_));
    out_ += "\n";
  }

  // The column of the plot, with a fraction.
  double column_of(Time t) const {
    const auto span = static_cast<double>(scene_.window.end - scene_.window.begin);
    return plot_width_ * static_cast<double>(t - scene_.window.begin) / span;
  }

  std::vector<Use> use_of(const GanttCluster& cluster) const {
    std::vector<Use> use(index(plot_width_));
    for (const GanttItem& item : cluster.items) {
      const double begin = column_of(item.window.begin);
      const double end = column_of(item.window.end);
      for (int c = static_cast<int>(begin); c < plot_width_ && c < end; ++c) {
        const double covered = std::min(end, c + 1.0) - std::max(begin, double(c));
        Use& column = use[index(c)];
        (item.kind == GanttKind::reservation ? column.reserved : column.ours) +=
            covered * item.procs;
      }
    }
    return use;
  }

  void strip(const GanttCluster& cluster) {
    const int height = scene_.clusters.size() == 1 ? 6 : 3;
    const std::vector<Use> use = use_of(cluster);
    for (int level = height - 1; level >= 0; --level) {
      std::string name;
      if (level == height - 1) name = plain_text(cluster.name);
      if (level == height - 2) name = capacity_text(cluster);
      std::string cells;
      for (const Use& column : use) {
        cells += strip_cell(column, level, height / std::max(1.0, double(cluster.processors)));
      }
      line(pad_right(name, name_width_) + "  " + cells);
    }
  }

  // Reservations at the bottom, our tasks on top. A task too small for a cell still gets one.
  std::string strip_cell(const Use& use, int level, double cells_per_processor) const {
    const auto reserved = static_cast<int>(std::lround(use.reserved * cells_per_processor));
    int top = static_cast<int>(std::lround((use.reserved + use.ours) * cells_per_processor));
    if (use.ours > 0) top = std::max(top, reserved + 1);
    if (level < reserved) return coloured(kReservedColour, "\u2591");
    if (level < top) return coloured(kTaskColour, "\u2588");
    return " ";
  }

  void axis() {
    std::vector<bool> marked(index(plot_width_));
    std::string labels;
    int taken = 0;  // columns no longer free for a label
    const auto ticks = axis_ticks(record_, scene_.window,
                                  std::max(2, plot_width_ / (record_.wall_clock ? 18 : 11)));
    for (const AxisTick& tick : ticks) {
      const int c = static_cast<int>(column_of(tick.at));
      if (c >= plot_width_) continue;
      marked[index(c)] = true;
      const std::string label = tick.text();
      const int width = display_width(label);
      if (c < taken || c + width > plot_width_) continue;
      labels += pad_right("", c - display_width(labels)) + label;
      taken = c + width + 1;
    }
    std::string rule;
    for (const bool is_marked : marked) rule += is_marked ? "\u2534" : "\u2500";
    line(pad_right("", name_width_) + "  " + rule);
    line(pad_right("", name_width_) + "  " + pad_right(labels, plot_width_) +
         numbers("procs", "time", "cluster"));
  }

  std::string numbers(std::string_view procs, std::string_view time,
                      std::string_view cluster) const {
    if (!numbers_) return {};
    std::string text = pad_left(procs, kProcsWidth) + pad_left(time, time_width_);
    if (cluster_width_ > 0) text += "  " + pad_right(cluster, cluster_width_ - 2);
    return text;
  }

  void bar(const GanttItem& item) {
    const TaskRecord& run = run_of(record_, item);
    const int from = std::min(static_cast<int>(column_of(item.window.begin)), plot_width_ - 1);
    const std::string cells = item.kind == GanttKind::lost ? lost_cells(item.window.end, from)
                                                           : bar_cells(item.window.end, from);
    const int used = from + display_width(cells);
    line(pad_right(name_of(item), name_width_) + "  " + pad_right("", from) +
         coloured(is_critical(item) ? kCriticalColour : kTaskColour, cells) +
         pad_right("", plot_width_ - used) +
         numbers(std::to_string(run.processors), time_of(item), plain_text(run.cluster)));
  }

  // Whole cells, then a partial cell in eighths; at least the thinnest one.
  std::string bar_cells(Time until, int from) const {
    constexpr std::array<std::string_view, 8> eighths = {"",       "\u258f", "\u258e", "\u258d",
                                                         "\u258c", "\u258b", "\u258a", "\u2589"};
    const double end = std::clamp<double>(column_of(until), from, plot_width_);
    const int length = std::max(1, static_cast<int>(std::lround((end - from) * 8)));
    std::string cells;
    for (int i = 0; i < length / 8; ++i) cells += "\u2588";
    return cells + std::string(eighths[index(length % 8)]);
  }

  // Whole cells, at least one: the shade has no eighths.
  std::string lost_cells(Time until, int from) const {
    const double end = std::clamp<double>(column_of(until), from, plot_width_);
    std::string cells;
    for (int i = std::max(1, static_cast<int>(std::lround(end - from))); i > 0; --i) {
      cells += "\u2592";
    }
    return cells;
  }

  void footer() {
    const std::size_t all = record_.tasks.size() + record_.lost.size();
    if (all > runs_.size()) {
      line(fit(fmt::format("... and {} more", all - runs_.size()), columns_));
    }
    const bool any_critical = std::any_of(
        runs_.begin(), runs_.end(), [this](const GanttItem* item) { return is_critical(*item); });
    std::string legend = "\u2588 this plan  \u2591 reserved by others";
    if (any_critical) legend = "* critical  " + legend;
    if (has_lost(record_)) legend += "  \u2592 cut short";
    line(fit(legend, columns_));
  }

  const PlanRecord& record_;
  const GanttScene scene_;
  const int columns_;
  const bool colour_;
  std::vector<const GanttItem*> runs_;  // those with a bar, by start
  int name_width_ = 0;
  int time_width_ = kTimeWidth;
  int cluster_width_ = 0;  // 0 when there is only one cluster
  int plot_width_ = 0;
  bool numbers_ = false;  // whether there is room for them
  std::string out_;
};

}  // namespace
}  // namespace dovetail::draw

namespace dovetail {

std::string gantt_text(const PlanRecord& record, int columns, bool colour) {
  return draw::TextChart(record, columns, colour).draw();
}

}  // namespace dovetail
