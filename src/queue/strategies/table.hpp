// How each strategy is made; table.cpp is the list.
#pragma once

#include "queue/strategies/decisions.hpp"

namespace dovetail {

std::unique_ptr<Strategy> make_one_job_per_task(RunTimes&, const StrategyOptions&);
std::unique_ptr<Strategy> make_one_job(RunTimes&, const StrategyOptions&);
std::unique_ptr<Strategy> make_level_by_level(RunTimes&, const StrategyOptions&);
std::unique_ptr<Strategy> make_zhang(RunTimes&, const StrategyOptions&);
std::unique_ptr<Strategy> make_glume(RunTimes&, const StrategyOptions&);
std::unique_ptr<Strategy> make_glume_plus(RunTimes&, const StrategyOptions&);

}  // namespace dovetail
