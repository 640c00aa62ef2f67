// Repeats the evaluation of GLUME (Hataishi, Dutot, Ferreira da Silva, Casanova): workflows cut
// into batch jobs, submitted at 289 instants of the first week of four logs. Prints Figures 2, 3,
// 5, 6 and Table 2 beside the published numbers, and GLUME+ beside the paper's strategies.
//
//   QueueStudyResult result = run_queue_study({.instants = 6, .logs = {"KTH-SP2"}});
//   std::cout << format_table(result);
//
// The result is the same for the same options on any number of threads.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "study/queue/queue_series.hpp"
#include "study/study.hpp"

namespace dovetail::study {

// In per cent over a base, positive when the makespan is shorter. The paper does not say whether it
// takes the mean over instants of the ratios or the ratio of the mean makespans: both are computed.
struct Improvement {
  double mean_of_ratios = 0;
  double ratio_of_means = 0;
};
Improvement improvement(const QueueSeries& ours, const QueueSeries& base);

// The strategies that figures compare with ZHANG.
inline constexpr std::array<Cut, 5> kComparedCuts = {
    Cut::one_job_per_task, Cut::one_job, Cut::level_by_level, Cut::glume, Cut::glume_plus};

// A statement of the paper beside our result.
struct QueueFact {
  std::string what;
  std::string ours;
  std::string published;
};

struct QueueFigureRow {
  std::size_t workflow = 0;
  std::array<Improvement, kComparedCuts.size()> over_zhang = {};
  // Percentages of the instants: ZHANG submitted tasks one by one in the end; all tasks as one job.
  double single_mode = 0;
  double one_job = 0;
};

struct QueueFigure {
  std::string name;   // "Figure 2"
  std::string title;  // "KTH-SP2, accurate requests, at most 128 jobs"
  std::vector<QueueFigureRow> rows;
  std::vector<QueueFact> facts;
};

// How far a strategy is ahead of another over some workflows. Within a tenth of a per cent it is a
// tie.
struct Lead {
  std::size_t count = 0;
  std::size_t ahead = 0;
  std::size_t behind = 0;
  double mean_ahead = 0;  // of those that are
  double most_ahead = 0;
  double mean_behind = 0;  // of those that are; 0 or above, as the next
  double most_behind = 0;
};
Lead lead(const std::vector<double>& improvements);

// Scenarios in which the mean makespan is shorter, or longer, by more than 5 per cent.
struct WinCell {
  std::size_t wins = 0;
  std::size_t losses = 0;
  std::size_t scenarios = 0;
};
inline constexpr std::size_t kWinColumns = 6;  // short, medium, long accurate; the same real
std::string win_column_name(std::size_t column);

struct WinRow {
  std::string against;  // "ZHANG", "ZHANG on CTC-SP2"
  std::array<WinCell, kWinColumns> cells = {};
  std::optional<std::array<std::array<int, 2>, kWinColumns>> published = {};
};
struct WinTable {
  Cut cut = Cut::glume;
  Count cap = kUsualCap;
  std::vector<WinRow> rows = {};
};

// GLUME+ against the better of GLUME and ONEJOBPERTASK, by mean makespan: how many per cent longer.
struct ParentCell {
  std::size_t scenarios = 0;
  double mean = 0;
  double worst = 0;
  std::string worst_scenario = {};
  std::size_t over_five = 0;        // scenarios in which it is longer by more than 5 per cent
  double mean_of_glume = 0;         // how far GLUME itself is from the better one
  double mean_of_single_tasks = 0;  // and ONEJOBPERTASK
};
struct ParentTable {
  Count cap = kUsualCap;
  std::array<ParentCell, kWinColumns> cells = {};
};

// A point between makespan and utilisation, over the workflows of medium length.
struct FrontRow {
  Cut cut = Cut::glume_plus;
  double min_utilisation = 0;
  double makespan_percent = 0;  // of that of GLUME+ without a minimum, mean over workflows
  double utilisation = 0;       // used of held node-seconds, mean over workflows
  bool on_front = false;        // no other is better in both
};
struct Front {
  std::string title;
  std::vector<FrontRow> rows = {};
};

// GLUME against ZHANG in one of four settings.
struct DoubtRow {
  QueueSetting setting;
  double first_week = 0;  // offered load
  std::vector<Improvement> by_workflow = {};
  Improvement mean = {};
  Lead of_glume = {};
  WinCell cell = {};
  // Mean of the ratios over the runs in which ZHANG ended with single tasks, and over the others;
  // nothing when there is none.
  std::optional<double> when_single = {};
  std::optional<double> otherwise = {};
  double single_mode = 0;
  double one_job = 0;
};

struct QueueStudyTables {
  std::vector<QueueFigure> figures;
  std::vector<WinTable> wins;
  std::vector<ParentTable> parents;
  std::vector<Front> fronts;
  std::vector<DoubtRow> doubt;
};

// The doubt experiment, or everything else; tables without scenarios are left out.
QueueStudyTables queue_tables(const QueueCampaign& campaign);

// The parts, for queue_tables.
std::vector<QueueFigure> queue_figures(const QueueCampaign& campaign);
std::vector<WinTable> win_tables(const QueueCampaign& campaign);
std::vector<ParentTable> parent_tables(const QueueCampaign& campaign);
std::vector<Front> fronts(const QueueCampaign& campaign);
std::vector<DoubtRow> doubt_rows(const QueueCampaign& campaign);

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
