// The instances of the DOVETAIL study, made one by one when needed, and how they are searched.
#pragma once

#include <string>
#include <vector>

#include "dovetail/planner.hpp"
#include "study/anytime/anytime_study.hpp"

namespace dovetail::study {

class AnytimeCases {
 public:
  // Reads the logs and the real workflows. Throws InputError as run_anytime_study does.
  explicit AnytimeCases(const AnytimeStudyOptions& options);

  const std::vector<StudyLog>& logs() const { return logs_; }
  std::size_t schedules() const { return schedules_; }  // per log and number of tasks
  const std::string& shapes_note() const { return shapes_note_; }

  // Random workflows by log, tasks and schedule, then the real shapes; nothing is planned yet.
  std::size_t size() const { return recipes_.size(); }
  AnytimeCase make_case(std::size_t number) const;
  Problem make_problem(std::size_t number) const;

 private:
  // The ingredients of a case.
  struct Recipe {
    std::size_t log = 0;
    std::size_t platform = 0;  // of that log
    ReservationSpec reservations = {};
    ApplicationSpec application = {};
    std::size_t stream = 0;  // of random numbers
    std::size_t index = 0;
    std::optional<Workflow> shape = {};
  };

  void add_random(const AnytimeStudyOptions& options);
  void add_shapes(const AnytimeStudyOptions& options);
  Recipe recipe(std::size_t log, std::size_t spec, std::size_t start) const;

  std::uint64_t seed_;
  std::size_t schedules_ = 0;
  std::size_t start_times_ = 0;
  std::vector<StudyLog> logs_;
  std::vector<std::vector<Platform>> platforms_;  // by log
  std::vector<Recipe> recipes_;
  std::string shapes_note_;
};

// Options of a search within the limit and, if given, within this multiple of the usual CPU-hours.
PlannerOptions search_options(const AnytimeLimit& limit, std::optional<double> cpu_factor);

// The frontier of one instance, from the fastest plan to cheap ones: ours, the published planners',
// and the bound. Takes the case of 50 tasks (or else the first) that gives the planner most choice.
// Each of our points is searched for as long as the limit says.
AnytimeFrontier anytime_frontier(const AnytimeCases& cases, const AnytimeLimit& limit);

}  // namespace dovetail::study
