// Repeats the evaluation of GLUME (Hataishi, Dutot, Ferreira da Silva, Casanova): workflows cut
// into batch jobs, submitted at 289 instants of the first week of four logs. Prints Figures 2, 3,
// 5, 6 and Table 2 beside the published numbers, and GLUME+ beside the paper's strategies.
//
//   QueueStudyResult result = run_queue_study({.instants = 6, .logs = {"KTH-SP2"}});
//   std::cout << format_table(result);
//
// The result is the same for the same options on any number of threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "study/queue/queue_series.hpp"
#include "study/queue/queue_tables.hpp"
#include "study/study.hpp"

namespace dovetail::study {

// Readings of the strategies: as the paper describes them, or as its authors' program implements
// them (padded requests, its own rules for cutting and for the leeway).
enum class QueueStudyRules { paper, authors };

std::string_view to_string(QueueStudyRules rules);

// Leaves out the cap and the utilisation, which the experiment sets.
queue::StrategyOptions strategy_options(QueueStudyRules rules);

// Where the workflows come from: the published files, those and generated ones for what is missing,
// or all generated.
enum class QueueWorkflows { published, completed, generated };

struct QueueStudyOptions {
  StudyScale scale = StudyScale::quick;
  std::uint64_t seed = 1;     // of generated workflows and the synthetic log
  unsigned threads = 0;       // 0: as many as the machine has
  std::string data_dir = {};  // where logs and workflows are; empty: DOVETAIL_DATA
  bool synthetic = false;     // one synthetic log and generated workflows, without any data
  Progress progress = {};
  QueueStudyRules rules = QueueStudyRules::paper;
  bool contiguous = false;  // jobs need neighbouring nodes
  queue::NeverRan never_ran = queue::NeverRan::drop;
  // Instead of figures and tables: the four combinations of contiguous nodes and jobs that never
  // ran, on SDSC-SP2 with real requests.
  bool doubt = false;
  // Generated workflows replace published ones if their folder is missing.
  QueueWorkflows source = QueueWorkflows::published;

  // Overrides of the scale.
  std::optional<std::size_t> instants = {};  // spread evenly over the 289
  std::vector<std::string> logs = {};        // names; empty: all four
  std::vector<Count> caps = {};              // of Table 2; empty: 16, as published, and 128
  std::vector<std::string> workflows = {};   // patterns such as "Montage-*-medium"; empty: all
};

struct QueueStudyResult : QueueCampaign {
  StudyScale scale = StudyScale::quick;
  std::uint64_t seed = 0;
  QueueStudyRules rules = QueueStudyRules::paper;
  QueueStudyTables tables = {};
};

// The 289 instants of the paper, half an hour apart after a day of warm-up, or `count` of them,
// spread evenly.
inline constexpr std::size_t kQueueInstants = 289;
std::vector<Time> queue_instants(std::size_t count);

// The four logs, with the machines of the archive. The paper states 100 nodes for HPC2N, which had
// 120 of two processors.
std::vector<QueueLog> published_queue_logs();

// Whether a name matches a pattern, in which * matches anything; case is ignored.
bool matches(std::string_view name, std::string_view pattern);

// One of the 36 workflows, generated; the same for the same seed, whatever else is generated.
Workflow generated_queue_workflow(std::uint64_t seed, std::string_view application,
                                  std::uint32_t size, QueueLength length);

// Instants, logs, workflows, and the series to run, without outcomes. Throws InputError.
QueueCampaign plan_queue_campaign(const QueueStudyOptions& options);

// The jobs of a log as a setting reads them.
queue::Trace read_queue_log(const QueueLog& log, const QueueSetting& setting,
                            const std::string& data_dir, std::uint64_t seed);

// Throws InputError for a missing or unknown log, and when no workflow matches the requested names.
QueueStudyResult run_queue_study(const QueueStudyOptions& options);

std::string format_table(const QueueStudyResult& result);
std::string to_json(const QueueStudyResult& result);
// A line per scenario and strategy: mean makespan, utilisation, jobs.
std::string to_csv(const QueueStudyResult& result);

}  // namespace dovetail::study
