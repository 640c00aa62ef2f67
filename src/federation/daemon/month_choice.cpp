#include "federation/daemon/month_choice.hpp"

#include <fmt/format.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <map>

namespace dovetail::federation {

namespace {

// Groups are chosen by simulating this number of months for each candidate, or fewer: some
// milliseconds. Ensembles of the usual size are simulated as a whole.
constexpr std::int64_t kMonthsSimulated = 20'000;

bool is_ready(const Scenario& scenario) {
  return scenario.state == Scenario::State::active && !scenario.is_cancelled;
}

// What the scenarios of a service wait for, and what runs.
MonthLoad load_of(const MonthState& state, const std::string& service) {
  MonthLoad load{.waiting_posts = state.posts().size()};
  std::map<std::pair<RequestName, Count>, Count> computed;  // processors by scenario
  for (const auto& [number, step] : state.running()) {
    if (step.kind == StepKind::post) {
      ++load.running_posts;
    } else {
      computed[{step.request, step.scenario}] = step.processors;
    }
  }
  for (const MonthRequest* request : state.unfinished()) {
    if (request->service != service) continue;
    for (const Scenario& scenario : request->scenarios) {
      if (!is_ready(scenario)) continue;
      const auto its = computed.find({request->name(), scenario.number});
      const bool runs = its != computed.end();
      load.scenarios.push_back({.request = request->name(),
                                .scenario = scenario.number,
                                .done = scenario.done,
                                .months = request->months,
                                .runs = runs,
                                .processors = runs ? its->second : 0});
      if (runs) computed.erase(its);
    }
  }
  for (const auto& [scenario, processors] : computed) load.foreign += processors;
  return load;
}

}  // namespace

EnsembleSite MonthChoice::site_with(const MonthTimes& times) const {
  return {.name = options_.name,
          .processors = options_.description.processors,
          .cores_per_node = options_.description.cores_per_node,
          .times = times};
}

std::optional<GroupsQuestion> MonthChoice::question(const MonthState& state,
                                                    const Service& service) const {
  Count count = 0;
  Count months = 0;
  for (const MonthRequest* request : state.unfinished()) {
    if (request->service != service.name) continue;
    const auto ready = static_cast<Count>(std::ranges::count_if(request->scenarios, is_ready));
    count += ready;
    if (ready > 0) months = std::max(months, request->months);
  }
  if (count == 0) return std::nullopt;
  planning::MonthProblem problem =
      planning::month_problem(site_with(service.times), options_.description.rules, count, months);
  if (problem.has_room()) problem = planning::shortened(std::move(problem), kMonthsSimulated);
  GroupsQuestion asked{service, problem.scenarios, problem.months};
  if (asked.is_same_as(grouped_for_)) return std::nullopt;
  return asked;
}

MonthGroups MonthChoice::answer(const GroupsQuestion& question) const {
  planning::MonthProblem problem =
      planning::month_problem(site_with(options_.times(question.service)),
                              options_.description.rules, question.scenarios, question.months);
  problem.disk.reset();
  const planning::Grouping grouping =
      problem.has_room() ? planning::best_grouping(problem, planning::Dispatch::rotate)
                         : planning::Grouping{};
  return {std::move(problem), grouping};
}

void MonthChoice::take(const GroupsQuestion& question, MonthGroups groups) {
  grouped_for_ = question;
  groups_ = std::move(groups);
  options_.log(fmt::format("{} scenarios: groups of {} processors, {} for post tasks",
                           question.scenarios, fmt::join(groups_.grouping().groups, ", "),
                           groups_.grouping().post_processors));
}

bool MonthChoice::is_short_of_disk(const MonthState& state) const {
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
  const auto held = static_cast<std::int64_t>(state.posts().size() + state.running().size());
  return disk->capacity - disk->month * held - disk->archive * state.archived() < margin;
}

// Once it is short, all post tasks are done before the next month. Without any there is nothing to
// gain by waiting.
bool MonthChoice::flushes(const MonthState& state) {
  const auto runs = [&](StepKind kind) {
    return std::ranges::any_of(state.running(),
                               [&](const auto& one) { return one.second.kind == kind; });
  };
  const bool has_posts = !state.posts().empty() || runs(StepKind::post);
  if (!flushing_ && has_posts && is_short_of_disk(state)) {
    flushing_ = true;
    options_.log("the disk is short: post tasks first");
  }
  if (flushing_ && !has_posts && !runs(StepKind::main)) flushing_ = false;
  return flushing_;
}

void MonthChoice::hear_failure(const MonthState& state) {
  if (is_short_of_disk(state)) flushing_ = true;
}

std::vector<MonthStep> MonthChoice::next(const MonthState& state, const Service& service) {
  const MonthLoad load = load_of(state, service.name);
  if (!load.scenarios.empty() && grouped_for_.service.name != service.name) return {};
  const MonthStarts starts =
      groups_.start(load, {.processors = options_.description.processors,
                           .posts_at_once = options_.description.posts_at_once,
                           .flushes = flushes(state)});
  std::vector<MonthStep> steps;
  for (const MonthStarts::Main& main : starts.mains) {
    const ReadyScenario& one = load.scenarios[main.scenario];
    steps.push_back({.kind = StepKind::main,
                     .request = one.request,
                     .scenario = one.scenario,
                     .month = one.done + 1,
                     .processors = main.processors});
  }
  for (std::size_t i = 0; i < starts.posts; ++i) {
    const PostTask& post = state.posts()[i];
    steps.push_back({.kind = StepKind::post,
                     .request = post.request,
                     .scenario = post.scenario,
                     .month = post.month});
  }
  return steps;
}

}  // namespace dovetail::federation
