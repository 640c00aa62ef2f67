#include "federation/daemon/month_times.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "dovetail/error.hpp"

namespace dovetail::federation {

namespace {

constexpr std::size_t kEnough = 3;
constexpr std::size_t kNewest = 15;

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Medians by processors.
std::map<Count, double> medians_of(const std::vector<run::Measurement>& newest_first) {
  std::map<Count, std::vector<double>> by_size;
  for (const run::Measurement& one : newest_first) {
    auto& seconds = by_size[one.processors];
    if (seconds.size() < kNewest) seconds.push_back(one.seconds);
  }
  std::map<Count, double> medians;
  for (const auto& [size, seconds] : by_size) {
    if (seconds.size() >= kEnough) medians[size] = median_of(seconds);
  }
  return medians;
}

Duration milliseconds_of(double seconds) {
  return std::max<Duration>(1, static_cast<Duration>(std::ceil(seconds * 1000)));
}

}  // namespace

Duration main_time(const MonthTimes& times, Count processors) {
  Duration time = 0;
  for (const GroupTime& size : times.main) {
    if (time == 0 || size.procs <= processors) time = size.time;
  }
  return time;
}

void MonthHistory::add(const MonthStep& step, const Service& service, double seconds) const {
  const std::string kind = step.kind == StepKind::post ? "post" : "main";
  run::PerformanceHistory(path_).add(
      std::vector<run::Measurement>{{.workflow = "service " + service.name,
                                     .kind = kind,
                                     .task = kind + " on " + std::to_string(step.processors),
                                     .machine = cluster_,
                                     .run = step.request.id + "." + std::to_string(step.number),
                                     .processors = step.processors,
                                     .seconds = seconds,
                                     .time = run::wall_now()}});
}

MonthTimes MonthHistory::times(const Service& service) const {
  MonthTimes times = service.times;
  std::map<Count, double> mains;
  std::map<Count, double> posts;
  try {
    const run::PerformanceHistory history(path_);
    mains = medians_of(history.of("service " + service.name, "main", cluster_));
    posts = medians_of(history.of("service " + service.name, "post", cluster_));
  } catch (const ExecutionError&) {
    return times;
  }
  std::vector<double> factors;
  for (const GroupTime& size : times.main) {
    const auto found = mains.find(size.procs);
    if (found != mains.end()) factors.push_back(found->second / to_seconds(size.time));
  }
  const double factor = factors.empty() ? 1 : median_of(factors);
  for (GroupTime& size : times.main) {
    const auto found = mains.find(size.procs);
    size.time =
        milliseconds_of(found != mains.end() ? found->second : to_seconds(size.time) * factor);
  }
  // More processors never count as slower, even if they were measured so by chance.
  for (std::size_t i = 1; i < times.main.size(); ++i) {
    times.main[i].time = std::min(times.main[i].time, times.main[i - 1].time);
  }
  if (times.post > 0 && posts.contains(1)) times.post = milliseconds_of(posts.at(1));
  return times;
}

}  // namespace dovetail::federation
