// What the history says about the tasks of one kind: how good the estimates were, what was fitted,
// and what to ask for next time.
//
//   const KindSummary summary = *summarise(history.of("demo", "solve", machine));
//   print(workflow_fields(summary.request));   // "time: 20.1, alpha: 0.12, timeout: 1m30s"
//
// All functions are pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "run/history/performance_history.hpp"
#include "run/history/predictor.hpp"

namespace dovetail::run {

// What one could write into the workflow file or ask of a batch system.
struct Request {
  Count processors = 1;
  double seconds = 0;                // on one processor with an alpha, else on `processors`
  std::optional<double> alpha = {};  // when it was fitted to tasks on several numbers of processors
  double timeout_seconds = 0;
  std::int64_t memory_kib = 0;  // 0: not known
};

struct KindSummary {
  std::size_t measurements = 0;
  std::size_t tasks = 0;
  std::size_t runs = 0;
  std::vector<Count> processors = {};  // that were measured, ascending
  double median_seconds = 0;
  std::int64_t peak_kib = 0;
  // Mean of |estimate - measured| / measured, over estimates that were more than an assumption.
  std::optional<double> error = {};
  std::size_t assumed = 0;  // measurements of tasks about which nothing was known
  AmdahlFit fit = {};
  FitRange range = {};
  Request request = {};
};

// Measurements of one kind, newest first. Nothing when none makes sense.
std::optional<KindSummary> summarise(std::span<const Measurement> measurements);

// As the fields of a task: "time: 20.1, alpha: 0.12, timeout: 1m30s".
std::string workflow_fields(const Request& request);

// As options of sbatch: "--cpus-per-task=4 --time=00:01:30 --mem=150M".
std::string sbatch_options(const Request& request);

}  // namespace dovetail::run
