// Planning again while a run goes on: the event loop of the planners
// (planners/replan/event_loop.hpp) with what has really happened in place of what was assumed, in a
// thread of its own so that the run never waits for it.
//
//   Replanner planner(problem, make_plan);
//   planner.ask(picture);                  // returns at once; at most one question at a time
//   poll(planner.descriptor()); if (auto answer = planner.answer()) ...
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "dovetail/problem.hpp"
#include "planners/replan/cluster_world.hpp"
#include "run/local/descriptor.hpp"

namespace dovetail::run {

// A run at one moment.
struct RunPicture {
  Time now = 0;
  Count processors = 1;
  // by task; finished: also what will never be run
  std::vector<planning::TaskProgress> progress = {};
  std::vector<planning::Slot> slots = {};  // by task; as they run, or are to run
  bool has_plan = false;                   // else slots say nothing about what waits
  std::vector<Time> not_before = {};       // by task
  std::vector<double> factors = {};        // by task: how many times as long as the file says
  std::string reason = {};                 // why to plan again
};

struct NewPlan {
  Evaluation decision = {};
  std::string algorithm = {};
  // by task, of what waits; of the old plan when that is kept
  std::vector<planning::Slot> slots = {};
  Count processors = 0;      // for which it was made
  std::string trouble = {};  // why there is none
  double seconds = 0;        // that planning took
};

// A plan for what waits, and whether it is better than the one in force as that will go on. Where
// no plan is possible any more, the decision has neither.
NewPlan replan(const Problem& problem, const planning::PlanMaker& make_plan,
               const RunPicture& picture, const planning::ClusterWorldOptions& options = {});

class Replanner {
 public:
  // The problem must outlive it.
  Replanner(const Problem& problem, planning::PlanMaker make_plan,
            const planning::ClusterWorldOptions& options = {});
  ~Replanner();
  Replanner(const Replanner&) = delete;
  Replanner& operator=(const Replanner&) = delete;

  bool is_busy() const { return is_busy_; }

  // Needs not to be busy.
  void ask(RunPicture picture);

  // Readable when there is an answer.
  int descriptor() const { return ready_.get(); }
  std::optional<NewPlan> answer();

 private:
  void work();

  const Problem& problem_;
  const planning::PlanMaker make_plan_;
  const planning::ClusterWorldOptions options_;
  bool is_busy_ = false;  // of the asking thread alone
  Descriptor ready_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<RunPicture> question_;  // these three by both threads
  std::optional<NewPlan> answer_;
  bool is_over_ = false;
  std::thread thread_;
};

}  // namespace dovetail::run
