#include "federation/daemon/month_choice.hpp"

#include <fmt/format.h>
#include <sys/statvfs.h>

#include <algorithm>

namespace dovetail::federation {

namespace {

// What the scenarios of a service wait for, and what runs.
MonthLoad load_of(const MonthState& state, const std::string& service) {
  MonthLoad load{.waiting_posts = state.posts().size()};
  for (const MonthRequest& request : state.requests()) {
    if (request.service != service || request.is_over()) continue;
    for (const Scenario& scenario : request.scenarios) {
      if (scenario.state != Scenario::State::active || scenario.is_cancelled) continue;
      load.scenarios.push_back({.request = request.id,
                                .scenario = scenario.number,
                                .done = scenario.done,
                                .months = request.months});
    }
  }
  for (const auto& [number, step] : state.running()) {
    if (step.kind == StepKind::post) {
      ++load.running_posts;
      continue;
    }
    const auto its = std::ranges::find_if(load.scenarios, [&](const ReadyScenario& one) {
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

}  // namespace

void MonthChoice::regroup(const Service& service, const MonthLoad& load) {
  const auto count = static_cast<Count>(load.scenarios.size());
  Count months = 0;
  for (const ReadyScenario& one : load.scenarios) months = std::max(months, one.months);
  if (count == 0 ||
      (service.name == grouped_service_ && grouped_for_ == std::pair(count, months))) {
    return;
  }
  const EnsembleSite site{.name = options_.name,
                          .processors = options_.description.processors,
                          .cores_per_node = options_.description.cores_per_node,
                          .times = options_.times(service)};
  planning::MonthProblem problem =
      planning::month_problem(site, options_.description.rules, count, months);
  problem.disk.reset();
  const planning::Grouping grouping =
      problem.has_room() ? planning::best_grouping(problem, planning::Dispatch::rotate)
                         : planning::Grouping{};
  groups_ = MonthGroups(std::move(problem), grouping);
  grouped_service_ = service.name;
  grouped_for_ = {count, months};
  options_.log(fmt::format("{} scenarios: groups of {} processors, {} for post tasks", count,
                           fmt::join(grouping.groups, ", "), grouping.post_processors));
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
  regroup(service, load);
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
