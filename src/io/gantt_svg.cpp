// A plan as a still picture: title and facts on top, then one panel per cluster (time to the right,
// processors upwards), then the legend. Every rectangle carries a tooltip. The picture stands alone
// (fonts and colours inside) and is as wide as a page, whatever the plan.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "dovetail/io.hpp"
#include "io/gantt_layout.hpp"
#include "io/gantt_look.hpp"
#include "io/plain_text.hpp"

namespace dovetail::io {
namespace {

constexpr double kWidth = 1200;
constexpr double kLeft = 64;
constexpr double kRight = 24;
constexpr double kPlotWidth = kWidth - kLeft - kRight;
constexpr double kHeaderHeight = 66;
constexpr double kPanelTitle = 30;
constexpr double kAxisHeight = 44;
constexpr double kLegendHeight = 40;
constexpr double kMinSide = 0.8;      // thinner rectangles would vanish
constexpr double kOutlineSide = 4;    // thinner rectangles would be all outline
constexpr double kLetterWidth = 6.1;  // of the label font, on average
constexpr std::size_t kLegendGroups = 10;

constexpr std::string_view kStyle = R"(
text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue","DejaVu Sans",sans-serif;fill:#1f2328}
.title{font-size:20px;font-weight:600}
.facts{font-size:13px;fill:#59636e}
.name{font-size:13px;font-weight:600}
.axis{font-size:11px;fill:#59636e}
.label{font-size:11px;text-anchor:middle;pointer-events:none}
.warning{font-size:11px;font-weight:600;fill:#cf222e}
.grid{stroke:#e4e7eb;fill:none}
.frame{stroke:#c4cad1;fill:none}
.plot{fill:#fafbfc}
.over{fill:#ffebe9}
.limit{stroke:#cf222e;stroke-width:1.5}
.reservation{fill:#c9ccd1}
.edge{stroke:#ffffff;stroke-width:1}
.task.edge{stroke:#3b4450;stroke-opacity:.45;stroke-width:.8}
.critical{stroke:#c9182b;stroke-opacity:1;stroke-width:1}
.critical.edge{stroke:#c9182b;stroke-opacity:1;stroke-width:2}
.now{stroke:#1f2328;stroke-width:1.2}
.deadline{stroke:#8250df;stroke-width:1.5;stroke-dasharray:5 3}
.deadline-text{font-size:11px;fill:#8250df}
)";

struct Box {
  double x, y, width, height;
};

// Where one cluster is drawn.
struct Panel {
  const GanttCluster* cluster;
  double top;  // of the plot, below the cluster's name
  double height;

  double y_of(std::int64_t row) const {
    const auto shown = static_cast<double>(cluster->rows - cluster->first_shown);
    const auto above =
        static_cast<double>(std::max(row, cluster->first_shown) - cluster->first_shown);
    return top + height * (1.0 - above / shown);
  }
};

double panel_height(const GanttCluster& cluster, std::size_t clusters) {
  const double most = clusters == 1 ? 460 : std::max(120.0, 640.0 / static_cast<double>(clusters));
  return std::clamp(22.0 * static_cast<double>(cluster.rows - cluster.first_shown),
                    std::min(110.0, most), most);
}

class SvgChart {
 public:
  explicit SvgChart(const PlanRecord& record)
      : record_(record), scene_(lay_out(record)), groups_(group_tasks(record)) {
    double top = kHeaderHeight;
    for (const GanttCluster& cluster : scene_.clusters) {
      panels_.push_back(
          {&cluster, top + kPanelTitle, panel_height(cluster, scene_.clusters.size())});
      top += kPanelTitle + panels_.back().height + kAxisHeight;
    }
    bottom_ = top;
  }

  std::string draw() {
    open();
    for (const Panel& panel : panels_) draw_panel(panel);
    legend();
    out_ += "</svg>\n";
    return std::move(out_);
  }

 private:
  template <typename... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }

  double x_of(Time t) const {
    const auto span = static_cast<double>(scene_.window.end - scene_.window.begin);
    return kLeft + kPlotWidth * static_cast<double>(t - scene_.window.begin) / span;
  }

  void open() {
    const double height = bottom_ + kLegendHeight;
    add("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1:.0f}\" "
        "viewBox=\"0 0 {0} {1:.0f}\">\n",
        kWidth, height);
    add("<title>{}</title>\n<style>{}</style>\n", escape_markup(plan_title(record_)), kStyle);
    add("<path d=\"M0 0H{}V{:.0f}H0Z\" fill=\"#ffffff\"/>\n", kWidth, height);
    add("<text class=\"title\" x=\"24\" y=\"34\">{}</text>\n",
        escape_markup(fit(plan_title(record_), 90)));
    std::string facts;
    for (const std::string& fact : plan_facts(record_)) {
      facts += (facts.empty() ? "" : "  \u00b7  ") + fact;
    }
    add("<text class=\"facts\" x=\"24\" y=\"56\">{}</text>\n", escape_markup(facts));
  }

  void draw_panel(const Panel& panel) {
    heading(panel);
    background(panel);
    time_axis(panel);
    processor_axis(panel);
    draw_items(panel);
    add("<path class=\"frame\" d=\"M{} {:.1f}h{}v{:.1f}h-{}z\"/>\n", kLeft, panel.top, kPlotWidth,
        panel.height, kPlotWidth);
    moment_lines(panel);
  }

  void heading(const Panel& panel) {
    const GanttCluster& cluster = *panel.cluster;
    add("<text x=\"{}\" y=\"{:.1f}\"><tspan class=\"name\">{}</tspan>"
        "<tspan class=\"axis\" dx=\"10\">{}</tspan>",
        kLeft, panel.top - 9, escape_markup(fit(plain_text(cluster.name), 80)), size_text(cluster));
    if (cluster.rows > cluster.processors) {
      out_ += "<tspan class=\"warning\" dx=\"10\">over capacity</tspan>";
    }
    out_ += "</text>\n";
  }

  void background(const Panel& panel) {
    const double limit = panel.y_of(std::max<Count>(panel.cluster->processors, 0));
    add("<path class=\"plot\" d=\"M{} {:.2f}h{}V{:.2f}h-{}z\"/>\n", kLeft, limit, kPlotWidth,
        panel.top + panel.height, kPlotWidth);
    if (limit > panel.top) {
      add("<path class=\"over\" d=\"M{} {:.2f}h{}V{:.2f}h-{}z\"/>\n", kLeft, panel.top, kPlotWidth,
          limit, kPlotWidth);
      add("<path class=\"limit\" d=\"M{} {:.2f}h{}\"/>\n", kLeft, limit, kPlotWidth);
    }
  }

  void time_axis(const Panel& panel) {
    const double bottom = panel.top + panel.height;
    for (const AxisTick& tick : axis_ticks(record_, scene_.window, 13)) {
      const double x = x_of(tick.at);
      add("<path class=\"grid\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>\n", x, panel.top, bottom + 4);
      // A centred label on the last tick would leave the page.
      const char* anchor = x > kWidth - kRight - 20 ? "end" : "middle";
      add("<text class=\"axis\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x,
          bottom + 17, anchor, tick.label);
      if (!tick.date.empty()) {
        add("<text class=\"axis\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x,
            bottom + 31, anchor, tick.date);
      }
    }
  }

  void processor_axis(const Panel& panel) {
    const GanttCluster& cluster = *panel.cluster;
    const std::int64_t step = processor_step(cluster.processors - cluster.first_shown);
    const std::int64_t first = (cluster.first_shown + step - 1) / step * step;
    for (std::int64_t count = first; count <= cluster.processors; count += step) {
      const double y = panel.y_of(count);
      add("<path class=\"grid\" d=\"M{} {:.1f}H{}\"/>\n", kLeft - 4, y, kLeft + kPlotWidth);
      add("<text class=\"axis\" x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", kLeft - 8,
          y + 4, count);
    }
  }

  void moment_lines(const Panel& panel) {
    const double bottom = panel.top + panel.height;
    if (record_.now > scene_.window.begin) {
      const double x = x_of(record_.now);
      add("<path class=\"now\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>\n", x, panel.top - 5, bottom);
      add("<text class=\"axis\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">now</text>\n", x,
          panel.top - 8);
    } else {
      add("<path class=\"now\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>\n", kLeft, panel.top, bottom + 5);
    }
    if (!record_.deadline || *record_.deadline > scene_.window.end) return;
    const double x = x_of(std::max(*record_.deadline, scene_.window.begin));
    add("<path class=\"deadline\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>\n", x, panel.top - 5, bottom);
    add("<text class=\"deadline-text\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">deadline"
        "</text>\n",
        std::min(x + 24, kLeft + kPlotWidth), panel.top - 8);
  }

  // The critical chain comes last: no neighbour may cover its outline.
  void draw_items(const Panel& panel) {
    for (const bool critical : {false, true}) {
      for (const GanttItem& item : panel.cluster->items) {
        if (is_critical(item) == critical) draw_item(panel, item);
      }
    }
  }

  bool is_critical(const GanttItem& item) const {
    return item.kind == GanttKind::task && record_.tasks[item.index].critical;
  }

  Box box_of(const Panel& panel, Interval window, RowBlock block) const {
    const double x = x_of(window.begin);
    const double y = panel.y_of(block.row + block.rows);
    return {x, y, std::max(x_of(window.end) - x, kMinSide),
            std::max(panel.y_of(block.row) - y, kMinSide)};
  }

  void draw_item(const Panel& panel, const GanttItem& item) {
    const bool is_task = item.kind == GanttKind::task;
    const auto cluster = static_cast<std::size_t>(panel.cluster - scene_.clusters.data());
    const std::string tooltip = escape_markup(
        is_task ? task_text(record_, record_.tasks[item.index])
                : reservation_text(record_, record_.clusters[cluster].reservations[item.index]));
    for (const RowBlock& block : item.blocks) {
      if (block.row + block.rows <= panel.cluster->first_shown) continue;
      const Box box = box_of(panel, item.window, block);
      add("<rect class=\"{}\"{} x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\">"
          "<title>{}</title></rect>\n",
          classes(item, box), is_task ? fill(item.index) : "", box.x, box.y, box.width, box.height,
          tooltip);
    }
    if (is_task) label(panel, item);
  }

  std::string classes(const GanttItem& item, const Box& box) const {
    std::string names = item.kind == GanttKind::task ? "task" : "reservation";
    if (is_critical(item)) names += " critical";
    if (std::min(box.width, box.height) >= kOutlineSide) names += " edge";
    return names;
  }

  std::string fill(std::size_t task) const {
    return fmt::format(" fill=\"{}\"", group_colour(groups_.of_task[task]));
  }

  // On the tallest block, if the name or a telling part of it fits.
  void label(const Panel& panel, const GanttItem& item) {
    if (item.blocks.empty()) return;
    const auto tallest =
        std::max_element(item.blocks.begin(), item.blocks.end(),
                         [](const RowBlock& a, const RowBlock& b) { return a.rows < b.rows; });
    const Box box = box_of(panel, item.window, *tallest);
    const int letters = static_cast<int>((box.width - 6) / kLetterWidth);
    const std::string id = plain_text(record_.tasks[item.index].id);
    if (box.height < 12 || letters < std::min(4, display_width(id))) return;
    add("<text class=\"label\" x=\"{:.2f}\" y=\"{:.2f}\">{}</text>\n", box.x + box.width / 2,
        box.y + box.height / 2 + 4, escape_markup(fit(id, letters)));
  }

  void legend() {
    double x = kLeft;
    const auto entry = [&](std::string_view attributes, std::string_view text) {
      add("<path {} d=\"M{:.1f} {:.1f}h14v12h-14z\"/>", attributes, x, bottom_ + 4);
      add("<text class=\"axis\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", x + 20, bottom_ + 14,
          escape_markup(text));
      x += 20 + 6.5 * display_width(text) + 22;
    };
    const std::size_t shown = std::min(groups_.names.size(), kLegendGroups);
    for (std::size_t i = 0; i < shown && x < kWidth - 420; ++i) {
      entry(fmt::format("class=\"task edge\" fill=\"{}\"", group_colour(i)),
            fit(groups_.names[i], 24));
    }
    if (has_reservations(scene_)) entry("class=\"reservation\"", "reserved by others");
    if (has_critical(record_)) entry("class=\"critical edge\" fill=\"none\"", "critical chain");
  }

  const PlanRecord& record_;
  const GanttScene scene_;
  const TaskGroups groups_;
  std::vector<Panel> panels_;
  double bottom_ = 0;
  std::string out_;
};

}  // namespace
}  // namespace dovetail::io

namespace dovetail {

std::string gantt_svg(const PlanRecord& record) { return io::SvgChart(record).draw(); }

}  // namespace dovetail
