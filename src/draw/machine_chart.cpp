#include "draw/machine_chart.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "draw/frontier/frontier_axis.hpp"
#include "draw/gantt/gantt_layout.hpp"
#include "draw/svg_writer.hpp"
#include "io/text.hpp"

namespace dovetail::draw {
namespace {

constexpr double kPanelLeft = 52;
constexpr double kPanelRight = 14;
constexpr double kPanelTop = 26;  // the name of a panel is above it
constexpr double kDateAxisHeight = 36;
constexpr double kBusyShare = 0.64;  // of the height that both panels share
constexpr double kLabelHeight = 13;
constexpr double kDateDistance = 110;  // a date and a margin
constexpr double kMarkDistance = 34;

struct Panel {
  double top = 0;
  double bottom = 0;
  double most = 1;  // the value at the top

  double y(double value) const { return bottom - (bottom - top) * value / most; }
};

class MachineChart : SvgWriter {
 public:
  MachineChart(const MachinePicture& picture, const MachineChartOptions& options)
      : picture_(picture), options_(options), plot_(machine_plot(options)) {
    const double both = plot_.bottom - plot_.top - kPanelTop;
    busy_ = {plot_.top, plot_.top + kBusyShare * both, static_cast<double>(picture.nodes)};
    waiting_ = {busy_.bottom + kPanelTop, plot_.bottom, most_waiting()};
  }

  std::string draw() {
    panel(busy_, fmt::format("busy nodes of {}", picture_.nodes), Axis::around(ends(busy_), 0));
    panel(waiting_, "waiting jobs", Axis::around(ends(waiting_), 0));
    time_axis();
    if (picture_.jobs.empty()) {
      area(busy_, "busy", &MachineMoment::busy);
    } else {
      jobs();
    }
    area(waiting_, "waiting", &MachineMoment::waiting);
    put("<path class=\"capacity\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>\n", plot_.left, busy_.top,
        plot_.right);
    if (options_.tooltips) tooltips();
    return std::move(out_);
  }

 private:
  static std::vector<double> ends(const Panel& panel) { return {0, panel.most}; }

  double most_waiting() const {
    double most = 1;
    for (const MachineMoment& moment : picture_.moments) most = std::max(most, moment.waiting);
    return most;
  }

  double x(Time t) const {
    const auto span = static_cast<double>(picture_.window.end - picture_.window.begin);
    const auto since = static_cast<double>(t - picture_.window.begin);
    return plot_.left + (plot_.right - plot_.left) * std::clamp(since / span, 0.0, 1.0);
  }

  Time end_of(const MachineMoment& moment) const {
    return std::min(moment.begin + picture_.step, picture_.window.end);
  }

  void panel(const Panel& panel, const std::string& name, const Axis& values) {
    put("<path class=\"plot\" d=\"M{0:.1f} {1:.1f}H{2:.1f}V{3:.1f}H{0:.1f}Z\"/>\n", plot_.left,
        panel.top, plot_.right, panel.bottom);
    put("<text class=\"axis-name\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", plot_.left,
        panel.top - 8, name);
    const int marks = std::max(1, static_cast<int>((panel.bottom - panel.top) / kMarkDistance));
    for (const Mark& mark : hour_marks(values, marks)) {
      const bool whole = mark.value == std::floor(mark.value);  // nodes and jobs are whole
      if (!whole || mark.value > panel.most) continue;
      put("<path class=\"grid\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>\n", plot_.left, panel.y(mark.value),
          plot_.right);
      put("<text class=\"small\" text-anchor=\"end\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
          plot_.left - 7, panel.y(mark.value) + 4, mark.label);
    }
  }

  void time_axis() {
    const int count = std::max(2, static_cast<int>((plot_.right - plot_.left) / kDateDistance));
    for (const AxisTick& tick : machine_ticks(picture_, count)) {
      const double at = x(tick.at);
      for (const Panel& panel : {busy_, waiting_}) {
        put("<path class=\"grid\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>\n", at, panel.top, panel.bottom);
      }
      // The outermost labels stay inside the chart.
      const double room =
          kLetterWidth / 2 * static_cast<double>(std::max(tick.label.size(), tick.date.size()));
      const double middle = std::clamp(at, room, options_.width - room);
      put("<text class=\"small\" text-anchor=\"middle\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
          middle, plot_.bottom + 16, tick.label);
      if (tick.date.empty()) continue;
      put("<text class=\"tick\" text-anchor=\"middle\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
          middle, plot_.bottom + 29, tick.date);
    }
    for (const Panel& panel : {busy_, waiting_}) {
      put("<path class=\"axis\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>\n", plot_.left, panel.bottom,
          plot_.right);
    }
  }

  void area(const Panel& panel, std::string_view style, double MachineMoment::*value) {
    put("<path class=\"area {}\" d=\"M{:.1f} {:.1f}", style, plot_.left, panel.bottom);
    for (const MachineMoment& moment : picture_.moments) {
      put("V{:.1f}H{:.2f}", panel.y(moment.*value), x(end_of(moment)));
    }
    put("V{:.1f}Z\"/>\n", panel.bottom);
  }

  // Jobs get rows in the same way as the tasks of a plan.
  void jobs() {
    PlanRecord record;
    record.now = picture_.window.begin;
    record.clusters.push_back({"machine", picture_.nodes, {}});
    for (const MachineJob& job : picture_.jobs) {
      record.tasks.push_back({"", job.name, "machine", job.start, job.end, job.nodes});
    }
    const GanttScene scene = lay_out(record);
    for (const GanttItem& item : scene.clusters.front().items) job(item);
  }

  void job(const GanttItem& item) {
    const MachineJob& job = picture_.jobs[item.index];
    put("<g class=\"job\" fill=\"{}\"><title>{}</title>", group_colour(item.index),
        escape_markup(job_text(job)));
    const double left = x(item.window.begin);
    const double width = std::max(kMinSide, x(item.window.end) - left);
    for (const RowBlock& block : item.blocks) {
      const double top = busy_.y(static_cast<double>(block.row + block.rows));
      const double height = std::max(kMinSide, busy_.y(static_cast<double>(block.row)) - top);
      const bool outlined = std::min(width, height) >= kOutlineSide;
      put("<rect{} x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>",
          outlined ? " class=\"edge\"" : "", left, top, width, height);
    }
    if (!item.blocks.empty()) label(plain_text(job.name), item.blocks.front(), left, width);
    out_ += "</g>\n";
  }

  // Draws the name of a job if it fits.
  void label(const std::string& name, const RowBlock& block, double left, double width) {
    const double height = busy_.y(0) - busy_.y(static_cast<double>(block.rows));
    const bool has_room =
        width > kLetterWidth * (display_width(name) + 1) && height >= kLabelHeight;
    if (!has_room) return;
    const double middle = busy_.y(static_cast<double>(block.row)) - height / 2;
    put("<text class=\"label\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", left + width / 2, middle + 4,
        escape_markup(name));
  }

  std::string when(Time t) const {
    return picture_.date ? format_date(*picture_.date + t) : format_duration(t);
  }

  std::string job_text(const MachineJob& job) const {
    return fmt::format("job {}: {}\nsubmitted {}\nstarts {}, after {}\nends {}, after {}",
                       plain_text(job.name), io::counted(job.nodes, "node"), when(job.submit),
                       when(job.start), format_duration(job.start - job.submit), when(job.end),
                       format_duration(job.end - job.start));
  }

  // Jobs have their own tooltips, so there only the panel below describes the time.
  void tooltips() {
    const double top = picture_.jobs.empty() ? busy_.top : waiting_.top;
    for (const MachineMoment& moment : picture_.moments) {
      const double left = x(moment.begin);
      put("<path class=\"step\" d=\"M{0:.2f} {1:.1f}H{2:.2f}V{3:.1f}H{0:.2f}Z\">"
          "<title>{4}</title></path>\n",
          left, top, x(end_of(moment)), waiting_.bottom, values_text(picture_, moment));
    }
  }

  const MachinePicture& picture_;
  const MachineChartOptions& options_;
  MachinePlot plot_;
  Panel busy_;
  Panel waiting_;
};

}  // namespace

MachinePlot machine_plot(const MachineChartOptions& options) {
  return {kPanelLeft, options.width - kPanelRight, kPanelTop, options.height - kDateAxisHeight};
}

std::vector<AxisTick> machine_ticks(const MachinePicture& picture, int count) {
  const Time shift = picture.date.value_or(0);
  PlanRecord clock;
  clock.wall_clock = picture.date.has_value();
  const Interval window{picture.window.begin + shift, picture.window.end + shift};
  std::vector<AxisTick> ticks = axis_ticks(clock, window, count);
  for (AxisTick& tick : ticks) tick.at -= shift;
  return ticks;
}

std::string values_text(const MachinePicture& picture, const MachineMoment& moment) {
  const Time end = std::min(moment.begin + picture.step, picture.window.end);
  const std::string when = picture.date ? format_date(*picture.date + moment.begin)
                                        : "after " + format_duration(moment.begin);
  return fmt::format("{} and {} on: {:.1f} of {} nodes busy, {:.1f} jobs waiting", when,
                     format_duration(end - moment.begin), moment.busy, picture.nodes,
                     moment.waiting);
}

std::string draw_machine(const MachinePicture& picture, const MachineChartOptions& options) {
  return MachineChart(picture, options).draw();
}

}  // namespace dovetail::draw
