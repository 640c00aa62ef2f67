// The clusters below an agent and their services, for people.
#pragma once

#include <string>
#include <vector>

#include "federation/net/http_client.hpp"

namespace dovetail::federation {

struct ListedCluster {
  std::string name;
  Count processors = 0;
  std::string executor;                    // "local", or the name of a batch system
  std::vector<std::string> services = {};  // those for tasks are marked
  std::string url;
};

struct ClusterList {
  std::vector<ListedCluster> clusters = {};
  std::vector<std::string> troubles = {};  // a line for each member that gave no answer
};

// Asks all daemons through the agent. Throws NoAnswer or Denied.
ClusterList list_clusters(const Caller& caller, const std::string& agent, Duration deadline);

}  // namespace dovetail::federation
