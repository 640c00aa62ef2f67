// What a pilot job is to run, and what it writes down: the files between the conductor and its
// jobs. All are in the run's folder, which every node must see.
//
//   pilots/3.json     what the third job of the run is to do (PilotOrder)
//   pilots/3.sbatch   the script that is submitted
//   pilots/3.ndjson   what happened in the job (PilotReport), written by the job alone
//   pilots/3.out      what the job printed
//   done/17           task 17 is done: the jobs that need it look for this file
//
// Tasks are numbers, as in the run's journal. The end of an attempt is in its attempt file, as in
// every run: the step that runs the task writes it on the node.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "batch/job_records.hpp"
#include "dovetail/nodes.hpp"
#include "run/journal_file.hpp"
#include "run/local/attempt_file.hpp"
#include "run/local/launcher.hpp"
#include "run/run_folder.hpp"

namespace dovetail::batch {

struct PilotTask {
  run::StepCommand command = {};          // complete but for where it runs
  NodeDemand demand = {};                 // what it takes of the job's nodes
  std::vector<std::uint32_t> after = {};  // what must be done before, in this job or another
  std::vector<std::string> inputs = {};   // that it reads, seen from the folder of its command
};

struct PilotOrder {
  std::string job_name;  // unlike that of any other job of the cluster
  std::uint32_t pilot = 0;
  Count nodes = 1;
  NodeType node = {};                  // what each of them has; its count means nothing
  Duration request = 0;                // how long the job may run
  std::optional<WallTime> until = {};  // when the reservation of its nodes ends
  bool picks_longest = false;          // of the ready tasks; else the shortest
  // Its one task has all nodes. The script itself starts it on the first of them, so that mpirun
  // and the like find them all.
  bool spreads = false;
  std::vector<PilotTask> tasks = {};  // in file order

  // The task of that number; null when it is not in the order.
  const PilotTask* find(std::uint32_t task) const;
};

// A whole node, as tasks without a demand had it.
NodeDemand whole_node(const NodeType& node);

// Writes the whole file or none. Each task has a line of its own, so that it can be read without
// the others. Throws ExecutionError, also when a text is not UTF-8, which JSON needs.
void write_order(const std::string& file, const PilotOrder& order);
// Throws ExecutionError when it cannot be read, InputError when it is no such file, when a task is
// in it twice or takes more than a node has, or when tasks come after one another in a circle.
PilotOrder read_order(const std::string& file);
// The same with that task alone. Throws InputError also when it is not in the order.
PilotOrder read_order(const std::string& file, std::uint32_t only);

// The run of an order, from the place of its file. Throws InputError.
run::RunFolder folder_of_order(const std::string& file);

// Where the files are.
std::string order_file(const run::RunFolder& folder, std::uint32_t pilot);
std::string script_file(const run::RunFolder& folder, std::uint32_t pilot);
std::string report_file(const run::RunFolder& folder, std::uint32_t pilot);
std::string output_file(const run::RunFolder& folder, std::uint32_t pilot);
std::string done_file(const run::RunFolder& folder, std::uint32_t task);

// Makes the report of the order; false when it is there. Only the job that makes it does the work,
// whatever happens to submissions; the conductor makes it to keep jobs from beginning.
bool claim_order(const run::RunFolder& folder, std::uint32_t pilot);

// The digest of what an attempt read, written on its node before it began.
std::string inputs_file(const std::string& attempt_file);

// Tells the jobs that need the task that it is done; again is no error.
void mark_done(const run::RunFolder& folder, std::uint32_t task);
// Those of the tasks that are marked, in their order.
std::vector<std::uint32_t> marked_done(const run::RunFolder& folder,
                                       const std::vector<std::uint32_t>& tasks);

// The first of the task's outputs that is not there; empty when all are.
std::string missing_output(const PilotTask& task);

// What a task has of one node.
struct NodeShare {
  std::string node;
  std::vector<int> cores = {};  // numbers from 0; none: it is not said
  std::vector<int> gpus = {};
  friend bool operator==(const NodeShare&, const NodeShare&) = default;
};

// What a job has written down.
struct PilotReport {
  struct BegunTask {
    std::uint32_t task = 0;
    std::uint32_t attempt = 0;
    std::vector<NodeShare> on = {};  // at least one; the task's command runs on the first
    WallTime time = 0;
  };
  struct EndedTask {
    std::uint32_t task = 0;
    std::uint32_t attempt = 0;
    run::AttemptEnd end = {};
    std::string missing = {};  // an output that is not there
  };

  std::string job_id = {};
  std::optional<WallTime> began = {};  // nothing: the job has not begun its work
  std::vector<std::string> nodes = {};
  std::vector<BegunTask> starts = {};
  std::vector<EndedTask> ends = {};
  std::string over = {};  // why it ended: "done", "time", "failed", "asked"; empty: it did not say
};

// The entries of a report, a line of JSON each, as for a run's journal.
run::Json begin_entry(const std::string& job_id, const std::vector<std::string>& nodes);
run::Json entry_of(const PilotReport::BegunTask& start);
run::Json entry_of(const PilotReport::EndedTask& end);
run::Json over_entry(const std::string& why);

// Reads a file that another process may be writing to; an empty report when there is none. Ends
// that the pilot did not live to write down come from the attempt files. A start without an end
// means that the task runs, or was lost with its node or its job.
PilotReport read_report(const run::RunFolder& folder, const PilotOrder& order);

}  // namespace dovetail::batch
