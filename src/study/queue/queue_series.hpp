// The runs of the queue study and their results. A series is one workflow under one strategy on one
// queue, submitted at every instant.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "queue/sim/trace.hpp"
#include "queue/strategies/strategy.hpp"

namespace dovetail::study {

// The strategies in the order of the paper, then ours.
enum class Cut { one_job_per_task, one_job, level_by_level, zhang, glume, glume_plus };

inline constexpr std::array<Cut, 6> kCuts = {
    Cut::one_job_per_task, Cut::one_job, Cut::level_by_level, Cut::zhang, Cut::glume,
    Cut::glume_plus};

// The name in strategies().
constexpr std::string_view name_of(Cut cut) {
  constexpr std::array<std::string_view, kCuts.size()> kNames = {
      "ONEJOBPERTASK", "ONEJOB", "LEVELBYLEVEL", "ZHANG", "GLUME", "GLUME+"};
  return kNames[static_cast<std::size_t>(cut)];
}

inline constexpr std::array<std::string_view, 4> kQueueApplications = {"CyberShake", "Epigenomics",
                                                                       "Montage", "Sipht"};
inline constexpr std::array<std::uint32_t, 3> kQueueSizes = {50, 250, 500};

// By the total hours of all tasks.
enum class QueueLength { brief, medium, extended };
inline constexpr std::array<QueueLength, 3> kQueueLengths = {
    QueueLength::brief, QueueLength::medium, QueueLength::extended};
constexpr std::string_view name_of(QueueLength length) {
  constexpr std::array<std::string_view, kQueueLengths.size()> kNames = {"short", "medium", "long"};
  return kNames[static_cast<std::size_t>(length)];
}
constexpr int hours_of(QueueLength length) {
  constexpr std::array<int, kQueueLengths.size()> kHours = {100, 500, 1000};
  return kHours[static_cast<std::size_t>(length)];
}

constexpr std::string_view name_of(queue::Requests requests) {
  return requests == queue::Requests::real ? "real" : "accurate";
}

// One of the 36: its name is "Montage-250-medium".
struct QueueWorkflow {
  std::string name;
  std::string_view application;
  std::uint32_t size = 0;  // as in the name; the number of tasks is near it
  QueueLength length = QueueLength::medium;
  bool generated = false;
  std::shared_ptr<const queue::LeveledTasks> tasks = {};
};

// The names of the logs of individual figures; the synthetic log replaces each of them.
inline constexpr std::string_view kFigureLog = "KTH-SP2";
inline constexpr std::string_view kDoubtLog = "SDSC-SP2";
inline constexpr std::string_view kSyntheticLog = "synthetic";
inline constexpr std::uint32_t kFigureSize = 250;

struct QueueLog {
  std::string name;
  std::string file;  // empty: synthetic
  Count nodes = 0;
  Count processors_per_node = 1;
};

inline bool stands_for(const QueueLog& log, std::string_view name) {
  return log.name == name || log.name == kSyntheticLog;
}

// The competing jobs, and how the machine runs them.
struct QueueSetting {
  std::size_t log = 0;  // position in QueueCampaign::logs
  queue::Requests requests = queue::Requests::accurate;
  bool contiguous = false;
  queue::NeverRan never_ran = queue::NeverRan::drop;
  friend bool operator==(const QueueSetting&, const QueueSetting&) = default;
};

// Facts about the replay of a setting.
struct QueueSettingFacts {
  QueueSetting setting;
  std::size_t jobs = 0;   // of the log
  double first_week = 0;  // offered load of the jobs submitted in it
};

// How many jobs of the workflow may be in the system at once: in most of the paper, and in Figure
// 2.
inline constexpr Count kUsualCap = 16;
inline constexpr Count kWideCap = 128;

struct QueueSeriesKey {
  QueueSetting setting;
  std::size_t workflow = 0;  // position in QueueCampaign::workflows
  Cut cut = Cut::glume;
  Count cap = kUsualCap;
  double min_utilisation = 0;
  friend bool operator==(const QueueSeriesKey&, const QueueSeriesKey&) = default;
};

// The outcome of one execution.
struct QueueOutcome {
  Duration makespan = 0;
  Duration held = 0;  // node-milliseconds
  std::uint32_t jobs = 0;
  std::uint32_t expired = 0;
  bool single_mode = false;

  bool is_one_job() const { return jobs == 1 && !single_mode; }  // all tasks as one job
  friend bool operator==(const QueueOutcome&, const QueueOutcome&) = default;
};

struct QueueSeries {
  QueueSeriesKey key;
  std::vector<QueueOutcome> outcomes = {};  // by instant

  double mean_makespan() const;
};

struct QueueCampaign {
  bool doubt = false;       // the four settings of one log, instead of the tables
  std::vector<Count> caps;  // those of Table 2
  // Whether machines need contiguous nodes, everywhere except in the doubt experiment.
  bool contiguous = false;
  queue::NeverRan never_ran = queue::NeverRan::drop;
  std::vector<Time> instants;
  std::vector<QueueLog> logs;
  std::vector<QueueWorkflow> workflows;
  std::vector<QueueSettingFacts> settings;
  std::vector<QueueSeries> series;

  QueueSetting setting(std::size_t log, queue::Requests requests) const {
    return {log, requests, contiguous, never_ran};
  }
  // Null when it was not run.
  const QueueSeries* find(const QueueSeriesKey& key) const;
  std::size_t executions() const { return series.size() * instants.size(); }
};

}  // namespace dovetail::study
