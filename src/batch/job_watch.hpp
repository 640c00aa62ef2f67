// What Slurm's answers say about the jobs of a run: which have started, ended or vanished, and
// which are in the queue although nobody wants them.
//
//   for (const JobNews& news : watch.compare(client.jobs())) ...
//   client.cancel(watch.unwanted());
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "batch/job_book.hpp"
#include "batch/job_records.hpp"

namespace dovetail::batch {

struct JobNews {
  enum class What {
    waits,  // as before; `job` has Slurm's reason
    runs,
    over,
    gone,  // so many answers did not have it that it is not on its way any more; of one that was
           // submitted long before us a single answer
  };
  std::uint32_t pilot = 0;
  What what = What::waits;
  Job job = {};  // not when it is gone
};

class JobWatch {
 public:
  // Both must outlive it.
  JobWatch(const JobBook& book, const run::RunFolder& folder) : book_(book), folder_(folder) {}

  // By an answer about all jobs of the cluster. What happens while the news are read may make some
  // of them old: look whether the job is still live.
  std::vector<JobNews> compare(const std::vector<Job>& jobs);

  // Whether some were missing in the last answer: ask again soon.
  bool misses_some() const { return !missing_.empty(); }

  // Ids, by the last answer, of jobs that are over for us and not for Slurm. Names tell, since ids
  // are given again to others when the controller has crashed.
  const std::vector<std::string>& unwanted() const { return unwanted_; }

  // Whether jobs that were cancelled before Slurm ever showed them to us may still turn up.
  bool expects_latecomers() const;

 private:
  struct Missing {
    int answers = 0;
    Time since = 0;
  };

  bool never_arrived(const PilotStatus& status) const;
  bool is_gone(std::uint32_t pilot);
  bool is_someone_elses_end(std::uint32_t pilot, const Job& job) const;

  const JobBook& book_;
  const run::RunFolder& folder_;
  run::WallTime began_ = run::wall_now();
  std::map<std::uint32_t, Missing> missing_;  // by pilot
  std::set<std::string> running_;             // ids of jobs of everybody
  std::vector<std::string> unwanted_;
};

}  // namespace dovetail::batch
