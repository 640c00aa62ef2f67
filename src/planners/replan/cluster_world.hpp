// Running moldable workflows on a cluster that others use too: reservations appear and vanish,
// tasks take longer than expected or are lost, processors fail.
//
// Running tasks keep their processors; other users' bookings get the rest, and failures take idle
// processors first, then those of the tasks that started last. Waiting tasks are bookings: they
// move later when they must, but earlier only by a new plan.
//
//   ClusterWorld world(problem);
//   auto history = follow(world, feed, problem.now());
//   Plan executed = world.executed();
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dovetail/metrics.hpp"
#include "dovetail/planner.hpp"
#include "planners/list/slot.hpp"
#include "planners/pool/heft.hpp"
#include "planners/replan/event_loop.hpp"
#include "planners/replan/shared_cluster.hpp"

namespace dovetail::planning {

// Makes a plan for a problem; infeasible when it finds none.
using PlanMaker = std::function<Plan(const Problem& problem)>;

struct ClusterWorldOptions {
  // By how much a task may be late or early before the rest is planned again; 0: any change counts.
  double band = 0;
  // The gain required of a plan that moves all tasks (see moved_tasks), as a share of the remaining
  // time, for a deadline of the CPU time, for the goal fair of the worst stretch. A plan that moves
  // some tasks needs that share of it. A plan that meets a deadline which the old one misses is
  // always worth it. 0: any gain counts.
  double stability = 0;
  // If there is a plan in force, only search from it and make no other plan. For the goal fair
  // plans are always made.
  bool searches = false;
  PlannerOptions planning = {};  // of the search
  // Whether propose() also returns the end of a better plan that is not worth its moves, so that
  // users see what stability costs. Takes one more search.
  bool tells_declined = false;
};

class ClusterWorld final : public World {
 public:
  // Needs single_cluster_unfit(problem) to be empty.
  ClusterWorld(const Problem& problem, PlanMaker make_plan,
               const ClusterWorldOptions& options = {});

  using Slots = std::vector<Slot>;  // by task number over all workflows

  // Starts in the middle of a run: the progress so far, where tasks run, and where waiting tasks
  // were to run if there is a plan. That plan continues with the same processors in the same order,
  // each task as early as possible. Running tasks without processors are only waited for.
  void restore(Time now, std::vector<TaskProgress> progress, Slots slots, bool has_plan);

  void advance(Time now) override;
  bool apply(const std::vector<Event>& events) override;
  std::optional<Time> current_end() const override;
  std::optional<Time> propose() override;
  std::optional<std::size_t> moved_by_proposal() const override;
  bool prefers_proposal() const override;
  void adopt() override;
  void give_up() override;

  // The plan in force; for the past, what really happened. Infeasible without a plan.
  Plan executed() const;

  // Runs that were cut short and restarted later.
  std::span<const Placement> lost() const { return lost_; }

  // The platform as it turned out: what others got next to our tasks, and failed processors as
  // reservations.
  Platform platform() const;

 private:
  bool waits(std::size_t number) const { return progress_[number] == TaskProgress::waiting; }
  bool runs(std::size_t number) const { return progress_[number] == TaskProgress::running; }
  Duration duration(std::size_t number, Count procs) const;
  Time inputs_end(std::size_t number, const Slots& slots) const;
  Time end_of(const Slots& slots) const;

  bool handle(const Event& event);
  void fail(const Reservation& failure);
  void delay(std::size_t number, double factor);
  void lose(std::size_t number);

  std::vector<Reservation> running() const;
  Problem rest(const std::vector<std::size_t>& numbers) const;

  std::vector<std::size_t> waiting() const;
  std::optional<Slots> moved(bool keeps_starts) const;
  Slots searched(const Slots& from, const std::vector<std::size_t>& numbers,
                 double stability) const;
  const Slots& told() const;
  void decline(Slots slots);
  void offer(Slots slots, const std::string& algorithm);
  bool is_better(const Slots& a, const Slots& b) const;
  double net_gain(const Slots& slots) const;
  double gain(const Slots& slots) const;
  std::size_t moved_by(const Slots& slots) const;
  double worst_stretch(const Slots& slots) const;

  Problem problem_;
  PlanMaker make_plan_;
  ClusterWorldOptions options_;
  Time clock_;
  std::vector<Workflow> workflows_;  // with the task times known by now
  std::vector<std::size_t> first_;   // by workflow: the number of its first task
  std::vector<TaskRef> names_;       // by number
  // For the goal fair, by workflow: its time alone, as estimated at the start, and the same over
  // its weight.
  std::vector<Duration> alone_;
  std::vector<Duration> due_lengths_;
  std::vector<TaskProgress> progress_;
  std::vector<double> drift_;  // by number: times longer than when last planned
  SharedCluster shared_;
  std::vector<Placement> lost_;
  bool has_plan_ = false;
  Slots slots_;  // of the plan in force; always set for started tasks
  std::string algorithm_;
  std::optional<Slots> goes_on_;  // the plan in force pulled forward, when last planned
  std::optional<Slots> proposal_;
  std::string proposal_by_;
  std::optional<Slots> declined_;  // the best plan that was not worth its moves
};

}  // namespace dovetail::planning
