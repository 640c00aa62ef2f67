// An ordinary workflow that a client sends. Its tasks run no commands of the client's either: what
// a task runs is the name of a service and its parameters, in words.
//
//   - {id: band3, run: 'render band=3 width=400', time: 20}
//
// A cluster runs it as a whole, like one month of one scenario (workflow_backend.hpp).
#pragma once

#include <string>

#include "federation/daemon/daemon_file.hpp"
#include "federation/daemon/service.hpp"

namespace dovetail::federation {

// The service by which workflows are asked for; no owner configures it.
inline constexpr const char* kWorkflowService = "workflow";

struct SentWorkflow {
  std::string text;       // with commands, in our own format
  Duration makespan = 0;  // planned on the cluster when nothing else runs
};

// Throws Refusal(400) that names the task for what the cluster does not run.
SentWorkflow prepare_workflow(const DaemonDescription& description, const Json& workflow);

// What stands in for a configured service: one group of all processors.
Service workflow_service(Count processors);

// Where the workflow is in the folder in which it runs.
std::string workflow_file(const std::string& folder);

}  // namespace dovetail::federation
