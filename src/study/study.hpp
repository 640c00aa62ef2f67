// The common parts of the studies on reservations: their inputs (40 kinds of applications, and the
// reservation schedules of every log), their options, and the campaign that passes every instance
// (one workflow on one reservation schedule) to a study.
//
//   const Campaign campaign(options, {.size = {2, 5, 1}});
//   auto scenarios = campaign.run<Sums>([](const Workflow& workflow, const Platform& platform,
//                                          const ReservationSpec& spec) { return Sums{...}; });
//
// A campaign is the same for the same options on any number of threads, and so are its sums. All
// inputs come from one seed and are numbered, and every number has its own random stream. So a
// smaller campaign uses a part of a larger one, and threads need not agree on an order.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dovetail/platform.hpp"
#include "dovetail/workflow.hpp"
#include "gen/layered_dag.hpp"
#include "gen/reservations.hpp"
#include "study/parallel.hpp"

namespace dovetail::study {

// The mean of what `value_of` gives for each item; needs at least one.
template <typename Items, typename ValueOf>
double mean(const Items& items, ValueOf value_of) {
  double sum = 0;
  for (const auto& item : items) sum += static_cast<double>(std::invoke(value_of, item));
  return sum / static_cast<double>(items.size());
}

// One kind of application: the defaults with one parameter changed.
struct ApplicationSpec {
  std::string_view parameter;
  double value = 0;
  gen::LayeredDagSpec dag;
  bool is_default = false;  // the value is the default
};

// 5 numbers of tasks, 4 shares alpha, 9 widths, 9 densities, 9 regularities, 4 jumps: 40 in total,
// of which six are the defaults.
std::vector<ApplicationSpec> application_specs();

inline constexpr double kPhis[] = {0.1, 0.2, 0.5};

// One of the nine ways to make schedules from a log.
struct ReservationSpec {
  double phi = 0;
  gen::ReservationMethod method = gen::ReservationMethod::linear;
};
std::vector<ReservationSpec> reservation_specs();

struct CampaignSize {
  std::size_t workflows = 0;    // per application
  std::size_t start_times = 0;  // per log
  std::size_t taggings = 0;     // per start time
  std::size_t schedules() const { return start_times * taggings; }
};

// Workflow number `index` of application number `application`.
Workflow study_workflow(std::uint64_t seed, const ApplicationSpec& spec, std::size_t application,
                        std::size_t index);

// The log used when there is no data: 128 processors, 20,000 jobs.
gen::ReservationLog study_synthetic_log(std::uint64_t seed);

// The schedules of one log, as platforms planned at time 0: for every reservation spec in turn,
// start_times x taggings of them. All specs use the same start times; the methods also share the
// taggings, so that they differ only in the thinning.
std::vector<Platform> study_platforms(std::uint64_t seed, const gen::ReservationLog& log,
                                      std::size_t log_number, const CampaignSize& size,
                                      unsigned threads);

enum class StudyScale { quick, paper };

struct StudyOptions {
  StudyScale scale = StudyScale::quick;
  std::uint64_t seed = 1;
  unsigned threads = 0;       // 0: as many as the machine has
  std::string data_dir = {};  // where the logs are; empty: the environment's DOVETAIL_DATA
  bool synthetic = false;     // one synthetic log instead of the four real ones
  bool timing = true;         // measure the run times, too
  Progress progress = {};

  // Overrides of the scale.
  std::optional<std::size_t> workflows = {};
  std::optional<std::size_t> start_times = {};
  std::optional<std::size_t> taggings = {};
  std::vector<std::size_t> applications = {};  // positions in application_specs(); empty: all
  std::vector<std::string> logs = {};          // names of archive logs; empty: all
};

// The given folder, else the environment's DOVETAIL_DATA. Throws InputError if neither is set.
std::string study_data_folder(const std::string& given);

// Throws InputError when a wanted log is not among the known ones.
void require_known_logs(const std::vector<std::string>& wanted,
                        const std::vector<std::string_view>& known);

// A log of a study, and the random streams it uses.
struct NumberedLog {
  std::size_t number = 0;
  gen::ReservationLog log;
};

// The logs that the options name, or the synthetic one. Throws InputError for a missing log or an
// unknown name.
std::vector<NumberedLog> study_logs(const StudyOptions& options);

// The size of a study at the scale quick. The scale paper is the same for all: every application,
// 20 workflows, 10 start times, 5 taggings.
struct QuickScale {
  CampaignSize size;
  std::vector<std::size_t> applications = {};  // empty: all
};

struct StudyLog {
  std::string name;
  Count processors = 0;
  double utilisation = 0;
};

// What was run; the head of every study's result.
struct StudyHead {
  StudyScale scale = StudyScale::quick;
  std::uint64_t seed = 0;
  CampaignSize size = {};
  std::vector<StudyLog> logs = {};
  std::vector<ApplicationSpec> applications = {};
};

// One application on one reservation spec of one log, and what a study sums over its instances.
template <typename Sums>
struct ScenarioOf {
  std::size_t application = 0;  // position in StudyHead::applications
  std::size_t log = 0;          // position in StudyHead::logs
  ReservationSpec reservations;
  Sums sums;
};

// The scenarios that a table is made from: those of one log, those of the default application, or
// all if neither is set.
struct ScenarioSet {
  std::string title;
  std::optional<std::size_t> log = {};
  bool default_application = false;

  bool whole() const { return !log && !default_application; }

  template <typename Sums>
  bool has(const StudyHead& head, const ScenarioOf<Sums>& scenario) const {
    if (default_application && !head.applications[scenario.application].is_default) return false;
    return !log || scenario.log == *log;
  }
};

// Each log (when there are several), all, the default application (when it was run).
std::vector<ScenarioSet> scenario_sets(const StudyHead& head);

class Campaign {
 public:
  // Reads the logs and makes the schedules. Throws InputError for a missing log, an unknown log
  // name or application, or an empty selection.
  Campaign(const StudyOptions& options, const QuickScale& quick);

  const StudyHead& head() const { return head_; }

  // Sums::add adds the results in an order that does not depend on the threads; several threads
  // call plan_instance. The scenarios are sorted by application, log, reservation spec.
  template <typename Sums, typename PlanInstance>
  std::vector<ScenarioOf<Sums>> run(const PlanInstance& plan_instance) const {
    std::vector<Sums> parts(part_count());
    for_each_instance([&](std::size_t part, const Workflow& workflow, const Platform& platform,
                          const ReservationSpec& spec) {
      parts[part].add(plan_instance(workflow, platform, spec));
    });
    return collect(parts);
  }

  // `count` of the schedules, evenly spread over all logs and specs.
  std::vector<Platform> some_platforms(std::size_t count) const;

 private:
  using Visit = std::function<void(std::size_t part, const Workflow&, const Platform&,
                                   const ReservationSpec&)>;

  // A part is one workflow on one log with one reservation spec; a work item has all specs.
  std::size_t part_number(std::size_t application, std::size_t workflow, std::size_t log,
                          std::size_t spec) const;
  std::size_t part_count() const;
  void for_each_instance(const Visit& visit) const;

  template <typename Sums>
  std::vector<ScenarioOf<Sums>> collect(const std::vector<Sums>& parts) const {
    std::vector<ScenarioOf<Sums>> scenarios;
    for (std::size_t application = 0; application < numbers_.size(); ++application) {
      for (std::size_t log = 0; log < platforms_.size(); ++log) {
        for (std::size_t spec = 0; spec < reservations_.size(); ++spec) {
          ScenarioOf<Sums> scenario{application, log, reservations_[spec], {}};
          for (std::size_t workflow = 0; workflow < head_.size.workflows; ++workflow) {
            scenario.sums.add(parts[part_number(application, workflow, log, spec)]);
          }
          scenarios.push_back(scenario);
        }
      }
    }
    return scenarios;
  }

  unsigned threads_;
  Progress progress_;
  StudyHead head_;
  std::vector<std::size_t> numbers_;  // of the chosen applications
  std::vector<ReservationSpec> reservations_;
  std::vector<std::vector<Platform>> platforms_;  // by log
};

}  // namespace dovetail::study
