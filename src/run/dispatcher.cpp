#include "run/dispatcher.hpp"

#include <algorithm>

#include "planners/list/cluster_view.hpp"

namespace dovetail::run {

namespace {

// Behind a task that has to wait, not all that are ready are looked at: there may be very many.
constexpr int kLookBehind = 200;

// The same of tasks that cannot have memory or GPUs while other runs hold so much.
constexpr int kMostShutOut = 2000;

// More than 0 of what any task needs.
MemoryAndGpus needed_by_any(const Problem& problem) {
  MemoryAndGpus any;
  for (const Workflow& workflow : problem.workflows()) {
    for (TaskId task = 0; workflow.has_needs() && task < workflow.size(); ++task) {
      const MemoryAndGpus one = taken_by(workflow.needs(task), 1);
      any = {std::max(any.memory, one.memory), std::max(any.gpus, one.gpus)};
    }
  }
  return any;
}

}  // namespace

Dispatcher::Dispatcher(const Problem& problem, Count processors, const MemoryAndGpus& limit)
    : problem_(&problem),
      limit_(limit),
      counts_(needed_by_any(problem)),
      tasks_(problem.task_count()) {
  set_processors(processors);
  for (std::size_t number = 0; number < tasks_.size(); ++number) {
    const TaskRef ref = problem.task_at(number);
    const Workflow& workflow = problem.workflows()[ref.workflow];
    tasks_[number].missing = static_cast<std::uint32_t>(workflow.predecessors(ref.task).size());
    if (tasks_[number].missing > 0) continue;
    const Time ready = problem.ready(ref.workflow);
    if (ready > problem.now()) {
      held_.emplace(ready, number);
    } else {
      ready_.emplace(0, number);
    }
  }
}

void Dispatcher::follow(std::span<const planning::Slot> slots) {
  for (std::size_t number = 0; number < slots.size(); ++number) {
    Task& task = tasks_[number];
    const planning::Slot& slot = slots[number];
    if (slot.procs == 0 || running_.contains(number)) continue;
    const bool is_ready = ready_.erase({task.planned_start, number}) > 0;
    task.procs = slot.procs;
    task.planned_start = slot.start;
    task.length = slot.end - slot.start;
    narrow(number);
    if (is_ready) ready_.emplace(slot.start, number);
  }
}

// On as many processors as there is memory for, if the plan did not look at memory.
void Dispatcher::narrow(std::size_t number) {
  if (limit_.memory == 0 || room_of(number).memory <= limit_.memory) return;
  const TaskRef ref = problem_->task_at(number);
  const TaskNeeds& needs = problem_->workflows()[ref.workflow].needs(ref.task);
  const TaskTime time = problem_->time(ref.workflow, ref.task, 0);
  if (needs.memory > 0 || needs.memory_per_processor == 0) return;
  const Bytes most = std::min<Bytes>(limit_.memory / needs.memory_per_processor, kMaxProcessors);
  const Count procs = time.floor_allowed(static_cast<Count>(most));
  if (procs < time.min_procs()) return;
  tasks_[number].procs = procs;
  tasks_[number].length = time.duration(procs);
}

void Dispatcher::set_processors(Count processors) {
  const Cluster cluster = planning::limited_cluster(problem_->platform(), processors);
  processors_ = cluster.processors;
  others_ = Platform(problem_->now(), {cluster}).calendar(0);
}

MemoryAndGpus Dispatcher::room_of(std::size_t task) const {
  if (!needs_room()) return {};
  const TaskRef ref = problem_->task_at(task);
  return taken_by(problem_->workflows()[ref.workflow].needs(ref.task), tasks_[task].procs);
}

FreeRoom Dispatcher::free_from(Time now) const {
  Calendar processors = others_;
  processors.forget_before(now);
  FreeRoom free(std::move(processors), limit_, counts_);
  for (const std::size_t task : running_) {
    free.take({now, std::max(tasks_[task].expected_end, now + 1)}, tasks_[task].procs,
              room_of(task));
  }
  if (held_by_others_ != MemoryAndGpus{}) free.take({now, kForever}, 0, held_by_others_);
  return free;
}

void Dispatcher::forget_waiting(std::size_t task) {
  ready_.erase({tasks_[task].planned_start, task});
  held_.erase({problem_->ready(problem_->task_at(task).workflow), task});
}

void Dispatcher::begin(std::size_t task, Time now) {
  forget_waiting(task);
  tasks_[task].expected_end = now + tasks_[task].length;
  in_use_ += tasks_[task].procs;
  const MemoryAndGpus room = room_of(task);
  room_in_use_.memory += leased_size(room.memory);
  room_in_use_.gpus += room.gpus;
  running_.insert(task);
}

void Dispatcher::release_held(Time now) {
  while (!held_.empty() && held_.begin()->first <= now) {
    const std::size_t task = held_.begin()->second;
    held_.erase(held_.begin());
    make_ready(task);
  }
}

// Unless what it comes after has to be run again first.
void Dispatcher::make_ready(std::size_t task) {
  if (tasks_[task].missing == 0) ready_.emplace(tasks_[task].planned_start, task);
}

std::vector<std::size_t> Dispatcher::start(Time now) {
  std::vector<std::size_t> started;
  release_held(now);
  if (ready_.empty() || in_use_ >= processors_) return started;
  FreeRoom free = free_from(now);
  bool one_waits = false;
  int looked_at = 0;
  int shut_out = 0;
  for (auto next = ready_.begin(); next != ready_.end() && free.processors_at(now) > 0;) {
    const std::size_t number = (next++)->second;
    const Task& task = tasks_[number];
    if (task.procs == 0) continue;
    if (one_waits && ++looked_at > kLookBehind) break;
    const MemoryAndGpus room = room_of(number);
    const auto fit = free.earliest_fit(task.procs, room, task.length, now);
    if (!fit && needs_room() && ++shut_out > kMostShutOut) break;
    if (!fit || (*fit > now && one_waits)) continue;
    free.reserve({*fit, *fit + task.length}, task.procs, room);
    if (*fit > now) {
      one_waits = true;
      continue;
    }
    begin(number, now);
    started.push_back(number);
  }
  return started;
}

Time Dispatcher::next_chance(Time now) const {
  Time chance = held_.empty() ? kForever : held_.begin()->first;
  if (ready_.empty()) return chance;
  if (held_by_others_ != MemoryAndGpus{}) chance = std::min(chance, now + kLookAgain);
  for (const Step& step : others_.steps({now, kForever})) {
    if (step.begin > now) return std::min(chance, step.begin);
  }
  return chance;
}

void Dispatcher::adopt_running(std::size_t task, Count procs, Time started) {
  tasks_[task].procs = procs;
  begin(task, started);
}

void Dispatcher::adopt_success(std::size_t task) {
  forget_waiting(task);
  succeed(task);
}

void Dispatcher::end(std::size_t task, bool success) {
  running_.erase(task);
  in_use_ -= tasks_[task].procs;
  const MemoryAndGpus room = room_of(task);
  room_in_use_.memory -= leased_size(room.memory);
  room_in_use_.gpus -= room.gpus;
  if (success) succeed(task);
}

void Dispatcher::retry(std::size_t task, Time not_before) {
  end(task, false);
  if (not_before == kBeginning) {
    make_ready(task);
  } else {
    held_.emplace(not_before, task);
  }
}

void Dispatcher::succeed(std::size_t task) {
  tasks_[task].is_done = true;
  const TaskRef ref = problem_->task_at(task);
  for (const TaskId next : problem_->workflows()[ref.workflow].successors(ref.task)) {
    const std::size_t number = problem_->number_of({ref.workflow, next});
    --tasks_[number].missing;
    if (!tasks_[number].is_done && !running_.contains(number)) make_ready(number);
  }
}

Time Dispatcher::forecast(Time now) const {
  Dispatcher rest = *this;
  rest.held_by_others_ = {};
  for (;;) {
    rest.start(now);
    Time next = rest.next_chance(now);
    for (const std::size_t task : rest.running_) {
      next = std::min(next, std::max(rest.tasks_[task].expected_end, now + 1));
    }
    if (next == kForever) return now;
    now = next;
    const std::set<std::size_t> running = rest.running_;
    for (const std::size_t task : running) {
      if (rest.tasks_[task].expected_end <= now) rest.end(task, true);
    }
  }
}

}  // namespace dovetail::run
