// The inputs of the studies on reservations: the 40 kinds of applications and the reservation
// schedules of every log, all derived from one seed.
//
// Everything is numbered, and every number has its own random stream. So a smaller campaign uses a
// part of a larger one, and threads need not agree on an order.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dovetail/platform.hpp"
#include "dovetail/workflow.hpp"
#include "gen/layered_dag.hpp"
#include "gen/reservations.hpp"

namespace dovetail {

// One kind of application: the defaults with one parameter changed.
struct ApplicationSpec {
  std::string_view parameter;
  double value = 0;
  LayeredDagSpec dag;
  bool is_default = false;  // the value is the default
};

// 5 numbers of tasks, 4 shares alpha, 9 widths, 9 densities, 9 regularities, 4 jumps: 40 in total,
// of which six are the defaults.
std::vector<ApplicationSpec> application_specs();

inline constexpr double kPhis[] = {0.1, 0.2, 0.5};

// One of the nine ways to make schedules from a log.
struct ReservationSpec {
  double phi = 0;
  ReservationMethod method = ReservationMethod::linear;
};
std::vector<ReservationSpec> reservation_specs();

struct CampaignSize {
  std::size_t workflows = 0;    // per application
  std::size_t start_times = 0;  // per log
  std::size_t taggings = 0;     // per start time
  std::size_t schedules() const { return start_times * taggings; }
};

// Workflow number `index` of application number `application`.
Workflow study_workflow(std::uint64_t seed, const ApplicationSpec& spec, std::size_t application,
                        std::size_t index);

// The log used when there is no data: 128 processors, 20,000 jobs.
ReservationLog study_synthetic_log(std::uint64_t seed);

// The schedules of one log, as platforms planned at time 0: for every reservation spec in turn,
// start_times x taggings of them. All specs use the same start times; the methods also share the
// taggings, so that they differ only in the thinning.
std::vector<Platform> study_platforms(std::uint64_t seed, const ReservationLog& log,
                                      std::size_t log_number, const CampaignSize& size,
                                      unsigned threads);

}  // namespace dovetail
