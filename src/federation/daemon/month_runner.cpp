#include "federation/daemon/month_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "federation/daemon/month_times.hpp"
#include "federation/daemon/sent_workflow.hpp"
#include "io/text.hpp"

namespace dovetail::federation {

namespace {

using run::StepEnd;
using Cause = run::AttemptEnd::Cause;

std::string words_of(const MonthStep& step) {
  return fmt::format("{} of scenario {} month {}", step.kind == StepKind::post ? "post" : "main",
                     step.scenario, step.month);
}

// How a step ended that is not done.
std::string end_text(const StepEnd& step) {
  const run::AttemptEnd& end = step.end;
  if (step.is_lost) return end.why;
  switch (end.cause) {
    case Cause::ended:
      return end.signal != 0 ? fmt::format("ended by signal {}", end.signal)
                             : fmt::format("exit code {}", end.exit_code);
    case Cause::timed_out:
      return fmt::format("ended by the watchdog after {:.0f} s", end.seconds);
    case Cause::stopped:
      return "stopped";
    case Cause::out_of_memory:
      return "out of memory";
    case Cause::not_started:
      return "could not be started: " + end.why;
    case Cause::not_saved:
      return "output " + end.why;
  }
  return {};
}

Outcome outcome_of(const StepEnd& step) {
  if (step.is_lost) return Outcome::lost;
  return step.end.cause == Cause::stopped ? Outcome::stopped : Outcome::failed;
}

// An owner may have given the service more parameters since.
bool has_values_for(const MonthRequest& request, const Service& service) {
  return std::ranges::all_of(service.parameters, [&](const Parameter& parameter) {
    return request.values.contains(parameter.name);
  });
}

}  // namespace

MonthRunner::MonthRunner(RunnerOptions options, run::RunFolder folder, RunnerBackends backends)
    : options_(std::move(options)),
      workflow_service_(workflow_service(options_.description.processors)),
      folder_(std::move(folder)),
      backends_(backends),
      choice_(options_),
      record_(folder_.journal(), {.bytes = options_.description.quotas.bytes}),
      admission_(record_, options_.description.quotas) {
  for (const auto& [number, step] : state().running()) backend_of(step).adopt(command_of(step));
  let_go_of_unknown_services();
  if (!state().running().empty()) {
    options_.log(fmt::format("goes on: {} steps were running", state().running().size()));
  }
}

const Service* MonthRunner::find_service(const MonthRequest& request) const {
  if (!request.workflow.empty()) return &workflow_service_;
  const Service* service = options_.description.find(request.service);
  return service != nullptr && !service->main.empty() ? service : nullptr;
}

const Service& MonthRunner::service_of(const MonthRequest& request) const {
  const Service* service = find_service(request);
  const bool is_known = service != nullptr && has_values_for(request, *service);
  return is_known ? *service : unknown_service_;
}

// What the owner no longer offers goes back to the client, which may give it to other clusters.
void MonthRunner::let_go_of_unknown_services() {
  for (const MonthRequest* request : state().unfinished()) {
    if (&service_of(*request) != &unknown_service_) continue;
    const bool is_gone = find_service(*request) == nullptr;
    const std::string why =
        fmt::format("the service {} {}", request->service,
                    is_gone ? "is not configured any more" : "has other parameters now");
    options_.log(fmt::format("request {} of {}: {}", request->id, request->client, why));
    record_.write(cancel_entry(request->name(), {}, why));
  }
  stop_cancelled();
}

MonthFolder MonthRunner::folder_of(const MonthStep& step) const {
  return {options_.description.data, *state().find(step.request), step.scenario};
}

const Scenario& MonthRunner::scenario_of(const MonthStep& step) const {
  return *state().find(step.request)->find(step.scenario);
}

run::Backend& MonthRunner::backend_of(const MonthStep& step) const {
  return state().find(step.request)->workflow.empty() ? backends_.months : backends_.workflows;
}

run::StepCommand MonthRunner::command_of(const MonthStep& step) {
  const MonthRequest& request = *state().find(step.request);
  const Service& service = service_of(request);
  const MonthFolder folder = folder_of(step);
  const bool is_post = step.kind == StepKind::post;
  Values values = request.values;
  values["experiment"] = request.experiment;
  values["scenario"] = std::to_string(step.scenario);
  values["month"] = std::to_string(step.month);
  values["processors"] = std::to_string(step.processors);
  values["previous"] = step.month > 1 ? folder.month(step.month - 1) : "";
  values["folder"] = is_post ? folder.month(step.month) : folder.work(step);
  const std::string& processors = values["processors"];
  run::StepCommand command{
      .task = step.number,
      .attempt = 1,
      .command = "exec \"$@\"",
      .arguments = expand(is_post ? service.post : service.main, values),
      .folder = values["folder"],
      .attempt_file = folder_.attempt(step.number, 1),
      .out_file = folder_.log(step.number, 1, "out"),
      .err_file = folder_.log(step.number, 1, "err"),
      .environment = {{"DOVETAIL_PROCESSORS", processors}, {"OMP_NUM_THREADS", processors}},
      .outputs = {values["folder"]},
      .name = words_of(step),
      .processors = step.processors};
  const MonthTimes times = options_.times(service);
  command.expected = is_post ? times.post : main_time(times, step.processors);
  command.timeout_seconds =
      to_seconds(static_cast<Duration>(service.watchdog * static_cast<double>(command.expected)));
  return command;
}

std::optional<MonthRunner::Arrival> MonthRunner::receive(MonthRequest request) {
  auto place = admission_.admit(request);
  if (!place) return std::nullopt;
  const Service* service = find_service(request);
  if (service == nullptr) {
    throw Refusal(404, fmt::format("there is no service {} for ensembles here", request.service),
                  "ask for the capabilities");
  }
  request.values = check_parameters(*service, request.parameters);
  std::vector<FoundScenario> found;
  std::vector<MonthFolder> folders;
  for (const Scenario& asked : request.scenarios) {
    const MonthFolder& folder =
        folders.emplace_back(options_.description.data, request, asked.number);
    const auto scenario =
        folder.find(asked.number, asked.first, request.months, !service->post.empty());
    if (!scenario) {
      throw Refusal(
          409, fmt::format("month {} of scenario {} is not here", asked.first - 1, asked.number),
          "begin with month 1, or share the folder of the results");
    }
    found.push_back(*scenario);
  }
  claim_all(folders, request.id);
  Json entry = request_entry(request, found);
  return Arrival{std::move(*place), std::move(request), std::move(entry)};
}

void MonthRunner::accept(const Arrival& arrival) {
  const MonthRequest& request = arrival.request;
  record_.write(arrival.entry);
  record_.tidy();
  options_.log(fmt::format("step 8: request {} of {}: runs {} scenarios of {} months of {}",
                           request.id, request.client, request.scenarios.size(), request.months,
                           request.service));
}

void MonthRunner::submit(MonthRequest request) {
  if (const auto arrival = receive(std::move(request))) accept(*arrival);
}

// What has ended or is cancelled already is not written down again.
void MonthRunner::cancel(const RequestName& name, const std::vector<Count>& scenarios) {
  const MonthRequest* request = state().find(name);
  if (request == nullptr) {
    throw Refusal(404, fmt::format("there is no request {} of {}", name.id, name.client));
  }
  const std::set<Count> asked(scenarios.begin(), scenarios.end());
  std::vector<Count> meant;
  bool is_all = true;
  for (const Scenario& scenario : request->scenarios) {
    if (!scenario.has_more() || scenario.is_cancelled) continue;
    const bool is_meant = asked.empty() || asked.contains(scenario.number);
    if (is_meant) meant.push_back(scenario.number);
    is_all = is_all && is_meant;
  }
  if (meant.empty()) return;
  if (is_all) meant.clear();
  record_.write(cancel_entry(name, meant, "cancelled by " + name.client));
  options_.log(fmt::format("request {}: cancelled by {}", name.id, name.client));
  stop_cancelled();
  record_.tidy();
}

void MonthRunner::stop_cancelled() {
  for (const auto& [number, step] : state().running()) {
    if (scenario_of(step).is_cancelled) backend_of(step).stop(number);
  }
}

std::vector<MonthRunner::Ended> MonthRunner::ended() {
  std::vector<Ended> ended;
  std::vector<StepEnd> ends = backends_.months.ended();
  std::ranges::move(backends_.workflows.ended(), std::back_inserter(ends));
  for (StepEnd& end : ends) {
    const auto running = state().running().find(end.task);
    if (running == state().running().end()) continue;
    const MonthStep& step = running->second;
    ended.push_back({std::move(end), step, folder_of(step)});
  }
  return ended;
}

void MonthRunner::settle(std::vector<Ended>& ended) {
  for (auto& [end, step, folder, trouble] : ended) {
    if (step.kind != StepKind::main || !end.is_success()) continue;
    try {
      folder.settle(step);
    } catch (const ExecutionError& error) {
      trouble = error.what();
    }
  }
}

bool MonthRunner::take(const std::vector<Ended>& ended) {
  for (const Ended& one : ended) take_end(one);
  return !ended.empty();
}

bool MonthRunner::step(const std::vector<Ended>& ended) {
  const bool has_ended = take(ended);
  if (const auto asked = question()) use(*asked, answer(*asked));
  return start_steps() || has_ended;
}

void MonthRunner::take_end(const Ended& ended) {
  const auto& [end, step, folder, trouble] = ended;
  const double seconds = end.end.seconds;
  const bool is_ours = folder.owner() == step.request.id;
  if (!is_ours) {
    folder.discard(step);
    record_.write(end_entry(step, Outcome::taken, seconds, "another request has taken it over"));
    options_.log(words_of(step) + ": another request has taken it over");
  } else if (!trouble.empty()) {
    fail(step, Outcome::failed, seconds, trouble);
  } else if (end.is_success()) {
    finish(step, seconds);
  } else {
    fail(step, outcome_of(end), seconds, end_text(end));
  }
  stop_cancelled();
}

void MonthRunner::finish(const MonthStep& step, double seconds) {
  const Service& service = service_of(*state().find(step.request));
  try {
    const MonthFolder folder = folder_of(step);
    if (step.kind == StepKind::main) {
      folder.publish(step);
    } else {
      folder.mark_post_done(step.month);
    }
  } catch (const ExecutionError& error) {
    return fail(step, Outcome::failed, seconds, error.what());
  }
  Json entry = end_entry(step, Outcome::done, seconds, "");
  entry["has_post"] = step.kind == StepKind::main && !service.post.empty();
  record_.write(entry);
  options_.log(fmt::format("{} done in {:.2f} s on {} processors", words_of(step), seconds,
                           step.processors));
  if (service.name != kWorkflowService) options_.measured(step, service, seconds);
}

void MonthRunner::fail(const MonthStep& step, Outcome outcome, double seconds,
                       const std::string& what) {
  const MonthRequest& request = *state().find(step.request);
  folder_of(step).discard(step);
  const bool is_last = scenario_of(step).failures + 1 >= service_of(request).tries;
  if (outcome == Outcome::failed && is_last) outcome = Outcome::given_up;
  std::string why = words_of(step) + ": " + what;
  if (outcome == Outcome::failed || outcome == Outcome::given_up) {
    const std::string log = std::filesystem::absolute(folder_.log(step.number, 1, "err")).string();
    const std::string said = one_line(fmt::format("{}", fmt::join(io::last_lines(log), " ")));
    if (!said.empty()) why += fmt::format(": {} ({})", said, log);
  }
  record_.write(end_entry(step, outcome, seconds, why));
  options_.log(why + (outcome == Outcome::given_up ? "; it is not tried again" : ""));
  if (outcome == Outcome::failed) choice_.hear_failure(state());
}

// The oldest request that is not over decides which service runs. Null when there is none.
const Service* MonthRunner::leading_service() const {
  const auto unfinished = state().unfinished();
  return unfinished.empty() ? nullptr : &service_of(*unfinished.front());
}

std::optional<GroupsQuestion> MonthRunner::question() const {
  const Service* service = leading_service();
  return service == nullptr ? std::nullopt : choice_.question(state(), *service);
}

void MonthRunner::use(const GroupsQuestion& question, MonthGroups groups) {
  choice_.take(question, std::move(groups));
}

bool MonthRunner::start_steps() {
  const Service* service = leading_service();
  if (service == nullptr) return false;
  const std::uint32_t before = state().next_number();
  for (const MonthStep& step : choice_.next(state(), *service)) start(step);
  record_.tidy();
  return state().next_number() != before;
}

void MonthRunner::start(MonthStep step) {
  if (scenario_of(step).is_cancelled) return;
  step.number = state().next_number();
  const MonthFolder folder = folder_of(step);
  const std::string owner = folder.owner();
  if (owner != step.request.id) {
    record_.write(cancel_entry(step.request, {step.scenario}, "another request has taken it over"));
    options_.log(words_of(step) + ": another request has taken it over");
    return;
  }
  std::string trouble;
  try {
    if (step.kind == StepKind::main) folder.begin(step);
    const std::string& workflow = state().find(step.request)->workflow;
    if (!workflow.empty()) write_file(workflow_file(folder.work(step)), workflow);
  } catch (const ExecutionError& error) {
    trouble = error.what();
  }
  record_.write(start_entry(step));  // before it starts: a later process finds it here
  if (!trouble.empty()) return fail(step, Outcome::failed, 0, trouble);
  backend_of(step).start(command_of(step));
}

}  // namespace dovetail::federation
