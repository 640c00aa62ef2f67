// The frontier of one instance, from the fastest plan to cheap ones: ours, the published planners',
// and the bound.
#pragma once

#include "study/anytime/anytime_cases.hpp"
#include "study/anytime/anytime_study.hpp"

namespace dovetail {

// Takes the case of 50 tasks (or else the first) that gives the planner most choice. Each of our
// points is searched for as long as the limit says.
AnytimeFrontier anytime_frontier(const AnytimeCases& cases, const AnytimeLimit& limit);

}  // namespace dovetail
