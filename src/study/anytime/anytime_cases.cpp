#include "study/anytime/anytime_cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "gen/task_times.hpp"
#include "study/timing.hpp"

namespace dovetail::study {
namespace {

constexpr std::size_t kQuickSchedules = 2;
constexpr std::size_t kPaperSchedules = 27;  // 324 instances on four logs
constexpr std::size_t kQuickShapes = 8;
constexpr std::size_t kMostSchedules = 900;

constexpr std::array<std::size_t, 3> kSizes = {25, 50, 100};
constexpr std::array<double, 3> kShares = {0.2, 0.5, 0.8};  // widths, and densities

// Real workflows with fewer tasks leave nothing to decide; for those with more, nothing is
// promised.
constexpr std::size_t kLeastTasks = 20;
constexpr std::size_t kMostTasks = 600;

// Of the generated files that differ only in length, use those of this many seconds.
constexpr std::string_view kDaxEnding = "_360000.dax";

// Random streams that the 40 applications of the other studies do not use.
constexpr std::size_t kRandomStream = 100;
constexpr std::size_t kShapeStream = 200;

std::vector<std::filesystem::path> files_of(const std::filesystem::path& folder,
                                            std::string_view ending) {
  std::vector<std::filesystem::path> files;
  if (!std::filesystem::is_directory(folder)) return files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().filename().string().ends_with(ending)) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

// The tasks and edges of a real workflow. Its times keep their proportions, but have the mean of
// the random workflows' times, since workflows of a few minutes never meet a reservation; and every
// task is moldable, as theirs are.
Workflow moldable(const Workflow& shape, std::string name, Random random) {
  const gen::TaskTimes times;
  const double wanted = (times.min_seconds + times.max_seconds) / 2;
  double total = 0;
  for (TaskId task = 0; task < shape.size(); ++task) total += shape.time_spec(task).seconds;
  const double scale = total > 0 ? wanted * static_cast<double>(shape.size()) / total : 1;
  WorkflowBuilder builder(std::move(name));
  for (TaskId task = 0; task < shape.size(); ++task) {
    const double seconds = std::max(1.0, shape.time_spec(task).seconds * scale);
    const double alpha = times.draw(random).alpha;
    builder.add_task({.id = std::string(shape.id(task)), .time = TimeSpec::amdahl(seconds, alpha)});
  }
  for (TaskId task = 0; task < shape.size(); ++task) {
    for (const TaskId before : shape.predecessors(task)) builder.add_edge(before, task);
  }
  return std::move(builder).build();
}

// `wanted` of them, evenly spaced.
template <typename T>
std::vector<T> spread(std::vector<T> all, std::size_t wanted) {
  if (wanted >= all.size()) return all;
  std::vector<T> some;
  for (std::size_t i = 0; i < wanted; ++i) some.push_back(all[i * all.size() / wanted]);
  return some;
}

std::vector<Workflow> read_shapes(const std::string& folder, std::uint64_t seed) {
  const std::filesystem::path data(folder);
  auto files = files_of(data / "wfinstances", ".json");
  for (const auto& file : files_of(data / "dax" / "glume", kDaxEnding)) files.push_back(file);
  std::vector<Workflow> shapes;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const Workflow shape = read_workflow(files[i].string(), {.default_seconds = 1});
    if (shape.size() < kLeastTasks || shape.size() > kMostTasks) continue;
    shapes.push_back(
        moldable(shape, files[i].stem().string(), Random(seed).split(kShapeStream).split(i)));
  }
  return shapes;
}

}  // namespace

AnytimeCases::AnytimeCases(const AnytimeStudyOptions& options)
    : seed_(options.seed),
      schedules_(options.schedules.value_or(options.scale == StudyScale::paper ? kPaperSchedules
                                                                               : kQuickSchedules)) {
  gen::check_range("schedules", static_cast<double>(schedules_), 1, kMostSchedules);
  const std::size_t specs = reservation_specs().size();
  start_times_ = (schedules_ + specs - 1) / specs;
  const StudyOptions of_logs{.seed = options.seed,
                             .data_dir = options.data_dir,
                             .synthetic = options.synthetic,
                             .logs = options.logs};
  for (const auto& [number, log] : study_logs(of_logs)) {
    logs_.push_back({log.name(), log.processors(), log.utilisation()});
    platforms_.push_back(study_platforms(
        seed_, log, number, {.workflows = 1, .start_times = start_times_, .taggings = 1},
        options.threads));
  }
  add_random(options);
  add_shapes(options);
}

AnytimeCases::Recipe AnytimeCases::recipe(std::size_t log, std::size_t spec,
                                          std::size_t start) const {
  return {.log = log,
          .platform = spec * start_times_ + start,
          .reservations = reservation_specs()[spec]};
}

// Schedules cycle through the reservation specs, which cycle through the nine pairs of width and
// density. A workflow is the same whatever else is run.
void AnytimeCases::add_random(const AnytimeStudyOptions& options) {
  const std::size_t specs = reservation_specs().size();
  const std::vector<std::size_t> sizes =
      options.tasks.empty() ? std::vector<std::size_t>(kSizes.begin(), kSizes.end())
                            : options.tasks;
  for (std::size_t log = 0; log < logs_.size(); ++log) {
    for (const std::size_t size : sizes) {
      gen::check_range("tasks", static_cast<double>(size), 1, kMostTasks);
      const std::size_t turn = size / kSizes.front();
      for (std::size_t i = 0; i < schedules_; ++i) {
        const std::size_t spec = (5 * i + 2 * log + turn) % specs;
        const std::size_t start = i / specs;
        const std::size_t pair = spec + 4 * start + 2 * turn + log;
        Recipe one = recipe(log, spec, start);
        one.application = {.parameter = "tasks", .value = static_cast<double>(size), .dag = {}};
        one.application.dag.tasks = static_cast<std::uint32_t>(size);
        one.application.dag.width = kShares[pair % kShares.size()];
        one.application.dag.density = kShares[pair / kShares.size() % kShares.size()];
        one.stream = kRandomStream + size;
        one.index = log * kMostSchedules + i;
        recipes_.push_back(std::move(one));
      }
    }
  }
}

// Each once, on logs, specs and start times in turn.
void AnytimeCases::add_shapes(const AnytimeStudyOptions& options) {
  if (options.shapes == 0) {
    shapes_note_ = "no real workflows were asked for";
    return;
  }
  if (options.synthetic) {
    shapes_note_ = "with a synthetic log there are none";
    return;
  }
  const std::string folder = study_data_folder(options.data_dir);
  const auto all = read_shapes(folder, seed_);
  if (all.empty()) {
    shapes_note_ = fmt::format("{} has no workflows in wfinstances and dax/glume", folder);
    return;
  }
  const std::size_t wanted =
      options.shapes.value_or(options.scale == StudyScale::paper ? all.size() : kQuickShapes);
  const std::size_t specs = reservation_specs().size();
  const std::vector<Workflow> shapes = spread(all, wanted);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    Recipe one = recipe(i % logs_.size(), (5 * i + i / logs_.size()) % specs, i % start_times_);
    one.shape = shapes[i];
    recipes_.push_back(std::move(one));
  }
}

AnytimeCase AnytimeCases::make_case(std::size_t number) const {
  const Recipe& one = recipes_[number];
  AnytimeCase made{.tasks = one.application.dag.tasks,
                   .width = one.application.dag.width,
                   .density = one.application.dag.density,
                   .log = logs_[one.log].name,
                   .processors = logs_[one.log].processors,
                   .reservations = one.reservations};
  if (one.shape) {
    made.shape = one.shape->name();
    made.tasks = one.shape->size();
    made.width = made.density = 0;
  }
  return made;
}

Problem AnytimeCases::make_problem(std::size_t number) const {
  const Recipe& one = recipes_[number];
  const Workflow workflow =
      one.shape ? *one.shape : study_workflow(seed_, one.application, one.stream, one.index);
  return Problem({workflow}, platforms_[one.log][one.platform]);
}

PlannerOptions search_options(const AnytimeLimit& limit, std::optional<double> cpu_factor) {
  PlannerOptions options;
  options.search.threads = 1;
  options.search.trials = limit.trials;
  options.search.cpu_factor = cpu_factor;
  options.search.clock = thread_seconds;
  if (limit.milliseconds) options.search.seconds = *limit.milliseconds / 1000;
  return options;
}

}  // namespace dovetail::study
