#include "federation/daemon/month_runner.hpp"

#include <fmt/format.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "federation/daemon/workflow_service.hpp"

namespace dovetail::federation {

namespace {

using run::StepEnd;
using Cause = run::AttemptEnd::Cause;

// Fewer entries are not worth the trouble.
constexpr std::size_t kManyEntries = 200;

// A journal of which most is history becomes a short one with the same meaning.
MonthState read_month_state(const std::string& journal) {
  MonthState state;
  if (!std::filesystem::exists(journal)) return state;
  std::size_t count = 0;
  run::read_journal(journal, [&](const Json& entry) {
    state.apply(entry);
    ++count;
  });
  const std::vector<Json> entries = state.entries();
  if (count > kManyEntries && count > 2 * entries.size()) run::replace_journal(journal, entries);
  return state;
}

std::string words_of(const Step& step) {
  return fmt::format("{} of scenario {} month {}", step.kind == StepKind::post ? "post" : "main",
                     step.scenario, step.month);
}

// The end of what a step has said, in one line; empty when it said nothing.
std::string last_words(const std::string& path) {
  constexpr std::streamoff kMost = 300;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return {};
  const std::streamoff size = file.tellg();
  file.seekg(std::max<std::streamoff>(0, size - kMost));
  std::string text(std::istreambuf_iterator<char>(file), {});
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) {
    text.pop_back();
  }
  // Whole lines, unless the last one is long; the last three say enough.
  std::size_t begin =
      size > kMost && text.find('\n') != std::string::npos ? text.find('\n') + 1 : 0;
  std::size_t line = text.size();
  for (int lines = 0; lines < 3 && line != std::string::npos && line > 0; ++lines) {
    line = text.rfind('\n', line - 1);
  }
  if (line != std::string::npos && line > 0) begin = std::max(begin, line + 1);
  return one_line(text.substr(begin));
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
  }
  return {};
}

Outcome outcome_of(const StepEnd& step) {
  if (step.is_lost) return Outcome::lost;
  return step.end.cause == Cause::stopped ? Outcome::stopped : Outcome::failed;
}

bool is_same(const Request& known, const Order& order) {
  const auto same = [](const Scenario& scenario, const std::pair<Count, Count>& asked) {
    return scenario.number == asked.first && scenario.first == asked.second;
  };
  return known.client == order.client && known.experiment == order.experiment &&
         known.service == order.service && known.months == order.months &&
         known.parameters == order.parameters && known.workflow == order.workflow &&
         std::ranges::equal(known.scenarios, order.scenarios, same);
}

}  // namespace

MonthRunner::MonthRunner(RunnerOptions options, run::RunFolder folder, RunnerBackends backends)
    : options_(std::move(options)),
      workflow_service_(workflow_service(options_.description.processors)),
      folder_(std::move(folder)),
      backends_(backends),
      state_(read_month_state(folder_.journal())),
      journal_(folder_.journal()) {
  for (const auto& [number, step] : state_.running()) backend_of(step).adopt(command_of(step));
  let_go_of_unknown_services();
  if (!state_.running().empty()) {
    options_.log(fmt::format("goes on: {} steps were running", state_.running().size()));
  }
}

void MonthRunner::write(const Json& entry) {
  journal_.add(entry);
  journal_.sync();
  state_.apply(entry);
}

const Service* MonthRunner::find_service(const Request& request) const {
  if (!request.workflow.empty()) return &workflow_service_;
  const Service* service = options_.description.find(request.service);
  return service != nullptr && !service->main.empty() ? service : nullptr;
}

const Service& MonthRunner::service_of(const Request& request) const {
  const Service* service = find_service(request);
  return service == nullptr ? unknown_service_ : *service;
}

// What the owner does not offer any more goes back to the client, who may give it to others.
void MonthRunner::let_go_of_unknown_services() {
  for (const Request& request : state_.requests()) {
    if (request.is_over() || find_service(request) != nullptr) continue;
    const std::string why =
        fmt::format("the service {} is not configured any more", request.service);
    options_.log(fmt::format("request {}: {}", request.id, why));
    write(cancel_entry(request.id, {}, why));
  }
  stop_cancelled();
}

MonthFolder MonthRunner::folder_of(const Step& step) const {
  return {options_.description.data, *state_.find(step.request), step.scenario};
}

const Scenario& MonthRunner::scenario_of(const Step& step) const {
  const Request& request = *state_.find(step.request);
  return *std::ranges::find(request.scenarios, step.scenario, &Scenario::number);
}

run::Backend& MonthRunner::backend_of(const Step& step) const {
  return state_.find(step.request)->workflow.empty() ? backends_.months : backends_.workflows;
}

run::StepCommand MonthRunner::command_of(const Step& step) {
  const Request& request = *state_.find(step.request);
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
      .name = words_of(step),
      .processors = step.processors};
  if (!request.workflow.empty()) {
    command.arguments = workflow_command(options_.description, options_.program, command.folder);
  }
  const MonthTimes times = options_.times(service);
  command.expected = times.post;
  if (!is_post) {
    for (const GroupTime& size : times.main) {
      if (size.procs <= step.processors) command.expected = size.time;
    }
  }
  command.timeout_seconds =
      to_seconds(static_cast<Duration>(service.watchdog * static_cast<double>(command.expected)));
  return command;
}

void MonthRunner::submit(const Order& order) {
  if (const Request* known = state_.find(order.id)) {
    if (is_same(*known, order)) return;
    throw Refusal(409, fmt::format("request {} is another one", order.id),
                  "give every request an id of its own");
  }
  const Service* service =
      order.workflow.empty() ? options_.description.find(order.service) : &workflow_service_;
  if (service == nullptr || service->main.empty()) {
    throw Refusal(404, fmt::format("there is no service {} for ensembles here", order.service),
                  "ask for the capabilities");
  }
  Request request{.id = order.id,
                  .experiment = order.experiment,
                  .client = order.client,
                  .service = order.service,
                  .parameters = order.parameters,
                  .values = check_parameters(*service, order.parameters),
                  .workflow = order.workflow,
                  .months = order.months};
  std::vector<FoundScenario> found;
  for (const auto& [number, first] : order.scenarios) {
    const MonthFolder folder(options_.description.data, request, number);
    const auto scenario = folder.find(number, first, order.months, !service->post.empty());
    if (!scenario) {
      throw Refusal(409, fmt::format("month {} of scenario {} is not here", first - 1, number),
                    "begin with month 1, or share the folder of the results");
    }
    found.push_back(*scenario);
  }
  for (const FoundScenario& scenario : found) {
    MonthFolder(options_.description.data, request, scenario.number).claim(order.id);
  }
  write(request_entry(request, found));
  options_.log(fmt::format("step 8: request {} of {}: runs {} scenarios of {} months of {}",
                           order.id, order.client, found.size(), order.months, order.service));
}

void MonthRunner::cancel(const std::string& id, const std::string& client,
                         const std::vector<Count>& scenarios) {
  const Request* request = state_.find(id);
  if (request == nullptr || request->client != client) {
    throw Refusal(404, fmt::format("there is no request {} of {}", id, client));
  }
  if (request->is_over()) return;
  write(cancel_entry(id, scenarios, "cancelled by " + client));
  options_.log(fmt::format("request {}: cancelled by {}", id, client));
  stop_cancelled();
}

void MonthRunner::stop_cancelled() {
  for (const auto& [number, step] : state_.running()) {
    if (scenario_of(step).is_cancelled) backend_of(step).stop(number);
  }
}

std::vector<MonthRunner::Ended> MonthRunner::ended() {
  std::vector<Ended> ended;
  std::vector<StepEnd> ends = backends_.months.ended();
  if (&backends_.workflows != &backends_.months) {
    for (StepEnd& end : backends_.workflows.ended()) ends.push_back(std::move(end));
  }
  for (StepEnd& end : ends) {
    const auto running = state_.running().find(end.task);
    if (running == state_.running().end()) continue;
    const Step& step = running->second;
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

bool MonthRunner::step(const std::vector<Ended>& ended) {
  const std::uint32_t before = state_.next_number();
  for (const Ended& one : ended) take_end(one);
  start_steps();
  return !ended.empty() || state_.next_number() != before;
}

void MonthRunner::take_end(const Ended& ended) {
  const auto& [end, step, folder, trouble] = ended;
  const double seconds = end.end.seconds;
  const bool is_ours = folder.owner() == step.request;
  if (!is_ours) {
    folder.discard(step);
    write(end_entry(step, Outcome::taken, seconds, "another request has taken it over"));
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

void MonthRunner::finish(const Step& step, double seconds) {
  const Service& service = service_of(*state_.find(step.request));
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
  write(entry);
  options_.log(fmt::format("{} done in {:.2f} s on {} processors", words_of(step), seconds,
                           step.processors));
  if (service.name != kWorkflowService) options_.measured(step, service, seconds);
}

void MonthRunner::fail(const Step& step, Outcome outcome, double seconds, const std::string& what) {
  const Request& request = *state_.find(step.request);
  folder_of(step).discard(step);
  const bool is_last = scenario_of(step).failures + 1 >= service_of(request).tries;
  if (outcome == Outcome::failed && is_last) outcome = Outcome::given_up;
  std::string why = words_of(step) + ": " + what;
  if (outcome == Outcome::failed || outcome == Outcome::given_up) {
    const std::string log = std::filesystem::absolute(folder_.log(step.number, 1, "err")).string();
    const std::string said = last_words(log);
    if (!said.empty()) why += fmt::format(": {} ({})", said, log);
  }
  write(end_entry(step, outcome, seconds, why));
  options_.log(why + (outcome == Outcome::given_up ? "; it is not tried again" : ""));
  // A disk that is full fails whatever runs on it: what can be cleared away goes first.
  if (outcome == Outcome::failed && is_short_of_disk()) flushing_ = true;
}

// The oldest request that is not over decides which service runs.
const Request* MonthRunner::leading() const {
  const auto found = std::ranges::find_if(
      state_.requests(), [](const Request& request) { return !request.is_over(); });
  return found == state_.requests().end() ? nullptr : &*found;
}

Count MonthRunner::active_scenarios(const std::string& service,
                                    const std::set<std::string>& without) const {
  Count count = 0;
  for (const Request& request : state_.requests()) {
    if (request.service != service || without.contains(request.id)) continue;
    count += static_cast<Count>(
        std::ranges::count(request.scenarios, Scenario::State::active, &Scenario::state));
  }
  return count;
}

Count MonthRunner::months_left(const std::string& service) const {
  Count most = 1;
  for (const Request& request : state_.requests()) {
    if (request.service != service) continue;
    for (const Scenario& scenario : request.scenarios) {
      if (scenario.state != Scenario::State::active) continue;
      most = std::max(most, request.months - scenario.done);
    }
  }
  return most;
}

MonthLoad MonthRunner::load_of(const std::string& service) const {
  MonthLoad load{.waiting_posts = state_.posts().size()};
  for (const Request& request : state_.requests()) {
    if (request.service != service || request.is_over()) continue;
    for (const Scenario& scenario : request.scenarios) {
      if (scenario.state != Scenario::State::active || scenario.is_cancelled) continue;
      load.scenarios.push_back({.request = request.id,
                                .scenario = scenario.number,
                                .done = scenario.done,
                                .months = request.months});
    }
  }
  for (const auto& [number, step] : state_.running()) {
    if (step.kind == StepKind::post) {
      ++load.running_posts;
      continue;
    }
    const auto its = std::ranges::find_if(load.scenarios, [&](const Candidate& one) {
      return one.request == step.request && one.scenario == step.scenario;
    });
    if (its == load.scenarios.end()) {
      load.foreign += step.processors;
    } else {
      its->runs = true;
      its->processors = step.processors;
    }
  }
  return load;
}

void MonthRunner::regroup(const Service& service, const MonthLoad& load) {
  const auto count = static_cast<Count>(load.scenarios.size());
  Count months = 0;
  for (const Candidate& one : load.scenarios) months = std::max(months, one.months);
  if (count == 0 ||
      (service.name == grouped_service_ && grouped_for_ == std::pair(count, months))) {
    return;
  }
  const EnsembleSite site{.name = options_.name,
                          .processors = options_.description.processors,
                          .cores_per_node = options_.description.cores_per_node,
                          .times = options_.times(service)};
  MonthProblem problem = month_problem(site, options_.description.rules, count, months);
  problem.disk.reset();
  const Grouping grouping =
      problem.has_room() ? best_grouping(problem, Dispatch::rotate) : Grouping{};
  groups_ = MonthGroups(std::move(problem), grouping);
  grouped_service_ = service.name;
  grouped_for_ = {count, months};
  options_.log(fmt::format("{} scenarios: groups of {} processors, {} for post tasks", count,
                           fmt::join(grouping.groups, ", "), grouping.post_processors));
}

bool MonthRunner::is_short_of_disk() const {
  const auto& disk = options_.description.rules.disk;
  if (!disk) return false;
  const auto groups =
      static_cast<std::int64_t>(std::max<std::size_t>(groups_.grouping().groups.size(), 1));
  const std::int64_t margin = disk->margin_for(groups);
  struct statvfs about {};
  if (statvfs(options_.description.data.c_str(), &about) == 0) {
    constexpr std::uint64_t kMegabyte = 1'000'000;
    const std::uint64_t room = std::uint64_t{about.f_bavail} * about.f_frsize / kMegabyte;
    if (room < static_cast<std::uint64_t>(margin)) return true;
  }
  if (disk->capacity == 0) return false;
  const auto held = static_cast<std::int64_t>(state_.posts().size() + state_.running().size());
  return disk->capacity - disk->month * held - disk->archive * state_.archived() < margin;
}

// Once it is short, all post tasks are done before the next month. Without any there is nothing to
// gain by waiting.
bool MonthRunner::flushes() {
  const bool has_posts =
      !state_.posts().empty() || std::ranges::any_of(state_.running(), [](const auto& entry) {
        return entry.second.kind == StepKind::post;
      });
  const bool has_mains = std::ranges::any_of(
      state_.running(), [](const auto& entry) { return entry.second.kind == StepKind::main; });
  if (!flushing_ && has_posts && is_short_of_disk()) {
    flushing_ = true;
    options_.log("the disk is short: post tasks first");
  }
  if (flushing_ && !has_posts && !has_mains) flushing_ = false;
  return flushing_;
}

void MonthRunner::start_steps() {
  const Request* first = leading();
  if (first == nullptr) return;
  const Service& service = service_of(*first);
  const MonthLoad load = load_of(service.name);
  regroup(service, load);
  const MonthStarts starts =
      groups_.start(load, {.processors = options_.description.processors,
                           .posts_at_once = options_.description.posts_at_once,
                           .flushes = flushes()});
  // Before anything is started: a scenario that turns out to be another's takes its post tasks
  // away.
  const std::vector<PostTask> posts(state_.posts().begin(),
                                    state_.posts().begin() + static_cast<long>(starts.posts));
  for (const MonthStarts::Main& main : starts.mains) {
    const Candidate& one = load.scenarios[main.scenario];
    start({.kind = StepKind::main,
           .request = one.request,
           .scenario = one.scenario,
           .month = one.done + 1,
           .processors = main.processors});
  }
  for (const PostTask& post : posts) {
    start({.kind = StepKind::post,
           .request = post.request,
           .scenario = post.scenario,
           .month = post.month});
  }
}

void MonthRunner::start(Step step) {
  if (scenario_of(step).is_cancelled) return;
  step.number = state_.next_number();
  const MonthFolder folder = folder_of(step);
  const std::string owner = folder.owner();
  if (owner != step.request) {
    write(cancel_entry(step.request, {step.scenario}, "another request has taken it over"));
    options_.log(words_of(step) + ": another request has taken it over");
    return;
  }
  std::string trouble;
  try {
    if (step.kind == StepKind::main) folder.begin(step);
    const std::string& workflow = state_.find(step.request)->workflow;
    if (!workflow.empty()) write_file(workflow_file(folder.work(step)), workflow);
  } catch (const ExecutionError& error) {
    trouble = error.what();
  }
  write(start_entry(step));  // whoever adopts it finds its folder
  if (!trouble.empty()) return fail(step, Outcome::failed, 0, trouble);
  backend_of(step).start(command_of(step));
}

}  // namespace dovetail::federation
