// Problems and plans in words, for people.
#pragma once

#include <string>

#include "dovetail/plan.hpp"
#include "dovetail/problem.hpp"

namespace dovetail::cli {

// "flow: 50 tasks, 86 edges, 299.6 h sequential        cluster: 128 processors, ...".
std::string describe_problem(const Problem& problem);

// When it ends, what it uses, and why: a few lines.
std::string describe_plan(const Problem& problem, const Plan& plan);

// When each of several workflows ends, and what it uses: a line each, for the first ten.
std::string describe_workflows(const Problem& problem, const Plan& plan);

// Some plans of a frontier, with what to type to get them; `chosen` is marked. `is_earliest_sure`
// says whether --fastest gives exactly the earliest plan, or one about as early.
std::string describe_ways(const std::vector<Plan>& frontier, const Plan& chosen,
                          bool is_earliest_sure);

// "in 53m08s, 6.5 CPU-hours, by BL_ALL_BD_ALL: --deadline 53m08s".
std::string describe_earliest(const Plan& plan);

// Printed below a table when there is no plan for the present situation.
inline constexpr const char* kNothingToBeginWith =
    "there is no plan to begin with; dovetail plan with the same options says what is missing";

// Whether a plan that is executed all the same ends after its deadline.
bool misses_deadline(const Plan& plan);

// What to type to get a plan: "--fastest", "--deadline 6h40m" or "--algorithm BL_1_BD_CPA".
std::string how_to_get(const Plan& plan, bool is_earliest);

}  // namespace dovetail::cli
