#include "queue/sim/trace.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "io/document.hpp"
#include "io/gzip_source.hpp"
#include "io/schema.hpp"

namespace dovetail::queue {

using io::SwfJob;

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

struct JsonTrace {
  Count nodes = 0;
  std::vector<Job> jobs;
  Dropped dropped;
};

// {"nodes": N, "jobs": [{"id", "submit", "run", "req", "nodes"}, ...]}; "user" is optional, and
// "req" as long as "run" when it is missing. Throws InputError with the line.
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

constexpr std::size_t kFieldsNeeded = 11;

// Whole seconds, rounded up.
Time seconds_up(double seconds) { return kSecond * static_cast<Time>(std::ceil(seconds)); }

bool never_ran(const SwfJob& line) { return line.run < 0 || (line.status == 5 && line.run == 0); }

bool is_part_of_job(const SwfJob& line) { return line.status >= 2 && line.status <= 4; }

std::optional<Job> drop(std::size_t& count) {
  ++count;
  return std::nullopt;
}

Count machine_nodes(const io::SwfHeader& header, const TraceRules& rules, const std::string& file) {
  if (rules.nodes > 0) return rules.nodes;
  std::int64_t nodes = header.max_nodes().value_or(0);
  if (nodes <= 0) nodes = header.max_procs().value_or(0) / rules.processors_per_node;
  if (nodes > 0 && nodes <= kMaxProcessors) return static_cast<Count>(nodes);
  throw InputError(file, 0, "the header does not say how many nodes the machine has; give --nodes");
}

// Processors per node, rounded up so that no job is too large for the machine it ran on.
Count node_size(const io::SwfHeader& header, const TraceRules& rules) {
  const std::int64_t nodes = header.max_nodes().value_or(0);
  const std::int64_t processors = header.max_procs().value_or(0);
  if (rules.nodes > 0 || nodes <= 0 || processors <= nodes) return 1;
  return static_cast<Count>(std::min<std::int64_t>((processors - 1) / nodes + 1, kMaxProcessors));
}

// "KTH-SP2-1996-2.1-cln.swf.gz" -> "KTH-SP2-1996-2.1-cln".
std::string log_name(const std::string& file) {
  std::string name = std::filesystem::path(file).filename().string();
  for (const std::string_view ending : {".gz", ".swf", ".json"}) {
    if (name.ends_with(ending)) name.erase(name.size() - ending.size());
  }
  return name;
}

bool starts_as_json(const std::string& path) {
  std::string start(4096, ' ');
  start.resize(io::GzipSource(path).read(start.data(), start.size()));
  return io::looks_like_json(start);
}

// The part of a log that the rules select, with time 0 at its first job.
class Selection {
 public:
  enum class Verdict { take, skip, stop };

  Selection(const TraceRules& rules, Time first_submit) : rules_(rules), first_(first_submit) {}

  Verdict choose(Job& job) {
    job.submit -= first_;
    if (rules_.stretch != 1) {
      job.submit = seconds_up(to_seconds(job.submit) * rules_.stretch);
    }
    if (job.submit < rules_.from) return Verdict::skip;
    if (job.submit >= rules_.until) return Verdict::stop;
    if (rules_.limit > 0 && taken_ == rules_.limit) return Verdict::stop;
    ++taken_;
    return Verdict::take;
  }

 private:
  TraceRules rules_;
  Time first_;
  std::size_t taken_ = 0;
};

// The selected ones of all jobs of a log, in order of submission.
std::vector<Job> select(std::vector<Job> jobs, const TraceRules& rules) {
  std::ranges::stable_sort(jobs, {}, &Job::submit);
  Selection selection(rules, jobs.empty() ? 0 : jobs.front().submit);
  std::vector<Job> chosen;
  for (Job& job : jobs) {
    const auto verdict = selection.choose(job);
    if (verdict == Selection::Verdict::stop) break;
    if (verdict == Selection::Verdict::take) chosen.push_back(job);
  }
  return chosen;
}

// A line that says what the job is.
SwfJob line_of(const Job& job) {
  SwfJob line;
  line.number = job.id;
  line.submit = to_seconds(job.submit);
  line.run = to_seconds(job.run);
  line.allocated_processors = job.ask.nodes;
  line.requested_processors = job.ask.nodes;
  line.requested_time = to_seconds(job.ask.length);
  line.status = 1;
  line.user = job.ask.user;
  return line;
}

// Keeps the sum of all times within 64 bits, however long the queue grows.
class TotalTime {
 public:
  explicit TotalTime(std::string file) : file_(std::move(file)) {}

  void add(const Job& job) {
    seconds_ += to_seconds(job.ask.length);
    if (seconds_ > kMost) {
      throw InputError(file_, 0, "the jobs request more than 1e15 seconds in all");
    }
  }

 private:
  static constexpr double kMost = 1e15;
  std::string file_;
  double seconds_ = 0;
};

class SwfSource final : public JobSource {
 public:
  SwfSource(io::SwfReader reader, const TraceRules& rules, Count nodes, Time first_submit)
      : reader_(std::move(reader)), rules_(rules), nodes_(nodes), selection_(rules, first_submit) {
    pop();
  }

  const Job* peek() override { return next_ ? &*next_ : nullptr; }

  void pop() override {
    next_.reset();
    while (const auto line = reader_.next()) {
      auto job = job_of_line(*line, rules_, nodes_, dropped_);
      if (!job) continue;
      const auto verdict = selection_.choose(*job);
      if (verdict == Selection::Verdict::stop) return;
      if (verdict == Selection::Verdict::skip) continue;
      next_ = job;
      return;
    }
  }

 private:
  io::SwfReader reader_;
  TraceRules rules_;
  Count nodes_;
  Selection selection_;
  Dropped dropped_;
  std::optional<Job> next_;
};

}  // namespace

std::optional<Job> job_of_line(const SwfJob& line, const TraceRules& rules, Count nodes,
                               Dropped& dropped) {
  if (line.fields < kFieldsNeeded) return drop(dropped.fields);
  if (is_part_of_job(line)) return drop(dropped.partial);
  if (line.submit < 0 || line.submit > kMaxSeconds) return drop(dropped.submit);
  double run = line.run;
  double request = line.requested_time;
  if (never_ran(line)) {
    if (rules.never_ran == NeverRan::drop) return drop(dropped.never_ran);
    run = request > 0 ? request : -1;
  }
  const std::int64_t processors =
      line.requested_processors > 0 ? line.requested_processors : line.allocated_processors;
  if (processors <= 0) return drop(dropped.procs);
  if (request <= 0) request = run;
  if (request < 0) return drop(dropped.time);
  if (std::max(run, request) > kMaxSeconds) return drop(dropped.time);

  Job job;
  job.id = line.number;
  job.submit = seconds_up(line.submit);
  job.run = std::max(kSecond, seconds_up(run));
  job.ask.length = std::max(kSecond, seconds_up(request));
  job.ask.user = line.user;
  if (job.run > job.ask.length) {
    job.cut = rules.overrun == Overrun::kill;
    (job.cut ? job.run : job.ask.length) = job.cut ? job.ask.length : job.run;
  }
  if (rules.requests == Requests::accurate) job.ask.length = job.run;
  const std::int64_t wanted = (processors - 1) / rules.processors_per_node + 1;
  if (wanted > nodes) return drop(dropped.large);
  job.ask.nodes = static_cast<Count>(wanted);
  return job;
}

TraceFile::TraceFile(const std::string& path, const TraceRules& rules)
    : file_(io::display_name(path)), rules_(rules) {
  info_.name = log_name(file_);
  // What is no plain file, a pipe say, can be read only once.
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error) || starts_as_json(path)) {
    *this = TraceFile(read_file(path), file_, rules);
    return;
  }
  open_ = [path] { return io::SwfReader(path); };
  scan_swf();
}

TraceFile::TraceFile(std::string text, const std::string& file, const TraceRules& rules)
    : file_(file), rules_(rules) {
  info_.name = log_name(file);
  if (io::looks_like_json(text)) {
    take_json(text);
    return;
  }
  open_ = [text = std::move(text), file] { return io::SwfReader(text, file); };
  scan_swf();
}

void TraceFile::take_json(std::string_view text) {
  JsonTrace trace = parse_json_trace(text, file_, rules_);
  TotalTime total(file_);
  for (const Job& job : trace.jobs) total.add(job);
  info_.nodes = trace.nodes;
  info_.dropped = trace.dropped;
  all_ = std::make_shared<const std::vector<Job>>(select(std::move(trace.jobs), rules_));
  info_.jobs = all_->size();
}

void TraceFile::learn_machine(const io::SwfHeader& header) {
  if (rules_.processors_per_node == 0) rules_.processors_per_node = node_size(header, rules_);
  info_.processors_per_node = rules_.processors_per_node;
  info_.nodes = machine_nodes(header, rules_, file_);
}

void TraceFile::scan_swf() {
  io::SwfReader reader = open_();
  Time last = std::numeric_limits<Time>::min();
  first_submit_ = kForever;
  bool sorted = true;
  TotalTime total(file_);
  while (const auto line = reader.next()) {
    if (info_.nodes == 0) learn_machine(reader.header());
    const auto job = job_of_line(*line, rules_, info_.nodes, info_.dropped);
    if (!job) continue;
    total.add(*job);
    first_submit_ = std::min(first_submit_, job->submit);
    sorted = sorted && job->submit >= last;
    last = job->submit;
    ++info_.jobs;
  }
  if (info_.nodes == 0) throw InputError(file_, 0, "there is no job in the log");
  info_.header = reader.header();
  const std::int64_t start = info_.header.unix_start_time().value_or(-1);
  if (start >= 0 && static_cast<double>(start) <= kMaxSeconds && info_.jobs > 0) {
    info_.unix_start = start + first_submit_ / kSecond;
  }
  if (!sorted) keep_all();
  if (sorted && selects_part(rules_)) {
    info_.jobs = 0;
    for (const auto chosen = jobs(); chosen->peek() != nullptr; chosen->pop()) ++info_.jobs;
  }
}

void TraceFile::for_each_kept(const std::function<void(const Job&, const SwfJob&)>& use) const {
  io::SwfReader reader = open_();
  Dropped again;
  while (const auto line = reader.next()) {
    if (const auto job = job_of_line(*line, rules_, info_.nodes, again)) use(*job, *line);
  }
}

void TraceFile::keep_all() {
  std::vector<Job> jobs;
  for_each_kept([&](const Job& job, const SwfJob&) { jobs.push_back(job); });
  all_ = std::make_shared<const std::vector<Job>>(select(std::move(jobs), rules_));
  info_.jobs = all_->size();
}

std::vector<SwfJob> TraceFile::lines() const {
  std::vector<SwfJob> lines;
  if (!open_) {
    for (const Job& job : *all_) lines.push_back(line_of(job));
    return lines;
  }
  std::vector<Job> jobs;
  for_each_kept([&](const Job& job, const SwfJob& line) {
    jobs.push_back(job);
    jobs.back().id = static_cast<std::int64_t>(lines.size());  // those of a log may repeat
    lines.push_back(line);
  });
  std::vector<SwfJob> chosen;
  for (const Job& job : select(std::move(jobs), rules_)) {
    chosen.push_back(lines[static_cast<std::size_t>(job.id)]);
  }
  return chosen;
}

std::unique_ptr<JobSource> TraceFile::jobs() const {
  if (all_) return std::make_unique<JobList>(all_);
  return std::make_unique<SwfSource>(open_(), rules_, info_.nodes, first_submit_);
}

Trace all_of(const TraceFile& file) {
  Trace trace{file.info(), {}};
  trace.jobs.reserve(trace.info.jobs);
  const auto jobs = file.jobs();
  for (; jobs->peek() != nullptr; jobs->pop()) trace.jobs.push_back(*jobs->peek());
  return trace;
}

Trace read_trace(const std::string& path, const TraceRules& rules) {
  return all_of(TraceFile(path, rules));
}

}  // namespace dovetail::queue
