// The queue of a real cluster as a calendar: how long would a job wait? Questions cost no call to
// the batch system.
//
//   const LiveQueue queue(system.picture(), "batch");
//   Duration wait = queue.wait(4, 3'600'000);
//
// Nodes are given away as a whole. Running jobs hold theirs to their limits; reservations and nodes
// that are out of use are left alone. Waiting jobs, the most urgent first, get the earliest place
// that is left, as backfilling does it. Jobs that the system itself does not plan (held, behind a
// dependency, for later) are left out. Times count from 1970.
#pragma once

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "batch/job_records.hpp"
#include "dovetail/platform.hpp"
#include "queue/strategies/wait_estimator.hpp"

namespace dovetail::batch {

// What a job in a partition has to keep to.
struct PartitionLimits {
  std::string name;
  Count nodes = 0;  // that can be used now
  // What all of them have.
  Count cores_per_node = 1;
  Bytes memory_per_node = 0;  // 0: not known
  Count gpus_per_node = 0;
  std::vector<std::string> features = {};
  Count min_nodes = 1;  // of a job
  Count max_nodes = 0;  // of a job, whether they can be used now or not
  Duration max_time = kForever;

  Count most_nodes_now() const { return std::min(nodes, max_nodes); }
  // A job may have that many nodes, each with at least this.
  NodeType node(Count count) const {
    return {.count = count,
            .cores = cores_per_node,
            .memory = memory_per_node,
            .gpus = gpus_per_node,
            .features = features};
  }
};

// Of the partition of that name, or of the default one when the name is empty. Throws InputError
// when there is none, and NotNow when it is down or none of its nodes can be used.
PartitionLimits limits_of(const ClusterPicture& picture, const std::string& partition);

// The limit that a job breaks: "partition batch allows jobs of at most 2h, this one needs 3h";
// empty: none.
std::string broken_limit(const PartitionLimits& limits, Count nodes, Duration length);

// The time that a job asks for to do work of that length: whole minutes.
Duration job_limit(Duration run_time, Duration overhead);

// The cluster as a calendar for planners. What running jobs hold to their limits, and what waiting
// ones are expected to hold, are reservations. Its clock is the picture's.
Platform live_platform(const ClusterPicture& picture, const std::string& partition);

// Nodes that will be needed from a moment on, although the queue does not say so.
struct LaterNeed {
  WallTime from = 0;
  Duration length = 0;
  Count nodes = 1;
};

// The same with nodes as its processors, and with those needs served before the waiting jobs. Jobs
// may have no more nodes than the partition allows.
Platform live_nodes(const ClusterPicture& picture, const std::string& partition,
                    std::span<const LaterNeed> needs);

// When running jobs and reservations have each usable node: windows that do not touch, in order.
using NodeWindows = std::map<std::string, std::vector<Interval>>;
NodeWindows node_windows(const ClusterPicture& picture, const std::string& partition);

class LiveQueue final : public queue::WaitEstimator {
 public:
  // Throws as limits_of.
  LiveQueue(const ClusterPicture& picture, const std::string& partition);

  // Of a job for work of that length, cut to what the partition allows: another job does the rest.
  Duration wait(Count nodes, Duration work) const override;
  // Of a job with that limit.
  Duration wait_of_job(Count nodes, Duration limit) const;
  Count nodes() const override { return limits_.most_nodes_now(); }
  const queue::Outlook& outlook() const override { return snapshot_.outlook(); }

  const PartitionLimits& limits() const { return limits_; }

 private:
  PartitionLimits limits_;
  queue::QueueSnapshot snapshot_;
};

}  // namespace dovetail::batch
