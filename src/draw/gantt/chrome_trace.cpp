// A plan in the trace format of Chromium (catapult), which chrome://tracing and Perfetto open.
//
// A cluster is a process, and its reservations are another process. The threads are lanes: each
// holds runs that do not overlap in time, regardless of their processors. Times are microseconds
// from the beginning of the picture.
#include <algorithm>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <queue>
#include <utility>
#include <vector>

#include "dovetail/draw.hpp"
#include "draw/gantt/gantt_layout.hpp"
#include "draw/plain_text.hpp"

namespace dovetail::draw {
namespace {

using nlohmann::json;

// Assigns lanes in the order of starts: the lowest free lane, or a new one.
class Lanes {
 public:
  int lane_for(Interval window) {
    while (!busy_.empty() && busy_.top().first <= window.begin) {
      free_.push(busy_.top().second);
      busy_.pop();
    }
    int lane = count_;
    if (free_.empty()) {
      ++count_;
    } else {
      lane = free_.top();
      free_.pop();
    }
    busy_.emplace(window.end, lane);
    return lane;
  }

  int count() const { return count_; }

 private:
  using Busy = std::pair<Time, int>;  // (end, lane)
  std::priority_queue<Busy, std::vector<Busy>, std::greater<>> busy_;
  std::priority_queue<int, std::vector<int>, std::greater<>> free_;
  int count_ = 0;
};

// Cuts spans that microseconds in 64 bits cannot hold; only a broken plan has them.
std::int64_t microseconds(Duration span) {
  constexpr std::int64_t factor = 1000;
  return std::min(span, std::numeric_limits<std::int64_t>::max() / factor) * factor;
}

class TraceWriter {
 public:
  explicit TraceWriter(const PlanRecord& record) : record_(record), scene_(collect_items(record)) {}

  std::string write() {
    const auto clusters = static_cast<int>(scene_.clusters.size());
    for (int c = 0; c < clusters; ++c) {
      const GanttCluster& cluster = scene_.clusters[static_cast<std::size_t>(c)];
      const std::string name = plain_text(cluster.name);
      process(cluster, false, 2 * c + 1, name);
      process(cluster, true, 2 * c + 2, name + ": reserved by others");
    }
    const json trace = {{"displayTimeUnit", "ms"},
                        {"otherData", other_data()},
                        {"traceEvents", std::move(events_)}};
    return trace.dump(1) + "\n";
  }

 private:
  json other_data() const {
    return {{"algorithm", plain_text(record_.algorithm)},
            {"cpu_hours", record_.cpu_hours},
            {"begin", to_seconds(scene_.window.begin)},
            {"now", to_seconds(record_.now)}};
  }

  // The reservations or the runs as one process; a process without items is left out.
  void process(const GanttCluster& cluster, bool reserved, int pid, const std::string& name) {
    Lanes lanes;
    for (const GanttItem& item : cluster.items) {
      if ((item.kind == GanttKind::reservation) != reserved) continue;
      events_.push_back(event(item, pid, lanes.lane_for(item.window)));
    }
    if (lanes.count() == 0) return;
    metadata("process_name", pid, 0, {{"name", name}});
    metadata("process_sort_index", pid, 0, {{"sort_index", pid}});
    for (int lane = 0; lane < lanes.count(); ++lane) {
      metadata("thread_name", pid, lane, {{"name", "lane " + std::to_string(lane)}});
      metadata("thread_sort_index", pid, lane, {{"sort_index", lane}});
    }
  }

  json event(const GanttItem& item, int pid, int lane) const {
    json event = {{"ph", "X"},
                  {"pid", pid},
                  {"tid", lane},
                  {"ts", microseconds(item.window.begin - scene_.window.begin)},
                  {"dur", microseconds(item.window.end - item.window.begin)}};
    if (item.kind == GanttKind::reservation) {
      event["name"] = "reserved";
      event["cat"] = "reservation";
      event["args"] = {{"processors", item.procs}};
      return event;
    }
    const TaskRecord& run = run_of(record_, item);
    const bool is_lost = item.kind == GanttKind::lost;
    const bool is_critical = run.critical && !is_lost;
    event["name"] = plain_text(run.id) + (is_lost ? " (lost)" : "");
    event["cat"] = is_lost ? "task,lost" : is_critical ? "task,critical" : "task";
    event["args"] = {{"processors", run.processors},
                     {"workflow", plain_text(run.workflow)},
                     {"critical", is_critical}};
    return event;
  }

  void metadata(const char* what, int pid, int tid, json args) {
    events_.push_back(
        {{"ph", "M"}, {"name", what}, {"pid", pid}, {"tid", tid}, {"args", std::move(args)}});
  }

  const PlanRecord& record_;
  const GanttScene scene_;
  json events_ = json::array();
};

}  // namespace
}  // namespace dovetail::draw

namespace dovetail {

std::string chrome_trace(const PlanRecord& record) { return draw::TraceWriter(record).write(); }

}  // namespace dovetail
