// How long a task will take, from what tasks like it took: Amdahl's law
//
//   seconds(p) = T (alpha + (1 - alpha) / p)
//
// fitted so that single slow attempts do not move it and newer runs count more.
//
//   auto known = history.of("demo", "solve", machine_name());
//   if (const auto prediction = predict(known, true, {1, 8})) use(prediction->time);
//
// All functions are pure. An Estimator belongs to one thread.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "dovetail/io.hpp"
#include "dovetail/speedup.hpp"
#include "run/history/performance_history.hpp"

namespace dovetail::run {

// What a task is thought to be like before it was ever measured: a minute, and almost parallel. As
// it is measured the first time it runs, the numbers matter little; that somebody is told matters.
inline constexpr double kAssumedSeconds = 60;
inline constexpr double kAssumedAlpha = 0.1;

// Times below are the noise of starting a process, and count as this much.
inline constexpr double kNoiseSeconds = 0.01;

// Whether a measurement says anything: it has a time, and processors.
bool is_usable(const Measurement& measurement);

// From where alpha is known.
enum class AlphaBasis {
  fitted,         // measured on several numbers of processors
  between_tasks,  // so were different tasks, but none of them: maybe it is they that differ
  cpu_time,       // measured on one number, which it kept busy for so long
  assumed         // cannot be known from what was measured
};

struct AmdahlFit {
  double seconds = 0;  // T
  double alpha = 0;
  AlphaBasis basis = AlphaBasis::assumed;

  double at(Count processors) const {
    return seconds * (alpha + (1 - alpha) / static_cast<double>(processors));
  }
};

// Measurements are newest first, as the history gives them. Nothing when none is usable.
std::optional<AmdahlFit> fit_amdahl(std::span<const Measurement> measurements);

struct Range {
  double low = 0;
  double high = 0;
};

// Within which T and alpha lie, as far as the measurements can tell: 80 % of the fits to
// measurements drawn from them by chance, with a fixed seed.
struct FitRange {
  Range seconds = {};
  Range alpha = {};
};
std::optional<FitRange> fit_range(std::span<const Measurement> measurements);

struct Prediction {
  TimeSpec time;
  // Four of five measured times are within time * low_factor .. time * high_factor. Few
  // measurements cannot promise much: n of them give no narrower range than 1/(1 + 1/n)..1 + 1/n.
  double low_factor = 1;
  double high_factor = 1;
  std::size_t measurements = 0;
  AlphaBasis alpha = AlphaBasis::assumed;
  std::string basis = {};  // "measured 3 times on 2 and 4 processors"
};

// A moldable task gets Amdahl's law with that range, any other one a fixed time on
// `processors.min`.
std::optional<Prediction> predict(std::span<const Measurement> measurements, bool is_moldable,
                                  ProcessorRange processors);

// What an Estimator said about a task.
struct Estimate {
  UntimedTask task = {};
  Prediction prediction = {};
  bool was_assumed = false;  // nothing was known: kAssumedSeconds
};

// For WorkflowReadOptions::missing_time, as std::ref(estimator): it remembers what it said.
//
// A task's own measurements are used where there are two, or where the tasks of its kind differ
// much; else those of its kind.
class Estimator {
 public:
  // Without a history, or with one that turns out to be broken, nothing is known.
  Estimator(const PerformanceHistory* history, std::string machine);

  TimeSpec operator()(const UntimedTask& task);

  // In the order in which they were asked for.
  const std::vector<Estimate>& estimates() const { return estimates_; }

  // Null when it was not asked about that task.
  const Estimate* find(const std::string& workflow, const std::string& task) const;

  // For people, a line each: what was estimated from how much, what was assumed of which tasks, and
  // why the history could not be read if so. Empty when there was nothing to estimate.
  std::vector<std::string> notes() const;

 private:
  using KindKey = std::tuple<std::string, std::string, bool, Count, Count>;

  std::optional<Prediction> predict_from_history(const UntimedTask& task);
  const std::optional<Prediction>& predict_kind(const UntimedTask& task);

  const PerformanceHistory* history_;
  std::string machine_;
  std::string trouble_;
  std::map<KindKey, std::optional<Prediction>> kinds_;
  std::vector<Estimate> estimates_;
  std::map<std::pair<std::string, std::string>, std::size_t> places_;  // in estimates_
};

}  // namespace dovetail::run
