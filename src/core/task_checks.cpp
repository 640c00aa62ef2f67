#include "core/task_checks.hpp"

#include <algorithm>

#include "dovetail/error.hpp"

namespace dovetail {

namespace {

void check_seconds(std::string_view id, double seconds) {
  if (!(seconds >= 0 && seconds <= kMaxSeconds)) {
    reject_task(id, "a time must be between 0 and 1e10 seconds, found " + std::to_string(seconds));
  }
}

void check_time(std::string_view id, const TimeSpec& time) {
  if (!(time.alpha >= 0 && time.alpha <= 1)) {
    reject_task(id, "alpha must be between 0 and 1, found " + std::to_string(time.alpha));
  }
  const auto [min, max] = time.processors;
  if (min < 1 || min > kMaxProcessors || max < 0 || max > kMaxProcessors) {
    reject_task(id, "processors must be between 1 and " + std::to_string(kMaxProcessors));
  }
  if (max != 0 && max < min) {
    reject_task(id,
                "processors: max " + std::to_string(max) + " is below min " + std::to_string(min));
  }
  check_seconds(id, time.seconds);
  for (const auto& [procs, seconds] : time.measured) {
    if (procs < 1 || procs > kMaxProcessors) {
      reject_task(id, "times: processors must be at least 1, found " + std::to_string(procs));
    }
    check_seconds(id, seconds);
  }
  for (const auto& [name, seconds] : time.on_resource) check_seconds(id, seconds);
}

void check_memory(std::string_view id, const char* field, Bytes memory) {
  if (memory >= 0 && memory <= kMaxMemory) return;
  reject_task(id, std::string(field) + " must be between 0 and " + format_size(kMaxMemory) +
                      ", found " + std::to_string(memory));
}

void check_needs(std::string_view id, const TaskNeeds& needs) {
  check_memory(id, "memory", needs.memory);
  check_memory(id, "memory_per_processor", needs.memory_per_processor);
  if (needs.memory != 0 && needs.memory_per_processor != 0) {
    reject_task(id, "give memory or memory_per_processor, not both");
  }
  if (needs.gpus < 0 || needs.gpus > kMaxProcessors) {
    reject_task(id, "gpus must be between 0 and " + std::to_string(kMaxProcessors) + ", found " +
                        std::to_string(needs.gpus));
  }
  const Count min = needs.min_nodes;
  const Count max = needs.max_nodes;
  if ((min != 0 || max != 0) && (min < 1 || max > kMaxProcessors)) {
    reject_task(id, "nodes must be between 1 and " + std::to_string(kMaxProcessors));
  }
  if (max < min) {
    reject_task(id, "nodes: max " + std::to_string(max) + " is below min " + std::to_string(min));
  }
  for (const std::string& feature : needs.features) {
    if (feature.empty()) reject_task(id, "requires: a feature has an empty name");
    if (has_control_characters(feature)) {
      reject_task(id, "requires: a feature has a control character in its name; remove it");
    }
  }
}

// 0 when no measured count is within the range.
Count most_processors(const TimeSpec& time) {
  const auto [min, max] = time.processors;
  const Count limit = max == 0 ? kMaxProcessors : max;
  if (time.kind == TimeKind::amdahl) return limit;
  if (time.kind != TimeKind::table) return min;
  Count most = 0;
  for (const auto& [procs, seconds] : time.measured) {
    if (procs <= limit) most = std::max(most, procs);
  }
  return most;
}

// Each of its nodes gives a task at least one processor.
void check_processors_of_nodes(const TaskSpec& task) {
  const Count most = most_processors(task.time);
  if (most >= task.needs.min_nodes) return;
  reject_task(task.id, "it runs on at most " + std::to_string(most) + " processors, but needs " +
                           std::to_string(task.needs.min_nodes) +
                           " nodes, with at least one processor on each");
}

}  // namespace

void reject_task(std::string_view id, const std::string& why) {
  throw InputError("task \"" + std::string(id) + "\": " + why);
}

void check_spec(const TaskSpec& task) {
  if (task.id.empty()) throw InputError("a task has an empty id; give it a name");
  if (has_control_characters(task.id)) {
    throw InputError("a task's id has a line break or another control character in it; remove it");
  }
  check_time(task.id, task.time);
  check_needs(task.id, task.needs);
  check_processors_of_nodes(task);
}

}  // namespace dovetail
