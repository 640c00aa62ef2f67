#include "study/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "dovetail/error.hpp"
#include "gen/archive_logs.hpp"

namespace dovetail {
namespace {

CampaignSize campaign_size(const StudyOptions& options, const CampaignSize& quick) {
  const CampaignSize standard =
      options.scale == StudyScale::paper ? CampaignSize{20, 10, 5} : quick;
  const CampaignSize size = {.workflows = options.workflows.value_or(standard.workflows),
                             .start_times = options.start_times.value_or(standard.start_times),
                             .taggings = options.taggings.value_or(standard.taggings)};
  if (size.workflows * size.schedules() == 0) {
    throw InputError("workflows, start times and taggings must be at least 1 each");
  }
  return size;
}

std::vector<std::size_t> chosen_applications(const StudyOptions& options, const QuickScale& quick) {
  const std::size_t known = application_specs().size();
  std::vector<std::size_t> chosen = options.applications;
  if (chosen.empty() && options.scale == StudyScale::quick) chosen = quick.applications;
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

}  // namespace

std::string study_data_folder(const std::string& given) {
  if (!given.empty()) return given;
  const char* set = std::getenv("DOVETAIL_DATA");
  if (set != nullptr && *set != '\0') return set;
  throw InputError(
      "the study needs logs of the Parallel Workloads Archive; give their folder with --data or "
      "DOVETAIL_DATA, or use --synthetic");
}

std::vector<NumberedLog> study_logs(const StudyOptions& options) {
  const auto archive = archive_logs();
  std::vector<NumberedLog> logs;
  if (options.synthetic) {
    logs.push_back({archive.size(), study_synthetic_log(options.seed)});
    return logs;
  }
  check_log_names(options.logs);
  const std::string folder = study_data_folder(options.data_dir);
  for (std::size_t number = 0; number < archive.size(); ++number) {
    const bool wanted = options.logs.empty() || std::count(options.logs.begin(), options.logs.end(),
                                                           std::string(archive[number].name)) > 0;
    if (wanted) logs.push_back({number, read_archive_log(archive[number], folder)});
  }
  return logs;
}

std::vector<ScenarioSet> scenario_sets(const StudyHead& head) {
  std::vector<ScenarioSet> sets;
  for (std::size_t log = 0; log < head.logs.size() && head.logs.size() > 1; ++log) {
    sets.push_back({.title = head.logs[log].name, .log = log});
  }
  sets.push_back({.title = "all"});
  if (std::any_of(head.applications.begin(), head.applications.end(),
                  [](const ApplicationSpec& spec) { return spec.is_default; })) {
    sets.push_back({.title = "default application", .default_application = true});
  }
  return sets;
}

Campaign::Campaign(const StudyOptions& options, const QuickScale& quick)
    : threads_(options.threads),
      progress_(options.progress),
      head_{
          .scale = options.scale, .seed = options.seed, .size = campaign_size(options, quick.size)},
      numbers_(chosen_applications(options, quick)),
      reservations_(reservation_specs()) {
  for (std::size_t number : numbers_) head_.applications.push_back(application_specs()[number]);
  for (const auto& [number, log] : study_logs(options)) {
    head_.logs.push_back({log.name(), log.processors(), log.utilisation()});
    platforms_.push_back(study_platforms(options.seed, log, number, head_.size, threads_));
  }
}

std::vector<Platform> Campaign::some_platforms(std::size_t count) const {
  std::vector<Platform> all;
  for (const auto& of_log : platforms_) all.insert(all.end(), of_log.begin(), of_log.end());
  std::vector<Platform> some;
  for (std::size_t i = 0; i < count; ++i) some.push_back(all[i * all.size() / count]);
  return some;
}

std::size_t Campaign::part_number(std::size_t application, std::size_t workflow, std::size_t log,
                                  std::size_t spec) const {
  const std::size_t item =
      (application * head_.size.workflows + workflow) * platforms_.size() + log;
  return item * reservations_.size() + spec;
}

std::size_t Campaign::part_count() const { return part_number(numbers_.size(), 0, 0, 0); }

void Campaign::for_each_instance(const Visit& visit) const {
  const std::size_t logs = platforms_.size();
  const CampaignSize& size = head_.size;
  const auto run_item = [&](std::size_t item) {
    const std::size_t log = item % logs;
    const std::size_t workflow_number = item / logs % size.workflows;
    const std::size_t application = item / logs / size.workflows;
    const Workflow workflow = study_workflow(head_.seed, head_.applications[application],
                                             numbers_[application], workflow_number);
    for (std::size_t i = 0; i < platforms_[log].size(); ++i) {
      const std::size_t spec = i / size.schedules();
      visit(part_number(application, workflow_number, log, spec), workflow, platforms_[log][i],
            reservations_[spec]);
    }
  };
  parallel_for(numbers_.size() * size.workflows * logs, threads_, run_item, progress_);
}

}  // namespace dovetail
