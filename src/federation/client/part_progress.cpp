#include "federation/client/part_progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "dovetail/error.hpp"
#include "federation/client/experiment.hpp"

namespace dovetail::federation {

namespace {

constexpr std::array<std::string_view, 4> kStates = {"active", "done", "failed", "cancelled"};
constexpr std::int64_t kMostVersions = std::int64_t{1} << 53;
constexpr std::size_t kLongestPath = 4096;

ScenarioProgress scenario_of(const Json& json, Count months) {
  const Fields fields(json, "watch: scenario");
  const std::string state = fields.word("state");
  const auto known = std::ranges::find(kStates, state);
  if (known == kStates.end()) fields.fail("state: there is no " + state);
  ScenarioProgress progress{
      .number = static_cast<Count>(fields.whole("scenario", 1, kMostScenarios)),
      .done = static_cast<Count>(fields.whole("last_completed_month", 0, months)),
      .posts_left = static_cast<Count>(fields.whole("posts_left", 0, months)),
      .state = static_cast<ScenarioProgress::State>(known - kStates.begin()),
      .why = fields.said("why", "no reason is given")};
  if (progress.state == ScenarioProgress::State::done && progress.done < months) {
    fields.fail(fmt::format("done after {} of {} months", progress.done, months));
  }
  return progress;
}

std::string folder_of(const Fields& fields) {
  const Json& folder = fields.need("folder");
  const std::string* path = folder.get_ptr<const std::string*>();
  if (path == nullptr || path->size() > kLongestPath || has_control_characters(*path)) {
    fields.fail("folder: expected a path");
  }
  return *path;
}

}  // namespace

PartProgress read_progress(const Json& answer, const ExperimentPart& part, Count months) {
  const Fields fields(answer, "watch");
  if (fields.word("request_id") != part.request) fields.fail("request_id: is of another request");
  PartProgress progress{.cursor = fields.whole("cursor", 0, kMostVersions),
                        .is_over = fields.flag("over"),
                        .folder = folder_of(fields)};
  std::set<Count> missing;
  for (const auto& [number, first] : part.scenarios) missing.insert(number);
  for (const Json& json : fields.list("scenarios", part.scenarios.size())) {
    progress.scenarios.push_back(scenario_of(json, months));
    const ScenarioProgress& one = progress.scenarios.back();
    if (missing.erase(one.number) == 0) {
      fields.fail(fmt::format("scenario {} is not of this request, or is there twice", one.number));
    }
    if (progress.is_over && one.is_open()) {
      fields.fail(fmt::format("over, and scenario {} is not", one.number));
    }
  }
  if (!missing.empty()) fields.fail(fmt::format("scenario {} is missing", *missing.begin()));
  return progress;
}

}  // namespace dovetail::federation
