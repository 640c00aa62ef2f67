// What the certificate of a plan proves, in words. Every view of the plan uses the same text.
#pragma once

#include <string>

#include "dovetail/plan.hpp"
#include "dovetail/plan_record.hpp"

namespace dovetail::draw {

// "within 0.8 % of the best possible end with at most 931.6 CPU-hours"; empty without a proof.
std::string proof_text(const Plan& plan);
std::string proof_text(const PlanRecord& record);

}  // namespace dovetail::draw
