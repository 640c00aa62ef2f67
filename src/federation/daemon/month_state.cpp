#include "federation/daemon/month_state.hpp"

#include <algorithm>
#include <array>

#include "run/clock.hpp"

namespace dovetail::federation {

namespace {

constexpr std::array<std::string_view, 4> kStates = {"active", "done", "failed", "cancelled"};
constexpr std::array<std::string_view, 6> kOutcomes = {"done",     "failed",  "lost",
                                                       "given up", "stopped", "taken"};

Outcome outcome_of(const Json& entry) {
  const auto found = std::ranges::find(kOutcomes, entry.at("outcome").get<std::string>());
  return static_cast<Outcome>(found - kOutcomes.begin());
}

MonthRequest request_of(const Json& entry) {
  return {.id = entry.at("request"),
          .experiment = entry.at("experiment"),
          .client = entry.at("client"),
          .service = entry.at("service"),
          .parameters = entry.at("parameters"),
          .values = entry.at("values").get<Values>(),
          .workflow = entry.value("workflow", ""),
          .months = entry.at("months"),
          .version = 1};
}

MonthStep step_of(const Json& entry) {
  return {.number = entry.at("number"),
          .kind = entry.at("kind") == "post" ? StepKind::post : StepKind::main,
          .request = entry.at("request"),
          .scenario = entry.at("scenario"),
          .month = entry.at("month"),
          .processors = entry.at("processors")};
}

// A request as it is now, with all that has become of it.
Json kept_entry(const MonthRequest& request) {
  Json entry = request_entry(request, {});
  entry["what"] = "kept";
  entry["version"] = request.version;
  for (const Scenario& scenario : request.scenarios) {
    entry["scenarios"].push_back({{"scenario", scenario.number},
                                  {"first", scenario.first},
                                  {"done", scenario.done},
                                  {"posts_left", scenario.posts_left},
                                  {"failures", scenario.failures},
                                  {"cancelled", scenario.is_cancelled},
                                  {"why", scenario.why},
                                  {"state", name_of(scenario.state)}});
  }
  return entry;
}

}  // namespace

std::string_view name_of(Scenario::State state) {
  return kStates.at(static_cast<std::size_t>(state));
}

Scenario& MonthRequest::scenario(Count number) {
  return *std::ranges::find(scenarios, number, &Scenario::number);
}

bool MonthRequest::is_over() const {
  return std::ranges::none_of(scenarios, [](const Scenario& scenario) {
    return scenario.state == Scenario::State::active ||
           (scenario.state == Scenario::State::done && scenario.posts_left > 0);
  });
}

const MonthRequest* MonthState::find(const std::string& id) const {
  const auto found = places_.find(id);
  return found == places_.end() ? nullptr : &requests_[found->second];
}

MonthRequest& MonthState::at(const Json& entry) {
  return requests_[places_.at(entry.at("request").get<std::string>())];
}

Count MonthState::active_scenarios(const std::string& service,
                                   const std::set<std::string>& without) const {
  Count count = 0;
  for (const MonthRequest& request : requests_) {
    if (request.service != service || without.contains(request.id)) continue;
    count += static_cast<Count>(
        std::ranges::count(request.scenarios, Scenario::State::active, &Scenario::state));
  }
  return count;
}

Count MonthState::months_left(const std::string& service) const {
  Count most = 1;
  for (const MonthRequest& request : requests_) {
    if (request.service != service) continue;
    for (const Scenario& scenario : request.scenarios) {
      if (scenario.state != Scenario::State::active) continue;
      most = std::max(most, request.months - scenario.done);
    }
  }
  return most;
}

void MonthState::apply(const Json& entry) {
  const std::string what = entry.at("what");
  if (what == "request") apply_request(entry);
  if (what == "start") apply_start(entry);
  if (what == "end") apply_end(entry);
  if (what == "cancel") apply_cancel(entry);
  if (what == "kept") apply_kept(entry);
  if (what == "rest") apply_rest(entry);
}

void MonthState::apply_request(const Json& entry) {
  MonthRequest request = request_of(entry);
  for (const Json& found : entry.at("scenarios")) {
    Scenario scenario{
        .number = found.at("scenario"), .first = found.at("first"), .done = found.at("done")};
    for (const Json& month : found.at("open_posts")) add_post(request, scenario, month);
    if (scenario.done >= request.months) scenario.state = Scenario::State::done;
    request.scenarios.push_back(scenario);
  }
  places_[request.id] = requests_.size();
  requests_.push_back(std::move(request));
}

void MonthState::add_post(const MonthRequest& request, Scenario& scenario, Count month) {
  posts_.push_back({request.id, scenario.number, month});
  ++scenario.posts_left;
}

void MonthState::apply_start(const Json& entry) {
  const MonthStep step = step_of(entry);
  next_number_ = std::max(next_number_, step.number + 1);
  running_[step.number] = step;
  ++at(entry).version;
  if (step.kind == StepKind::main) return;
  std::erase_if(posts_, [&](const PostTask& post) {
    return post.request == step.request && post.scenario == step.scenario &&
           post.month == step.month;
  });
}

void MonthState::apply_end(const Json& entry) {
  const auto found = running_.find(entry.at("number").get<std::uint32_t>());
  if (found == running_.end()) return;
  const MonthStep step = found->second;
  running_.erase(found);
  MonthRequest& request = at(entry);
  Scenario& scenario = request.scenario(step.scenario);
  const Outcome outcome = outcome_of(entry);
  ++request.version;
  if (outcome == Outcome::done) {
    scenario.failures = 0;
    if (step.kind == StepKind::main) {
      scenario.done = std::max(scenario.done, step.month);
      if (entry.at("has_post").get<bool>()) add_post(request, scenario, step.month);
      if (scenario.done >= request.months && !scenario.is_cancelled) {
        scenario.state = Scenario::State::done;
      }
    } else {
      --scenario.posts_left;
      ++archived_;
    }
  } else {
    if (outcome == Outcome::failed) ++scenario.failures;
    if (outcome == Outcome::given_up) {
      scenario.state = Scenario::State::failed;
      scenario.is_cancelled = true;
    }
    if (outcome == Outcome::taken) scenario.is_cancelled = true;
    if (outcome == Outcome::given_up || outcome == Outcome::taken) {
      scenario.why = entry.at("why").get<std::string>();
    }
    // To be done once more.
    if (step.kind == StepKind::post) {
      posts_.push_front({step.request, step.scenario, step.month});
    }
  }
  settle(request);
}

void MonthState::apply_cancel(const Json& entry) {
  MonthRequest& request = at(entry);
  const auto numbers = entry.at("scenarios").get<std::vector<Count>>();
  for (Scenario& scenario : request.scenarios) {
    const bool is_meant =
        numbers.empty() || std::ranges::find(numbers, scenario.number) != numbers.end();
    const bool has_more = scenario.state == Scenario::State::active ||
                          (scenario.state == Scenario::State::done && scenario.posts_left > 0);
    if (!is_meant || !has_more) continue;
    scenario.is_cancelled = true;
    scenario.why = entry.at("why").get<std::string>();
  }
  ++request.version;
  settle(request);
}

// What is cancelled has come to its end when nothing of it runs.
void MonthState::settle(MonthRequest& request) {
  for (Scenario& scenario : request.scenarios) {
    if (!scenario.is_cancelled) continue;
    const auto is_its = [&](const auto& one) {
      return one.request == request.id && one.scenario == scenario.number;
    };
    std::erase_if(posts_, is_its);
    const bool runs =
        std::ranges::any_of(running_, [&](const auto& running) { return is_its(running.second); });
    if (runs) continue;
    scenario.posts_left = 0;
    if (scenario.state != Scenario::State::failed) scenario.state = Scenario::State::cancelled;
  }
}

void MonthState::apply_kept(const Json& entry) {
  MonthRequest request = request_of(entry);
  request.version = entry.at("version");
  for (const Json& kept : entry.at("scenarios")) {
    const auto state = std::ranges::find(kStates, kept.at("state").get<std::string>());
    request.scenarios.push_back({.number = kept.at("scenario"),
                                 .first = kept.at("first"),
                                 .done = kept.at("done"),
                                 .posts_left = kept.at("posts_left"),
                                 .failures = kept.at("failures"),
                                 .is_cancelled = kept.at("cancelled"),
                                 .why = kept.at("why"),
                                 .state = static_cast<Scenario::State>(state - kStates.begin())});
  }
  places_[request.id] = requests_.size();
  requests_.push_back(std::move(request));
}

void MonthState::apply_rest(const Json& entry) {
  next_number_ = entry.at("next_number");
  archived_ = entry.at("archived");
  for (const Json& step : entry.at("running")) {
    running_[step.at("number").get<std::uint32_t>()] = step_of(step);
  }
  for (const Json& post : entry.at("posts")) {
    posts_.push_back({post.at("request"), post.at("scenario"), post.at("month")});
  }
}

std::vector<Json> MonthState::entries() const {
  std::vector<Json> entries;
  for (const MonthRequest& request : requests_) entries.push_back(kept_entry(request));
  Json rest = {{"what", "rest"},        {"time", run::wall_now()},  {"next_number", next_number_},
               {"archived", archived_}, {"running", Json::array()}, {"posts", Json::array()}};
  for (const auto& [number, step] : running_) rest["running"].push_back(start_entry(step));
  for (const PostTask& post : posts_) {
    rest["posts"].push_back(
        {{"request", post.request}, {"scenario", post.scenario}, {"month", post.month}});
  }
  entries.push_back(std::move(rest));
  return entries;
}

Json request_entry(const MonthRequest& request, const std::vector<FoundScenario>& found) {
  Json entry = {{"what", "request"},
                {"time", run::wall_now()},
                {"request", request.id},
                {"experiment", request.experiment},
                {"client", request.client},
                {"service", request.service},
                {"parameters", request.parameters},
                {"values", request.values},
                {"months", request.months},
                {"scenarios", Json::array()}};
  if (!request.workflow.empty()) entry["workflow"] = request.workflow;
  for (const FoundScenario& scenario : found) {
    entry["scenarios"].push_back({{"scenario", scenario.number},
                                  {"first", scenario.first},
                                  {"done", scenario.done},
                                  {"open_posts", scenario.open_posts}});
  }
  return entry;
}

Json start_entry(const MonthStep& step) {
  return {{"what", "start"},         {"time", run::wall_now()},
          {"number", step.number},   {"kind", step.kind == StepKind::post ? "post" : "main"},
          {"request", step.request}, {"scenario", step.scenario},
          {"month", step.month},     {"processors", step.processors}};
}

Json end_entry(const MonthStep& step, Outcome outcome, double seconds, const std::string& why) {
  Json entry = start_entry(step);
  entry["what"] = "end";
  entry["outcome"] = kOutcomes.at(static_cast<std::size_t>(outcome));
  entry["seconds"] = seconds;
  entry["why"] = why;
  entry["has_post"] = false;
  return entry;
}

Json cancel_entry(const std::string& request, const std::vector<Count>& scenarios,
                  const std::string& why) {
  return {{"what", "cancel"},
          {"time", run::wall_now()},
          {"request", request},
          {"scenarios", scenarios},
          {"why", why}};
}

}  // namespace dovetail::federation
