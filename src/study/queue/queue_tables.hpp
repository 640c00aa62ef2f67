// The figures and tables of the queue study, made from its series.
//
// Improvements are in per cent over a base, positive when the makespan is shorter. The paper does
// not say whether it takes the mean over instants of the ratios or the ratio of the mean makespans:
// both are computed.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "study/queue/queue_series.hpp"

namespace dovetail::study {

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

}  // namespace dovetail::study
