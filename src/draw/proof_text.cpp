#include "draw/proof_text.hpp"

#include <fmt/format.h>

#include <cmath>

#include "dovetail/metrics.hpp"
#include "io/text.hpp"

namespace dovetail::draw {

namespace {

// What the certificate bounds. A plan taken from a frontier does not have the deadline it was made
// for.
std::string subject_of(const Certificate& proof, Time now, bool has_deadline) {
  if (proof.work > 0) {
    return has_deadline ? "CPU-hours by the deadline"
                        : "CPU-hours for an end in " + format_duration(proof.end - now);
  }
  if (!proof.budget) return "end";
  return "end with at most " + io::hours_text(static_cast<double>(*proof.budget) / 3.6e6) +
         " CPU-hours";
}

std::string words_of(const Certificate& proof, double gap, Time now, bool has_deadline) {
  const std::string of = subject_of(proof, now, has_deadline);
  const double percent = std::ceil(gap * 1000) / 10;
  return percent > 0 ? fmt::format("within {:.1f} % of the best possible {}", percent, of)
                     : "the best possible " + of;
}

}  // namespace

std::string proof_text(const Plan& plan) {
  const auto gap = certified_gap(plan);
  if (!gap) return {};
  return words_of(*plan.search->certificate, *gap, plan.now, plan.deadline.has_value());
}

std::string proof_text(const PlanRecord& record) {
  if (!record.gap || !record.search || !record.search->certificate) return {};
  return words_of(*record.search->certificate, *record.gap, record.now,
                  record.deadline.has_value());
}

}  // namespace dovetail::draw
