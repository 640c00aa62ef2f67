// A summary of the measurements of one kind of task: how good the estimates were, the fitted times,
// and the resources to request next time.
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

// For the workflow file, or to request from a batch system.
struct ResourceRequest {
  Count processors = 1;
  double seconds = 0;                // on one processor with an alpha, else on `processors`
  std::optional<double> alpha = {};  // if measured on several numbers of processors
  double timeout_seconds = 0;
  std::int64_t memory_kib = 0;  // of all its processes; 0: not known
};

struct KindSummary {
  std::size_t measurements = 0;
  std::size_t tasks = 0;
  std::size_t runs = 0;
  std::vector<Count> processors = {};  // the measured numbers, ascending
  double median_seconds = 0;
  std::int64_t peak_kib = 0;     // of the largest process
  std::int64_t peak_memory = 0;  // bytes, of all processes of a task
  // Mean of |estimate - measured| / measured, without estimates that were only assumed.
  std::optional<double> error = {};
  std::size_t assumed = 0;  // measurements whose estimate was only assumed
  AmdahlFit fit = {};
  FitRange range = {};
  ResourceRequest request = {};
};

// Takes measurements of one kind, newest first. Nothing when none is usable.
std::optional<KindSummary> summarise(std::span<const Measurement> measurements);

// As the fields of a task: "time: 20.1, alpha: 0.12, timeout: 1m30s".
std::string workflow_fields(const ResourceRequest& request);

// As options of sbatch: "--cpus-per-task=4 --time=00:01:30 --mem=150M".
std::string sbatch_options(const ResourceRequest& request);

}  // namespace dovetail::run
