// A plan as a self-contained page: the files of web/ with the plan's data filled in.
//
// The data are JSON in a script element that is not run. Every `<` in them is escaped, so that no
// name can end the element.
#include <nlohmann/json.hpp>
#include <string>

#include "dovetail/draw.hpp"
#include "draw/gantt/gantt_layout.hpp"
#include "draw/gantt/gantt_look.hpp"
#include "draw/page.hpp"
#include "draw/plain_text.hpp"

namespace dovetail::draw {
namespace {

using nlohmann::json;

json blocks_json(const GanttItem& item) {
  json blocks = json::array();
  for (const RowBlock& block : item.blocks) blocks.push_back({block.row, block.rows});
  return blocks;
}

// Times count from the beginning of the picture: these numbers are small enough to be exact in
// JavaScript.
class PageData {
 public:
  explicit PageData(const PlanRecord& record)
      : record_(record),
        scene_(lay_out(record, periods_end(record))),
        groups_(group_tasks(record)) {}

  json all() const {
    json data = {{"title", plan_title(record_)},
                 {"facts", plan_facts(record_)},
                 {"origin", scene_.window.begin},
                 {"end", scene_.window.end - scene_.window.begin},
                 {"now", record_.now - scene_.window.begin},
                 {"wallClock", record_.wall_clock},
                 {"deadline", deadline()},
                 {"periods", periods()},
                 {"groups", groups()},
                 {"workflows", workflows()},
                 {"clusters", json::array()},
                 {"tasks", json::array()},
                 {"lost", json::array()},
                 {"reservations", json::array()}};
    for (std::size_t c = 0; c < scene_.clusters.size(); ++c) add_cluster(data, c);
    return data;
  }

 private:
  json deadline() const {
    if (!record_.deadline || *record_.deadline > scene_.window.end) return nullptr;
    return *record_.deadline - scene_.window.begin;
  }

  json periods() const {
    json ends = json::array();
    for (const Time end : shown_periods(record_)) ends.push_back(end - scene_.window.begin);
    return ends;
  }

  json groups() const {
    json groups = json::array();
    for (std::size_t i = 0; i < groups_.names.size(); ++i) {
      groups.push_back({{"name", groups_.names[i]}, {"colour", group_colour(i)}});
    }
    return groups;
  }

  json workflows() const {
    json workflows = json::array();
    for (const WorkflowRecord& workflow : record_.workflows) {
      workflows.push_back(
          {{"name", plain_text(workflow.name)},
           {"makespan", workflow.makespan},
           {"stretch", workflow.stretch},
           {"weight", workflow.weight},
           {"ready", workflow.ready_at ? json(*workflow.ready_at - scene_.window.begin) : json()},
           {"reserved", workflow.delayed_by_reservations},
           {"alone",
            workflow.dedicated_makespan ? json(*workflow.dedicated_makespan) : json(nullptr)},
           {"delays", delays(workflow)}});
    }
    return workflows;
  }

  static json delays(const WorkflowRecord& workflow) {
    json delays = json::array();
    for (const DelayRecord& delay : workflow.delayed_by) {
      delays.push_back({{"by", plain_text(delay.by)}, {"length", delay.length}});
    }
    return delays;
  }

  void add_cluster(json& data, std::size_t position) const {
    const GanttCluster& cluster = scene_.clusters[position];
    data["clusters"].push_back({{"name", plain_text(cluster.name)},
                                {"size", size_text(cluster)},
                                {"processors", cluster.processors},
                                {"rows", cluster.rows},
                                {"firstShown", cluster.first_shown}});
    for (const GanttItem& item : cluster.items) {
      json entry = {{"cluster", position},
                    {"start", item.window.begin - scene_.window.begin},
                    {"end", item.window.end - scene_.window.begin},
                    {"processors", item.procs},
                    {"blocks", blocks_json(item)}};
      if (item.kind == GanttKind::reservation) {
        data["reservations"].push_back(std::move(entry));
      } else {
        const bool is_lost = item.kind == GanttKind::lost;
        data[is_lost ? "lost" : "tasks"].push_back(with_run(std::move(entry), item, is_lost));
      }
    }
  }

  json with_run(json entry, const GanttItem& item, bool is_lost) const {
    const TaskRecord& run = run_of(record_, item);
    entry["id"] = plain_text(run.id);
    entry["workflow"] = plain_text(run.workflow);
    entry["critical"] = run.critical && !is_lost;
    entry["lost"] = is_lost;
    entry["colour"] = group_colour((is_lost ? groups_.of_lost : groups_.of_task)[item.index]);
    return entry;
  }

  const PlanRecord& record_;
  const GanttScene scene_;
  const TaskGroups groups_;
};

std::string script_safe(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

}  // namespace
}  // namespace dovetail::draw

namespace dovetail {

std::string gantt_html(const PlanRecord& record) {
  return draw::fill_page("gantt.html",
                         {{"title", draw::escape_markup(draw::plan_title(record))},
                          {"data", draw::script_safe(draw::PageData(record).all().dump())}});
}

}  // namespace dovetail
