#include "queue/sim/replay_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <iterator>

#include "draw/plain_text.hpp"
#include "io/text.hpp"
#include "queue/sim/rule_names.hpp"

namespace dovetail::queue {

namespace {

using io::json_string;
using io::number_text;

std::string rules_json(const ReplayReport& report) {
  const QueueRules& queue = report.queue;
  const TraceRules& trace = report.trace;
  return fmt::format(
      R"({{"compress":"{}","depth":{},"contiguous":{},"cap":{},"never_ran":"{}","overrun":"{}",)"
      R"("processors_per_node":{},"stretch":{},"from":{},"until":{},"limit":{}}})",
      name_of(queue.compress), queue.depth, queue.room.contiguous, queue.room.cap,
      name_of(trace.never_ran), name_of(trace.overrun), trace.processors_per_node,
      number_text(trace.stretch), format_seconds(trace.from),
      trace.until == kForever ? "null" : format_seconds(trace.until),
      trace.limit == 0 ? "null" : std::to_string(trace.limit));
}

std::string dropped_json(const Dropped& dropped) {
  std::string out = "{";
  for (const DropReason& reason : drop_reasons(dropped)) {
    out += fmt::format("{}\"{}\":{}", out.size() > 1 ? "," : "", reason.key, reason.lines);
  }
  return out + "}";
}

std::string metrics_json(const ReplaySummary& summary) {
  return fmt::format(
      R"({{"jobs":{},"mean_wait":{},"median_wait":{},"wait_95":{},"longest_wait":{},)"
      R"("mean_bounded_slowdown":{},"utilisation":{},"mean_queue_length":{},"longest_queue":{},)"
      R"("makespan":{},"killed":{}}})",
      summary.jobs, number_text(summary.mean_wait), number_text(summary.median_wait),
      number_text(summary.wait_95), number_text(summary.longest_wait),
      number_text(summary.mean_bounded_slowdown), number_text(summary.utilisation),
      number_text(summary.mean_queue_length), summary.longest_queue,
      format_seconds(summary.makespan()), summary.killed);
}

// Averages with three decimals at most.
std::string rounded(double value) { return number_text(std::round(value * 1000) / 1000); }

std::string timeline_json(const History& history) {
  std::string out =
      fmt::format(" \"timeline\":{{\"step\":{},\"points\":[", format_seconds(history.step()));
  const char* separator = "\n";
  for (const draw::MachineMoment& moment : history.moments()) {
    fmt::format_to(std::back_inserter(out), "{}[{},{},{}]", separator, format_seconds(moment.begin),
                   rounded(moment.waiting), rounded(moment.busy));
    separator = ",\n";
  }
  return out + "\n]},\n";
}

void add_job(std::string& out, const JobRecord& job) {
  fmt::format_to(std::back_inserter(out),
                 R"({{"id":{},"submit":{},"start":{},"end":{},"nodes":{},"requested":{}{}}})",
                 job.id, format_seconds(job.submit), format_seconds(job.start),
                 format_seconds(job.end), job.ask.nodes, format_seconds(job.ask.length),
                 job.killed ? ",\"killed\":true" : "");
}

std::string note_of(const ReplayReport& report) {
  return fmt::format("replayed by Dovetail: policy {}, requests {}, {} nodes", report.queue.policy,
                     name_of(report.trace.requests), report.log.nodes);
}

// The header again, with what the replay has changed; the log's own dates would be wrong.
io::SwfHeader replayed_header(const ReplayReport& report) {
  constexpr std::array<std::string_view, 6> kOwn = {"MaxNodes",      "MaxJobs",   "MaxRecords",
                                                    "UnixStartTime", "StartTime", "EndTime"};
  io::SwfHeader header;
  if (report.log.header.entries().empty()) header.add("Version", "2.2");
  for (const auto& [key, value] : report.log.header.entries()) {
    if (std::ranges::find(kOwn, key) == kOwn.end()) header.add(key, value);
  }
  header.add("MaxNodes", std::to_string(report.log.nodes));
  header.add("MaxJobs", std::to_string(report.summary.jobs));
  header.add("MaxRecords", std::to_string(report.summary.jobs));
  if (report.log.unix_start) {
    header.add("UnixStartTime", std::to_string(*report.log.unix_start));
  }
  header.add("Note", note_of(report));
  return header;
}

std::vector<std::string> facts_of(const ReplaySummary& summary, Count nodes) {
  const auto length = [](double seconds) {
    return format_duration(std::llround(seconds) * kSecond);
  };
  return {fmt::format("{} job{}", summary.jobs, summary.jobs == 1 ? "" : "s"),
          fmt::format("{} node{}", nodes, nodes == 1 ? "" : "s"),
          fmt::format("utilisation {:.1f} %", 100 * summary.utilisation),
          "mean wait " + length(summary.mean_wait),
          "95 % wait at most " + length(summary.wait_95),
          fmt::format("mean bounded slowdown {:.1f}", summary.mean_bounded_slowdown),
          fmt::format("at most {} waiting", summary.longest_queue)};
}

}  // namespace

std::vector<DropReason> drop_reasons(const Dropped& dropped) {
  return {{"fields", "with fewer than 11 fields", dropped.fields},
          {"partial", "parts of other jobs", dropped.partial},
          {"submit", "without a submit time", dropped.submit},
          {"never_ran", "never ran", dropped.never_ran},
          {"procs", "without processors", dropped.procs},
          {"time", "without a time", dropped.time},
          {"large", "larger than the machine", dropped.large}};
}

std::string format_replay(const ReplayReport& report, std::span<const JobRecord> jobs,
                          const History* history) {
  std::string out = fmt::format(
      R"({{"log":{},"nodes":{},"policy":"{}","requests":"{}","unix_start":{},)"
      "\n \"rules\":{},\n \"dropped\":{},\n \"metrics\":{},\n",
      json_string(report.log.name), report.log.nodes, report.queue.policy,
      name_of(report.trace.requests),
      report.log.unix_start ? std::to_string(*report.log.unix_start) : "null", rules_json(report),
      dropped_json(report.log.dropped), metrics_json(report.summary));
  if (history != nullptr) out += timeline_json(*history);
  out += " \"jobs\":[";
  const char* separator = "\n";
  for (const JobRecord& job : jobs) {
    out += separator;
    add_job(out, job);
    separator = ",\n";
  }
  return out + "\n]}\n";
}

io::SwfLog replayed_log(const ReplayReport& report, std::vector<io::SwfJob> lines,
                        std::span<const JobRecord> jobs) {
  assert(lines.size() == jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    lines[i].submit = to_seconds(jobs[i].submit);
    lines[i].wait = to_seconds(jobs[i].start - jobs[i].submit);
    lines[i].run = to_seconds(jobs[i].end - jobs[i].start);
    lines[i].requested_time = to_seconds(jobs[i].ask.length);
  }
  return {replayed_header(report), std::move(lines)};
}

draw::MachinePicture picture_of(const ReplayReport& report, const History& history,
                                std::span<const JobRecord> jobs) {
  draw::MachinePicture picture;
  picture.title = report.log.name + ": " + report.queue.policy;
  picture.facts = facts_of(report.summary, report.log.nodes);
  picture.nodes = report.log.nodes;
  if (report.log.unix_start) picture.date = *report.log.unix_start * kSecond;
  picture.window = history.window();
  picture.step = history.step();
  picture.moments = history.moments();
  if (jobs.size() > kMostDrawnJobs) return picture;
  for (const JobRecord& job : jobs) {
    picture.jobs.push_back({std::to_string(job.id), job.submit, job.start, job.end, job.ask.nodes});
  }
  return picture;
}

}  // namespace dovetail::queue
