// A step of a job on its node: one task, from its preparation to its end.
#include <sched.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>

#include "batch/pilot/pilot.hpp"
#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "run/freshness.hpp"
#include "run/local/supervisor.hpp"

namespace dovetail::batch {

namespace {

// What the task reads is known even if it is changed while the task runs.
void prepare_folder(const PilotTask& task) {
  std::filesystem::create_directories(task.command.folder);
  if (task.inputs.empty()) return;
  TaskExecution reads;
  reads.inputs = task.inputs;
  write_file(inputs_file(task.command.attempt_file),
             run::digest_of_inputs(reads, task.command.folder));
}

void set(const std::string& name, const std::string& value) {
  setenv(name.c_str(), value.c_str(), 1);
}

// What a task starts by the system's own means, or by mpirun, stays on its nodes: other tasks run
// on the others. The file has a line for each process, which srun and every mpirun understand.
void confine(const PilotTask& task, const StepPlace& place, const BatchSystem& system) {
  const TaskHosts hosts = hosts_for(place.nodes, task.command.processors);
  const std::string file = task.command.attempt_file + ".hosts";
  std::string lines;
  for (std::size_t i = 0; i < hosts.nodes.size(); ++i) {
    for (Count process = 0; process < hosts.processes[i]; ++process) lines += hosts.nodes[i] + "\n";
  }
  write_file(file, lines);
  set("DOVETAIL_HOSTFILE", file);
  for (const auto& [name, value] : system.confined(hosts, file)) set(name, value);
}

std::string text_of(const std::vector<int>& numbers) {
  std::string text;
  for (const int number : numbers) text += (text.empty() ? "" : ",") + std::to_string(number);
  return text;
}

// Programs number the GPUs that they see from 0, whichever these are.
void show_gpus(const std::vector<int>& gpus) {
  if (gpus.empty()) return;
  for (const char* name : {"DOVETAIL_GPUS", "CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"}) {
    set(name, text_of(gpus));
  }
}

// Whether this process may use all of the cores.
bool may_use(const std::vector<int>& cores) {
  cpu_set_t ours;
  CPU_ZERO(&ours);
  if (sched_getaffinity(0, sizeof ours, &ours) != 0) return false;
  return std::ranges::all_of(cores, [&](int core) {
    return core >= 0 && core < CPU_SETSIZE && CPU_ISSET(static_cast<std::size_t>(core), &ours);
  });
}

int write_not_started(const PilotTask& task, const std::string& why) {
  const run::AttemptEnd end = run::AttemptEnd::not_started(why);
  auto file = run::AttemptWriter::create(task.command.attempt_file);
  if (file) file->write_end(end);
  return end.exit_code;
}

}  // namespace

TaskHosts hosts_for(const std::vector<std::string>& nodes, Count processes) {
  TaskHosts hosts{.nodes = nodes};
  const auto count = static_cast<Count>(nodes.size());
  for (Count i = 0; i < count; ++i) {
    // As even as they go, more on the first ones.
    hosts.processes.push_back(processes / count + (i < processes % count ? 1 : 0));
  }
  return hosts;
}

int run_step(const PilotOrder& order, std::uint32_t task, const StepPlace& place,
             const BatchSystem& system) {
  constexpr int kBegunBefore = 125;
  const PilotTask* found = order.find(task);
  if (found == nullptr) {
    throw InputError("there is no task " + std::to_string(task) + " in the order of job " +
                     order.job_name);
  }
  std::error_code error;
  if (std::filesystem::exists(found->command.attempt_file, error)) {
    const auto attempt = run::read_attempt(found->command.attempt_file);
    return attempt.end && attempt.end->is_success() ? 0 : kBegunBefore;
  }
  run::StepCommand command = found->command;
  try {
    prepare_folder(*found);
    if (!order.spreads && !place.nodes.empty()) confine(*found, place, system);
    show_gpus(place.gpus);
    if (!place.cores.empty()) set("DOVETAIL_CORES", text_of(place.cores));
    // Nodes that are not machines of their own may have more cores than there are.
    if (system.is_on_own_machine() && may_use(place.cores)) command.cores = place.cores;
  } catch (const std::exception& trouble) {
    return write_not_started(*found, trouble.what());
  }
  return run::supervise_once(command).exit_code;
}

}  // namespace dovetail::batch
