// Steps as jobs of a batch system: a job for each, with a name that no other job has.
//
// A thread asks the system, so that callers never wait while its controller is away. When the
// answer to a submission is lost, the job is looked for by its name, and submitted again only if it
// is gone (job_tracker.hpp); of two jobs for one step the second does nothing (pilot.hpp). How a
// step ended is read from the file that its node writes.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "batch/job_tracker.hpp"
#include "batch/system.hpp"
#include "run/backend.hpp"
#include "run/local/descriptor.hpp"
#include "run/run_folder.hpp"

namespace dovetail::batch {

struct JobBackendOptions {
  std::string partition = {};  // empty: the default one
  Count cores_per_node = 1;
  std::string program;      // dovetail, as the nodes find it
  Duration poll = 5'000;    // between two questions to the system
  Duration look = 200;      // between two looks at what jobs wrote down
  Duration settle = 5'000;  // how long the end of a step may take from its node to here
  std::function<void(const std::string& line)> log = [](auto&&...) {};
};

class JobBackend final : public run::Backend {
 public:
  // The system needs no patience: the thread asks again. Throws ExecutionError when the folder
  // cannot be written.
  JobBackend(run::RunFolder folder, std::unique_ptr<BatchSystem> system, JobBackendOptions options);
  ~JobBackend() override;

  void start(const run::StepCommand& command) override;
  void adopt(const run::StepCommand& command) override;
  void stop(std::uint32_t task) override;
  std::vector<run::StepEnd> ended() override;
  int descriptor() const override { return news_.get(); }

 private:
  struct JobStep {
    run::StepCommand command;
    enum class State { to_submit, uncertain, submitted } state = State::to_submit;
    WallTime tried = 0;  // 0: by an earlier process
    bool is_stopping = false;
    Time over_since = 0;  // its job is over, and its node has not said how the step ended

    run::StepEnd ended(const run::AttemptEnd& end) const {
      return {.task = command.task, .attempt = command.attempt, .end = end};
    }
  };

  void add(const run::StepCommand& command, JobStep::State state);
  std::string name_of(std::uint32_t task) const { return token_ + "-" + std::to_string(task); }
  void write_files(const run::StepCommand& command) const;

  void work();
  void read_ends();
  void submit_some();
  void submit(const JobStep& step);
  void ask_system();
  std::vector<ExpectedJob> expected_jobs();
  bool is_at_end(JobStep& step, const JobNews& news) const;
  static std::optional<run::StepEnd> end_on_disk(const JobStep& step);
  static run::StepEnd end_without_word(const JobStep& step);
  void report(run::StepEnd end);
  std::vector<JobStep> steps();  // a copy

  run::RunFolder folder_;
  JobBackendOptions options_;
  std::string token_;
  std::unique_ptr<BatchSystem> system_;  // this and the tracker: for the worker alone
  JobTracker tracker_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::uint32_t, JobStep> steps_;  // by task
  std::vector<run::StepEnd> ends_;
  bool is_over_ = false;
  bool asks_soon_ = false;  // something is to be ended
  bool is_away_ = false;    // the system did not answer
  run::Descriptor news_;
  std::thread worker_;
};

}  // namespace dovetail::batch
