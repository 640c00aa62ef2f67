// Reads and writes plans as JSON, and writes frontiers: one line per task, times in seconds.
// docs/formats.md describes the fields.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "io/formats/search_json.hpp"
#include "io/gzip_source.hpp"
#include "io/schema.hpp"
#include "io/text.hpp"

namespace dovetail {

namespace {

using io::json_string;
using Json = nlohmann::ordered_json;
using io::Record;
using io::Value;

// Longer than any plan, and exact in milliseconds within a double.
constexpr double kMaxPlanSeconds = 9e12;

Time read_time(const Record& record, std::string_view key) {
  const double seconds = record.number(record.need(key), -kMaxPlanSeconds, kMaxPlanSeconds);
  return std::llround(seconds * 1000.0);
}

std::string read_text(const Record& record, std::string_view key) {
  return std::string(record.text(record.need(key)));
}

// Accepts any count: the checker decides whether a plan may use it.
Count read_processors(const Record& record) { return record.count(record.need("processors"), 0); }

bool read_flag(const Record& record, std::string_view key) {
  const auto field = record.find(key);
  return field && record.boolean(*field);
}

std::optional<Time> find_time(const Record& record, std::string_view key) {
  return record.find(key) ? std::optional(read_time(record, key)) : std::nullopt;
}

void read_summary(const Record& top, PlanRecord& plan) {
  plan.algorithm = read_text(top, "algorithm");
  plan.now = read_time(top, "now");
  plan.wall_clock = read_flag(top, "wall_clock");
  plan.deadline = find_time(top, "deadline");
  plan.lambda = top.find_number("lambda", 0, 1);
  plan.earliest_deadline = find_time(top, "earliest_deadline");
  if (plan.earliest_deadline) plan.earliest_algorithm = read_text(top, "earliest_algorithm");
  plan.feasible = top.boolean(top.need("feasible"));
  plan.makespan = read_time(top, "makespan");
  plan.turnaround = find_time(top, "turnaround").value_or(plan.makespan);
  plan.cpu_hours = top.number(top.need("cpu_hours"), 0, kMaxPlanSeconds * kMaxProcessors);
}

constexpr double kMaxStretch = 1e18;

WorkflowRecord read_workflow_record(const Record& record) {
  WorkflowRecord workflow{.name = read_text(record, "name"),
                          .makespan = read_time(record, "makespan"),
                          .stretch = record.number(record.need("stretch"), 0, kMaxStretch),
                          .dedicated_makespan = find_time(record, "dedicated_makespan")};
  if (const auto list = record.find("delayed_by")) {
    for (Value item : record.list(*list)) {
      const Record delay(item, record);
      workflow.delayed_by.push_back({read_text(delay, "workflow"), read_time(delay, "seconds")});
    }
  }
  workflow.delayed_by_reservations = find_time(record, "delayed_by_reservations").value_or(0);
  workflow.weight = record.find_number("weight", kMinWeight, kMaxWeight).value_or(1);
  workflow.ready_at = find_time(record, "ready_at");
  return workflow;
}

void read_workflows(const Record& top, PlanRecord& plan) {
  top.need("workflows");
  top.for_each("workflows", "workflow", [&](const Record& record) {
    plan.workflows.push_back(read_workflow_record(record));
  });
}

void read_fairness(const Record& top, PlanRecord& plan) {
  plan.average_stretch = top.find_number("average_stretch", 0, kMaxStretch);
  plan.maximum_stretch = top.find_number("maximum_stretch", 0, kMaxStretch);
  plan.maximum_weighted_stretch = top.find_number("maximum_weighted_stretch", 0, kMaxStretch);
  const auto slack = top.find_number("slack", 1, kMaxStretch);
  if (!slack) return;
  plan.division = {.slack = *slack, .bound = top.number(top.need("stretch_bound"), 0, kMaxStretch)};
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
  const auto moved = record.find_number("moved", 0, kMaxPlanSeconds);
  return moved ? std::optional(static_cast<std::size_t>(*moved)) : std::nullopt;
}

void read_history(const Record& top, PlanRecord& plan) {
  top.for_each("history", "evaluation", [&](const Record& record) {
    plan.history.push_back({.time = read_time(record, "time"),
                            .event = read_text(record, "event"),
                            .candidate = read_end(record, "candidate", plan.now),
                            .current = read_end(record, "current", plan.now),
                            .adopted = read_flag(record, "adopted"),
                            .moved = read_moved(record)});
  });
  top.for_each("versions", "version", [&](const Record& record) {
    VersionRecord& version = plan.versions.emplace_back();
    version.time = read_time(record, "time");
    for (Value name : record.list(record.need("clusters"))) {
      version.clusters.emplace_back(record.text(name));
    }
  });
}

std::vector<std::uint32_t> read_nodes(const Record& record) {
  std::vector<std::uint32_t> nodes;
  const auto field = record.find("nodes");
  if (!field) return nodes;
  for (Value item : record.list(*field)) {
    nodes.push_back(static_cast<std::uint32_t>(record.count(item, 0)));
  }
  return nodes;
}

TaskRecord read_run(Record record) {
  const std::string id = read_text(record, "id");
  record.set_name(id);
  return {.workflow = read_text(record, "workflow"),
          .id = id,
          .cluster = read_text(record, "cluster"),
          .start = read_time(record, "start"),
          .end = read_time(record, "end"),
          .processors = read_processors(record),
          .critical = read_flag(record, "critical"),
          .nodes = read_nodes(record)};
}

void read_tasks(const Record& top, PlanRecord& plan) {
  top.need("tasks");
  top.for_each("tasks", "task", [&](const Record& run) { plan.tasks.push_back(read_run(run)); });
  top.for_each("lost", "lost run", [&](const Record& run) { plan.lost.push_back(read_run(run)); });
}

void read_tightest(const Record& top, PlanRecord& plan) {
  top.for_each("tightest", "tightest", [&](const Record& record) {
    plan.tightest.push_back(
        {.algorithm = read_text(record, "algorithm"), .deadline = find_time(record, "deadline")});
    if (!plan.tightest.back().deadline) return;
    plan.tightest.back().cpu_hours =
        record.number(record.need("cpu_hours"), 0, kMaxPlanSeconds * kMaxProcessors);
  });
}

void read_clusters(const Record& top, PlanRecord& plan) {
  top.for_each("clusters", "cluster", [&](const Record& record) {
    ClusterRecord& cluster = plan.clusters.emplace_back();
    cluster.name = read_text(record, "name");
    cluster.processors = read_processors(record);
    const auto reservations = record.find("reservations");
    if (!reservations) return;
    for (Value entry : record.list(*reservations)) {
      const Record reservation(entry, record);
      cluster.reservations.push_back({.start = read_time(reservation, "start"),
                                      .end = read_time(reservation, "end"),
                                      .procs = read_processors(reservation)});
    }
  });
}

// A list with one item per line.
template <typename Items, typename Format>
std::string lines_of(const Items& items, Format format) {
  return io::json_list(items, [&](const auto& item) { return "\n  " + format(item); });
}

std::string format_cluster(const ClusterRecord& cluster) {
  const auto format = [](const Reservation& reservation) {
    return fmt::format(R"({{"start":{},"end":{},"processors":{}}})",
                       format_seconds(reservation.start), format_seconds(reservation.end),
                       reservation.procs);
  };
  return fmt::format(R"({{"name":{},"processors":{},"reservations":{}}})",
                     json_string(cluster.name), cluster.processors,
                     io::json_list(cluster.reservations, format));
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
  if (workflow.dedicated_makespan) {
    out += R"(,"delayed_by":)" + io::json_list(workflow.delayed_by, [](const DelayRecord& delay) {
             return fmt::format(R"({{"workflow":{},"seconds":{}}})", json_string(delay.by),
                                format_seconds(delay.length));
           });
  }
  if (workflow.delayed_by_reservations > 0) {
    out += R"(,"delayed_by_reservations":)" + format_seconds(workflow.delayed_by_reservations);
  }
  return out + "}";
}

// The measures of fairness among several workflows, on their own line.
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
  return out + fmt::format("\"slack\":{},\"stretch_bound\":{},\"periods\":{},",
                           io::number_text(record.division->slack),
                           io::number_text(record.division->bound),
                           io::json_list(record.division->periods, format_seconds));
}

std::string format_nodes(const std::vector<std::uint32_t>& nodes) {
  if (nodes.empty()) return {};
  return R"(,"nodes":)" + io::json_list(nodes, [](auto node) { return std::to_string(node); });
}

std::string format_task(const TaskRecord& task) {
  return fmt::format(
      R"({{"workflow":{},"id":{},"cluster":{},"start":{},"end":{},"processors":{}{}{}}})",
      json_string(task.workflow), json_string(task.id), json_string(task.cluster),
      format_seconds(task.start), format_seconds(task.end), task.processors,
      format_nodes(task.nodes), task.critical ? R"(,"critical":true)" : "");
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
  return fmt::format(R"({{"time":{},"clusters":{}}})", format_seconds(version.time),
                     io::json_list(version.clusters, json_string));
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

// A frontier: its points, each with the plan itself.
std::string format_frontier(Time now, std::span<const PlanRecord> plans) {
  Json points = Json::array();
  for (const PlanRecord& plan : plans) {
    Json document = Json::parse(format_plan(plan));
    Json point;
    for (const char* key : {"turnaround", "cpu_hours", "algorithm", "deadline", "lambda"}) {
      if (document.contains(key)) point[key] = document[key];
    }
    point["plan"] = std::move(document);
    points.push_back(std::move(point));
  }
  Json document;
  document["now"] = Json::parse(format_seconds(now));
  document["points"] = std::move(points);
  return document.dump(1) + "\n";
}

PlanRecord parse_plan(std::string_view text, const std::string& file) {
  if (!io::skip_space(io::skip_bom(text)).starts_with('{')) {
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
