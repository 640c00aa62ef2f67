#include "study/study.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <numeric>
#include <utility>

#include "core/mapped.hpp"
#include "dovetail/error.hpp"
#include "gen/reservation_logs.hpp"

namespace dovetail::study {
namespace {

// The first split of the seed: the purpose of the random numbers.
enum class Stream : std::uint64_t { workflow, moment, tagging, log };

Random stream(std::uint64_t seed, Stream purpose) {
  return Random(seed).split(static_cast<std::uint64_t>(purpose));
}

Platform make_platform(std::uint64_t seed, const gen::ReservationLog& log, std::size_t log_number,
                       const ReservationSpec& spec, std::size_t phi_number, std::size_t start_time,
                       std::size_t tagging_number) {
  Random moments = stream(seed, Stream::moment).split(log_number).split(start_time);
  const Time moment = gen::draw_moment(log, moments);
  Random taggings = stream(seed, Stream::tagging)
                        .split(log_number)
                        .split(phi_number)
                        .split(start_time)
                        .split(tagging_number);
  const gen::Tagging tagging = gen::tag_jobs(log, spec.phi, taggings);
  Random thinning = taggings.split(static_cast<std::uint64_t>(spec.method));
  return Platform(0, {gen::reservation_schedule(log, tagging, moment, spec.method, thinning)});
}

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

}  // namespace

std::vector<ApplicationSpec> application_specs() {
  std::vector<ApplicationSpec> specs;
  const auto vary = [&](std::string_view parameter, const std::vector<double>& values,
                        double standard, auto set) {
    for (double value : values) {
      ApplicationSpec spec{parameter, value, {}, value == standard};
      set(spec.dag, value);
      specs.push_back(spec);
    }
  };
  using Dag = gen::LayeredDagSpec;
  const std::vector<double> tenths = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9};
  vary("tasks", {10, 25, 50, 75, 100}, 50,
       [](Dag& dag, double v) { dag.tasks = static_cast<std::uint32_t>(v); });
  vary("alpha", {0.05, 0.10, 0.15, 0.20}, 0.20,
       [](Dag& dag, double v) { dag.times.alpha_max = v; });
  vary("width", tenths, 0.5, [](Dag& dag, double v) { dag.width = v; });
  vary("density", tenths, 0.5, [](Dag& dag, double v) { dag.density = v; });
  vary("regularity", tenths, 0.5, [](Dag& dag, double v) { dag.regularity = v; });
  vary("jump", {1, 2, 3, 4}, 1,
       [](Dag& dag, double v) { dag.jump = static_cast<std::uint32_t>(v); });
  return specs;
}

std::vector<ReservationSpec> reservation_specs() {
  std::vector<ReservationSpec> specs;
  for (double phi : kPhis) {
    for (gen::ReservationMethod method : gen::kReservationMethods) specs.push_back({phi, method});
  }
  return specs;
}

Workflow study_workflow(std::uint64_t seed, const ApplicationSpec& spec, std::size_t application,
                        std::size_t index) {
  Random random = stream(seed, Stream::workflow).split(application).split(index);
  return gen::layered_dag(spec.dag, random);
}

gen::ReservationLog study_synthetic_log(std::uint64_t seed) {
  Random random = stream(seed, Stream::log);
  return gen::synthetic_log({.processors = 128, .jobs = 20'000}, random);
}

std::vector<Platform> study_platforms(std::uint64_t seed, const gen::ReservationLog& log,
                                      std::size_t log_number, const CampaignSize& size,
                                      unsigned threads) {
  const std::vector<ReservationSpec> specs = reservation_specs();
  std::vector<std::optional<Platform>> made(specs.size() * size.schedules());
  parallel_for(made.size(), threads, [&](std::size_t i) {
    const std::size_t spec = i / size.schedules();
    const std::size_t schedule = i % size.schedules();
    made[i] = make_platform(seed, log, log_number, specs[spec],
                            spec / std::size(gen::kReservationMethods), schedule / size.taggings,
                            schedule % size.taggings);
  });
  return mapped(made, [](std::optional<Platform>& platform) { return *std::move(platform); });
}

std::string study_data_folder(const std::string& given) {
  if (!given.empty()) return given;
  const char* set = std::getenv("DOVETAIL_DATA");
  if (set != nullptr && *set != '\0') return set;
  throw InputError(
      "the study needs logs of the Parallel Workloads Archive; give their folder with --data or "
      "DOVETAIL_DATA, or use --synthetic");
}

void require_known_logs(const std::vector<std::string>& wanted,
                        const std::vector<std::string_view>& known) {
  for (const std::string& name : wanted) {
    if (std::ranges::count(known, name) > 0) continue;
    throw InputError(
        fmt::format("log \"{}\" is unknown; the study has {}", name, fmt::join(known, " ")));
  }
}

std::vector<NumberedLog> study_logs(const StudyOptions& options) {
  const auto archive = gen::archive_logs();
  std::vector<NumberedLog> logs;
  if (options.synthetic) {
    logs.push_back({archive.size(), study_synthetic_log(options.seed)});
    return logs;
  }
  require_known_logs(options.logs, mapped(archive, &gen::ArchiveLog::name));
  const std::string folder = study_data_folder(options.data_dir);
  for (std::size_t number = 0; number < archive.size(); ++number) {
    const bool wanted =
        options.logs.empty() || std::ranges::count(options.logs, archive[number].name) > 0;
    if (wanted) logs.push_back({number, gen::read_archive_log(archive[number], folder)});
  }
  return logs;
}

std::vector<ScenarioSet> scenario_sets(const StudyHead& head) {
  std::vector<ScenarioSet> sets;
  for (std::size_t log = 0; log < head.logs.size() && head.logs.size() > 1; ++log) {
    sets.push_back({.title = head.logs[log].name, .log = log});
  }
  sets.push_back({.title = "all"});
  if (std::ranges::any_of(head.applications, &ApplicationSpec::is_default)) {
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

}  // namespace dovetail::study
