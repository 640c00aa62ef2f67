#include "cli/replan/whatif_questions.hpp"

#include <algorithm>
#include <cmath>

#include "cli/deadline_option.hpp"
#include "dovetail/error.hpp"
#include "io/text.hpp"

namespace dovetail::cli {

namespace {

[[noreturn]] void refuse(const std::string& option, const std::string& expected,
                         const std::string& value) {
  throw InputError("--" + option + ": expected " + expected + ", found " + io::quote(value));
}

// What stands before and behind the last separator: "r4@15", "20x3".
std::pair<std::string, std::string> split_at(const std::string& text, char separator) {
  const auto place = text.rfind(separator);
  if (place == std::string::npos) return {text, {}};
  return {text.substr(0, place), text.substr(place + 1)};
}

// The moment of something that happens on the way, and so not in the past.
Time parse_coming(const Platform& platform, const std::string& option, const std::string& value,
                  const std::string& when) {
  const std::string name = "--" + option;
  const Time time = parse_time_option(platform, name, when);
  if (time >= platform.now()) return time;
  throw InputError(name + " " + value + ": " + before_now_text(platform, name, when));
}

using Clusters = std::vector<Cluster>;

Cluster* find(Clusters& clusters, const std::string& name) {
  const auto found = std::ranges::find(clusters, name, &Cluster::name);
  return found == clusters.end() ? nullptr : &*found;
}

// A single machine may be the first of a pool.
void require_pool(const Problem& problem, const std::string& option) {
  const auto clusters = problem.platform().clusters();
  if (clusters.size() > 1 || clusters.front().processors == 1) return;
  throw InputError("--" + option + " is for a pool of resources of one processor each; on one " +
                   "cluster ask with --processors or --fail");
}

[[noreturn]] void refuse_resource(const Problem& problem, const std::string& option,
                                  const std::string& name) {
  io::NearestWord nearest(name);
  for (const Cluster& cluster : problem.platform().clusters()) nearest.offer(cluster.name);
  throw InputError("--" + option + ": there is no resource " + io::quote(name) +
                   nearest.suggestion());
}

// Whether some task could run on a resource of that name.
bool is_useful(const Problem& problem, const std::string& name) {
  return std::ranges::any_of(problem.workflows(), [&](const Workflow& workflow) {
    const auto names = workflow.resource_names();
    return names.empty() || std::ranges::find(names, name) != names.end();
  });
}

void join(const Problem& problem, Clusters& clusters, const std::string& value) {
  const auto [name, when] = split_at(value, '@');
  if (name.empty() || when.empty()) refuse("join", "a resource and when, such as r4@15", value);
  require_pool(problem, "join");
  const Time joins = parse_time_option(problem.platform(), "--join", when);
  if (Cluster* known = find(clusters, name)) {
    if (known->joins <= problem.now()) {
      throw InputError("--join: " + io::quote(name) + " is there already");
    }
    known->joins = joins;
  } else if (!is_useful(problem, name)) {
    throw InputError("--join: no task has a time on " + io::quote(name) +
                     "; name it in time_on of those that can run there");
  } else {
    clusters.push_back({.name = name, .processors = 1, .joins = joins});
  }
}

void leave(const Problem& problem, Clusters& clusters, const std::string& value) {
  const auto [name, when] = split_at(value, '@');
  if (name.empty() || when.empty()) refuse("leave", "a resource and when, such as r2@40", value);
  require_pool(problem, "leave");
  Cluster* known = find(clusters, name);
  if (known == nullptr) refuse_resource(problem, "leave", name);
  known->leaves = parse_time_option(problem.platform(), "--leave", when);
}

// The cluster that a question without a name is about.
Cluster& only(Clusters& clusters, const std::string& option) {
  if (clusters.size() == 1) return clusters.front();
  throw InputError("--" + option + " is for one cluster, and there are " +
                   std::to_string(clusters.size()));
}

void processors(const Problem& /*problem*/, Clusters& clusters, const std::string& value) {
  const auto change = io::parse_number(value.starts_with('+') ? value.substr(1) : value);
  Cluster& cluster = only(clusters, "processors");
  const bool is_signed = value.starts_with('+') || value.starts_with('-');
  if (!change || *change != std::floor(*change) || std::abs(*change) > kMaxProcessors) {
    refuse("processors", "a number of processors, such as +32, -8 or 128", value);
  }
  cluster.processors = static_cast<Count>(*change) + (is_signed ? cluster.processors : 0);
  if (cluster.processors < 1) throw InputError("--processors " + value + " would leave none");
}

// "3600-7200", or with dates, which have dashes of their own,
// "2026-11-15T08:00:00Z/2026-11-15T10:00:00Z". The end may be missing.
std::pair<std::string, std::string> split_window(const std::string& text) {
  if (text.find('/') != std::string::npos) return split_at(text, '/');
  const bool is_date = text.find('T') != std::string::npos;
  return is_date ? std::pair(text, std::string()) : split_at(text, '-');
}

// A whole number of processors; 0 when the text is none.
Count parse_processors(const std::string& text) {
  const auto number = io::parse_number(text);
  const bool is_good = number && *number >= 1 && *number <= kMaxProcessors;
  return is_good && *number == std::floor(*number) ? static_cast<Count>(*number) : 0;
}

void reserve(const Problem& problem, Clusters& clusters, const std::string& value) {
  const auto [count, window] = split_at(value, '@');
  const auto [begin, end] = split_window(window);
  const Count procs = parse_processors(count);
  if (begin.empty() || end.empty() || procs == 0) {
    refuse("reserve",
           "processors and from when to when, such as 16@3600-7200 or, with dates, "
           "16@2026-11-15T08:00:00Z/2026-11-15T10:00:00Z",
           value);
  }
  const Time start = parse_time_option(problem.platform(), "--reserve", begin);
  const Time until = parse_time_option(problem.platform(), "--reserve", end);
  if (start < until && until <= problem.now()) {
    throw InputError("--reserve " + value + ": " +
                     before_now_text(problem.platform(), "--reserve", begin));
  }
  only(clusters, "reserve").reservations.push_back({start, until, procs});
}

// "r2@20x3": which resource, when, and how many times as long.
struct Slowdown {
  std::string name;
  Time time = 0;
  double factor = 1;
};

Slowdown parse_slowdown(const Platform& platform, const std::string& option,
                        const std::string& value, const std::string& example) {
  const auto [name, rest] = split_at(value, '@');
  const auto [when, times] = split_at(rest, 'x');
  const auto factor = io::parse_number(times);
  if (name.empty() || when.empty() || !factor || *factor <= 0 || *factor > kMaxFactor) {
    refuse(option, "a name, when, and how many times as long, such as " + example, value);
  }
  return {name, parse_coming(platform, option, value, when), *factor};
}

// The task's number over all workflows. "flow/solve" where several workflows have a task "solve".
TaskId find_task(const Problem& problem, const std::string& option, const std::string& name) {
  std::vector<TaskRef> found;
  for (std::uint32_t w = 0; w < problem.workflows().size(); ++w) {
    const Workflow& workflow = problem.workflows()[w];
    const std::string prefix = workflow.name() + "/";
    if (const auto task = workflow.find(name)) found.push_back({w, *task});
    if (!name.starts_with(prefix)) continue;
    if (const auto task = workflow.find(name.substr(prefix.size()))) found.push_back({w, *task});
  }
  if (found.empty()) {
    io::NearestWord nearest(name);
    for (const Workflow& workflow : problem.workflows()) {
      for (TaskId task = 0; task < workflow.size(); ++task) nearest.offer(workflow.id(task));
    }
    throw InputError("--" + option + ": there is no task " + io::quote(name) +
                     nearest.suggestion());
  }
  if (found.size() > 1) {
    throw InputError("--" + option + ": several workflows have a task " + io::quote(name) +
                     "; say which: WORKFLOW/" + name);
  }
  return static_cast<TaskId>(problem.number_of(found.front()));
}

Event slow(const Problem& problem, const std::string& value) {
  const Slowdown what = parse_slowdown(problem.platform(), "slow", value, "r2@20x3");
  const auto resource = problem.platform().find(what.name);
  if (problem.platform().clusters().size() == 1) {
    throw InputError("--slow is for a pool of resources; on one cluster ask with --late");
  }
  if (!resource) refuse_resource(problem, "slow", what.name);
  return {.time = what.time,
          .kind = Event::Kind::slow,
          .resource = static_cast<std::uint32_t>(*resource),
          .factor = what.factor};
}

Event late(const Problem& problem, const std::string& value) {
  const Slowdown what = parse_slowdown(problem.platform(), "late", value, "solve@900x1.5");
  return {.time = what.time,
          .kind = Event::Kind::late,
          .factor = what.factor,
          .task = find_task(problem, "late", what.name)};
}

Event lost(const Problem& problem, const std::string& value) {
  const auto [name, when] = split_at(value, '@');
  if (name.empty() || when.empty()) refuse("lost", "a task and when, such as solve@900", value);
  return {.time = parse_coming(problem.platform(), "lost", value, when),
          .kind = Event::Kind::lost,
          .task = find_task(problem, "lost", name)};
}

Event fail(const Problem& problem, const std::string& value) {
  const auto [count, window] = split_at(value, '@');
  const auto [begin, end] = split_window(window);
  const Count procs = parse_processors(count);
  if (procs == 0 || begin.empty()) {
    refuse("fail", "processors and when, such as 8@600 or 8@600-7800", value);
  }
  const Platform& platform = problem.platform();
  if (platform.clusters().size() > 1) {
    throw InputError("--fail is for one cluster; of a pool of resources ask with --leave");
  }
  if (procs > platform.clusters().front().processors) {
    throw InputError("--fail " + value + ": the cluster has only " +
                     std::to_string(platform.clusters().front().processors) + " processors");
  }
  const Time time = parse_coming(platform, "fail", value, begin);
  const Time until = end.empty() ? kForever : parse_time_option(platform, "--fail", end);
  if (until <= time) throw InputError("--fail " + value + ": ends before it begins");
  return {.time = time, .kind = Event::Kind::fail, .until = until, .procs = procs};
}

constexpr Change kChanges[] = {
    {"join", "let a resource join: NAME@T, such as r4@15", join, nullptr, true},
    {"leave", "let a resource leave without warning: NAME@T", leave, nullptr, true},
    {"processors", "add, take away or set processors of the cluster: +32, -8, 128", processors,
     nullptr},
    {"reserve", "let others reserve processors: N@START-END, such as 16@3600-7200", reserve,
     nullptr},
    {"slow", "make a resource slower: NAME@TxF, such as r2@20x3", nullptr, slow},
    {"late", "make a task take longer from then on: TASK@TxF, such as solve@900x1.5", nullptr,
     late},
    {"lost", "let a task fail, so that it runs again: TASK@T", nullptr, lost},
    {"fail", "let processors fail: N@T, or N@T-UNTIL", nullptr, fail},
};

}  // namespace

std::span<const Change> changes() { return kChanges; }

Time moment_of(const Platform& platform, const Change& change, const std::string& value) {
  return parse_time_option(platform, "--" + std::string(change.option),
                           split_at(value, '@').second);
}

}  // namespace dovetail::cli
