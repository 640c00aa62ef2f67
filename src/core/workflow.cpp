#include "dovetail/workflow.hpp"

#include <algorithm>
#include <cassert>
#include <functional>
#include <numeric>
#include <queue>
#include <tuple>

#include "core/task_checks.hpp"
#include "dovetail/error.hpp"

namespace dovetail {

// Not anonymous: Workflow::Data, which other files can name, is made of them.
namespace core {

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

struct WorkflowEdge {
  TaskId from, to;
  Duration transfer;
};

// The neighbours of each task, in compressed rows: those of task t are [first[t], first[t + 1]).
struct Rows {
  std::vector<std::uint32_t> first;
  std::vector<TaskId> tasks;

  std::span<const TaskId> of(TaskId task) const { return cut(tasks, task); }
  // The part of task t of an array beside `tasks`.
  template <typename T>
  std::span<const T> cut(const std::vector<T>& values, TaskId task) const {
    return std::span(values).subspan(first[task], first[task + 1] - first[task]);
  }
};

}  // namespace core

using core::Rows;
using core::StringPool;
using core::TimeEntry;
using core::WorkflowEdge;

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
  std::unordered_map<TaskId, TaskNeeds> needs;           // the same
  std::vector<TaskId> by_id;                             // tasks in the order of their ids
  std::vector<TimeEntry> times;
  std::vector<TimePoint> points;
  std::vector<std::string> resources;
  Rows successors, predecessors;
  std::vector<Duration> transfers_in;  // beside predecessors; empty when all are 0
  std::vector<TaskId> order;
};

struct WorkflowBuilder::Edges {
  std::unordered_map<std::string, std::int32_t> resources;  // name -> position
  std::vector<WorkflowEdge> edges;
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
std::size_t Workflow::edge_count() const { return data_->successors.tasks.size(); }
std::string_view Workflow::id(TaskId task) const { return data_->ids.at(task); }
std::string_view Workflow::run(TaskId task) const { return data_->runs.at(task); }

const TaskExecution& Workflow::execution(TaskId task) const {
  static const TaskExecution plain;
  const auto found = data_->executions.find(task);
  return found == data_->executions.end() ? plain : found->second;
}

const TaskNeeds& Workflow::needs(TaskId task) const {
  static const TaskNeeds none;
  const auto found = data_->needs.find(task);
  return found == data_->needs.end() ? none : found->second;
}

bool Workflow::has_needs() const { return !data_->needs.empty(); }

std::string_view Workflow::kind(TaskId task) const {
  const std::string& kind = execution(task).kind;
  return kind.empty() ? kind_of_id(id(task)) : std::string_view(kind);
}

std::optional<TaskId> Workflow::find(std::string_view id) const {
  const auto& order = data_->by_id;
  const auto id_of = [&](TaskId task) { return data_->ids.at(task); };
  const auto found = std::ranges::lower_bound(order, id, {}, id_of);
  if (found == order.end() || id_of(*found) != id) return std::nullopt;
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

std::span<const TaskId> Workflow::successors(TaskId task) const {
  return data_->successors.of(task);
}

std::span<const TaskId> Workflow::predecessors(TaskId task) const {
  return data_->predecessors.of(task);
}

std::span<const Duration> Workflow::transfers_in(TaskId task) const {
  if (data_->transfers_in.empty()) return {};
  return data_->predecessors.cut(data_->transfers_in, task);
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
  const auto bytes = [](const auto&... values) {
    return (... + (values.capacity() * sizeof(values[0])));
  };
  const Data& data = *data_;
  return data.ids.bytes() + data.runs.bytes() +
         bytes(data.by_id, data.times, data.points, data.successors.first, data.successors.tasks,
               data.predecessors.first, data.predecessors.tasks, data.transfers_in, data.order);
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

// A task runs on no fewer processors than nodes.
Count fewest_processors(const TaskSpec& task) {
  return std::max(task.time.processors.min, task.needs.min_nodes);
}

// The measured points within the allowed range, by processors, without those that are no faster
// than a smaller count.
std::vector<TimePoint> useful_points(const TaskSpec& task) {
  auto measured = task.time.measured;
  std::ranges::sort(measured);
  const Count min = fewest_processors(task);
  const Count max = task.time.processors.max;
  std::vector<TimePoint> points;
  for (const auto& [procs, seconds] : measured) {
    if (procs < min || (max != 0 && procs > max)) continue;
    if (!points.empty() && points.back().key == procs) {
      reject_task(task.id, "times: " + std::to_string(procs) + " processors are given twice");
    }
    if (points.empty() || seconds < points.back().seconds) points.push_back({procs, seconds});
  }
  if (points.empty())
    reject_task(task.id, "times: no measured count lies within the allowed processors");
  return points;
}

}  // namespace

TaskId WorkflowBuilder::add_task(const TaskSpec& task) {
  check_spec(task);
  if (find(task.id)) reject_task(task.id, "this id is used twice; ids must differ");
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
  } else if (time.kind == TimeKind::amdahl) {
    entry.min = fewest_processors(task);
  } else if (time.kind == TimeKind::per_resource) {
    if (time.on_resource.empty()) reject_task(task.id, "time_on: at least one resource is needed");
    for (const auto& [name, seconds] : time.on_resource) {
      const auto next = static_cast<std::int32_t>(data_->resources.size());
      const auto [at, is_new] = edges_->resources.emplace(name, next);
      if (is_new) data_->resources.push_back(name);
      data_->points.push_back({at->second, seconds});
    }
    std::ranges::sort(std::span(data_->points).subspan(entry.first_point), {}, &TimePoint::key);
  }
  entry.point_count = static_cast<std::uint32_t>(data_->points.size() - entry.first_point);
  const auto number = static_cast<TaskId>(data_->times.size());
  data_->times.push_back(entry);
  data_->ids.add(task.id);
  data_->runs.add(task.run);
  if (task.execution != TaskExecution{}) data_->executions.emplace(number, task.execution);
  if (task.needs != TaskNeeds{}) data_->needs.emplace(number, task.needs);
  edges_->by_hash.emplace(std::hash<std::string_view>{}(task.id), number);
  return number;
}

void WorkflowBuilder::add_edge(TaskId from, TaskId to, Duration transfer) {
  assert(from < size() && to < size() && "edges join tasks that were added");
  if (from == to) reject_task(data_->ids.at(from), "the task comes after itself");
  edges_->edges.push_back({from, to, transfer});
}

namespace {

// Needs edges sorted by (key, other end).
Rows rows_of(const std::vector<WorkflowEdge>& edges, std::size_t tasks, TaskId WorkflowEdge::*key,
             TaskId WorkflowEdge::*other) {
  Rows rows;
  rows.first.resize(tasks + 1);
  rows.tasks.reserve(edges.size());
  for (const WorkflowEdge& edge : edges) {
    ++rows.first[edge.*key + 1];
    rows.tasks.push_back(edge.*other);
  }
  std::partial_sum(rows.first.begin(), rows.first.end(), rows.first.begin());
  return rows;
}

// Every task after its predecessors, lower numbers first; shorter than the workflow on a cycle.
std::vector<TaskId> topological_order(const Rows& successors, const Rows& predecessors) {
  const std::size_t tasks = successors.first.size() - 1;
  std::vector<std::size_t> waiting(tasks);
  std::priority_queue<TaskId, std::vector<TaskId>, std::greater<>> ready;
  for (TaskId task = 0; task < tasks; ++task) {
    waiting[task] = predecessors.of(task).size();
    if (waiting[task] == 0) ready.push(task);
  }
  std::vector<TaskId> order;
  order.reserve(tasks);
  while (!ready.empty()) {
    const TaskId task = ready.top();
    ready.pop();
    order.push_back(task);
    for (TaskId next : successors.of(task)) {
      if (--waiting[next] == 0) ready.push(next);
    }
  }
  return order;
}

// "a -> b -> a". `order` holds the tasks that are neither on a cycle nor behind one.
std::string describe_cycle(const Rows& predecessors, const std::vector<TaskId>& order,
                           const StringPool& ids) {
  const std::size_t tasks = predecessors.first.size() - 1;
  std::vector<bool> sorted(tasks, false);
  for (TaskId task : order) sorted[task] = true;
  auto task = static_cast<TaskId>(std::ranges::find(sorted, false) - sorted.begin());
  // Every unsorted task has an unsorted predecessor, so walking backwards must revisit a task.
  std::vector<bool> seen(tasks, false);
  std::vector<TaskId> walk;
  while (!seen[task]) {
    seen[task] = true;
    walk.push_back(task);
    task = *std::ranges::find_if(predecessors.of(task), [&](TaskId t) { return !sorted[t]; });
  }
  std::vector<TaskId> cycle(std::ranges::find(walk, task), walk.end());
  std::ranges::reverse(cycle);
  std::ranges::rotate(cycle, std::ranges::min_element(cycle));
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
  std::ranges::sort(edges, [](const WorkflowEdge& a, const WorkflowEdge& b) {
    return std::tie(a.to, a.from, b.transfer) < std::tie(b.to, b.from, a.transfer);
  });
  const auto repeated =
      std::ranges::unique(edges, [](const WorkflowEdge& a, const WorkflowEdge& b) {
        return a.to == b.to && a.from == b.from;
      });
  edges.erase(repeated.begin(), repeated.end());
  data.predecessors = rows_of(edges, tasks, &WorkflowEdge::to, &WorkflowEdge::from);
  if (std::ranges::any_of(edges, [](const WorkflowEdge& edge) { return edge.transfer != 0; })) {
    for (const WorkflowEdge& edge : edges) data.transfers_in.push_back(edge.transfer);
  }
  std::ranges::stable_sort(edges, {}, &WorkflowEdge::from);
  data.successors = rows_of(edges, tasks, &WorkflowEdge::from, &WorkflowEdge::to);
  edges = {};

  data.by_id.resize(tasks);
  std::iota(data.by_id.begin(), data.by_id.end(), TaskId{0});
  std::ranges::sort(data.by_id, {}, [&](TaskId task) { return data.ids.at(task); });

  data.order = topological_order(data.successors, data.predecessors);
  if (data.order.size() < tasks) {
    throw InputError("workflow \"" + data.name +
                     "\" has a cycle: " + describe_cycle(data.predecessors, data.order, data.ids));
  }
  return Workflow{std::shared_ptr<const Workflow::Data>(std::move(data_))};
}

}  // namespace dovetail
