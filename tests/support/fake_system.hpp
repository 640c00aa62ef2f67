// A batch system in this process, with a clock of its own: jobs are rows, and whatever a test wants
// happens at the next question. It is also the least that a batch system has to be
// (docs/adding-a-batch-system.md).
#pragma once

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "batch/job_run_options.hpp"
#include "batch/system.hpp"
#include "support/job_work.hpp"

namespace dovetail::testing {

struct PretendedJob : batch::ClusterJob {
  std::string script = {};
};

class FakeSystem final : public batch::BatchSystem {
 public:
  explicit FakeSystem(int nodes = 4) : node_count_(nodes) {}

  std::deque<PretendedJob> queue = {};
  bool is_away = false;
  bool are_nodes_up = true;
  bool has_own_machines = false;  // its nodes
  bool loses_answers = false;     // of submissions, which arrive all the same
  Count most_jobs = 0;            // of the user; 0: any number
  batch::Partition partition = {.name = "main", .is_default = true};
  std::vector<batch::ClusterJob> past = {};
  std::function<void(int)> at_question = {};  // with their number, before jobs() answers
  std::function<std::vector<std::string>(const batch::StepRequest&)> start_step = {};

  // --- its clock: time passes while the conductor waits

  batch::WallTime now() const { return now_; }
  run::ClockSource clock() {
    return {.wall = [this] { return now_; }, .steady = [this] { return now_; }};
  }
  batch::FileWait waiting() {
    return [this](std::span<pollfd> files, Duration longest) {
      if (::poll(files.data(), files.size(), 0) == 0) now_ += longest;
    };
  }

  // --- what tests do to jobs

  // It runs its tasks to the end, or as many as `most`, and is over.
  void work(PretendedJob& job, std::size_t most = 1'000, const std::string& over = "done") {
    if (job.state != batch::JobState::pending) return;
    job.state = batch::JobState::completed;
    pretend_work(job.script, job.id, now_, most, over);
  }
  void work_all() {
    for (PretendedJob& job : queue) work(job);
  }
  std::size_t count(batch::JobState state) const {
    return static_cast<std::size_t>(std::ranges::count(queue, state, &batch::ClusterJob::state));
  }

  // --- the batch system

  std::string_view title() const override { return "Fake"; }

  batch::ClusterPicture picture() override {
    batch::ClusterPicture picture{.at = now_, .partitions = {partition}};
    for (int i = 1; i <= node_count_; ++i) {
      picture.nodes.push_back({.name = fmt::format("n{}", i), .cpus = 2});
      picture.nodes.back().is_usable = are_nodes_up;
      picture.partitions.front().node_names.push_back(picture.nodes.back().name);
    }
    require_here();
    picture.jobs.assign(queue.begin(), queue.end());
    return picture;
  }
  std::vector<batch::ClusterJob> jobs() override {
    if (at_question) at_question(questions_++);
    require_here();
    return {queue.begin(), queue.end()};
  }
  std::optional<batch::ClusterJob> past_job(const std::string& name,
                                            batch::WallTime /*since*/) override {
    const auto found = std::ranges::find(past, name, &batch::ClusterJob::name);
    return found == past.end() ? std::nullopt : std::optional(*found);
  }
  batch::UserLimits limits(const std::string&, const std::vector<batch::Partition>&) override {
    require_here();
    if (most_jobs == 0) return {};
    return {.submitted = {{.most = most_jobs, .scope = {.user = batch::own_user()}}}};
  }

  std::string submit(const std::string& script_file) override {
    require_here();
    const std::string text = text_of(script_file);
    PretendedJob job;
    job.id = std::to_string(next_id_++);
    job.name = directive(text, "name");
    job.user = batch::own_user();
    job.partitions = {"main"};
    job.state = batch::JobState::pending;
    job.nodes = std::stoi(directive(text, "nodes"));
    job.limit = std::stoll(directive(text, "limit"));
    job.submitted = now_;
    job.script = script_file;
    queue.push_back(job);
    if (loses_answers) throw batch::Unreachable("Fake does not answer");
    return job.id;
  }
  void cancel(const std::vector<std::string>& ids) override {
    for (PretendedJob& job : queue) {
      const bool is_meant = std::ranges::find(ids, job.id) != ids.end();
      if (is_meant && !batch::is_over(job.state)) job.state = batch::JobState::cancelled;
    }
  }
  void reserve(const batch::ReservationRequest&) override { throw batch::NoRights("no"); }
  bool release(const std::string&) override { return true; }
  bool can_reserve() const override { return false; }

  std::string directives(const batch::JobRequest& job) const override {
    return fmt::format("#FAKE name={}\n#FAKE nodes={}\n#FAKE limit={}\n", job.name, job.nodes,
                       job.limit);
  }
  std::string explain(const batch::ClusterJob& job) const override {
    return "it waits: " + job.reason;
  }
  std::vector<std::string> submit_command(const std::string& script_file) const override {
    return {"fake-submit", script_file};
  }
  std::vector<std::string> reserve_command(const batch::ReservationRequest&) const override {
    return {};
  }
  std::vector<std::string> release_command(const std::string&) const override { return {}; }

  bool is_around_us() const override { return false; }
  batch::JobAllocation allocation() const override { return {.job_id = "1", .nodes = {"n1"}}; }
  std::vector<std::string> step(const batch::StepRequest& request) const override {
    return start_step ? start_step(request) : request.command;
  }
  std::vector<std::string> stop_steps(const std::string&) const override { return {}; }
  batch::StepTrouble trouble_of(std::string_view) const override {
    return batch::StepTrouble::unknown;
  }
  batch::Environment confined(const batch::TaskHosts&, const std::string&) const override {
    return {};
  }
  bool is_on_own_machine() const override { return has_own_machines; }

 private:
  void require_here() const {
    if (is_away) throw batch::Unreachable("Fake does not answer");
  }
  static std::string directive(const std::string& text, const std::string& name) {
    const std::size_t begin = text.find("#FAKE " + name + "=") + name.size() + 7;
    return text.substr(begin, text.find('\n', begin) - begin);
  }

  int node_count_;
  int questions_ = 0;
  int next_id_ = 1;
  batch::WallTime now_ = 1'763'287'200'000;
};

}  // namespace dovetail::testing
