// What a job does that only pretends to run: it writes down that its tasks have run.
#pragma once

#include <algorithm>
#include <string>

#include "batch/pilot/pilot_file.hpp"
#include "run/clock.hpp"
#include "support/whole_file.hpp"

namespace dovetail::testing {

// The order that a job's script names.
inline std::string order_of_script(const std::string& script_file) {
  const std::string text = text_of(script_file);
  const std::size_t from = text.find(" pilot '") + 8;
  return text.substr(from, text.find('\'', from) - from);
}

inline bool is_marked_done(const run::RunFolder& folder, std::uint32_t task) {
  return !batch::marked_done(folder, {task}).empty();
}

// Writes the report of a job that has run its tasks, or as many as `most`; unless another job has
// begun the order, or it is not wanted any more. With "time" they were cut short.
inline void pretend_work(const std::string& script_file, const std::string& job_id,
                         run::WallTime now, std::size_t most, const std::string& over) {
  const std::string order_file = order_of_script(script_file);
  const batch::PilotOrder order = batch::read_order(order_file);
  const run::RunFolder folder = batch::folder_of_order(order_file);
  if (!batch::claim_order(folder, order.pilot)) return;
  run::JournalWriter report(batch::report_file(folder, order.pilot));
  const auto add = [&](run::Json entry) {
    entry["time"] = now;
    report.add(entry);
  };
  add(batch::begin_entry(job_id, {"n1"}));
  for (std::size_t i = 0; i < std::min(most, order.tasks.size()); ++i) {
    const run::StepCommand& command = order.tasks[i].command;
    add(entry_of(batch::PilotReport::BegunTask{
        .task = command.task, .attempt = command.attempt, .on = {{.node = "n1"}}, .time = now}));
    run::AttemptEnd end;
    end.seconds = 0.001;
    end.time = now;
    if (over == "time") end.cause = run::AttemptEnd::Cause::stopped;
    add(entry_of(batch::PilotReport::EndedTask{
        .task = command.task, .attempt = command.attempt, .end = end}));
    if (over != "time") batch::mark_done(folder, command.task);
  }
  add(batch::over_entry(over));
  report.sync();
}

}  // namespace dovetail::testing
