// One instance from the fastest plan to cheap ones: ours, the published planners', and the bound.
#pragma once

#include "study/anytime/anytime_cases.hpp"
#include "study/anytime/anytime_study.hpp"

namespace dovetail {

// Of the case of 50 tasks, or the first if there is none, that gives the planner most to choose
// from. Every point of ours is searched for as long as the limit says.
AnytimeFrontier anytime_frontier(const AnytimeCases& cases, const AnytimeLimit& limit);

}  // namespace dovetail
