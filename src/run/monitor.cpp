#include "run/monitor.hpp"

#include <algorithm>
#include <cmath>

namespace dovetail::run {

namespace {

// Processes take time to start and to be heard of: below that a difference means nothing.
constexpr Duration kNoise = 100;

std::string times(double ratio) {
  const std::string text = std::to_string(std::round(ratio * 100) / 100);
  return text.substr(0, text.find('.') + 3) + " times";
}

double ratio_of(Duration a, Duration b) {
  return static_cast<double>(std::max<Duration>(a, 1)) /
         static_cast<double>(std::max<Duration>(b, 1));
}

}  // namespace

Monitor::Monitor(const Problem& problem, double band) : problem_(problem), band_(band) {
  std::map<std::pair<std::uint32_t, std::string_view>, std::size_t> numbers;
  for (std::uint32_t w = 0; w < problem.workflows().size(); ++w) {
    const Workflow& workflow = problem.workflows()[w];
    for (TaskId task = 0; task < workflow.size(); ++task) {
      const auto known = numbers.try_emplace({w, workflow.kind(task)}, numbers.size());
      kinds_.push_back(known.first->second);
    }
  }
  ratios_.resize(numbers.size());
}

void Monitor::started(std::size_t task, Time now, Count procs, Duration length) {
  const TaskRef ref = problem_.task_at(task);
  const TaskTime time = problem_.time(ref.workflow, ref.task, 0);
  const Duration by_file = time.allows(procs) ? time.duration(procs) : length;
  running_[task] = {now, by_file, length, length};
}

std::optional<std::string> Monitor::ended(std::size_t task, Duration real) {
  const auto found = running_.find(task);
  if (found == running_.end()) return std::nullopt;
  const Duration planned = found->second.planned;
  const Duration by_file = found->second.by_file;
  const bool is_as_filed = std::abs(real - by_file) < kNoise;
  ratios_[kinds_[task]].push_back(is_as_filed ? 1 : ratio_of(real, by_file));
  running_.erase(found);
  const double ratio = ratio_of(real, planned);
  const bool is_noise = std::abs(real - planned) < kNoise;
  if (is_noise || std::abs(ratio - 1) <= band_) return std::nullopt;
  return problem_.task_name(task) + " took " + times(ratio) + " its estimate";
}

Time Monitor::limit(const TimedTask& task) const {
  const auto slack = static_cast<Duration>(band_ * static_cast<double>(task.thought)) + kNoise;
  return task.began + task.thought + slack;
}

std::vector<Monitor::Late> Monitor::late(Time now) {
  std::vector<Late> found;
  for (auto& [number, task] : running_) {
    if (now < limit(task)) continue;
    while (now >= limit(task)) task.thought = std::max<Duration>(1, 2 * task.thought);
    found.push_back({number, task.began + task.thought,
                     problem_.task_name(number) + " has run for " +
                         times(ratio_of(now - task.began, task.planned)) + " its estimate"});
  }
  return found;
}

Time Monitor::next_check() const {
  Time next = kForever;
  for (const auto& [number, task] : running_) next = std::min(next, limit(task));
  return next;
}

// The median of what the kind took.
double Monitor::factor(std::size_t kind) const {
  std::vector<double> ratios = ratios_[kind];
  if (ratios.empty()) return 1;
  const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
  std::ranges::nth_element(ratios, middle);
  return std::abs(*middle - 1) > band_ ? *middle : 1;
}

std::vector<double> Monitor::factors() const {
  std::vector<double> by_kind;
  for (std::size_t kind = 0; kind < ratios_.size(); ++kind) by_kind.push_back(factor(kind));
  std::vector<double> factors;
  for (const std::size_t kind : kinds_) factors.push_back(by_kind[kind]);
  return factors;
}

}  // namespace dovetail::run
