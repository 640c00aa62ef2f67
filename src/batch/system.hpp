// A batch system as Dovetail sees it: it answers questions about its nodes and jobs, takes orders,
// and inside a job starts tasks on nodes. table.hpp lists the known systems; the rest of src/batch,
// the daemon and the command line know only this class.
//
//   const auto system = system_named(name).make({});
//   const std::string id = system->submit(script_file);
//   for (const ClusterJob& job : system->jobs()) ...
//
// Questions and orders may take long. They throw what batch_errors.hpp says, Unreachable when the
// system does not answer, Refused and its kinds when it says no, and ExecutionError with one line
// to act on when its commands are not installed. What only makes or reads text is const, asks
// nothing and is tested on captured text: any thread may call it, the rest one at a time.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "batch/batch_errors.hpp"
#include "batch/job_records.hpp"
#include "batch/timed_command.hpp"
#include "batch/user_limits.hpp"

namespace dovetail::batch {

// How long answers are waited for, in seconds.
struct CallOptions {
  double call_seconds = 10;  // for one call
  double patience = 60;      // for a question, all calls and pauses together
  double first_pause = 0.5;  // before a question is asked again; then twice as long, ...
};

// Where a job is submitted to.
struct JobPlace {
  std::string partition = {};          // empty: the default one
  std::string reservation = {};        // empty: none
  std::optional<WallTime> begin = {};  // not before
  bool shares_nodes = false;           // other jobs may run on its nodes, too
};

// What a job asks for.
struct JobRequest {
  std::string name;  // unlike that of any other job on the cluster
  Count nodes = 1;
  Count processes = 0;        // of one task that has all nodes; 0: tasks are started one by one
  bool needs_memory = false;  // all that its nodes have; else what the system gives by itself
  Duration limit = 0;         // rounded up to what the system counts in
  JobPlace place = {};
  std::string output = {};  // the file to which the job prints, at its end
};

struct ReservationRequest {
  std::string name;
  WallTime start = 0;  // whole seconds
  Duration length = 0;
  std::vector<std::string> node_names = {};
  std::string user = {};
};

// The job that we are in.
struct JobAllocation {
  std::string job_id;
  std::vector<std::string> nodes;
  WallTime until = kForever;  // when the system ends it
};

// The nodes of a task, and beside each how many processes it has there.
struct TaskHosts {
  std::vector<std::string> nodes = {};
  std::vector<Count> processes = {};
};

// A task of a job, to be started on one of its nodes.
struct StepRequest {
  std::string node;
  Count cores = 1;  // that the node has: steps share them
  std::string name;
  std::vector<std::string> command;
};

// What the last words of a step that did not begin say.
enum class StepTrouble {
  unknown,      // it cannot be started there
  away,         // the system does not answer now
  job_is_over,  // the job is being ended
};

class BatchSystem {
 public:
  virtual ~BatchSystem() = default;

  // As messages call it.
  virtual std::string_view title() const = 0;

  // --- the cluster

  virtual ClusterPicture picture() = 0;
  // The jobs of all users, with those that are over for as long as the system remembers them.
  virtual std::vector<ClusterJob> jobs() = 0;
  // A job of this user that is over and that jobs() has forgotten; `since` is a moment before its
  // end. Nothing when it is not known, or when there is no memory of past jobs.
  virtual std::optional<ClusterJob> past_job(const std::string& name, WallTime since) = 0;
  // How many jobs this user may have in the partition, or in the default one; `partitions` are
  // those of a picture. Throws Unreachable: not to know is not the same as no limits.
  virtual UserLimits limits(const std::string& partition,
                            const std::vector<Partition>& partitions) = 0;

  // --- jobs

  // Answers the job's id. Throws TooManyJobs and Refused: there is no job; Unreachable: there may
  // be one, and only its name tells.
  virtual std::string submit(const std::string& script_file) = 0;
  // Jobs that are over or unknown are no error.
  virtual void cancel(const std::vector<std::string>& ids) = 0;
  // Exactly these nodes, or Refused; NoRights when this user may reserve nothing.
  virtual void reserve(const ReservationRequest& request) = 0;
  // Whether the reservation is gone now, or was before; false while a job is inside.
  virtual bool release(const std::string& reservation) = 0;
  // How long an order takes on average.
  virtual Duration mean_call() const { return 0; }

  // --- what it can do: requests that it cannot serve are never made

  virtual bool can_reserve() const { return true; }
  virtual bool can_begin_later() const { return true; }

  // --- text

  // The head of a job's script, after its first line: all that the job asks for.
  virtual std::string directives(const JobRequest& request) const = 0;
  // For people, when the job waits for help: why it does not start, and where to look.
  virtual std::string explain(const ClusterJob& job) const = 0;
  // What people would type.
  virtual std::vector<std::string> submit_command(const std::string& script_file) const = 0;
  virtual std::vector<std::string> reserve_command(const ReservationRequest& request) const = 0;
  virtual std::vector<std::string> release_command(const std::string& reservation) const = 0;

  // --- inside a job

  // Whether this process belongs to a job of the system, by its environment.
  virtual bool is_around_us() const = 0;
  // The job that we are in, by its environment. Throws InputError outside of a job.
  virtual JobAllocation allocation() const = 0;
  // The command that runs another one on a node of the job that we are in, and waits for it.
  virtual std::vector<std::string> step(const StepRequest& request) const = 0;
  // The command that sends SIGTERM to the tasks of all steps of the job; none: SIGTERM to step
  // commands does.
  virtual std::vector<std::string> stop_steps(const std::string& job_id) const = 0;
  virtual StepTrouble trouble_of(std::string_view last_words) const = 0;
  // On a node, in a step: variables that keep on the task's nodes what it starts by the system's
  // own means. The file has the name of a node on a line for each process.
  virtual Environment confined(const TaskHosts& hosts, const std::string& hosts_file) const = 0;
  // On a node, in a step: whether the node is all of this machine, so that its cores have the
  // machine's numbers.
  virtual bool is_on_own_machine() const = 0;
};

}  // namespace dovetail::batch
