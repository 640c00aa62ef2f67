// Predicts the time of a task from measurements of similar tasks, by Amdahl's law
//
//   seconds(p) = T (alpha + (1 - alpha) / p)
//
// fitted so that single slow attempts have no effect and newer runs count more.
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

// The assumed time of a task that was never measured: a minute, and almost parallel. The first run
// replaces it, so the numbers matter little; a note tells the user about them.
inline constexpr double kAssumedSeconds = 60;
inline constexpr double kAssumedAlpha = 0.1;

// Shorter times are mostly the start of the process, and count as this.
inline constexpr double kNoiseSeconds = 0.01;

// Whether the measurement has a time and processors.
bool is_usable(const Measurement& measurement);

// The source of alpha.
enum class AlphaBasis {
  fitted,         // measured on several numbers of processors
  between_tasks,  // the same, but each task on one number only: the tasks may differ
  cpu_time,       // measured on one number of processors; the CPU time tells
  assumed         // the measurements do not tell
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

// The uncertainty of T and alpha: the middle 80 % of the fits to random samples of the measurements
// (bootstrap), with a fixed seed.
struct FitRange {
  Range seconds = {};
  Range alpha = {};
};
std::optional<FitRange> fit_range(std::span<const Measurement> measurements);

struct Prediction {
  TimeSpec time;
  // Four of five measured times are within time * low_factor .. time * high_factor. With n
  // measurements the range is at least 1/(1 + 1/n)..1 + 1/n.
  double low_factor = 1;
  double high_factor = 1;
  std::size_t measurements = 0;
  AlphaBasis alpha = AlphaBasis::assumed;
  std::string basis = {};  // "measured 3 times on 2 and 4 processors"
};

// A moldable task gets Amdahl's law with that range, any other task a fixed time on
// `processors.min`.
std::optional<Prediction> predict(std::span<const Measurement> measurements, bool is_moldable,
                                  ProcessorRange processors);

// An Estimator's answer for a task.
struct Estimate {
  UntimedTask task = {};
  Prediction prediction = {};
  bool was_assumed = false;  // without measurements: kAssumedSeconds
};

// For WorkflowReadOptions::missing_time, as std::ref(estimator); remembers its answers. Uses a
// task's own measurements if there are two, or if the tasks of its kind differ much; else those of
// its kind.
class Estimator {
 public:
  // Without a usable history, all times are assumed.
  Estimator(const PerformanceHistory* history, std::string machine);

  TimeSpec operator()(const UntimedTask& task);

  // In the order of the questions.
  const std::vector<Estimate>& estimates() const { return estimates_; }

  // Null without a question about that task.
  const Estimate* find(const std::string& workflow, const std::string& task) const;

  // For people, a line each: the number of estimates, the assumptions, and why the history could
  // not be read. Empty without a question.
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
