#include "draw/gantt/gantt_chart.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <set>
#include <span>

#include "draw/chart_legend.hpp"
#include "draw/page.hpp"
#include "draw/svg_writer.hpp"

namespace dovetail::draw {
namespace {

constexpr double kPanelTitle = 30;
constexpr double kAxisHeight = 44;
constexpr const char* kLostNote = " (lost)";

// The rows of a pool.
constexpr double kRowHeight = 22;
constexpr double kMinRowHeight = 14;
constexpr double kRowGap = 2;
constexpr double kNameLetter = 6.6;
constexpr double kMaxLeft = 190;

// The numbers of marks.
constexpr double kBadgeHeight = 15;
constexpr double kBadgeLane = 20;
constexpr double kTickGap = 3;  // closer ticks would merge into a bar

// Groups neighbouring clusters with one processor each; every other cluster gets its own panel.
std::vector<std::span<const GanttCluster>> panels_of(std::span<const GanttCluster> clusters) {
  std::vector<std::span<const GanttCluster>> panels;
  for (std::size_t first = 0, end = 0; first < clusters.size(); first = end) {
    end = first + 1;
    if (clusters[first].processors == 1) {
      while (end < clusters.size() && clusters[end].processors == 1) ++end;
    }
    panels.push_back(clusters.subspan(first, end - first));
  }
  return panels;
}

double panel_height(std::span<const GanttCluster> clusters, std::size_t panels,
                    const ChartHeights& heights) {
  if (clusters.size() > 1) {
    const auto rows = static_cast<double>(clusters.size());
    return rows * std::clamp(heights.pool / rows, kMinRowHeight, kRowHeight);
  }
  const double most =
      panels == 1 ? heights.alone : std::max(120.0, heights.together / static_cast<double>(panels));
  return std::clamp(kRowHeight * static_cast<double>(clusters[0].rows - clusters[0].first_shown),
                    std::min(110.0, most), most);
}

double badge_width(std::size_t number) {
  return std::max(kBadgeHeight, 8 + 6 * static_cast<double>(std::to_string(number).size()));
}

constexpr std::array<std::string_view, 3> kKindClasses = {"task", "lost", "reservation"};

// The marks that keep a minimum distance from each other on the page. Strong ones are chosen first.
template <typename XOf>
std::vector<ChartMark> spaced_out(const std::vector<ChartMark>& marks, double gap, XOf x_of) {
  std::set<double> taken;
  std::vector<ChartMark> kept;
  for (const bool strong : {true, false}) {
    for (const ChartMark& mark : marks) {
      if (mark.strong != strong) continue;
      const double x = x_of(mark.at);
      const auto next = taken.upper_bound(x - gap);
      if (next != taken.end() && *next < x + gap) continue;
      taken.insert(x);
      kept.push_back(mark);
    }
  }
  return kept;
}

class GanttChart {
 public:
  GanttChart(const PlanRecord& record, const GanttScene& scene, const TaskGroups& groups,
             const ChartOptions& options)
      : record_(record),
        scene_(scene),
        groups_(groups),
        options_(options),
        clock_(options_.clock != nullptr ? *options_.clock : record) {
    const Interval window = options_.window;
    if (options_.plot_end && *options_.plot_end < window.end) {
      plot_right_ = x_of(*options_.plot_end);
    }
    std::vector<ChartMark> inside;
    for (const ChartMark& mark : options_.marks) {
      if (mark.at >= window.begin && mark.at <= window.end) inside.push_back(mark);
    }
    const auto place = [this](Time at) { return x_of(at); };
    const std::size_t last = inside.empty() ? 0 : inside.back().number;
    numbers_ = spaced_out(inside, badge_width(last) + 2, place);
    ticks_ = spaced_out(inside, kTickGap, place);
    const auto panels = panels_of(scene_.clusters);
    for (const auto clusters : panels) add_panel(clusters, panels.size());
  }

  double bottom() const { return bottom_; }

  std::string draw() const {
    std::string out;
    for (const Panel& panel : panels_) out += draw_panel(panel);
    if (!panels_.empty()) out += mark_numbers(panels_.front());
    return out;
  }

 private:
  struct Box {
    double x, y, width, height;
  };

  // Rectangles too thin to be told from others at the same place. One is drawn for all of them,
  // which bounds the size of a picture for any number of tasks.
  class Specks {
   public:
    // Whether drawing the box would change nothing visible.
    bool hide(GanttKind kind, const Box& box) {
      constexpr double kStep = kMinSide / 2;
      if (box.width > kMinSide) return false;
      const auto step = [](double length) { return static_cast<std::int64_t>(length / kStep); };
      return !drawn_
                  .insert(
                      {static_cast<std::int64_t>(kind), step(box.x), step(box.y), step(box.height)})
                  .second;
    }

   private:
    std::set<std::array<std::int64_t, 4>> drawn_;
  };

  // Where one cluster is drawn.
  struct Band {
    const GanttCluster* cluster;
    double top;
    double height;
    double y_of(std::int64_t row) const {
      const auto shown = static_cast<double>(cluster->rows - cluster->first_shown);
      const auto above =
          static_cast<double>(std::max(row, cluster->first_shown) - cluster->first_shown);
      return top + height * (1.0 - above / shown);
    }
    double bottom() const { return top + height; }
  };

  // The area above one time axis: a cluster, or the resources of a pool.
  struct Panel {
    std::vector<Band> bands;
    double top;  // of the plot
    double height;
    double words;  // base line of the text above the plot
    bool is_pool() const { return bands.size() > 1; }
    double bottom() const { return top + height; }
  };

  double plot_width() const { return plot_right_ - options_.left; }

  void add_panel(std::span<const GanttCluster> clusters, std::size_t panels) {
    const bool numbered = !options_.marks.empty() && panels_.empty();
    Panel panel{.bands = {},
                .top = bottom_ + kPanelTitle + (numbered ? kBadgeLane : 0),
                .height = panel_height(clusters, panels, options_.heights),
                .words = bottom_ + kPanelTitle - 9};
    const double row = panel.height / static_cast<double>(clusters.size());
    const double gap = clusters.size() > 1 ? kRowGap : 0;
    for (std::size_t i = 0; i < clusters.size(); ++i) {
      panel.bands.push_back(
          {&clusters[i], panel.top + row * static_cast<double>(i) + gap / 2, row - gap});
    }
    bottom_ = panel.bottom() + kAxisHeight;
    panels_.push_back(std::move(panel));
  }

  double x_of(Time t) const {
    const auto span = static_cast<double>(options_.window.end - options_.window.begin);
    return options_.left +
           (kChartRight - options_.left) * static_cast<double>(t - options_.window.begin) / span;
  }

  std::string draw_panel(const Panel& panel) const {
    std::string out = heading(panel);
    for (const Band& band : panel.bands) out += background(band);
    out += time_axis(panel);
    for (const Band& band : panel.bands) {
      out += panel.is_pool() ? row_name(band) : processor_axis(band);
    }
    for (const Band& band : panel.bands) out += draw_items(band);
    return out + frame(panel) + now_line(panel) + deadline_line(panel) + mark_lines(panel);
  }

  std::string heading(const Panel& panel) const {
    const GanttCluster& cluster = *panel.bands.front().cluster;
    const std::string name = panel.is_pool() ? fmt::format("{} resources", panel.bands.size())
                                             : fit(plain_text(cluster.name), 80);
    const bool over = std::ranges::any_of(panel.bands, [](const Band& band) {
      return band.cluster->rows > band.cluster->processors;
    });
    return fmt::format(
        "<text x=\"{}\" y=\"{:.1f}\"><tspan class=\"name\">{}</tspan>"
        "<tspan class=\"axis\" dx=\"10\">{}</tspan>{}</text>\n",
        options_.left, panel.words, escape_markup(name),
        panel.is_pool() ? "1 processor each" : size_text(cluster),
        over ? "<tspan class=\"warning\" dx=\"10\">over capacity</tspan>" : "");
  }

  std::string background(const Band& band) const {
    const double limit = band.y_of(std::max<Count>(band.cluster->processors, 0));
    const double left = options_.left;
    const double width = plot_width();
    std::string out =
        fmt::format("<path class=\"plot\" d=\"M{} {:.2f}h{:.6g}V{:.2f}h-{:.6g}z\"/>\n", left, limit,
                    width, band.bottom(), width);
    if (limit > band.top) {
      out += fmt::format(
          "<path class=\"over\" d=\"M{0} {1:.2f}h{2:.6g}V{3:.2f}h-{2:.6g}z\"/>\n"
          "<path class=\"limit\" d=\"M{0} {3:.2f}h{2:.6g}\"/>\n",
          left, band.top, width, limit);
    }
    return out;
  }

  std::string time_axis(const Panel& panel) const {
    std::string out;
    for (const AxisTick& tick : axis_ticks(clock_, options_.window, 13)) {
      const double x = x_of(tick.at);
      out += fmt::format("<path class=\"grid\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>\n", x, panel.top,
                         panel.bottom() + 4);
      // A centred label on the last tick would leave the page.
      const char* anchor = x > kChartRight - 20 ? "end" : "middle";
      out += svg_words("axis", x, panel.bottom() + 17, anchor, tick.label);
      if (!tick.date.empty()) out += svg_words("axis", x, panel.bottom() + 31, anchor, tick.date);
    }
    return out;
  }

  std::string processor_axis(const Band& band) const {
    const GanttCluster& cluster = *band.cluster;
    const std::int64_t step = processor_step(cluster.processors - cluster.first_shown);
    const std::int64_t first = (cluster.first_shown + step - 1) / step * step;
    std::string out;
    for (std::int64_t count = first; count <= cluster.processors; count += step) {
      const double y = band.y_of(count);
      out += fmt::format(
          "<path class=\"grid\" d=\"M{} {:.1f}H{:.6g}\"/>\n"
          "<text class=\"axis\" x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n",
          options_.left - 4, y, plot_right_, options_.left - 8, y + 4, count);
    }
    return out;
  }

  std::string row_name(const Band& band) const {
    const std::string name = plain_text(band.cluster->name);
    const int letters = static_cast<int>((options_.left - 16) / kNameLetter);
    return fmt::format(
        "<path class=\"grid\" d=\"M{} {:.1f}H{:.6g}\"/>\n"
        "<text class=\"axis\" x=\"{}\" y=\"{:.1f}\" "
        "text-anchor=\"end\">{}<title>{}</title></text>\n",
        options_.left - 4, band.bottom() + kRowGap / 2, plot_right_, options_.left - 8,
        band.top + band.height / 2 + 4, escape_markup(fit(name, letters)), escape_markup(name));
  }

  std::string frame(const Panel& panel) const {
    return fmt::format("<path class=\"frame\" d=\"M{} {:.1f}h{:.6g}v{:.1f}h-{:.6g}z\"/>\n",
                       options_.left, panel.top, plot_width(), panel.height, plot_width());
  }

  std::string now_line(const Panel& panel) const {
    const Time now = options_.now.value_or(record_.now);
    if (now <= options_.window.begin) {
      return fmt::format("<path class=\"now\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>\n", options_.left,
                         panel.top, panel.bottom() + 5);
    }
    const double x = x_of(now);
    return fmt::format("<path class=\"now\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>\n", x, panel.words + 4,
                       panel.bottom()) +
           svg_words("axis", x, panel.words + 1, "middle", "now");
  }

  std::string deadline_line(const Panel& panel) const {
    if (!record_.deadline || *record_.deadline > options_.window.end) return {};
    const double x = x_of(std::max(*record_.deadline, options_.window.begin));
    return fmt::format("<path class=\"deadline\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>\n", x,
                       panel.words + 4, panel.bottom()) +
           svg_words("deadline-text", std::min(x + 24, kChartRight), panel.words + 1, "end",
                     "deadline");
  }

  // A mark without a number is a tick at both sides, since too many lines would hide the plan.
  // Marks with a number are drawn last, on top.
  std::string mark_lines(const Panel& panel) const {
    std::string out;
    const auto add = [&](const ChartMark& mark, double top, double bottom) {
      out += fmt::format(
          "<path class=\"mark{}\" d=\"M{:.1f} {:.1f}V{:.1f}\"><title>{}</title></path>\n",
          mark.strong ? " strong" : "", x_of(mark.at), top, bottom, escape_markup(mark.tooltip));
    };
    for (const ChartMark& mark : ticks_) {
      add(mark, panel.top - 3, panel.top + 3);
      add(mark, panel.bottom() - 3, panel.bottom() + 3);
    }
    for (auto mark = numbers_.rbegin(); mark != numbers_.rend(); ++mark) {
      add(*mark, panel.top - 3, panel.bottom() + 4);
    }
    return out;
  }

  std::string mark_numbers(const Panel& panel) const {
    std::string out;
    for (const ChartMark& mark : numbers_) {
      out += fmt::format(
          "<g><title>{}</title>{}</g>\n", escape_markup(mark.tooltip),
          mark_badge(mark.number, mark.strong, x_of(mark.at), panel.top - 3 - kBadgeHeight));
    }
    return out;
  }

  // Draws the critical chain last, so that no neighbour covers its outline.
  std::string draw_items(const Band& band) const {
    std::string out;
    for (const bool critical : {false, true}) {
      Specks specks;
      for (const GanttItem& item : band.cluster->items) {
        if (is_critical(item) == critical) out += draw_item(band, item, specks);
      }
    }
    return out;
  }

  bool is_critical(const GanttItem& item) const {
    return item.kind == GanttKind::task && record_.tasks[item.index].critical;
  }

  Box box_of(const Band& band, Interval window, RowBlock block) const {
    const double x = x_of(window.begin);
    const double y = band.y_of(block.row + block.rows);
    return {x, y, std::max(x_of(window.end) - x, kMinSide),
            std::max(band.y_of(block.row) - y, kMinSide)};
  }

  std::string draw_item(const Band& band, const GanttItem& item, Specks& specks) const {
    const bool is_reservation = item.kind == GanttKind::reservation;
    Interval window = item.window;
    if (is_reservation && options_.plot_end) {
      window.end = std::min(window.end, *options_.plot_end);
      if (window.begin >= window.end) return {};
    }
    std::string out;
    for (const RowBlock& block : item.blocks) {
      if (block.row + block.rows <= band.cluster->first_shown) continue;
      const Box box = box_of(band, window, block);
      if (specks.hide(item.kind, box)) continue;
      out += fmt::format(
          "<rect class=\"{}\"{} x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\">"
          "<title>{}</title></rect>\n",
          classes(item, box), fill(item), box.x, box.y, box.width, box.height,
          escape_markup(tooltip(band, item)));
    }
    return is_reservation ? out : out + label(band, item);
  }

  std::string tooltip(const Band& band, const GanttItem& item) const {
    if (item.kind == GanttKind::task) return task_text(clock_, run_of(record_, item));
    if (item.kind == GanttKind::lost) return lost_text(clock_, run_of(record_, item));
    const auto cluster = static_cast<std::size_t>(band.cluster - scene_.clusters.data());
    return reservation_text(clock_, record_.clusters[cluster].reservations[item.index]);
  }

  std::string fill(const GanttItem& item) const {
    if (item.kind == GanttKind::reservation) return {};  // the style decides
    return fmt::format(" fill=\"{}\"", item.kind == GanttKind::task
                                           ? std::string(group_colour(groups_.of_task[item.index]))
                                           : lost_fill(groups_.of_lost[item.index]));
  }

  std::string classes(const GanttItem& item, const Box& box) const {
    std::string names(kKindClasses[static_cast<std::size_t>(item.kind)]);
    if (is_critical(item)) names += " critical";
    if (std::min(box.width, box.height) >= kOutlineSide) names += " edge";
    return names;
  }

  // Labels the tallest block if the name, or enough of it, fits.
  std::string label(const Band& band, const GanttItem& item) const {
    if (item.blocks.empty()) return {};
    const auto tallest = std::ranges::max_element(item.blocks, {}, &RowBlock::rows);
    const Box box = box_of(band, item.window, *tallest);
    const int letters = static_cast<int>((box.width - 6) / kLetterWidth);
    std::string id = plain_text(run_of(record_, item).id);
    if (box.height < 12 || letters < std::min(4, display_width(id))) return {};
    const bool is_lost = item.kind == GanttKind::lost;
    if (is_lost && display_width(id + kLostNote) <= letters) id += kLostNote;
    return fmt::format("<text class=\"label{}\" x=\"{:.2f}\" y=\"{:.2f}\">{}</text>\n",
                       is_lost ? " lost-label" : "", box.x + box.width / 2,
                       box.y + box.height / 2 + 4, escape_markup(fit(id, letters)));
  }

  const PlanRecord& record_;
  const GanttScene& scene_;
  const TaskGroups& groups_;
  const ChartOptions& options_;
  const PlanRecord& clock_;
  double plot_right_ = kChartRight;
  double bottom_ = options_.top;
  std::vector<Panel> panels_ = {};
  std::vector<ChartMark> numbers_ = {};  // the marks with room for a number, strong ones first
  std::vector<ChartMark> ticks_ = {};    // those with room for a tick
};

}  // namespace

double chart_left(const GanttScene& scene) {
  int longest = 0;
  for (const auto clusters : panels_of(scene.clusters)) {
    if (clusters.size() == 1) continue;
    for (const GanttCluster& cluster : clusters) {
      longest = std::max(longest, display_width(plain_text(cluster.name)));
    }
  }
  return std::clamp(std::ceil(16 + kNameLetter * longest), kChartLeft, kMaxLeft);
}

DrawnChart draw_gantt(const PlanRecord& record, const GanttScene& scene, const TaskGroups& groups,
                      const ChartOptions& options) {
  const GanttChart chart(record, scene, groups, options);
  return {chart.draw(), chart.bottom()};
}

std::string mark_badge(std::size_t number, bool strong, double x, double top) {
  const double width = badge_width(number);
  return fmt::format(
      "<rect class=\"badge{0}\" x=\"{1:.1f}\" y=\"{2:.1f}\" width=\"{3}\" height=\"{4}\" "
      "rx=\"{5}\"/><text class=\"number{0}\" x=\"{6:.1f}\" y=\"{7:.1f}\">{8}</text>",
      strong ? " strong" : "", x - width / 2, top, width, kBadgeHeight, kBadgeHeight / 2, x,
      top + 11, number);
}

std::string_view chart_style() { return embedded_file("gantt_chart.css"); }

}  // namespace dovetail::draw
