#include "run/history/predictor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "dovetail/error.hpp"
#include "io/text.hpp"
#include "run/history/robust.hpp"

namespace dovetail::run {

namespace {

// A run counts half as much as one this many runs later, since programs and data change.
constexpr double kHalfLifeRuns = 4;

// A task that keeps less than this much of a processor busy waits for something, and its CPU time
// says nothing about how it would speed up.
constexpr double kWorkingShare = 0.5;

// The weight of the time on one processor that CPU times suggest, beside the measured times. It
// should decide only where the measured numbers of processors are too close for a fit.
constexpr double kHintShare = 0.1;

// The fit takes cubic time in the numbers of processors; the most frequent ones are enough.
constexpr std::size_t kMaxGroups = 24;

constexpr double kLowShare = 0.1;
constexpr double kHighShare = 0.9;

// Tasks of one kind differ if the longest of the middle four fifths exceeds the shortest by this.
constexpr double kAlikeRatio = 1.5;

struct Sample {
  std::string_view task = {};
  Count processors = 1;
  double seconds = 0;
  double cpu_seconds = 0;
  double weight = 1;
};

std::vector<Sample> samples_of(std::span<const Measurement> measurements) {
  std::vector<Sample> samples;
  std::map<std::string_view, double> weights;  // by run
  for (const Measurement& m : measurements) {
    if (!is_usable(m)) continue;
    const auto age = static_cast<double>(weights.size());
    const double weight = weights.try_emplace(m.run, std::exp2(-age / kHalfLifeRuns)).first->second;
    samples.push_back({.task = m.task,
                       .processors = m.processors,
                       .seconds = std::clamp(m.seconds, kNoiseSeconds, kMaxSeconds),
                       .cpu_seconds = std::isfinite(m.cpu_seconds) ? m.cpu_seconds : 0,
                       .weight = weight});
  }
  return samples;
}

std::map<Count, std::vector<Weighted>> by_processors(std::span<const Sample> samples) {
  std::map<Count, std::vector<Weighted>> groups;
  for (const Sample& s : samples) groups[s.processors].push_back({s.seconds, s.weight});
  return groups;
}

std::vector<LinePoint> points_of(std::span<const Sample> samples) {
  std::vector<LinePoint> points;
  for (const auto& [processors, times] : by_processors(samples)) {
    double weight = 0;
    for (const Weighted& time : times) weight += time.weight;
    points.push_back({1.0 / processors, median(times), weight});
  }
  if (points.size() > kMaxGroups) {
    std::ranges::stable_sort(points, std::greater{}, &LinePoint::weight);
    points.resize(kMaxGroups);
  }
  return points;
}

bool is_working(const Sample& s) { return s.cpu_seconds >= kWorkingShare * s.seconds; }

// Estimates the time on one processor from one measurement: the CPU time of the work is the same.
double hint(const Sample& s) {
  if (is_working(s)) return std::clamp(s.cpu_seconds, s.seconds, s.processors * s.seconds);
  return s.seconds / (kAssumedAlpha + (1 - kAssumedAlpha) / s.processors);
}

double hint(std::span<const Sample> samples) {
  std::vector<Weighted> hints;
  for (const Sample& s : samples) hints.push_back({hint(s), s.weight});
  return median(hints);
}

// Exact for the one number of processors; alpha is the best guess.
AmdahlFit fit_one_number(std::span<const Sample> samples, double seconds) {
  const Count processors = samples.front().processors;
  if (processors == 1) return {seconds, kAssumedAlpha, AlphaBasis::assumed};
  const double share = seconds / hint(samples);  // alpha + (1 - alpha) / processors
  const double alpha = std::clamp((share * processors - 1) / (processors - 1), 0.0, 1.0);
  const auto working = std::ranges::count_if(samples, is_working);
  const bool is_known = 2 * static_cast<std::size_t>(working) > samples.size();
  return {seconds / (alpha + (1 - alpha) / processors), alpha,
          is_known ? AlphaBasis::cpu_time : AlphaBasis::assumed};
}

// Treats all samples as measurements of one task.
AmdahlFit fit_pooled(std::span<const Sample> samples) {
  std::vector<LinePoint> points = points_of(samples);
  if (points.size() == 1) return fit_one_number(samples, points.front().y);
  if (std::ranges::find(points, 1.0, &LinePoint::x) == points.end()) {
    double weight = 0;
    for (const LinePoint& point : points) weight += point.weight;
    points.push_back({1.0, hint(samples), kHintShare * weight});
  }
  const Line line = fit_line(points);
  const double seconds = line.constant + line.slope;
  return {seconds, line.constant / seconds, AlphaBasis::fitted};
}

// The range of the middle four fifths of the times, relative to the fit.
Range spread(std::span<const Sample> samples, const AmdahlFit& fitted) {
  std::vector<Weighted> ratios;
  for (const Sample& s : samples) ratios.push_back({s.seconds / fitted.at(s.processors), s.weight});
  return {quantile(ratios, kLowShare), quantile(ratios, kHighShare)};
}

bool is_alike(const Range& spread) { return spread.high <= kAlikeRatio * spread.low; }

// The median over the tasks measured on several numbers of processors; nothing without any.
std::optional<double> alpha_by_task(std::span<const Sample> samples) {
  std::map<std::string_view, std::vector<Sample>> tasks;
  for (const Sample& s : samples) tasks[s.task].push_back(s);
  std::vector<Weighted> alphas;
  for (const auto& [task, own] : tasks) {
    const AmdahlFit fitted = fit_pooled(own);
    if (fitted.basis == AlphaBasis::fitted) alphas.push_back({fitted.alpha});
  }
  return alphas.empty() ? std::nullopt : std::optional(median(alphas));
}

bool is_one_task(std::span<const Sample> samples) {
  return std::ranges::all_of(samples,
                             [&](const Sample& s) { return s.task == samples.front().task; });
}

// Planners give long tasks more processors. If tasks differ, a pooled fit would look as if
// processors did not help, so alpha then comes from each task alone.
AmdahlFit fit(std::span<const Sample> samples) {
  AmdahlFit pooled = fit_pooled(samples);
  if (pooled.basis != AlphaBasis::fitted || is_one_task(samples)) return pooled;
  const auto alpha = alpha_by_task(samples);
  if (!alpha) pooled.basis = AlphaBasis::between_tasks;
  if (!alpha || is_alike(spread(samples, pooled))) return pooled;
  const AmdahlFit shape{1, *alpha, AlphaBasis::fitted};
  std::vector<Weighted> times;
  for (const Sample& s : samples) times.push_back({s.seconds / shape.at(s.processors), s.weight});
  return {median(times), *alpha, AlphaBasis::fitted};
}

std::string describe(std::span<const Sample> samples) {
  std::vector<std::string> counts;
  for (const auto& [processors, times] : by_processors(samples)) {
    counts.push_back(std::to_string(processors));
  }
  return fmt::format("measured {} on {} processor{}",
                     samples.size() == 1 ? "once" : fmt::format("{} times", samples.size()),
                     io::listed(counts, "and"), counts == std::vector<std::string>{"1"} ? "" : "s");
}

// Keeps only the measurements on that number of processors, if there are any.
void prefer_measured_on(Count processors, std::vector<Sample>& samples) {
  const auto is_other = [&](const Sample& s) { return s.processors != processors; };
  if (!std::ranges::all_of(samples, is_other)) std::erase_if(samples, is_other);
}

void set_factors(Prediction& prediction, std::span<const Sample> samples, const AmdahlFit& fitted) {
  const Range measured = spread(samples, fitted);
  const double doubt = 1 + 1.0 / static_cast<double>(samples.size());
  prediction.low_factor = std::min(measured.low, 1 / doubt);
  prediction.high_factor = std::max(measured.high, doubt);
}

}  // namespace

bool is_usable(const Measurement& measurement) {
  return measurement.processors >= 1 && std::isfinite(measurement.seconds) &&
         measurement.seconds > 0;
}

std::optional<AmdahlFit> fit_amdahl(std::span<const Measurement> measurements) {
  const std::vector<Sample> samples = samples_of(measurements);
  return samples.empty() ? std::nullopt : std::optional(fit(samples));
}

std::optional<FitRange> fit_range(std::span<const Measurement> measurements) {
  constexpr int kDraws = 200;
  const std::vector<Sample> samples = samples_of(measurements);
  if (samples.empty()) return std::nullopt;
  std::mt19937_64 random(1);
  std::vector<Weighted> seconds;
  std::vector<Weighted> alphas;
  std::vector<Sample> drawn(samples.size());
  for (int i = 0; i < kDraws; ++i) {
    for (Sample& s : drawn) s = samples[random() % samples.size()];
    const AmdahlFit drawn_fit = fit(drawn);
    seconds.push_back({drawn_fit.seconds});
    alphas.push_back({drawn_fit.alpha});
  }
  return FitRange{{quantile(seconds, kLowShare), quantile(seconds, kHighShare)},
                  {quantile(alphas, kLowShare), quantile(alphas, kHighShare)}};
}

std::optional<Prediction> predict(std::span<const Measurement> measurements, bool is_moldable,
                                  ProcessorRange processors) {
  std::vector<Sample> samples = samples_of(measurements);
  if (samples.empty()) return std::nullopt;
  if (!is_moldable) prefer_measured_on(processors.min, samples);
  const AmdahlFit fitted = fit(samples);
  Prediction prediction{.time = is_moldable
                                    ? TimeSpec::amdahl(std::min(fitted.seconds, kMaxSeconds),
                                                       fitted.alpha, processors)
                                    : TimeSpec::fixed(fitted.at(processors.min), processors.min),
                        .measurements = samples.size(),
                        .alpha = fitted.basis,
                        .basis = describe(samples)};
  set_factors(prediction, samples, fitted);
  return prediction;
}

namespace {

Prediction assume(const UntimedTask& task) {
  return {.time = task.is_moldable
                      ? TimeSpec::amdahl(kAssumedSeconds, kAssumedAlpha, task.processors)
                      : TimeSpec::fixed(kAssumedSeconds, task.processors.min),
          .basis = "assumed"};
}

// The chosen names, shortened when there are many.
template <typename Choose>
std::string names(const std::vector<Estimate>& estimates, Choose choose) {
  constexpr std::size_t kShown = 5;
  std::vector<std::string> shown;
  std::size_t count = 0;
  for (const Estimate& estimate : estimates) {
    if (choose(estimate) && ++count <= kShown) shown.push_back(io::quote(estimate.task.id));
  }
  if (count > kShown) shown.push_back(fmt::format("{} more", count - kShown));
  return io::listed(shown, "and");
}

}  // namespace

Estimator::Estimator(const PerformanceHistory* history, std::string machine)
    : history_(history), machine_(std::move(machine)) {}

TimeSpec Estimator::operator()(const UntimedTask& task) {
  std::optional<Prediction> known;
  try {
    known = predict_from_history(task);
  } catch (const ExecutionError& error) {
    trouble_ = error.what();
    history_ = nullptr;
  }
  places_.insert_or_assign({task.workflow, task.id}, estimates_.size());
  estimates_.push_back({task, known.value_or(assume(task)), !known});
  return estimates_.back().prediction.time;
}

std::optional<Prediction> Estimator::predict_from_history(const UntimedTask& task) {
  if (history_ == nullptr) return std::nullopt;
  const std::vector<Measurement> own = history_->of_task(task.workflow, task.id, machine_);
  const std::optional<Prediction>& kind = predict_kind(task);
  const bool is_own_better =
      own.size() > 1 || !kind || !is_alike({kind->low_factor, kind->high_factor});
  if (own.empty() || !is_own_better) return kind;
  const auto prediction = predict(own, task.is_moldable, task.processors);
  return prediction ? prediction : kind;
}

const std::optional<Prediction>& Estimator::predict_kind(const UntimedTask& task) {
  const KindKey key(task.workflow, task.kind, task.is_moldable, task.processors.min,
                    task.processors.max);
  const auto known = kinds_.find(key);
  if (known != kinds_.end()) return known->second;
  const auto measurements = history_->of(task.workflow, task.kind, machine_);
  return kinds_.emplace(key, predict(measurements, task.is_moldable, task.processors))
      .first->second;
}

const Estimate* Estimator::find(const std::string& workflow, const std::string& task) const {
  const auto found = places_.find({workflow, task});
  return found == places_.end() ? nullptr : &estimates_[found->second];
}

std::vector<std::string> Estimator::notes() const {
  const auto was_assumed = [](const Estimate& e) { return e.was_assumed; };
  const auto has_unknown_alpha = [](const Estimate& e) {
    return !e.was_assumed && e.task.is_moldable && e.prediction.alpha == AlphaBasis::assumed;
  };
  std::vector<std::string> lines;
  if (!trouble_.empty()) lines.push_back("no measured times: " + trouble_);
  const auto assumed = static_cast<std::size_t>(std::ranges::count_if(estimates_, was_assumed));
  if (const std::size_t measured = estimates_.size() - assumed; measured > 0) {
    lines.push_back(fmt::format("{} without a time: estimated from what was measured on {}",
                                io::counted(measured, "task"),
                                machine_));
  }
  if (std::ranges::any_of(estimates_, has_unknown_alpha)) {
    lines.push_back(fmt::format("measured on one number of processors only, alpha {} assumed: {}",
                                kAssumedAlpha, names(estimates_, has_unknown_alpha)));
  }
  if (assumed > 0) {
    const bool is_moldable = std::ranges::any_of(
        estimates_, [](const Estimate& e) { return e.was_assumed && e.task.is_moldable; });
    lines.push_back(fmt::format(
        "without a time and never measured on {}, {} s assumed{}: {}; a run measures {}", machine_,
        kAssumedSeconds,
        is_moldable ? fmt::format(", on one processor and with alpha {} if moldable", kAssumedAlpha)
                    : "",
        names(estimates_, was_assumed), assumed == 1 ? "it" : "them"));
  }
  return lines;
}

}  // namespace dovetail::run
