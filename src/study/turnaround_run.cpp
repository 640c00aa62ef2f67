// Runs the turn-around study: work items of one workflow on one log, then sums in fixed order.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "dovetail/error.hpp"
#include "dovetail/metrics.hpp"
#include "gen/archive_logs.hpp"
#include "planners/turnaround.hpp"
#include "study/timing.hpp"
#include "study/turnaround.hpp"
#include "study/turnaround_tables.hpp"

namespace dovetail {
namespace {

constexpr auto kCpar = static_cast<std::size_t>(BottomLevel::cpar);

struct NumberedLog {
  std::size_t number = 0;  // which random streams it uses
  ReservationLog log;
};

CampaignSize campaign_size(const TurnaroundStudyOptions& options) {
  const bool paper = options.scale == StudyScale::paper;
  const CampaignSize size = {.workflows = options.workflows.value_or(paper ? 20 : 2),
                             .start_times = options.start_times.value_or(paper ? 10 : 5),
                             .taggings = options.taggings.value_or(paper ? 5 : 1)};
  if (size.workflows * size.schedules() == 0) {
    throw InputError("workflows, start times and taggings must be at least 1 each");
  }
  return size;
}

std::vector<std::size_t> chosen_applications(const TurnaroundStudyOptions& options) {
  const std::size_t known = application_specs().size();
  std::vector<std::size_t> chosen = options.applications;
  if (chosen.empty()) {
    chosen.resize(known);
    std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  }
  for (std::size_t application : chosen) {
    if (application < known) continue;
    throw InputError(
        fmt::format("application {} is unknown; they are 0 to {}", application, known - 1));
  }
  return chosen;
}

std::string data_folder(const TurnaroundStudyOptions& options) {
  if (!options.data_dir.empty()) return options.data_dir;
  const char* set = std::getenv("DOVETAIL_DATA");
  if (set != nullptr && *set != '\0') return set;
  throw InputError(
      "the study needs logs of the Parallel Workloads Archive; set DOVETAIL_DATA to the folder "
      "that "
      "has them, or use a synthetic log");
}

void check_log_names(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const auto known = archive_logs();
    if (std::any_of(known.begin(), known.end(),
                    [&](const ArchiveLog& log) { return log.name == name; })) {
      continue;
    }
    std::string list;
    for (const ArchiveLog& log : known) list += fmt::format(" {}", log.name);
    throw InputError(fmt::format("log \"{}\" is unknown; the study has{}", name, list));
  }
}

std::vector<NumberedLog> read_logs(const TurnaroundStudyOptions& options) {
  const auto archive = archive_logs();
  std::vector<NumberedLog> logs;
  if (options.synthetic) {
    logs.push_back({archive.size(), study_synthetic_log(options.seed)});
    return logs;
  }
  check_log_names(options.logs);
  const std::string folder = data_folder(options);
  for (std::size_t number = 0; number < archive.size(); ++number) {
    const bool wanted = options.logs.empty() || std::count(options.logs.begin(), options.logs.end(),
                                                           std::string(archive[number].name)) > 0;
    if (wanted) logs.push_back({number, read_archive_log(archive[number], folder)});
  }
  return logs;
}

// Adds how far each of the four compared values is above their best.
void compare(const std::array<std::int64_t, kAlgorithms>& values, std::array<double, 4>& excess,
             std::array<std::size_t, 4>& best_count) {
  const auto first = values.begin() + algorithm_number(kCpar, 0);
  const std::int64_t best = *std::min_element(first, first + kBoundNames.size());
  for (std::size_t bound = 0; bound < kBoundNames.size(); ++bound) {
    const std::int64_t value = values[algorithm_number(kCpar, bound)];
    excess[bound] += static_cast<double>(value - best) / static_cast<double>(best);
    best_count[bound] += value == best;
  }
}

// All sixteen plans of one instance.
ScenarioSums plan_instance(const Workflow& workflow, const Platform& platform) {
  const Problem problem({workflow}, platform);
  TurnaroundPlanner planner(problem);
  ScenarioSums sums{.instances = 1};
  for (std::size_t level = 0; level < kBottomLevelNames.size(); ++level) {
    for (std::size_t bound = 0; bound < kBoundNames.size(); ++bound) {
      const Plan plan = planner.plan(static_cast<BottomLevel>(level), static_cast<Bound>(bound));
      const std::size_t algorithm = algorithm_number(level, bound);
      sums.turnaround[algorithm] = makespan(plan);
      sums.cpu[algorithm] = static_cast<std::int64_t>(consumed(plan));
    }
  }
  compare(sums.turnaround, sums.turnaround_excess, sums.turnaround_best);
  compare(sums.cpu, sums.cpu_excess, sums.cpu_best);
  return sums;
}

// The whole campaign, with everything that work items share. Item = workflow x log; the sums of an
// item, one per reservation spec, go to its own place.
class Campaign {
 public:
  Campaign(const TurnaroundStudyOptions& options, std::vector<NumberedLog> logs)
      : options_(options),
        size_(campaign_size(options)),
        numbers_(chosen_applications(options)),
        specs_(application_specs()),
        reservations_(reservation_specs()),
        logs_(std::move(logs)) {
    for (const NumberedLog& log : logs_) {
      platforms_.push_back(
          study_platforms(options.seed, log.log, log.number, size_, options.threads));
    }
  }

  std::vector<Scenario> run() {
    const std::size_t items = numbers_.size() * size_.workflows * logs_.size();
    sums_.assign(items * reservations_.size(), {});
    parallel_for(
        items, options_.threads, [this](std::size_t item) { run_item(item); }, options_.progress);
    return collect();
  }

  TurnaroundStudyResult header() const {
    TurnaroundStudyResult result{.scale = options_.scale, .seed = options_.seed, .size = size_};
    for (std::size_t number : numbers_) result.applications.push_back(specs_[number]);
    for (const NumberedLog& log : logs_) {
      result.logs.push_back({log.log.name(), log.log.processors(), log.log.utilisation()});
    }
    return result;
  }

  // `count` of the schedules, evenly spread over all logs and specs.
  std::vector<Platform> some_platforms(std::size_t count) const {
    std::vector<Platform> all;
    for (const auto& of_log : platforms_) all.insert(all.end(), of_log.begin(), of_log.end());
    std::vector<Platform> some;
    for (std::size_t i = 0; i < count; ++i) some.push_back(all[i * all.size() / count]);
    return some;
  }

 private:
  ScenarioSums& sums(std::size_t item, std::size_t spec) {
    return sums_[item * reservations_.size() + spec];
  }

  std::size_t item_number(std::size_t application, std::size_t workflow, std::size_t log) const {
    return (application * size_.workflows + workflow) * logs_.size() + log;
  }

  void run_item(std::size_t item) {
    const std::size_t log = item % logs_.size();
    const std::size_t workflow_number = item / logs_.size() % size_.workflows;
    const std::size_t number = numbers_[item / logs_.size() / size_.workflows];
    const Workflow workflow =
        study_workflow(options_.seed, specs_[number], number, workflow_number);
    for (std::size_t i = 0; i < platforms_[log].size(); ++i) {
      sums(item, i / size_.schedules()).add(plan_instance(workflow, platforms_[log][i]));
    }
  }

  std::vector<Scenario> collect() {
    std::vector<Scenario> scenarios;
    for (std::size_t application = 0; application < numbers_.size(); ++application) {
      for (std::size_t log = 0; log < logs_.size(); ++log) {
        for (std::size_t spec = 0; spec < reservations_.size(); ++spec) {
          Scenario scenario{application, log, reservations_[spec], {}};
          for (std::size_t workflow = 0; workflow < size_.workflows; ++workflow) {
            scenario.sums.add(sums(item_number(application, workflow, log), spec));
          }
          scenarios.push_back(scenario);
        }
      }
    }
    return scenarios;
  }

  const TurnaroundStudyOptions& options_;
  CampaignSize size_;
  std::vector<std::size_t> numbers_;  // of the chosen applications
  std::vector<ApplicationSpec> specs_;
  std::vector<ReservationSpec> reservations_;
  std::vector<NumberedLog> logs_;
  std::vector<std::vector<Platform>> platforms_;  // by log
  std::vector<ScenarioSums> sums_;                // by item, then reservation spec
};

template <typename T, std::size_t N>
void add_each(std::array<T, N>& to, const std::array<T, N>& from) {
  for (std::size_t i = 0; i < N; ++i) to[i] += from[i];
}

}  // namespace

void ScenarioSums::add(const ScenarioSums& other) {
  instances += other.instances;
  add_each(turnaround, other.turnaround);
  add_each(cpu, other.cpu);
  add_each(turnaround_excess, other.turnaround_excess);
  add_each(cpu_excess, other.cpu_excess);
  add_each(turnaround_best, other.turnaround_best);
  add_each(cpu_best, other.cpu_best);
}

TurnaroundStudyResult run_turnaround_study(const TurnaroundStudyOptions& options) {
  Campaign campaign(options, read_logs(options));
  TurnaroundStudyResult result = campaign.header();
  result.scenarios = campaign.run();
  result.bounds = bound_tables(result);
  result.bottom_levels = bottom_level_tables(result);
  if (options.timing) {
    const bool paper = options.scale == StudyScale::paper;
    result.timing =
        measure_run_times(options.seed, paper ? 20 : 2, campaign.some_platforms(paper ? 50 : 12));
  }
  return result;
}

}  // namespace dovetail
