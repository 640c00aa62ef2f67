// A Slurm that only pretends, for tests of what happens when things go wrong: jobs are rows, and
// whatever a test wants happens at the next question. Jobs do their work at once when told to.
#pragma once

#include <fmt/format.h>

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "batch/slurm/slurm_client.hpp"
#include "support/job_work.hpp"

namespace dovetail::testing {

struct FakeJob {
  std::string id;
  std::string name;
  std::string state = "PENDING";
  std::string reason = "Priority";
  std::string script = {};
  std::string nodes = "1";
  std::string limit = "1:00";
  std::string user = batch::own_user();
};

class FakeSlurm {
 public:
  explicit FakeSlurm(int nodes = 4) : nodes_(nodes) {}

  std::deque<FakeJob> jobs = {};
  bool are_nodes_up = true;
  bool loses_answers = false;  // of submissions, which arrive all the same
  std::string partition = "MaxTime=UNLIMITED MinNodes=1 MaxNodes=UNLIMITED";
  std::function<void(int)> at_question;  // with their number, before squeue answers

  batch::slurm::Client client() {
    return batch::slurm::Client(
        {.call_seconds = 1, .patience = 0},
        [this](const auto& words, const auto&, const auto&) { return run(words); });
  }

  FakeJob& add(const std::string& name) {
    jobs.push_back({.id = std::to_string(next_id++), .name = name});
    return jobs.back();
  }

  // The job runs its tasks to the end, or as many as `most`, and is over.
  void work(FakeJob& job, std::size_t most = 1'000, const std::string& over = "done") {
    if (job.state != "PENDING") return;
    job.state = "COMPLETED";
    job.reason = "None";
    pretend_work(job.script, job.id, run::wall_now(), most, over);
  }

  void work_all() {
    for (FakeJob& job : jobs) work(job);
  }

  std::size_t count(const std::string& state) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(jobs, [&](const FakeJob& job) { return job.state == state; }));
  }

  int next_id = 1;

 private:
  using Words = std::vector<std::string>;

  static std::string directive(const std::string& text, const std::string& name) {
    const std::size_t from = text.find("--" + name + "=");
    if (from == std::string::npos) return "";
    const std::size_t begin = from + name.size() + 3;
    return text.substr(begin, text.find('\n', begin) - begin);
  }

  batch::CommandResult submit(const std::string& script) {
    const std::string text = text_of(script);
    FakeJob& job = add(directive(text, "job-name"));
    job.script = script;
    job.nodes = directive(text, "nodes");
    job.limit = directive(text, "time");
    if (loses_answers) return {.end = batch::CommandResult::End::timed_out, .exit_code = 137};
    return {.out = job.id + "\n"};
  }

  batch::CommandResult show_jobs(const std::string& format) {
    if (at_question) at_question(questions_++);
    const std::string mark = format.substr(9, format.find('|') - 9);
    std::string out;
    for (const FakeJob& job : jobs) {
      const bool runs = job.state == "RUNNING";
      out +=
          fmt::format("{}|{}|{}|{}|main|(null)|{}|2|{}|{}|1|1|{}|N/A|(null)|(null)|{}|{}\n", mark,
                      job.id, job.state, job.user, job.nodes, runs ? "n1" : "", job.limit,
                      runs ? std::to_string(run::wall_now() / 1000) : "N/A", job.reason, job.name);
    }
    return {.out = out};
  }

  batch::CommandResult run(const Words& words) {
    const std::string& program = words.front();
    if (program == "sbatch") return submit(words.back());
    if (program == "squeue") return show_jobs(words.back());
    if (program == "sinfo") {
      std::string out;
      for (int i = 1; i <= nodes_; ++i) {
        out += fmt::format("n{}|2|{}\n", i, are_nodes_up ? "idle" : "down");
      }
      return {.out = out};
    }
    if (program == "scancel") {
      for (FakeJob& job : jobs) {
        const bool is_meant = std::ranges::find(words, job.id) != words.end();
        if (is_meant && (job.state == "PENDING" || job.state == "RUNNING")) job.state = "CANCELLED";
      }
      return {};
    }
    if (program == "scontrol" && words.back() == "partition") {
      return {.out = fmt::format("PartitionName=main Default=YES State=UP Nodes=n[1-{}] {}\n",
                                 nodes_, partition)};
    }
    if (program == "scontrol" && words.back() == "reservation") {
      return {.out = "No reservations in the system\n"};
    }
    if (program == "scontrol") return {.out = "AccountingStorageType = accounting_storage/none\n"};
    return {.exit_code = 1, .err = program + ": not here\n"};
  }

  int nodes_;
  int questions_ = 0;
};

}  // namespace dovetail::testing
