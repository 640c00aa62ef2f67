// Steps as batch jobs of Slurm: a job for each, with a name that no other job has.
//
// Slurm is asked by a thread of its own, since its commands may hang while the controller is away:
// nobody waits for them here. Whether a job was submitted is never guessed: when the answer is lost
// it is looked for by its name, and submitted again only if it is not there; of two jobs for one
// step the second does nothing (batch/pilot.hpp). How a step ended is read from the file that its
// node writes.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "batch/slurm/slurm_client.hpp"
#include "run/backend.hpp"
#include "run/local/descriptor.hpp"
#include "run/run_folder.hpp"

namespace dovetail::federation {

struct SlurmExecutorOptions {
  std::string partition = {};  // empty: the default one
  Count cores_per_node = 1;
  std::string program;      // dovetail, as the nodes find it
  Duration poll = 5'000;    // between two questions to Slurm
  Duration look = 200;      // between two looks at what jobs wrote down
  Duration settle = 5'000;  // how long the end of a step may take from its node to here
  std::function<void(const std::string& line)> log = [](auto&&...) {};
};

class SlurmExecutor final : public run::Backend {
 public:
  // Throws ExecutionError when the folder cannot be written.
  SlurmExecutor(run::RunFolder folder, SlurmExecutorOptions options);
  ~SlurmExecutor() override;

  void start(const run::StepCommand& command) override;
  void adopt(const run::StepCommand& command) override;
  void stop(std::uint32_t number) override;
  std::vector<run::StepEnd> ended() override;
  int descriptor() const override { return news_.get(); }

 private:
  struct Job {
    run::StepCommand command;
    enum class State { to_submit, uncertain, submitted } state = State::to_submit;
    bool is_stopping = false;
    Time missing_since = 0;
  };

  void add(const run::StepCommand& command, Job::State state);
  std::string name_of(std::uint32_t number) const { return token_ + "-" + std::to_string(number); }
  std::string write_files(const run::StepCommand& command) const;

  void work();
  void read_ends();
  void submit_some();
  void submit(std::uint32_t number, const run::StepCommand& command);
  void ask_slurm();
  void judge(Job& job, const std::map<std::string, batch::Job>& by_name);
  std::optional<run::StepEnd> end_on_disk(std::uint32_t number) const;
  run::StepEnd end_without_word(const Job& job) const;
  void report(run::StepEnd end);

  run::RunFolder folder_;
  SlurmExecutorOptions options_;
  std::string token_;
  batch::Client client_;  // used by the worker alone
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::uint32_t, Job> jobs_;
  std::vector<run::StepEnd> ends_;
  bool is_over_ = false;
  bool asks_soon_ = false;  // something is to be ended
  bool is_away_ = false;    // Slurm did not answer
  run::Descriptor news_;
  std::thread worker_;
};

// The script of a step's job.
std::string step_script(const run::StepCommand& command, const SlurmExecutorOptions& options,
                        const std::string& name, const std::string& order_file,
                        const std::string& output_file);

}  // namespace dovetail::federation
