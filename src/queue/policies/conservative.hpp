#pragma once

#include "queue/policies/scheduler.hpp"

namespace dovetail {

std::unique_ptr<Scheduler> make_conservative(const QueueRules& rules);

}  // namespace dovetail
