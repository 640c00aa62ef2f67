#include "run/history/history_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "io/text.hpp"
#include "run/history/robust.hpp"

namespace dovetail::run {

namespace {

// Stopping a task wastes its work, so only a task that hangs should reach the limit: twice the time
// that nine of ten tasks need.
constexpr double kTimeMargin = 2;
constexpr double kMemoryMargin = 1.25;

// A larger share of each processor's time than this should go into work.
constexpr double kLeastEfficiency = 0.5;

// Rounds up to a length that is easy to read.
double round_up(double seconds) {
  const double unit = seconds <= 120 ? 10 : seconds <= 7200 ? 60 : 600;
  return std::ceil(seconds / unit) * unit;
}

std::int64_t round_up_memory(double kib) {
  constexpr std::int64_t kUnit = std::int64_t{10} * 1024;
  constexpr std::int64_t kLeast = 10 * kUnit;  // a batch system's own processes need some of it
  return std::max(kLeast, (static_cast<std::int64_t>(kib) / kUnit + 1) * kUnit);
}

// The largest measured number of processors that is used well. Amdahl's law gives p processors an
// efficiency of 1 / (1 + alpha (p - 1)).
Count useful_processors(const std::vector<Count>& measured, double alpha) {
  Count most = measured.front();
  for (const Count p : measured) {
    if (1 / (1 + alpha * (p - 1)) > kLeastEfficiency) most = p;
  }
  return most;
}

ResourceRequest request_of(std::span<const Measurement> measurements, const KindSummary& summary) {
  ResourceRequest request;
  const bool is_moldable = summary.fit.basis == AlphaBasis::fitted;
  request.processors = is_moldable ? useful_processors(summary.processors, summary.fit.alpha)
                                   : summary.processors.back();
  const double expected = summary.fit.at(request.processors);
  request.seconds = is_moldable ? summary.fit.seconds : expected;
  if (is_moldable) request.alpha = summary.fit.alpha;
  const auto sure = predict(measurements, true, {});
  request.timeout_seconds = round_up(kTimeMargin * expected * sure->high_factor);
  if (summary.peak_memory > 0) {
    request.memory_kib =
        round_up_memory(kMemoryMargin * static_cast<double>(summary.peak_memory) / 1024);
  }
  return request;
}

double relative_miss(const Measurement& m) {
  const double measured = std::max(m.seconds, kNoiseSeconds);
  return std::abs(std::max(m.estimate, kNoiseSeconds) - measured) / measured;
}

// The number rounded to that many significant digits, as files write it.
std::string significant(double value, int digits) {
  if (value == 0) return "0";
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - digits + 1);
  return io::number_text(std::stod(fmt::format("{:.12g}", std::round(value / unit) * unit)));
}

}  // namespace

std::optional<KindSummary> summarise(std::span<const Measurement> measurements) {
  const auto fit = fit_amdahl(measurements);
  const auto range = fit_range(measurements);
  if (!fit || !range) return std::nullopt;
  KindSummary summary{.fit = *fit, .range = *range};
  std::set<std::string_view> tasks;
  std::set<std::string_view> runs;
  std::set<Count> processors;
  std::vector<Weighted> times;
  double miss = 0;
  std::size_t estimates = 0;
  for (const Measurement& m : measurements) {
    if (!is_usable(m)) continue;
    tasks.insert(m.task);
    runs.insert(m.run);
    processors.insert(m.processors);
    times.push_back({m.seconds});
    summary.peak_kib = std::max(summary.peak_kib, m.peak_kib);
    summary.peak_memory = std::max({summary.peak_memory, m.peak_memory, m.peak_kib * 1024});
    if (m.was_assumed) ++summary.assumed;
    if (m.was_assumed || m.estimate <= 0) continue;
    miss += relative_miss(m);
    ++estimates;
  }
  summary.measurements = times.size();
  summary.tasks = tasks.size();
  summary.runs = runs.size();
  summary.processors.assign(processors.begin(), processors.end());
  summary.median_seconds = median(times);
  if (estimates > 0) summary.error = miss / static_cast<double>(estimates);
  summary.request = request_of(measurements, summary);
  return summary;
}

std::string workflow_fields(const ResourceRequest& request) {
  std::string text = fmt::format("time: {}", significant(request.seconds, 3));
  if (request.alpha) {
    text += fmt::format(", alpha: {}", significant(*request.alpha, 2));
  } else if (request.processors > 1) {
    text += fmt::format(", processors: {}", request.processors);
  }
  return text + ", timeout: " + exact_duration(time_ceil(request.timeout_seconds));
}

std::string sbatch_options(const ResourceRequest& request) {
  const auto seconds = static_cast<std::int64_t>(std::ceil(request.timeout_seconds));
  std::string text = fmt::format("--cpus-per-task={} --time={:02}:{:02}:{:02}", request.processors,
                                 seconds / 3600, seconds / 60 % 60, seconds % 60);
  if (request.memory_kib > 0) text += fmt::format(" --mem={}M", request.memory_kib / 1024);
  return text;
}

}  // namespace dovetail::run
