#include "batch/pilot_state.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>

namespace dovetail::batch {

namespace {

constexpr std::string_view kNameBegin = "dovetail-";
constexpr std::array<std::string_view, 4> kEnds = {"done", "unfinished", "cancelled", "lost"};

Json pilot_entry(const Stamp& now, const char* what, std::uint32_t pilot) {
  return {{"time", now.time}, {"at", now.at}, {"what", what}, {"pilot", pilot}};
}

JobEnd end_named(const std::string& word) {
  const auto found = std::ranges::find(kEnds, word);
  return found == kEnds.end() ? JobEnd::unfinished : static_cast<JobEnd>(found - kEnds.begin());
}

}  // namespace

Json submit_entry(const Stamp& now, std::uint32_t pilot, const PilotStatus& status) {
  Json entry = pilot_entry(now, "submit", pilot);
  entry["name"] = status.name;
  entry["tasks"] = status.tasks;
  entry["attempts"] = status.attempts;
  entry["nodes"] = status.nodes;
  entry["request"] = status.request;
  entry["estimated_wait"] = status.estimated_wait;
  if (status.planned) entry["planned"] = *status.planned;
  if (status.is_reserved) entry["reserved"] = true;
  return entry;
}

Json submitted_entry(const Stamp& now, std::uint32_t pilot, const std::string& job_id) {
  Json entry = pilot_entry(now, "submitted", pilot);
  entry["job"] = job_id;
  return entry;
}

Json job_start_entry(const Stamp& now, std::uint32_t pilot, WallTime started) {
  Json entry = pilot_entry(now, "job_start", pilot);
  entry["started"] = started;
  return entry;
}

Json job_end_entry(const Stamp& now, std::uint32_t pilot, JobEnd end, const std::string& why,
                   std::optional<WallTime> when) {
  Json entry = pilot_entry(now, "job_end", pilot);
  entry["end"] = kEnds[static_cast<std::size_t>(end)];
  entry["why"] = why;
  if (when) entry["ended"] = *when;
  return entry;
}

Json released_entry(const Stamp& now, std::uint32_t pilot) {
  return pilot_entry(now, "released", pilot);
}

void PilotStates::apply(const Json& entry) {
  const auto found = entry.find("pilot");
  if (found == entry.end() || !found->is_number_unsigned()) return;
  const auto number = found->get<std::size_t>();
  const std::string what = entry.value("what", "");
  const auto time = entry.value("time", WallTime{0});
  if (what == "submit" && number == pilots_.size()) pilots_.emplace_back();
  if (number >= pilots_.size()) return;
  PilotStatus& pilot = pilots_[number];
  if (what == "submit") {
    ++pilot.tries;
    pilot.stage = PilotStage::drafted;
    pilot.job_id.clear();
    pilot.name = entry.value("name", "");
    pilot.tasks = entry.value("tasks", pilot.tasks);
    pilot.attempts = entry.value("attempts", pilot.attempts);
    pilot.nodes = entry.value("nodes", Count{1});
    pilot.request = entry.value("request", Duration{0});
    pilot.estimated_wait = entry.value("estimated_wait", Duration{0});
    if (entry.contains("planned")) pilot.planned = entry.value("planned", time);
    pilot.is_reserved = entry.value("reserved", false);
    if (pilot.tries == 1) pilot.submitted = time;
    pilot.tried = time;
  } else if (what == "submitted") {
    pilot.stage = PilotStage::waiting;
    pilot.job_id = entry.value("job", "");
  } else if (what == "job_start") {
    pilot.stage = PilotStage::running;
    pilot.started = entry.value("started", time);
  } else if (what == "job_end") {
    pilot.stage = PilotStage::over;
    pilot.ended = entry.value("ended", time);
    pilot.end = end_named(entry.value("end", ""));
    pilot.why = entry.value("why", "");
  } else if (what == "released") {
    pilot.is_released = true;
  }
}

std::string pilot_name(const std::string& token, std::uint32_t pilot, std::uint32_t tries) {
  return std::string(kNameBegin) + token + "-" + std::to_string(pilot) + "." +
         std::to_string(tries);
}

// A batch system's clock may have whole seconds.
std::optional<Duration> PilotStatus::wait() const {
  return started ? std::optional(std::max<Duration>(0, *started - submitted)) : std::nullopt;
}

std::optional<Duration> PilotStatus::ran() const {
  if (!started || !ended) return std::nullopt;
  return std::max<Duration>(0, *ended - *started);
}

std::string PilotStatus::state_text() const {
  switch (stage) {
    case PilotStage::drafted:
      return "is being submitted";
    case PilotStage::waiting:
      return "waits";
    case PilotStage::running:
      return "runs";
    case PilotStage::over:
      break;
  }
  return why;
}

std::optional<std::uint32_t> PilotStates::owner(std::string_view name) const {
  if (!name.starts_with(kNameBegin)) return std::nullopt;  // of the many, few are ours
  const auto without_tries = [](std::string_view text) { return text.substr(0, text.rfind('.')); };
  for (std::uint32_t pilot = 0; pilot < next(); ++pilot) {
    if (without_tries(pilots_[pilot].name) == without_tries(name)) return pilot;
  }
  return std::nullopt;
}

std::vector<std::uint32_t> PilotStates::live() const {
  std::vector<std::uint32_t> live;
  for (std::uint32_t pilot = 0; pilot < next(); ++pilot) {
    if (pilots_[pilot].is_live()) live.push_back(pilot);
  }
  return live;
}

std::vector<std::uint32_t> PilotStates::to_release() const {
  std::vector<std::uint32_t> held;
  for (std::uint32_t pilot = 0; pilot < next(); ++pilot) {
    const PilotStatus& status = pilots_[pilot];
    if (!status.is_live() && status.is_reserved && !status.is_released) held.push_back(pilot);
  }
  return held;
}

std::string PilotStates::place_of(std::uint32_t task) const {
  for (const std::uint32_t number : live()) {
    if (std::ranges::find(at(number).tasks, task) == at(number).tasks.end()) continue;
    return "it is in job " + std::to_string(number) + ", which " + at(number).state_text();
  }
  return "it is in no job yet";
}

PilotStates read_pilot_states(const std::string& journal) {
  PilotStates states;
  run::read_journal(journal, [&](const Json& entry) { states.apply(entry); });
  return states;
}

void WaitSummary::add(const PilotStatus& job) {
  const auto waited = job.wait();
  if (!waited) return;
  expected_ += job.estimated_wait;
  waited_ += *waited;
  errors_.push_back(std::abs(*waited - job.estimated_wait));
}

Duration WaitSummary::mean_error() const {
  return std::accumulate(errors_.begin(), errors_.end(), Duration{0}) / count();
}

Duration WaitSummary::median_error() const {
  std::vector<Duration> sorted = errors_;
  std::ranges::sort(sorted);
  return sorted.empty() ? 0 : sorted[sorted.size() / 2];
}

}  // namespace dovetail::batch
