#pragma once

#include "queue/policies/scheduler.hpp"

namespace dovetail {

std::unique_ptr<Scheduler> make_easy(const QueueRules& rules);
std::unique_ptr<Scheduler> make_fcfs(const QueueRules& rules);

}  // namespace dovetail
