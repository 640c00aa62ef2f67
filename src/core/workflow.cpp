#include "dovetail/workflow.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <numeric>
#include <queue>
#include <tuple>

#include "dovetail/error.hpp"

namespace dovetail {

// Not anonymous: Workflow::Data, which other files can name, is made of them.
namespace workflow_parts {

// Many short strings in one buffer: string i is text[ends[i-1], ends[i]).
struct StringPool {
  std::string text;
  std::vector<std::uint64_t> ends;

  void add(std::string_view item) {
    text += item;
    ends.push_back(text.size());
  }
  std::string_view at(std::size_t i) const {
    const std::uint64_t begin = i == 0 ? 0 : ends[i - 1];
    return std::string_view(text).substr(begin, ends[i] - begin);
  }
  std::size_t bytes() const { return text.capacity() + ends.capacity() * sizeof(ends[0]); }
};

// A task's time model; points are a range of the workflow's common array.
struct TimeEntry {
  double seconds = 0;
  double alpha = 0;
  std::uint64_t first_point = 0;
  Count min = 1;
  Count max = 1;
  std::uint32_t point_count = 0;
  TimeKind kind = TimeKind::fixed;
};

}  // namespace workflow_parts

using workflow_parts::StringPool;
using workflow_parts::TimeEntry;

std::string_view kind_of_id(std::string_view id) {
  const auto last = id.find_last_not_of("0123456789");
  if (last == std::string_view::npos) return id;
  const auto word = id.find_last_not_of("-_./:#", last);
  const bool has_number = last + 1 < id.size();
  return has_number && word != std::string_view::npos ? id.substr(0, word + 1) : id;
}

struct Workflow::Data {
  std::string name;
  WorkflowTerms terms;
  StringPool ids;
  StringPool runs;
  std::unordered_map<TaskId, TaskExecution> executions;  // only of tasks that specify something
  std::vector<TaskId> by_id;                             // tasks in the order of their ids
  std::vector<TimeEntry> times;
  std::vector<TimePoint> points;
  std::vector<std::string> resources;
  // Compressed rows: the neighbours of task t are [first[t], first[t + 1]).
  std::vector<std::uint32_t> first_successor, first_predecessor;
  std::vector<TaskId> successors, predecessors;
  std::vector<Duration> transfers_in;  // beside predecessors; empty when all are 0
  std::vector<TaskId> order;
};

struct WorkflowBuilder::Edges {
  std::unordered_map<std::string, std::int32_t> resources;  // name -> position
  struct Edge {
    TaskId from, to;
    Duration transfer;
  };
  std::vector<Edge> edges;
  // Keys are hashes rather than views, since the pool may move its text; equal hashes compare the
  // ids themselves.
  std::unordered_multimap<std::size_t, TaskId> by_hash;
};

Workflow::Workflow() : data_(std::make_shared<const Data>()) {}
Workflow::Workflow(std::shared_ptr<const Data> data) : data_(std::move(data)) {}

const std::string& Workflow::name() const { return data_->name; }
const WorkflowTerms& Workflow::terms() const { return data_->terms; }

Workflow Workflow::with_terms(const WorkflowTerms& terms) const {
  Data data = *data_;
  data.terms = terms;
  return Workflow(std::make_shared<const Data>(std::move(data)));
}

std::size_t Workflow::size() const { return data_->times.size(); }
std::size_t Workflow::edge_count() const { return data_->successors.size(); }
std::string_view Workflow::id(TaskId task) const { return data_->ids.at(task); }
std::string_view Workflow::run(TaskId task) const { return data_->runs.at(task); }

const TaskExecution& Workflow::execution(TaskId task) const {
  static const TaskExecution plain;
  const auto found = data_->executions.find(task);
  return found == data_->executions.end() ? plain : found->second;
}

std::string_view Workflow::kind(TaskId task) const {
  const std::string& kind = execution(task).kind;
  return kind.empty() ? kind_of_id(id(task)) : std::string_view(kind);
}

std::optional<TaskId> Workflow::find(std::string_view id) const {
  const auto& order = data_->by_id;
  const auto found = std::lower_bound(
      order.begin(), order.end(), id,
      [&](TaskId task, std::string_view wanted) { return data_->ids.at(task) < wanted; });
  if (found == order.end() || data_->ids.at(*found) != id) return std::nullopt;
  return *found;
}

TaskTime Workflow::time(TaskId task) const {
  const TimeEntry& entry = data_->times[task];
  const auto points = std::span(data_->points).subspan(entry.first_point, entry.point_count);
  return {entry.kind, entry.seconds, entry.alpha, entry.min, entry.max, points};
}

TimeSpec Workflow::time_spec(TaskId task) const {
  const TaskTime time = this->time(task);
  const Count max = time.max_procs() == kMaxProcessors ? 0 : time.max_procs();
  TimeSpec spec{.kind = time.kind(),
                .seconds = time.seconds(),
                .alpha = time.alpha(),
                .processors = {time.min_procs(), max}};
  for (const TimePoint& point : time.points()) {
    if (time.kind() == TimeKind::table) {
      spec.measured.emplace_back(point.key, point.seconds);
    } else {
      spec.on_resource.emplace_back(data_->resources[static_cast<std::size_t>(point.key)],
                                    point.seconds);
    }
  }
  return spec;
}

namespace {

template <typename T>
std::span<const T> row(const std::vector<T>& values, const std::vector<std::uint32_t>& first,
                       TaskId task) {
  return std::span(values).subspan(first[task], first[task + 1] - first[task]);
}

}  // namespace

std::span<const TaskId> Workflow::successors(TaskId task) const {
  return row(data_->successors, data_->first_successor, task);
}

std::span<const TaskId> Workflow::predecessors(TaskId task) const {
  return row(data_->predecessors, data_->first_predecessor, task);
}

std::span<const Duration> Workflow::transfers_in(TaskId task) const {
  if (data_->transfers_in.empty()) return {};
  return row(data_->transfers_in, data_->first_predecessor, task);
}

bool Workflow::has_transfers() const { return !data_->transfers_in.empty(); }
std::span<const TaskId> Workflow::topological_order() const { return data_->order; }
std::span<const std::string> Workflow::resource_names() const { return data_->resources; }

std::vector<std::uint32_t> Workflow::levels() const {
  std::vector<std::uint32_t> levels(size(), 0);
  for (TaskId task : topological_order()) {
    for (TaskId next : successors(task)) levels[next] = std::max(levels[next], levels[task] + 1);
  }
  return levels;
}

std::size_t Workflow::memory_bytes() const {
  const auto bytes = [](const auto& values) { return values.capacity() * sizeof(values[0]); };
  return data_->ids.bytes() + data_->runs.bytes() + bytes(data_->by_id) + bytes(data_->times) +
         bytes(data_->points) + bytes(data_->first_successor) + bytes(data_->first_predecessor) +
         bytes(data_->successors) + bytes(data_->predecessors) + bytes(data_->transfers_in) +
         bytes(data_->order);
}

WorkflowBuilder::WorkflowBuilder(std::string name)
    : data_(std::make_unique<Workflow::Data>()), edges_(std::make_unique<Edges>()) {
  data_->name = std::move(name);
}
WorkflowBuilder::~WorkflowBuilder() = default;
WorkflowBuilder::WorkflowBuilder(WorkflowBuilder&&) noexcept = default;
WorkflowBuilder& WorkflowBuilder::operator=(WorkflowBuilder&&) noexcept = default;

void WorkflowBuilder::set_name(std::string name) { data_->name = std::move(name); }

void WorkflowBuilder::set_terms(const WorkflowTerms& terms) {
  if (!(terms.weight >= kMinWeight && terms.weight <= kMaxWeight)) {
    throw InputError("a weight must be between 0.01 and 100, found " +
                     std::to_string(terms.weight));
  }
  data_->terms = terms;
}

std::size_t WorkflowBuilder::size() const { return data_->times.size(); }

std::optional<TaskId> WorkflowBuilder::find(std::string_view id) const {
  const auto [begin, end] = edges_->by_hash.equal_range(std::hash<std::string_view>{}(id));
  for (auto entry = begin; entry != end; ++entry) {
    if (data_->ids.at(entry->second) == id) return entry->second;
  }
  return std::nullopt;
}

namespace {

[[noreturn]] void reject(std::string_view id, const std::string& why) {
  throw InputError("task \"" + std::string(id) + "\": " + why);
}

void check_seconds(std::string_view id, double seconds) {
  if (!(seconds >= 0 && seconds <= kMaxSeconds)) {
    reject(id, "a time must be between 0 and 1e10 seconds, found " + std::to_string(seconds));
  }
}

void check_spec(const TaskSpec& task) {
  const TimeSpec& time = task.time;
  if (task.id.empty()) throw InputError("a task has an empty id; give it a name");
  if (has_control_characters(task.id)) {
    throw InputError("a task's id has a line break or another control character in it; remove it");
  }
  if (!(time.alpha >= 0 && time.alpha <= 1)) {
    reject(task.id, "alpha must be between 0 and 1, found " + std::to_string(time.alpha));
  }
  const auto [min, max] = time.processors;
  if (min < 1 || min > kMaxProcessors || max < 0 || max > kMaxProcessors) {
    reject(task.id, "processors must be between 1 and " + std::to_string(kMaxProcessors));
  }
  if (max != 0 && max < min) {
    reject(task.id,
           "processors: max " + std::to_string(max) + " is below min " + std::to_string(min));
  }
  check_seconds(task.id, time.seconds);
  for (const auto& [procs, seconds] : time.measured) {
    if (procs < 1 || procs > kMaxProcessors) {
      reject(task.id, "times: processors must be at least 1, found " + std::to_string(procs));
    }
    check_seconds(task.id, seconds);
  }
  for (const auto& [name, seconds] : time.on_resource) check_seconds(task.id, seconds);
}

// The measured points within the allowed range, by processors, without those that are no faster
// than a smaller count.
std::vector<TimePoint> useful_points(const TaskSpec& task) {
  auto measured = task.time.measured;
  std::sort(measured.begin(), measured.end());
  const auto [min, max] = task.time.processors;
  std::vector<TimePoint> points;
  for (const auto& [procs, seconds] : measured) {
    if (procs < min || (max != 0 && procs > max)) continue;
    if (!points.empty() && points.back().key == procs) {
      reject(task.id, "times: " + std::to_string(procs) + " processors are given twice");
    }
    if (points.empty() || seconds < points.back().seconds) points.push_back({procs, seconds});
  }
  if (points.empty())
    reject(task.id, "times: no measured count lies within the allowed processors");
  return points;
}

}  // namespace

TaskId WorkflowBuilder::add_task(const TaskSpec& task) {
  check_spec(task);
  if (find(task.id)) reject(task.id, "this id is used twice; ids must differ");
  const TimeSpec& time = task.time;
  TimeEntry entry{.seconds = time.seconds,
                  .alpha = time.alpha,
                  .first_point = data_->points.size(),
                  .min = time.processors.min,
                  .max = time.processors.max == 0 ? kMaxProcessors : time.processors.max,
                  .kind = time.kind};
  if (time.kind == TimeKind::table) {
    const auto points = useful_points(task);
    data_->points.insert(data_->points.end(), points.begin(), points.end());
    entry.min = points.front().key;
    entry.max = points.back().key;
  } else if (time.kind == TimeKind::per_resource) {
    if (time.on_resource.empty()) reject(task.id, "time_on: at least one resource is needed");
    for (const auto& [name, seconds] : time.on_resource) {
      const auto next = static_cast<std::int32_t>(data_->resources.size());
      const auto [at, is_new] = edges_->resources.emplace(name, next);
      if (is_new) data_->resources.push_back(name);
      data_->points.push_back({at->second, seconds});
    }
    std::sort(data_->points.begin() + static_cast<std::ptrdiff_t>(entry.first_point),
              data_->points.end(),
              [](const TimePoint& a, const TimePoint& b) { return a.key < b.key; });
  }
  entry.point_count = static_cast<std::uint32_t>(data_->points.size() - entry.first_point);
  const auto number = static_cast<TaskId>(data_->times.size());
  data_->times.push_back(entry);
  data_->ids.add(task.id);
  data_->runs.add(task.run);
  if (task.execution != TaskExecution{}) data_->executions.emplace(number, task.execution);
  edges_->by_hash.emplace(std::hash<std::string_view>{}(task.id), number);
  return number;
}

void WorkflowBuilder::add_edge(TaskId from, TaskId to, Duration transfer) {
  assert(from < size() && to < size() && "edges join tasks that were added");
  if (from == to) reject(data_->ids.at(from), "the task comes after itself");
  edges_->edges.push_back({from, to, transfer});
}

namespace {

// Fills rows and neighbours from edges sorted by (key, other end).
template <typename Edges, typename Key, typename Other>
void fill_rows(const Edges& edges, std::size_t tasks, Key key, Other other,
               std::vector<std::uint32_t>& first, std::vector<TaskId>& neighbours) {
  first.assign(tasks + 1, 0);
  for (const auto& edge : edges) ++first[key(edge) + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  neighbours.clear();
  neighbours.reserve(edges.size());
  for (const auto& edge : edges) neighbours.push_back(other(edge));
}

// Every task after its predecessors, lower numbers first; shorter than the workflow on a cycle.
std::vector<TaskId> topological_order(const std::vector<std::uint32_t>& first_successor,
                                      const std::vector<TaskId>& successors,
                                      const std::vector<std::uint32_t>& first_predecessor) {
  const std::size_t tasks = first_successor.size() - 1;
  std::vector<std::uint32_t> waiting(tasks);
  std::priority_queue<TaskId, std::vector<TaskId>, std::greater<>> ready;
  for (TaskId task = 0; task < tasks; ++task) {
    waiting[task] = first_predecessor[task + 1] - first_predecessor[task];
    if (waiting[task] == 0) ready.push(task);
  }
  std::vector<TaskId> order;
  order.reserve(tasks);
  while (!ready.empty()) {
    const TaskId task = ready.top();
    ready.pop();
    order.push_back(task);
    for (TaskId next : row(successors, first_successor, task)) {
      if (--waiting[next] == 0) ready.push(next);
    }
  }
  return order;
}

// "a -> b -> a". `order` holds the tasks that are neither on a cycle nor behind one.
std::string describe_cycle(const std::vector<std::uint32_t>& first_predecessor,
                           const std::vector<TaskId>& predecessors,
                           const std::vector<TaskId>& order, const StringPool& ids) {
  const std::size_t tasks = first_predecessor.size() - 1;
  std::vector<bool> sorted(tasks, false);
  for (TaskId task : order) sorted[task] = true;
  auto task = static_cast<TaskId>(std::find(sorted.begin(), sorted.end(), false) - sorted.begin());
  // Every unsorted task has an unsorted predecessor, so walking backwards must revisit a task.
  std::vector<bool> seen(tasks, false);
  std::vector<TaskId> walk;
  while (!seen[task]) {
    seen[task] = true;
    walk.push_back(task);
    const auto before = row(predecessors, first_predecessor, task);
    task = *std::find_if(before.begin(), before.end(), [&](TaskId t) { return !sorted[t]; });
  }
  const auto begin = std::find(walk.begin(), walk.end(), task);
  std::vector<TaskId> cycle(begin, walk.end());
  std::reverse(cycle.begin(), cycle.end());
  std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
  constexpr std::size_t kShown = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(cycle.size(), kShown); ++i) {
    text += std::string(ids.at(cycle[i])) + " -> ";
  }
  if (cycle.size() > kShown) {
    text += "... (" + std::to_string(cycle.size() - kShown) + " more) -> ";
  }
  return text + std::string(ids.at(cycle.front()));
}

}  // namespace

Workflow WorkflowBuilder::build() && {
  Workflow::Data& data = *data_;
  const std::size_t tasks = data.times.size();
  if (has_control_characters(data.name)) {
    throw InputError("the workflow's name has a line break or another control character in it");
  }
  if (tasks == 0) throw InputError("workflow \"" + data.name + "\" has no tasks");
  auto& edges = edges_->edges;
  edges_->by_hash.clear();

  // By target first: predecessor rows; repeated edges become one, with the longer transfer.
  std::sort(edges.begin(), edges.end(), [](const auto& a, const auto& b) {
    return std::tie(a.to, a.from, b.transfer) < std::tie(b.to, b.from, a.transfer);
  });
  edges.erase(
      std::unique(edges.begin(), edges.end(),
                  [](const auto& a, const auto& b) { return a.to == b.to && a.from == b.from; }),
      edges.end());
  const auto source = [](const auto& edge) { return edge.from; };
  const auto target = [](const auto& edge) { return edge.to; };
  fill_rows(edges, tasks, target, source, data.first_predecessor, data.predecessors);
  if (std::any_of(edges.begin(), edges.end(), [](const auto& e) { return e.transfer != 0; })) {
    for (const auto& edge : edges) data.transfers_in.push_back(edge.transfer);
  }
  std::stable_sort(edges.begin(), edges.end(),
                   [](const auto& a, const auto& b) { return a.from < b.from; });
  fill_rows(edges, tasks, source, target, data.first_successor, data.successors);
  edges = {};

  data.by_id.resize(tasks);
  std::iota(data.by_id.begin(), data.by_id.end(), TaskId{0});
  std::sort(data.by_id.begin(), data.by_id.end(),
            [&](TaskId a, TaskId b) { return data.ids.at(a) < data.ids.at(b); });

  data.order = topological_order(data.first_successor, data.successors, data.first_predecessor);
  if (data.order.size() < tasks) {
    throw InputError(
        "workflow \"" + data.name + "\" has a cycle: " +
        describe_cycle(data.first_predecessor, data.predecessors, data.order, data.ids));
  }
  return Workflow{std::shared_ptr<const Workflow::Data>(std::move(data_))};
}

MergedWorkflow merge(std::span<const Workflow> workflows) {
  MergedWorkflow merged;
  if (workflows.size() == 1) return {workflows.front(), {0}};
  WorkflowBuilder builder("merged");
  for (const Workflow& workflow : workflows) {
    const auto offset = static_cast<TaskId>(builder.size());
    merged.first_task.push_back(offset);
    for (TaskId task = 0; task < workflow.size(); ++task) {
      builder.add_task({.id = std::to_string(merged.first_task.size() - 1) + "/" +
                              std::string(workflow.id(task)),
                        .time = workflow.time_spec(task),
                        .run = std::string(workflow.run(task)),
                        .execution = workflow.execution(task)});
    }
    for (TaskId task = 0; task < workflow.size(); ++task) {
      const auto before = workflow.predecessors(task);
      const auto transfers = workflow.transfers_in(task);
      for (std::size_t i = 0; i < before.size(); ++i) {
        builder.add_edge(offset + before[i], offset + task, transfers.empty() ? 0 : transfers[i]);
      }
    }
  }
  merged.workflow = std::move(builder).build();
  return merged;
}

}  // namespace dovetail
