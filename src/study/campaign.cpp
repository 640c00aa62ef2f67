#include "study/campaign.hpp"

#include <iterator>
#include <optional>
#include <utility>

#include "gen/synthetic_log.hpp"
#include "study/parallel.hpp"

namespace dovetail {
namespace {

// The first split of the seed: the purpose of the random numbers.
enum class Stream : std::uint64_t { workflow, moment, tagging, log };

Random stream(std::uint64_t seed, Stream purpose) {
  return Random(seed).split(static_cast<std::uint64_t>(purpose));
}

std::vector<double> tenths() {
  std::vector<double> values;
  for (int i = 1; i <= 9; ++i) values.push_back(i / 10.0);
  return values;
}

Platform make_platform(std::uint64_t seed, const ReservationLog& log, std::size_t log_number,
                       const ReservationSpec& spec, std::size_t phi_number, std::size_t start_time,
                       std::size_t tagging_number) {
  Random moments = stream(seed, Stream::moment).split(log_number).split(start_time);
  const Time moment = draw_moment(log, moments);
  Random taggings = stream(seed, Stream::tagging)
                        .split(log_number)
                        .split(phi_number)
                        .split(start_time)
                        .split(tagging_number);
  const Tagging tagging = tag_jobs(log, spec.phi, taggings);
  Random thinning = taggings.split(static_cast<std::uint64_t>(spec.method));
  return Platform(0, {reservation_schedule(log, tagging, moment, spec.method, thinning)});
}

}  // namespace

std::vector<ApplicationSpec> application_specs() {
  std::vector<ApplicationSpec> specs;
  const auto vary = [&](std::string_view parameter, const std::vector<double>& values,
                        double standard, auto set) {
    for (double value : values) {
      ApplicationSpec spec{parameter, value, {}, value == standard};
      set(spec.dag, value);
      specs.push_back(spec);
    }
  };
  using Dag = LayeredDagSpec;
  vary("tasks", {10, 25, 50, 75, 100}, 50,
       [](Dag& dag, double v) { dag.tasks = static_cast<std::uint32_t>(v); });
  vary("alpha", {0.05, 0.10, 0.15, 0.20}, 0.20,
       [](Dag& dag, double v) { dag.times.alpha_max = v; });
  vary("width", tenths(), 0.5, [](Dag& dag, double v) { dag.width = v; });
  vary("density", tenths(), 0.5, [](Dag& dag, double v) { dag.density = v; });
  vary("regularity", tenths(), 0.5, [](Dag& dag, double v) { dag.regularity = v; });
  vary("jump", {1, 2, 3, 4}, 1,
       [](Dag& dag, double v) { dag.jump = static_cast<std::uint32_t>(v); });
  return specs;
}

std::vector<ReservationSpec> reservation_specs() {
  std::vector<ReservationSpec> specs;
  for (double phi : kPhis) {
    for (ReservationMethod method : kReservationMethods) specs.push_back({phi, method});
  }
  return specs;
}

Workflow study_workflow(std::uint64_t seed, const ApplicationSpec& spec, std::size_t application,
                        std::size_t index) {
  Random random = stream(seed, Stream::workflow).split(application).split(index);
  return layered_dag(spec.dag, random);
}

ReservationLog study_synthetic_log(std::uint64_t seed) {
  Random random = stream(seed, Stream::log);
  return synthetic_log({.processors = 128, .jobs = 20'000}, random);
}

std::vector<Platform> study_platforms(std::uint64_t seed, const ReservationLog& log,
                                      std::size_t log_number, const CampaignSize& size,
                                      unsigned threads) {
  const std::vector<ReservationSpec> specs = reservation_specs();
  std::vector<std::optional<Platform>> made(specs.size() * size.schedules());
  parallel_for(made.size(), threads, [&](std::size_t i) {
    const std::size_t spec = i / size.schedules();
    const std::size_t schedule = i % size.schedules();
    made[i] =
        make_platform(seed, log, log_number, specs[spec], spec / std::size(kReservationMethods),
                      schedule / size.taggings, schedule % size.taggings);
  });
  std::vector<Platform> platforms;
  platforms.reserve(made.size());
  for (std::optional<Platform>& platform : made) platforms.push_back(*std::move(platform));
  return platforms;
}

}  // namespace dovetail
