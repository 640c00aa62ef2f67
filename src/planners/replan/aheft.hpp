// AHEFT (Yu and Shi 2007): a workflow on resources that come, go and slow down. Everything is
// planned at the start. After each event the tasks that have not started are planned again, and the
// new plan is adopted if it ends earlier.
#pragma once

#include <span>
#include <vector>

#include "planners/pool/heft.hpp"
#include "planners/replan/event_loop.hpp"

namespace dovetail::planning {

struct AheftOptions {
  std::vector<RankRule> ranks = {RankRule::mean, RankRule::max, RankRule::min, RankRule::median};
  std::vector<TransferModel> transfers = {TransferModel::inflight, TransferModel::literal};
  SlotRule slots = SlotRule::insertion;
  bool restart = false;     // running tasks are stopped and planned again
  bool plans_once = false;  // on the initial resources; again only if impossible
  // By how much a resource or task may slow down or speed up before the rest is planned again; 0:
  // any change counts.
  double band = 0;
};

struct LostRun {
  TaskId task = 0;
  Assignment place;
};

// The printed equations.
AheftOptions paper_options();

class AheftWorld final : public World {
 public:
  // `pool` holds the resources present at the start.
  AheftWorld(const CostGraph& graph, Time now, std::vector<ResourceId> pool,
             AheftOptions options = {});

  void advance(Time now) override;
  bool apply(const std::vector<Event>& events) override;
  std::optional<Time> current_end() const override;
  std::optional<Time> propose() override;
  bool prefers_proposal() const override { return proposal_.end < schedule_.end; }
  void adopt() override;
  void give_up() override;

  // The plan in force; for the past, what really happened.
  const Schedule& schedule() const { return schedule_; }

  // Runs that were cut short and restarted later.
  std::span<const LostRun> lost() const { return lost_; }

  std::span<const PlanVersion> versions() const { return versions_; }

 private:
  void join(ResourceId resource);
  void leave(ResourceId resource);
  void remove(ResourceId resource, Time when);
  void slow(ResourceId resource, double factor);
  void delay(TaskId task, double factor);
  void lose(TaskId task);
  void stretch(TaskId task, double factor);
  bool is_out_of_band() const;
  void finish(TaskId task);
  void send(std::uint32_t edge, ResourceId to, Time arrival);
  void shift();
  void stop_late();
  Time arrival(std::uint32_t edge, ResourceId resource) const;
  bool is_in_pool(ResourceId resource) const;

  const CostGraph& graph_;
  AheftOptions options_;
  std::vector<bool> at_start_;  // by resource
  Situation situation_;
  bool has_plan_ = false;
  Schedule schedule_;  // in force
  Schedule proposal_;
  std::vector<PlanVersion> versions_;
  std::vector<LostRun> lost_;
  std::vector<double> resource_drift_;  // times slower than when last planned
  std::vector<double> task_drift_;
};

}  // namespace dovetail::planning
