#include "batch/job_facts.hpp"

#include <algorithm>
#include <cstdlib>

namespace dovetail::batch {

namespace {

std::string state_text(const PilotStatus& pilot) {
  switch (pilot.stage) {
    case PilotStage::drafted:
      return "is being submitted";
    case PilotStage::waiting:
      return "waits";
    case PilotStage::running:
      return "runs";
    case PilotStage::over:
      break;
  }
  return pilot.why;
}

}  // namespace

std::optional<Duration> JobFacts::error() const {
  return wait ? std::optional(*wait - expected_wait) : std::nullopt;
}

std::vector<JobFacts> job_facts(const PilotStates& pilots) {
  std::vector<JobFacts> jobs;
  for (const PilotStatus& pilot : pilots.all()) {
    JobFacts facts{.number = static_cast<std::uint32_t>(jobs.size()),
                   .id = pilot.job_id,
                   .tasks = pilot.tasks.size(),
                   .nodes = pilot.nodes,
                   .request = pilot.request,
                   .expected_wait = pilot.estimated_wait,
                   .state = state_text(pilot)};
    // A batch system's clock may have whole seconds.
    if (pilot.started) facts.wait = std::max<Duration>(0, *pilot.started - pilot.submitted);
    if (pilot.started && pilot.ended) {
      facts.ran = std::max<Duration>(0, *pilot.ended - *pilot.started);
    }
    jobs.push_back(std::move(facts));
  }
  return jobs;
}

std::string place_of(const PilotStates& pilots, std::uint32_t task) {
  for (const std::uint32_t number : pilots.live()) {
    const PilotStatus& pilot = pilots.at(number);
    if (std::ranges::find(pilot.tasks, task) == pilot.tasks.end()) continue;
    return "it is in job " + std::to_string(number) + ", which " + state_text(pilot);
  }
  return "it is in no job yet";
}

WaitSummary summarise_waits(std::span<const JobFacts> jobs) {
  WaitSummary summary;
  std::vector<Duration> errors;
  for (const JobFacts& job : jobs) {
    if (!job.wait) continue;
    errors.push_back(std::abs(*job.error()));
    summary.mean_expected += job.expected_wait;
    summary.mean_wait += *job.wait;
    summary.mean_error += errors.back();
  }
  summary.jobs = errors.size();
  if (errors.empty()) return summary;
  const auto count = static_cast<Duration>(errors.size());
  summary.mean_expected /= count;
  summary.mean_wait /= count;
  summary.mean_error /= count;
  const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
  std::ranges::nth_element(errors, middle);
  summary.median_error = *middle;
  return summary;
}

}  // namespace dovetail::batch
