#include "federation/client/experiment.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "federation/daemon/sent_workflow.hpp"
#include "io/schema.hpp"
#include "io/text.hpp"

namespace dovetail::federation {

namespace {

// The keys of `dovetail ensemble`, which a run ignores, and those of a run.
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

ExperimentFile read_experiment(const std::string& path) {
  const io::Document document = io::parse_document(read_file(path), path);
  const io::Record top(document.root());
  top.only(kExperimentKeys);
  ExperimentFile made{.name = std::filesystem::path(path).stem().string(),
                      .scenarios = top.count(top.need("scenarios"), 1, kMostScenarios),
                      .months = top.count(top.need("months"), 1, kMostMonths)};
  if (!top.find("service")) {
    top.fail_at(top.line(), "\"service\" is missing: what the clusters are to run for each month");
  }
  made.service = top.text(top.need("service"));
  made.name = top.find_text("name").value_or(made.name);
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

ExperimentFile experiment_file_of(const Json& json) {
  ExperimentFile file{.name = json.at("name"),
                      .scenarios = json.at("scenarios"),
                      .months = json.at("months"),
                      .service = json.at("service")};
  file.parameters = json.at("parameters");
  file.workflow = json.at("workflow");
  return file;
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
    ExperimentPart part{.request = entry.at("request"),
                        .daemon = entry.at("daemon"),
                        .url = entry.at("url"),
                        .estimate = entry.at("estimate"),
                        .submitted = entry.at("time")};
    // Nothing is computed before the first part.
    if (parts_.empty()) began_ = part.submitted;
    for (const Json& one : entry.at("scenarios")) {
      const Count number = one.at("scenario");
      part.scenarios.emplace_back(number, one.at("first_month").get<Count>());
      Place& place = scenarios_.at(number);
      place.part = parts_.size();
      place.is_leaving = false;
      // This may lower it: the scenario starts again when its finished months cannot be reached.
      place.done = part.scenarios.back().second - 1;
    }
    parts_.push_back(std::move(part));
  } else if (what == "leave") {
    const std::size_t from = entry.at("part");
    const std::string abandoned = entry.at("abandoned");
    if (!abandoned.empty()) parts_.at(from).abandoned = abandoned;
    for (const Json& one : entry.at("scenarios")) {
      Place& place = scenarios_.at(one.at("scenario").get<Count>());
      place.done = std::max(place.done, one.at("done").get<Count>());
      if (place.part != from) continue;
      if (!abandoned.empty()) place.part.reset();
      place.is_leaving = abandoned.empty();
    }
  } else if (what == "done" || what == "failed") {
    Place& place = scenarios_.at(entry.at("scenario").get<Count>());
    place.done = entry.at("done");
    place.folder = entry.at("folder");
    place.is_over = what == "done";
    place.is_leaving = false;
    if (what == "failed") place.failure = entry.at("why").get<std::string>();
  } else if (what == "again") {
    outcome_.clear();
    ended_ = 0;
    for (auto& [number, place] : scenarios_) {
      if (place.failure.empty()) continue;
      place.failure.clear();
      // A scenario that no cluster took has no part.
      if (place.part) ++parts_.at(*place.part).failures;
      place.part.reset();
    }
  } else if (what == "told") {
    parts_.at(entry.at("part").get<std::size_t>()).is_told = true;
  } else if (what == "over") {
    outcome_ = entry.at("outcome");
    ended_ = entry.at("time");
  }
}

Heard ExperimentState::hear(std::size_t part, const PartProgress& progress) {
  using State = ScenarioProgress::State;
  Heard heard;
  for (const ScenarioProgress& one : progress.scenarios) {
    Place& place = scenarios_.at(one.number);
    if (place.part != part || !place.is_unfinished()) continue;
    const Count done = std::max(place.done, one.done);
    heard.is_new |= done > place.done || one.posts_left != place.posts_left;
    place.done = done;
    place.posts_left = one.posts_left;
    const Json end = {{"scenario", one.number}, {"done", done}, {"folder", progress.folder}};
    if (one.state == State::done && one.posts_left == 0) {
      heard.entries.push_back(journal_entry("done", end));
    } else if (one.state == State::failed) {
      heard.entries.push_back(journal_entry("failed", end));
      heard.entries.back()["why"] = one.why;
    } else if (one.state == State::cancelled) {
      // Released as requested, or cancelled by another user: either way no cluster has it.
      if (!place.is_leaving) heard.returned.push_back(one.number);
      place.part.reset();
      place.is_leaving = false;
      heard.is_new = true;
    }
  }
  heard.is_new |= !heard.entries.empty();
  return heard;
}

bool ExperimentState::is_over() const {
  return scenarios_over() + failed().size() == scenarios_.size();
}

std::size_t ExperimentState::scenarios_over() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(scenarios_, [](const auto& entry) { return entry.second.is_over; }));
}

std::vector<Count> ExperimentState::scenarios_where(
    const std::function<bool(const Place&)>& holds) const {
  std::vector<Count> numbers;
  for (const auto& [number, place] : scenarios_) {
    if (holds(place)) numbers.push_back(number);
  }
  return numbers;
}

std::vector<Count> ExperimentState::failed() const {
  return scenarios_where([](const Place& place) { return !place.failure.empty(); });
}

std::vector<Count> ExperimentState::of_part(std::size_t part) const {
  return scenarios_where([&](const Place& place) { return place.part == part; });
}

std::vector<Count> ExperimentState::unfinished() const {
  return scenarios_where(&Place::is_unfinished);
}

std::vector<Count> ExperimentState::unassigned() const {
  return scenarios_where([](const Place& place) { return place.is_unfinished() && !place.part; });
}

bool ExperimentState::is_moving() const {
  return std::ranges::any_of(scenarios_, [](const auto& one) { return one.second.is_leaving; });
}

Count ExperimentState::months_left(const std::vector<Count>& scenarios) const {
  Count most = 1;
  for (const Count number : scenarios) {
    most = std::max(most, file_.months - scenarios_.at(number).done);
  }
  return most;
}

const std::string& ExperimentState::daemon_of(Count scenario) const {
  return parts_[*scenarios_.at(scenario).part].daemon;
}

std::vector<std::size_t> ExperimentState::untold() const {
  std::vector<std::size_t> parts;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const bool is_unwanted = parts_[i].abandoned == "lost" || outcome_ == "cancelled";
    if (is_unwanted && !parts_[i].is_told) parts.push_back(i);
  }
  return parts;
}

Count ExperimentState::months_done() const {
  Count done = 0;
  for (const auto& [number, place] : scenarios_) done += place.done;
  return done;
}

ExperimentState read_experiment_state(const run::RunFolder& folder, const ExperimentFile& file) {
  ExperimentState state(file);
  if (std::filesystem::exists(folder.journal())) {
    run::read_journal(folder.journal(), [&](const Json& entry) { state.apply(entry); });
  }
  return state;
}

Json journal_entry(const char* what, const Json& more) {
  Json entry = {{"what", what}, {"time", run::wall_now()}};
  entry.update(more);
  return entry;
}

Json part_entry(const ExperimentPart& part) {
  Json entry = journal_entry("part", {{"request", part.request},
                                      {"daemon", part.daemon},
                                      {"url", part.url},
                                      {"estimate", part.estimate},
                                      {"scenarios", Json::array()}});
  for (const auto& [number, first] : part.scenarios) {
    entry["scenarios"].push_back({{"scenario", number}, {"first_month", first}});
  }
  return entry;
}

Json leave_entry(std::size_t part, const std::vector<Count>& scenarios,
                 const std::string& abandoned, const std::map<Count, Place>& known) {
  Json entry = journal_entry(
      "leave", {{"part", part}, {"abandoned", abandoned}, {"scenarios", Json::array()}});
  for (const Count number : scenarios) {
    entry["scenarios"].push_back({{"scenario", number}, {"done", known.at(number).done}});
  }
  return entry;
}

}  // namespace dovetail::federation
