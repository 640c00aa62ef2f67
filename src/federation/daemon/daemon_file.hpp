// The file in which a daemon's owner says what its cluster is, and what may be run on it.
//
//   processors: 8                    # this machine; or a batch system's name: {partition: batch}
//   data: /data/ensembles            # where months leave their results
//   quotas: {requests: 100, months: 1000000, megabytes: 8}    # of each client
//   services:
//     climate:
//       parameters: {physics: {number: [0, 1]}, model: {choice: [a, b]}, label: {word: '[a-z]+'}}
//       main: [./pcr, --physics, '{physics}', --in, '{previous}', --out, '{folder}']
//       post: [./post, '{folder}']
//       times: {4: 80, 5: 42, 11: 14}
//       post_time: 2
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "federation/daemon/service.hpp"

namespace dovetail::federation {

// Of each client, for all its requests that are not over.
struct ClientQuotas {
  std::int64_t requests = 100;
  std::int64_t months = 1'000'000;
  std::int64_t bytes = 8'000'000;  // of parameters, workflows and lists of scenarios
};

struct DaemonDescription {
  Count processors = 0;  // 0: the batch system says
  Count cores_per_node = 1;
  std::string system = {};     // a name of batch::systems(); empty: processes of this machine
  std::string partition = {};  // empty: the default one
  std::string data;            // where months leave their results
  std::string folder = ".";    // in which workflows run
  EnsembleRules rules = {};
  Count posts_at_once = 4;
  ClientQuotas quotas = {};
  std::vector<Service> services = {};

  // Null when there is none of that name.
  const Service* find(std::string_view service) const;
  // The names of those that compute months, for people.
  std::string ensemble_services() const;
};

// Throw InputError with file and line.
DaemonDescription read_daemon(const std::string& path);
DaemonDescription parse_daemon(std::string_view text, const std::string& file);

// Needs the cluster's processors, also those of a batch system. Throws InputError when results
// cannot be written, or a service has no size of groups that fits.
void require_usable(const DaemonDescription& description);

// What looks like a mistake, and may be none: sizes larger than the cluster, programs that are not
// found here.
std::vector<std::string> doubts_of(const DaemonDescription& description);

}  // namespace dovetail::federation
