// A plan as a static picture: title and facts on top, then its chart, then the legend. The picture
// is self-contained (fonts and colours inside) and as wide as a page, for every plan.
#include <fmt/format.h>

#include <string>

#include "dovetail/draw.hpp"
#include "draw/chart_legend.hpp"
#include "draw/gantt/gantt_chart.hpp"
#include "draw/gantt/gantt_layout.hpp"
#include "draw/gantt/gantt_look.hpp"
#include "draw/page.hpp"
#include "draw/plain_text.hpp"

namespace dovetail::draw {
namespace {

constexpr double kHeaderHeight = 66;

std::string opening(const PlanRecord& record, double height) {
  const std::string title = plan_title(record);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0} {1:.0f}\">\n<title>{2}</title>\n<style>{3}</style>\n"
      "<path d=\"M0 0H{0}V{1:.0f}H0Z\" fill=\"#ffffff\"/>\n"
      "<text class=\"title\" x=\"24\" y=\"34\">{4}</text>\n"
      "<text class=\"facts\" x=\"24\" y=\"56\">{5}</text>\n",
      kChartWidth, height, escape_markup(title), chart_style(), escape_markup(fit(title, 90)),
      escape_markup(facts_line(plan_facts(record))));
}

std::vector<ChartMark> period_marks(const PlanRecord& record) {
  std::vector<ChartMark> marks;
  for (const Time end : shown_periods(record)) {
    const std::size_t number = marks.size() + 1;
    marks.push_back(
        {end, number, false, fmt::format("period {} ends: {}", number, moment_text(record, end))});
  }
  return marks;
}

ChartLegend legend_of(const PlanRecord& record, const GanttScene& scene, const TaskGroups& groups,
                      double left, double top) {
  ChartLegend legend(left, top);
  legend.add_groups(legend_names(record, groups));
  if (has_reservations(scene)) legend.add_reservations();
  if (has_critical(record)) legend.add_critical();
  if (has_lost(record)) legend.add_lost();
  if (!shown_periods(record).empty()) legend.add_mark(false, "end of a period");
  return legend;
}

}  // namespace
}  // namespace dovetail::draw

namespace dovetail {

std::string gantt_svg(const PlanRecord& record) {
  const draw::GanttScene scene = draw::lay_out(record, draw::periods_end(record));
  const draw::TaskGroups groups = draw::group_tasks(record);
  const double left = draw::chart_left(scene);
  const draw::DrawnChart chart = draw::draw_gantt(record, scene, groups,
                                                  {.window = scene.window,
                                                   .top = draw::kHeaderHeight,
                                                   .left = left,
                                                   .marks = draw::period_marks(record)});
  draw::ChartLegend legend = draw::legend_of(record, scene, groups, left, chart.bottom);
  return draw::opening(record, legend.bottom()) +
         (draw::has_lost(record) ? draw::lost_patterns() : "") + chart.svg + legend.take() +
         "</svg>\n";
}

}  // namespace dovetail
