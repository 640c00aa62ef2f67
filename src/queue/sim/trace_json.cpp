#include "queue/sim/trace_json.hpp"

#include <array>

#include "io/document.hpp"
#include "io/schema.hpp"

namespace dovetail {

namespace {

constexpr std::array<std::string_view, 3> kTopKeys = {"nodes", "jobs", "name"};
constexpr std::array<std::string_view, 6> kJobKeys = {"id",  "submit", "run",
                                                      "req", "nodes",  "user"};

// The line of a log that says the same.
SwfJob line_of(const io::Record& job, std::size_t number) {
  SwfJob line;
  const auto id = job.find("id");
  line.number =
      static_cast<std::int64_t>(id ? job.number(*id, 0, 1e15) : static_cast<double>(number + 1));
  line.submit = job.number(job.need("submit"), 0, kMaxSeconds);
  line.run = job.number(job.need("run"), 0, kMaxSeconds);
  line.requested_processors = job.count(job.need("nodes"), 1);
  if (const auto request = job.find("req"))
    line.requested_time = job.number(*request, 0, kMaxSeconds);
  if (const auto user = job.find("user")) {
    line.user = static_cast<std::int64_t>(job.number(*user, -1, 1e15));
  }
  line.status = 1;
  return line;
}

}  // namespace

JsonTrace parse_json_trace(std::string_view text, const std::string& file,
                           const TraceRules& rules) {
  const io::Document document = io::parse_json(text, file);
  const io::Record top(document.root());
  top.only(kTopKeys);
  JsonTrace trace;
  trace.nodes = rules.nodes > 0 ? rules.nodes : top.count(top.need("nodes"), 1);
  std::size_t number = 0;
  for (const io::Value value : top.list(top.need("jobs"))) {
    io::Record job(value, "job", number);
    job.only(kJobKeys);
    TraceRules by_node = rules;
    by_node.processors_per_node = 1;  // the list counts nodes
    if (auto read = job_of_line(line_of(job, number), by_node, trace.nodes, trace.dropped)) {
      trace.jobs.push_back(*read);
    }
    ++number;
  }
  return trace;
}

}  // namespace dovetail
