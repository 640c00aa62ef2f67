#include "whatif_questions.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "dovetail/error.hpp"
#include "io/text.hpp"
#include "moment.hpp"

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

using Clusters = std::vector<Cluster>;

Cluster* find(Clusters& clusters, const std::string& name) {
  const auto found = std::ranges::find(clusters, name, &Cluster::name);
  return found == clusters.end() ? nullptr : &*found;
}

void join(const Platform& platform, Clusters& clusters, const std::string& value) {
  const auto [name, when] = split_at(value, '@');
  if (name.empty() || when.empty()) refuse("join", "a resource and when, such as r4@15", value);
  if (Cluster* known = find(clusters, name)) {
    known->joins = parse_time(platform, "--join", when);
  } else {
    clusters.push_back(
        {.name = name, .processors = 1, .joins = parse_time(platform, "--join", when)});
  }
}

void leave(const Platform& platform, Clusters& clusters, const std::string& value) {
  const auto [name, when] = split_at(value, '@');
  if (name.empty() || when.empty()) refuse("leave", "a resource and when, such as r2@40", value);
  Cluster* known = find(clusters, name);
  if (known == nullptr) {
    throw InputError("--leave: there is no cluster " + io::quote(name) + " that could leave");
  }
  known->leaves = parse_time(platform, "--leave", when);
}

// The cluster that a question without a name is about.
Cluster& only(Clusters& clusters, const std::string& option) {
  if (clusters.size() == 1) return clusters.front();
  throw InputError("--" + option + " is for one cluster, and there are " +
                   std::to_string(clusters.size()));
}

void processors(const Platform& /*platform*/, Clusters& clusters, const std::string& value) {
  const auto change = io::parse_number(value.starts_with('+') ? value.substr(1) : value);
  Cluster& cluster = only(clusters, "processors");
  const bool is_signed = value.starts_with('+') || value.starts_with('-');
  if (!change || *change != std::floor(*change) || std::abs(*change) > kMaxProcessors) {
    refuse("processors", "a number of processors, such as +32, -8 or 128", value);
  }
  cluster.processors = static_cast<Count>(*change) + (is_signed ? cluster.processors : 0);
  if (cluster.processors < 1) throw InputError("--processors " + value + " would leave none");
}

// "3600-7200", or with dates "2026-11-15T08:00:00Z/2026-11-15T10:00:00Z".
std::pair<std::string, std::string> split_window(const std::string& text) {
  return split_at(text, text.find('/') == std::string::npos ? '-' : '/');
}

// A whole number of processors; 0 when the text is none.
Count parse_processors(const std::string& text) {
  const auto number = io::parse_number(text);
  const bool is_good = number && *number >= 1 && *number <= kMaxProcessors;
  return is_good && *number == std::floor(*number) ? static_cast<Count>(*number) : 0;
}

void reserve(const Platform& platform, Clusters& clusters, const std::string& value) {
  const auto [count, window] = split_at(value, '@');
  const auto [begin, end] = split_window(window);
  const Count procs = parse_processors(count);
  if (begin.empty() || end.empty() || procs == 0) {
    refuse("reserve", "processors and from when to when, such as 16@3600-7200", value);
  }
  const Time start = parse_time(platform, "--reserve", begin);
  const Time until = parse_time(platform, "--reserve", end);
  only(clusters, "reserve").reservations.push_back({start, until, procs});
}

// "r2@20x3": who, when and how many times as long.
struct Slowdown {
  std::string name;
  Time time = 0;
  double factor = 1;
};

Slowdown parse_slowdown(const Platform& platform, const std::string& option,
                        const std::string& value) {
  const auto [name, rest] = split_at(value, '@');
  const auto [when, times] = split_at(rest, 'x');
  const auto factor = io::parse_number(times);
  if (name.empty() || when.empty() || !factor || *factor <= 0 || *factor > 1e6) {
    refuse(option, "a name, when, and how many times as long, such as r2@20x3", value);
  }
  return {name, parse_time(platform, "--" + option, when), *factor};
}

// The task's number over all workflows.
TaskId find_task(const Problem& problem, const std::string& option, const std::string& id) {
  std::size_t first = 0;
  std::optional<std::size_t> found;
  for (const Workflow& workflow : problem.workflows()) {
    if (const auto task = workflow.find(id)) {
      if (found)
        throw InputError("--" + option + ": several workflows have a task " + io::quote(id));
      found = first + *task;
    }
    first += workflow.size();
  }
  if (!found) throw InputError("--" + option + ": there is no task " + io::quote(id));
  return static_cast<TaskId>(*found);
}

Event slow(const Problem& problem, const std::string& value) {
  const Slowdown what = parse_slowdown(problem.platform(), "slow", value);
  const auto resource = problem.platform().find(what.name);
  if (!resource) throw InputError("--slow: there is no resource " + io::quote(what.name));
  if (problem.platform().clusters().size() == 1) {
    throw InputError("--slow is for a pool of resources; on one cluster ask with --late");
  }
  return {.time = what.time,
          .kind = Event::Kind::slow,
          .resource = static_cast<std::uint32_t>(*resource),
          .factor = what.factor};
}

Event late(const Problem& problem, const std::string& value) {
  const Slowdown what = parse_slowdown(problem.platform(), "late", value);
  return {.time = what.time,
          .kind = Event::Kind::late,
          .factor = what.factor,
          .task = find_task(problem, "late", what.name)};
}

Event lost(const Problem& problem, const std::string& value) {
  const auto [name, when] = split_at(value, '@');
  if (name.empty() || when.empty()) refuse("lost", "a task and when, such as solve@900", value);
  return {.time = parse_time(problem.platform(), "--lost", when),
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
  return {.time = parse_time(platform, "--fail", begin),
          .kind = Event::Kind::fail,
          .until = end.empty() ? kForever : parse_time(platform, "--fail", end),
          .procs = procs};
}

constexpr Change kChanges[] = {
    {"join", "a resource joins: NAME@T, such as r4@15", join, nullptr, true},
    {"leave", "a resource leaves without warning: NAME@T", leave, nullptr, true},
    {"processors", "the cluster had so many more, fewer or altogether: +32, -8, 128", processors,
     nullptr},
    {"reserve", "somebody reserves processors: N@START-END, such as 16@3600-7200", reserve,
     nullptr},
    {"slow", "a resource becomes slower: NAME@TxF, such as r2@20x3", nullptr, slow},
    {"late", "a task takes longer from then on: TASK@TxF, such as solve@900x1.5", nullptr, late},
    {"lost", "a task fails and has to be run again: TASK@T", nullptr, lost},
    {"fail", "processors fail: N@T, or N@T-UNTIL", nullptr, fail},
};

}  // namespace

std::span<const Change> changes() { return kChanges; }

Time moment_of(const Platform& platform, const Change& change, const std::string& value) {
  return parse_time(platform, "--" + std::string(change.option), split_at(value, '@').second);
}

}  // namespace dovetail::cli
