// Plans as JSON: one line per task, times in seconds. docs/formats.md describes the fields.
#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "io/formats/search_json.hpp"
#include "io/gzip_source.hpp"
#include "io/schema.hpp"
#include "io/text.hpp"

namespace dovetail {

namespace {

using io::json_string;
using io::Record;
using io::Value;

// Beyond any plan, and exact in milliseconds within a double.
constexpr double kMaxPlanSeconds = 9e12;

Time read_time(const Record& record, std::string_view key) {
  const double seconds = record.number(record.need(key), -kMaxPlanSeconds, kMaxPlanSeconds);
  return std::llround(seconds * 1000.0);
}

std::string read_text(const Record& record, std::string_view key) {
  return std::string(record.text(record.need(key)));
}

// Any count: whether a plan may take it is the checker's business.
Count read_processors(const Record& record) { return record.count(record.need("processors"), 0); }

bool read_flag(const Record& record, std::string_view key) {
  const auto field = record.find(key);
  return field && record.boolean(*field);
}

void read_summary(const Record& top, PlanRecord& plan) {
  plan.algorithm = read_text(top, "algorithm");
  plan.now = read_time(top, "now");
  plan.wall_clock = read_flag(top, "wall_clock");
  if (top.find("deadline")) plan.deadline = read_time(top, "deadline");
  if (const auto lambda = top.find("lambda")) plan.lambda = top.number(*lambda, 0, 1);
  if (top.find("earliest_deadline")) {
    plan.earliest_deadline = read_time(top, "earliest_deadline");
    plan.earliest_algorithm = read_text(top, "earliest_algorithm");
  }
  plan.feasible = top.boolean(top.need("feasible"));
  plan.makespan = read_time(top, "makespan");
  plan.turnaround = top.find("turnaround") ? read_time(top, "turnaround") : plan.makespan;
  plan.cpu_hours = top.number(top.need("cpu_hours"), 0, kMaxPlanSeconds * kMaxProcessors);
}

constexpr double kMaxStretch = 1e18;

std::vector<DelayRecord> read_delays(const Record& workflow) {
  std::vector<DelayRecord> delays;
  const auto list = workflow.find("delayed_by");
  if (!list) return delays;
  for (Value item : workflow.list(*list)) {
    const Record delay(item, workflow);
    delays.push_back({read_text(delay, "workflow"), read_time(delay, "seconds")});
  }
  return delays;
}

void read_workflows(const Record& top, PlanRecord& plan) {
  std::size_t number = 0;
  for (Value item : top.list(top.need("workflows"))) {
    const Record record(item, "workflow", number++);
    WorkflowRecord& workflow = plan.workflows.emplace_back();
    workflow.name = read_text(record, "name");
    workflow.makespan = read_time(record, "makespan");
    workflow.stretch = record.number(record.need("stretch"), 0, kMaxStretch);
    if (record.find("dedicated_makespan")) {
      workflow.dedicated_makespan = read_time(record, "dedicated_makespan");
    }
    workflow.delayed_by = read_delays(record);
    if (record.find("delayed_by_reservations")) {
      workflow.delayed_by_reservations = read_time(record, "delayed_by_reservations");
    }
    if (const auto weight = record.find("weight")) {
      workflow.weight = record.number(*weight, kMinWeight, kMaxWeight);
    }
    if (record.find("ready_at")) workflow.ready_at = read_time(record, "ready_at");
  }
}

void read_fairness(const Record& top, PlanRecord& plan) {
  if (const auto stretch = top.find("average_stretch")) {
    plan.average_stretch = top.number(*stretch, 0, kMaxStretch);
  }
  if (const auto stretch = top.find("maximum_stretch")) {
    plan.maximum_stretch = top.number(*stretch, 0, kMaxStretch);
  }
  if (const auto stretch = top.find("maximum_weighted_stretch")) {
    plan.maximum_weighted_stretch = top.number(*stretch, 0, kMaxStretch);
  }
  const auto slack = top.find("slack");
  if (!slack) return;
  plan.division = {.slack = top.number(*slack, 1, kMaxStretch),
                   .bound = top.number(top.need("stretch_bound"), 0, kMaxStretch)};
  for (Value item : top.list(top.need("periods"))) {
    const double seconds = top.number(item, -kMaxPlanSeconds, kMaxPlanSeconds);
    plan.division->periods.push_back(std::llround(seconds * 1000.0));
  }
}

std::optional<Time> read_end(const Record& record, std::string_view key, Time now) {
  if (!record.find(key)) return std::nullopt;
  return now + read_time(record, key);
}

std::optional<std::size_t> read_moved(const Record& record) {
  const auto moved = record.find("moved");
  if (!moved) return std::nullopt;
  return static_cast<std::size_t>(record.number(*moved, 0, kMaxPlanSeconds));
}

void read_history(const Record& top, PlanRecord& plan) {
  std::size_t number = 0;
  if (const auto history = top.find("history")) {
    for (Value item : top.list(*history)) {
      const Record record(item, "evaluation", number++);
      plan.history.push_back({.time = read_time(record, "time"),
                              .event = read_text(record, "event"),
                              .candidate = read_end(record, "candidate", plan.now),
                              .current = read_end(record, "current", plan.now),
                              .adopted = read_flag(record, "adopted"),
                              .moved = read_moved(record)});
    }
  }
  number = 0;
  if (const auto versions = top.find("versions")) {
    for (Value item : top.list(*versions)) {
      const Record record(item, "version", number++);
      VersionRecord& version = plan.versions.emplace_back();
      version.time = read_time(record, "time");
      for (Value name : record.list(record.need("clusters"))) {
        version.clusters.emplace_back(record.text(name));
      }
    }
  }
}

std::vector<TaskRecord> read_runs(const Record& top, Value list, const char* what) {
  std::vector<TaskRecord> runs;
  for (Value item : top.list(list)) {
    Record record(item, what, runs.size());
    const std::string id = read_text(record, "id");
    record.set_name(id);
    runs.push_back({.workflow = read_text(record, "workflow"),
                    .id = id,
                    .cluster = read_text(record, "cluster"),
                    .start = read_time(record, "start"),
                    .end = read_time(record, "end"),
                    .processors = read_processors(record),
                    .critical = read_flag(record, "critical")});
  }
  return runs;
}

void read_tasks(const Record& top, PlanRecord& plan) {
  plan.tasks = read_runs(top, top.need("tasks"), "task");
  if (const auto lost = top.find("lost")) plan.lost = read_runs(top, *lost, "lost run");
}

void read_tightest(const Record& top, PlanRecord& plan) {
  const auto list = top.find("tightest");
  if (!list) return;
  std::size_t number = 0;
  for (Value item : top.list(*list)) {
    const Record record(item, "tightest", number++);
    plan.tightest.push_back({.algorithm = read_text(record, "algorithm")});
    if (!record.find("deadline")) continue;
    plan.tightest.back().deadline = read_time(record, "deadline");
    plan.tightest.back().cpu_hours =
        record.number(record.need("cpu_hours"), 0, kMaxPlanSeconds * kMaxProcessors);
  }
}

void read_clusters(const Record& top, PlanRecord& plan) {
  const auto list = top.find("clusters");
  if (!list) return;
  std::size_t number = 0;
  for (Value item : top.list(*list)) {
    const Record record(item, "cluster", number++);
    ClusterRecord cluster{.name = read_text(record, "name"),
                          .processors = read_processors(record),
                          .reservations = {}};
    if (const auto reservations = record.find("reservations")) {
      for (Value entry : record.list(*reservations)) {
        const Record reservation(entry, record);
        cluster.reservations.push_back({.start = read_time(reservation, "start"),
                                        .end = read_time(reservation, "end"),
                                        .procs = read_processors(reservation)});
      }
    }
    plan.clusters.push_back(std::move(cluster));
  }
}

// "[" items "]", one item per line.
template <typename Items, typename Format>
std::string lines_of(const Items& items, Format format) {
  std::string out = "[";
  bool first = true;
  for (const auto& item : items) {
    out += first ? "\n  " : ",\n  ";
    out += format(item);
    first = false;
  }
  return out += "]";
}

std::string format_cluster(const ClusterRecord& cluster) {
  std::string out = fmt::format(R"({{"name":{},"processors":{},"reservations":[)",
                                json_string(cluster.name), cluster.processors);
  bool first = true;
  for (const Reservation& reservation : cluster.reservations) {
    fmt::format_to(std::back_inserter(out), R"({}{{"start":{},"end":{},"processors":{}}})",
                   first ? "" : ",", format_seconds(reservation.start),
                   format_seconds(reservation.end), reservation.procs);
    first = false;
  }
  return out += "]}";
}

std::string format_tightest(const TightestRecord& tightest) {
  if (!tightest.deadline) {
    return fmt::format(R"({{"algorithm":{},"deadline":null}})", json_string(tightest.algorithm));
  }
  return fmt::format(R"({{"algorithm":{},"deadline":{},"cpu_hours":{}}})",
                     json_string(tightest.algorithm), format_seconds(*tightest.deadline),
                     io::number_text(tightest.cpu_hours));
}

std::string format_workflow_record(const WorkflowRecord& workflow) {
  std::string out =
      fmt::format(R"({{"name":{},"makespan":{},"stretch":{})", json_string(workflow.name),
                  format_seconds(workflow.makespan), io::number_text(workflow.stretch));
  if (workflow.dedicated_makespan) {
    out += R"(,"dedicated_makespan":)" + format_seconds(*workflow.dedicated_makespan);
  }
  if (workflow.weight != 1) out += R"(,"weight":)" + io::number_text(workflow.weight);
  if (workflow.ready_at) out += R"(,"ready_at":)" + format_seconds(*workflow.ready_at);
  std::string delays;
  for (const DelayRecord& delay : workflow.delayed_by) {
    delays += fmt::format(R"({}{{"workflow":{},"seconds":{}}})", delays.empty() ? "" : ",",
                          json_string(delay.by), format_seconds(delay.length));
  }
  if (workflow.dedicated_makespan) out += fmt::format(R"(,"delayed_by":[{}])", delays);
  if (workflow.delayed_by_reservations > 0) {
    out += R"(,"delayed_by_reservations":)" + format_seconds(workflow.delayed_by_reservations);
  }
  return out + "}";
}

// What several workflows have of each other, on a line of its own.
std::string format_fairness(const PlanRecord& record) {
  if (!record.average_stretch || !record.maximum_stretch) return {};
  std::string out = fmt::format("\n \"average_stretch\":{},\"maximum_stretch\":{},",
                                io::number_text(*record.average_stretch),
                                io::number_text(*record.maximum_stretch));
  if (record.maximum_weighted_stretch) {
    out += fmt::format("\"maximum_weighted_stretch\":{},",
                       io::number_text(*record.maximum_weighted_stretch));
  }
  if (!record.division) return out;
  std::string ends;
  for (const Time end : record.division->periods) {
    ends += (ends.empty() ? "" : ",") + format_seconds(end);
  }
  return out + fmt::format("\"slack\":{},\"stretch_bound\":{},\"periods\":[{}],",
                           io::number_text(record.division->slack),
                           io::number_text(record.division->bound), ends);
}

std::string format_task(const TaskRecord& task) {
  return fmt::format(
      R"({{"workflow":{},"id":{},"cluster":{},"start":{},"end":{},"processors":{}{}}})",
      json_string(task.workflow), json_string(task.id), json_string(task.cluster),
      format_seconds(task.start), format_seconds(task.end), task.processors,
      task.critical ? R"(,"critical":true)" : "");
}

// Ends are shown as makespans.
std::string makespan_text(std::optional<Time> end, Time now) {
  return end ? format_seconds(*end - now) : "null";
}

std::string format_evaluation(const Evaluation& evaluation, Time now) {
  const std::string moved =
      evaluation.moved ? fmt::format(R"(,"moved":{})", *evaluation.moved) : std::string();
  return fmt::format(R"({{"time":{},"event":{},"candidate":{},"current":{},"adopted":{}{}}})",
                     format_seconds(evaluation.time), json_string(evaluation.event),
                     makespan_text(evaluation.candidate, now),
                     makespan_text(evaluation.current, now), evaluation.adopted, moved);
}

std::string format_version(const VersionRecord& version) {
  std::string names;
  for (const std::string& cluster : version.clusters) {
    names += (names.empty() ? "" : ",") + json_string(cluster);
  }
  return fmt::format(R"({{"time":{},"clusters":[{}]}})", format_seconds(version.time), names);
}

}  // namespace

std::string format_plan(const PlanRecord& record) {
  const std::string makespan = format_seconds(record.makespan);
  std::string out = fmt::format(
      R"({{"algorithm":{},"now":{},{}"makespan":{},"turnaround":{},"cpu_hours":{},"deadline":{},)",
      json_string(record.algorithm), format_seconds(record.now),
      record.wall_clock ? R"("wall_clock":true,)" : "", makespan, makespan,
      io::number_text(record.cpu_hours),
      record.deadline ? format_seconds(*record.deadline) : "null");
  out += fmt::format("\n \"feasible\":{},", record.feasible);
  if (record.lambda) out += fmt::format("\"lambda\":{},", io::number_text(*record.lambda));
  if (record.earliest_deadline) {
    out += fmt::format("\"earliest_deadline\":{},\"earliest_algorithm\":{},",
                       format_seconds(*record.earliest_deadline),
                       json_string(record.earliest_algorithm));
  }
  out += format_fairness(record);
  out += io::format_search(record);
  out += "\n \"workflows\":" + lines_of(record.workflows, format_workflow_record);
  if (!record.tightest.empty()) {
    out += ",\n \"tightest\":" + lines_of(record.tightest, format_tightest);
  }
  if (!record.history.empty()) {
    out += ",\n \"history\":" + lines_of(record.history, [&](const Evaluation& evaluation) {
             return format_evaluation(evaluation, record.now);
           });
  }
  if (!record.versions.empty()) {
    out += ",\n \"versions\":" + lines_of(record.versions, format_version);
  }
  out += ",\n \"clusters\":" + lines_of(record.clusters, format_cluster);
  out += ",\n \"tasks\":" + lines_of(record.tasks, format_task);
  if (!record.lost.empty()) out += ",\n \"lost\":" + lines_of(record.lost, format_task);
  return out += "}\n";
}

PlanRecord parse_plan(std::string_view text, const std::string& file) {
  const std::string_view content = io::skip_bom(text);
  const auto first = content.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || content[first] != '{') {
    throw InputError(file, 1, "not a plan; expected the JSON that dovetail plan writes");
  }
  const io::Document document = io::parse_json(text, file);
  const Record top(document.root());
  if (top.find("points") && !top.find("algorithm")) {
    throw InputError(file, 1,
                     "a frontier, not a plan; take one of its plans, such as points[0].plan");
  }
  PlanRecord plan;
  read_summary(top, plan);
  read_workflows(top, plan);
  read_fairness(top, plan);
  io::read_search(top, plan);
  read_tightest(top, plan);
  read_history(top, plan);
  read_clusters(top, plan);
  read_tasks(top, plan);
  return plan;
}

PlanRecord read_plan(const std::string& path) {
  return parse_plan(read_file(path), io::display_name(path));
}

}  // namespace dovetail
