#include "federation/experiment.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "federation/workflow_service.hpp"
#include "io/schema.hpp"
#include "io/text.hpp"

namespace dovetail::federation {

namespace {

// Those of dovetail ensemble, which a run passes over, and its own.
constexpr std::array<std::string_view, 13> kExperimentKeys = {
    "name",     "service",        "parameters", "scenarios",       "months",
    "clusters", "node_multiples", "extra_size", "post_processors", "full_speed_posts",
    "disk",     "repeat",         "chain"};

Json json_of_value(io::Value value) {
  if (value.kind() == io::ValueKind::text) return std::string(value.text());
  const auto number = io::parse_number(value.text());
  if (!number) return std::string(value.text());
  return *number;
}

}  // namespace

ExperimentFile parse_experiment(std::string_view text, const std::string& file) {
  const io::Document document = io::parse_document(text, file);
  const io::Record top(document.root());
  top.only(kExperimentKeys);
  ExperimentFile made{.name = std::filesystem::path(file).stem().string(),
                      .scenarios = top.count(top.need("scenarios"), 1, kMostScenarios),
                      .months = top.count(top.need("months"), 1, kMostMonths)};
  if (!top.find("service")) {
    top.fail_at(top.line(), "\"service\" is missing: what the clusters are to run for each month");
  }
  made.service = top.text(top.need("service"));
  if (const auto name = top.find("name")) made.name = top.text(*name);
  if (!is_word(made.name) || made.name.size() > 40) {
    top.fail_at(top.line(), "name: expected up to 40 letters, digits, '-', '_' and '.', found " +
                                io::quote(made.name));
  }
  if (const auto parameters = top.find("parameters")) {
    const io::Record record(*parameters, top);
    for (const io::Value value : parameters->items()) {
      if (!value.is_scalar()) record.fail(value, "expected a number or a text");
      made.parameters[std::string(value.key())] = json_of_value(value);
    }
  }
  return made;
}

ExperimentFile read_experiment(const std::string& path) {
  return parse_experiment(read_file(path), path);
}

ExperimentFile workflow_experiment(const std::string& path) {
  const Workflow workflow = read_workflow(path);
  ExperimentFile file{.name = workflow.name(), .scenarios = 1, .months = 1};
  file.service = kWorkflowService;
  file.workflow = Json::parse(format_workflow(workflow, WorkflowFormat::json));
  return file;
}

bool is_ensemble_file(const std::string& path) {
  const io::Document document = io::parse_document(read_file(path), path);
  const io::Value root = document.root();
  return root.kind() == io::ValueKind::mapping && root.find("scenarios") && !root.find("tasks");
}

Json json_of(const ExperimentFile& file) {
  return {{"name", file.name},       {"scenarios", file.scenarios},   {"months", file.months},
          {"service", file.service}, {"parameters", file.parameters}, {"workflow", file.workflow}};
}

ExperimentState::ExperimentState(ExperimentFile file) : file_(std::move(file)) {
  for (Count number = 1; number <= file_.scenarios; ++number) scenarios_[number] = {};
}

void ExperimentState::apply(const Json& entry) {
  const std::string what = entry.at("what");
  if (what == "begin") {
    id_ = entry.at("experiment");
    began_ = entry.at("time");
  } else if (what == "part") {
    Part part{.request = entry.at("request"),
              .daemon = entry.at("daemon"),
              .url = entry.at("url"),
              .estimate = entry.at("estimate"),
              .submitted = entry.at("time")};
    for (const Json& one : entry.at("scenarios")) {
      const Count number = one.at("scenario");
      part.scenarios.emplace_back(number, one.at("first_month").get<Count>());
      Place& place = scenarios_.at(number);
      place.part = parts_.size();
      place.is_leaving = false;
      // Also when it has to begin anew, as what was done is out of reach.
      place.done = part.scenarios.back().second - 1;
    }
    parts_.push_back(std::move(part));
  } else if (what == "leave") {
    const std::size_t from = entry.at("part");
    const bool is_lost = entry.at("lost");
    if (is_lost) parts_.at(from).is_abandoned = true;
    for (const Json& one : entry.at("scenarios")) {
      Place& place = scenarios_.at(one.at("scenario").get<Count>());
      place.done = std::max(place.done, one.at("done").get<Count>());
      if (place.part != from) continue;
      if (is_lost) place.part.reset();
      place.is_leaving = !is_lost;
    }
  } else if (what == "over") {
    has_ended_ = true;
  }
}

bool ExperimentState::hear(std::size_t part, const Json& progress) {
  bool is_new = false;
  for (const Json& one : progress.at("scenarios")) {
    Place& place = scenarios_.at(one.at("scenario").get<Count>());
    if (place.part != part) continue;
    const Count done = one.at("last_completed_month");
    is_new |= done > place.done;
    place.done = std::max(place.done, done);
    const std::string state = one.at("state");
    if (state == "done" && one.at("posts_left").get<Count>() == 0) {
      is_new |= !place.is_over;
      place.is_over = true;
      place.is_leaving = false;
    } else if (state == "failed" && place.failure.empty()) {
      place.failure = one.value("why", "no reason is given");
      is_new = true;
    } else if (state == "cancelled") {
      // Let go as asked, or taken by somebody: either way it is nobody's.
      place.part.reset();
      place.is_leaving = false;
      is_new = true;
    }
  }
  return is_new;
}

bool ExperimentState::is_over() const {
  return std::ranges::all_of(scenarios_, [](const auto& entry) {
    return entry.second.is_over || !entry.second.failure.empty();
  });
}

Count ExperimentState::months_done() const {
  Count done = 0;
  for (const auto& [number, place] : scenarios_) done += place.done;
  return done;
}

std::vector<Count> ExperimentState::of_part(std::size_t part) const {
  std::vector<Count> numbers;
  for (const auto& [number, place] : scenarios_) {
    if (place.part == part) numbers.push_back(number);
  }
  return numbers;
}

std::vector<Count> ExperimentState::unassigned() const {
  std::vector<Count> numbers;
  for (const auto& [number, place] : scenarios_) {
    if (!place.part && !place.is_over && place.failure.empty()) numbers.push_back(number);
  }
  return numbers;
}

Json begin_entry(const std::string& id) {
  return {{"what", "begin"}, {"time", exec::wall_now()}, {"experiment", id}};
}

Json part_entry(const Part& part) {
  Json entry = {{"what", "part"},
                {"time", exec::wall_now()},
                {"request", part.request},
                {"daemon", part.daemon},
                {"url", part.url},
                {"estimate", part.estimate},
                {"scenarios", Json::array()}};
  for (const auto& [number, first] : part.scenarios) {
    entry["scenarios"].push_back({{"scenario", number}, {"first_month", first}});
  }
  return entry;
}

Json leave_entry(std::size_t part, const std::vector<Count>& scenarios, bool is_lost,
                 const std::map<Count, Place>& known) {
  Json entry = {{"what", "leave"},
                {"time", exec::wall_now()},
                {"part", part},
                {"lost", is_lost},
                {"scenarios", Json::array()}};
  for (const Count number : scenarios) {
    entry["scenarios"].push_back({{"scenario", number}, {"done", known.at(number).done}});
  }
  return entry;
}

Json over_entry() { return {{"what", "over"}, {"time", exec::wall_now()}}; }

}  // namespace dovetail::federation
