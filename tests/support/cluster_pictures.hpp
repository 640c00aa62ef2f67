// Pictures of small Slurm clusters, for tests of what is decided from one.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "batch/slurm/slurm_text.hpp"

namespace dovetail::testing {

inline constexpr batch::WallTime kPictureTime = 1'763'287'200'000;

// n1, n2, ... of two cores each, in one partition.
inline batch::ClusterPicture idle_nodes(int count) {
  batch::ClusterPicture picture{.at = kPictureTime, .shown_by = "sinfo"};
  std::vector<std::string> names;
  for (int i = 1; i <= count; ++i) {
    names.push_back("n" + std::to_string(i));
    picture.nodes.push_back({.name = names.back(), .cpus = 2});
  }
  picture.partitions.push_back({.name = "main", .is_default = true, .node_names = names});
  return picture;
}

inline batch::ClusterJob running(std::vector<std::string> nodes, Duration left) {
  return {.id = "1",
          .name = "r",
          .partitions = {"main"},
          .state = batch::JobState::running,
          .nodes = static_cast<Count>(nodes.size()),
          .node_names = std::move(nodes),
          .limit = left,
          .start = kPictureTime,
          .end = kPictureTime + left};
}

inline batch::ClusterJob waiting(Count nodes, Duration limit, std::int64_t priority,
                                 const std::string& reason) {
  return {.id = "2",
          .name = "w",
          .partitions = {"main"},
          .state = batch::JobState::pending,
          .waits_for = batch::slurm::parse_reason(reason),
          .reason = reason,
          .nodes = nodes,
          .limit = limit,
          .priority = priority,
          .submitted = kPictureTime};
}

// From so long after the picture was taken.
inline batch::ReservedNodes reserved(std::vector<std::string> nodes, Duration after,
                                     Duration length) {
  return {.name = "held",
          .start = kPictureTime + after,
          .end = kPictureTime + after + length,
          .node_names = std::move(nodes)};
}

}  // namespace dovetail::testing
