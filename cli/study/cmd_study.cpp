// dovetail study: a paper's evaluation run again, beside the published tables.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>

#include "cli/command.hpp"
#include "cli/progress.hpp"
#include "dovetail/io.hpp"
#include "planners/ensemble/month_dispatch.hpp"
#include "study/adaptive/adaptive_study.hpp"
#include "study/anytime/anytime_study.hpp"
#include "study/deadline/deadline_study.hpp"
#include "study/ensemble/ensemble_study.hpp"
#include "study/fair/fair_study.hpp"
#include "study/queue/queue_study.hpp"
#include "study/turnaround/turnaround_study.hpp"

namespace dovetail::cli {

using namespace study;

namespace {

// The options of a study, and where its result goes.
template <typename Options>
struct StudyArguments {
  Options options;
  bool json = false;
  bool csv = false;
  std::string output = "-";
};

template <typename Options, typename Study>
Exit run(StudyArguments<Options> arguments, const Study& study) {
  Options& options = arguments.options;
  options.progress = [bar = std::make_shared<ProgressBar>()](std::size_t done, std::size_t total) {
    (*bar)(done, total);
  };
  const auto result = study(options);
  const std::string text = arguments.json  ? to_json(result)
                           : arguments.csv ? to_csv(result)
                                           : format_table(result);
  write_file(arguments.output, text);
  if (arguments.output != "-") say("{} is written\n", arguments.output);
  return Exit::fine;
}

// A larger number of anything is taken for a typing mistake.
constexpr int kMost = 10'000;

// A number of things to run, which replaces the number that the scale gives.
void add_size(CLI::App& command, const std::string& name, std::optional<std::size_t>& size,
              const std::string& help, int least = 1, int most = kMost) {
  command.add_option(name, size, help + ", instead of the scale's")
      ->check(CLI::Range(least, most).description(""));
}

// An option that may be repeated.
template <typename T>
CLI::Option* add_list(CLI::App& command, const std::string& name, std::vector<T>& values,
                      const std::string& help) {
  return command.add_option(name, values, help + "; may be repeated")->allow_extra_args(false);
}

// The same for names of `all`, in upper or lower case.
template <typename T, typename All>
void add_named(CLI::App& command, const std::string& name, std::vector<T>& values, const All& all) {
  std::vector<std::string> names;
  for (const T known : all) names.push_back(CLI::detail::to_lower(std::string(to_string(known))));
  const std::string last = names.back();
  const std::string list =
      fmt::format("{} or {}", fmt::join(std::span(names).first(names.size() - 1), ", "), last);
  const auto choose = [name, names, list, &values, &all](const std::vector<std::string>& words) {
    for (const std::string& word : words) {
      const auto found = std::ranges::find(names, CLI::detail::to_lower(word));
      if (found == names.end()) {
        throw CLI::ValidationError(name, fmt::format("expected {}, found \"{}\"", list, word));
      }
      values.push_back(all[static_cast<std::size_t>(found - names.begin())]);
    }
  };
  command
      .add_option_function<std::vector<std::string>>(name, choose,
                                                     "use only " + list + "; may be repeated")
      ->allow_extra_args(false);
}

template <typename Options>
void add_scale(CLI::App& command, Options& options) {
  add_choice<StudyScale>(command, "--scale", options.scale,
                         {{"quick", StudyScale::quick}, {"paper", StudyScale::paper}},
                         "choose the size of the study: quick (default) or paper");
  command.add_option("--threads", options.threads, "use this many threads; default: all cores")
      ->check(CLI::NonNegativeNumber.description(""));
}

// The options of every study that draws random numbers.
template <typename Options>
void add_common(CLI::App& command, Options& options) {
  add_scale(command, options);
  command
      .add_option("--seed", options.seed,
                  "draw with this seed; the same seed gives the same numbers")
      ->check(CLI::NonNegativeNumber.description(""));
}

// The options of every study that needs logs of batch queues.
template <typename Options>
void add_logs(CLI::App& command, Options& options) {
  command.add_option("--data", options.data_dir,
                     "read the archive's logs in this folder; default: $DOVETAIL_DATA");
  command.add_flag("--synthetic", options.synthetic,
                   "use one synthetic log instead of the four real ones");
  add_list(command, "--log", options.logs, "use only this one of the four logs");
}

template <typename Options>
void add_no_timing(CLI::App& command, Options& options) {
  command.add_flag_callback(
      "--no-timing", [&options] { options.timing = false; }, "leave out the run times");
}

void add_options(CLI::App& command, StudyOptions& options) {
  add_common(command, options);
  add_logs(command, options);
  add_size(command, "--workflows", options.workflows, "run this many workflows per application");
  add_size(command, "--start-times", options.start_times, "use this many start times per log");
  add_size(command, "--taggings", options.taggings, "draw this many taggings per start time");
  add_no_timing(command, options);
}

void add_options(CLI::App& command, QueueStudyOptions& options) {
  add_common(command, options);
  add_logs(command, options);
  add_size(command, "--instants", options.instants, "submit at this many of the 289 instants");
  add_list(command, "--workflows", options.workflows,
           "run only workflows of this name, like Montage-250-* or *-medium");
  add_list(command, "--cap", options.caps,
           "limit the jobs of the workflow at once in Table 2; default: 16, as published, and 128")
      ->check(CLI::Range(1, kMost).description(""));
  add_choice<QueueStudyRules>(
      command, "--rules", options.rules,
      {{"paper", QueueStudyRules::paper}, {"authors", QueueStudyRules::authors}},
      "choose the strategies: as published (paper, default) or as in the authors' program "
      "(authors)");
  CLI::Option* contiguous =
      command.add_flag("--contiguous", options.contiguous,
                       "give jobs neighbouring nodes only, as in the authors' simulation");
  CLI::Option* never_ran = add_choice<queue::NeverRan>(
      command, "--never-ran", options.never_ran,
      {{"drop", queue::NeverRan::drop}, {"request", queue::NeverRan::request}},
      "choose what to do with jobs that left the queue: drop them (default), or request, as in the "
      "authors' simulation, where they run as long as requested");
  add_choice<QueueWorkflows>(
      command, "--generate", options.source,
      {{"missing", QueueWorkflows::completed}, {"all", QueueWorkflows::generated}},
      "generate the published workflows that are missing, or all; default: none if any is there");
  add_choice<bool>(command, "--doubt", options.doubt, {{"sdsc", true}},
                   "show, instead of the tables, what contiguous nodes and jobs that never ran "
                   "change on SDSC-SP2 (sdsc)")
      ->excludes(contiguous)
      ->excludes(never_ran);
}

void add_options(CLI::App& command, AdaptiveStudyOptions& options) {
  add_common(command, options);
  add_size(command, "--graphs", options.graphs, "draw this many graphs of each type");
  add_size(command, "--models", options.models,
           "use this many of the 80 pools of resources for each graph", 1, 80);
  add_named(command, "--application", options.applications, kAdaptiveApplications);
  add_list(command, "--size", options.sizes,
           "use only graphs of this many tasks (random: 20 to 100) or parallel ways (200 to 1000)");
  command.add_option("--mean-time", options.mean_seconds,
                     "set the mean time of a task, seconds; default 100");
}

void add_options(CLI::App& command, EnsembleStudyOptions& options) {
  add_scale(command, options);
  std::vector<std::pair<std::string, planning::Dispatch>> rules;
  for (const planning::DispatchInfo& rule : planning::dispatch_rules()) {
    rules.emplace_back(rule.name, rule.rule);
  }
  add_choice<planning::Dispatch>(
      command, "--dispatch", options.dispatch, rules,
      "choose how months are handed out: ideal (default), as in the report's "
      "simulator; fair or rotate");
}

void add_options(CLI::App& command, FairStudyOptions& options) {
  add_common(command, options);
  add_size(command, "--sets", options.sets,
           "draw this many sets of each class and number of workflows");
  add_named(command, "--class", options.classes, gen::kKernelClasses);
  add_list(command, "--workflows", options.workflows,
           "use only sets of this many workflows, 1 to 20");
  add_list(command, "--processors", options.processors,
           "use only the cluster of 20, 47, 120 or 216 processors");
  add_no_timing(command, options);
}

void add_options(CLI::App& command, AnytimeStudyOptions& options) {
  add_common(command, options);
  add_logs(command, options);
  add_size(command, "--schedules", options.schedules,
           "use this many schedules per log and number of tasks");
  add_size(command, "--shapes", options.shapes, "use this many real workflows (0: none)", 0);
  add_list(command, "--tasks", options.tasks,
           "use only random workflows of this many tasks, up to 600");
  CLI::Option* times =
      add_list(command, "--milliseconds", options.milliseconds,
               "search for this many milliseconds of processor time, instead of the scale's");
  add_list(command, "--trials", options.trials,
           "search for this many trials instead, with the same result every time")
      ->excludes(times);
  add_named(command, "--question", options.questions, kAnytimeQuestions);
}

// Adds a study under its name, with the options that all have.
template <typename Options, typename Study>
Verb<StudyArguments<Options>> add_one(CLI::App& studies, Exit& status, const std::string& name,
                                      const std::string& help, Study study) {
  const auto verb = add_verb<StudyArguments<Options>>(
      studies, status, name, help,
      [study](const StudyArguments<Options>& arguments) { return run(arguments, study); });
  const auto& [command, a] = verb;
  add_options(command, a.options);
  CLI::Option* json = command.add_flag("--json", a.json, "print JSON");
  command.add_flag("--csv", a.csv, "print CSV, a line per scenario and algorithm")->excludes(json);
  command.add_option("-o,--output", a.output, "write to this file");
  command.footer("Example: dovetail study " + name + " --scale quick");
  return verb;
}

void add_deadline(CLI::App& studies, Exit& status) {
  const auto [command, a] = add_one<DeadlineStudyOptions>(
      studies, status, "deadline",
      "Aida and Casanova: tightest deadlines, CPU-hours and run times (Tables 6 to 10)",
      run_deadline_study);
  std::vector<std::pair<std::string, DeadlineReading>> readings;
  for (DeadlineReading reading : kDeadlineReadings) {
    readings.emplace_back(to_string(reading), reading);
  }
  add_choice<DeadlineReading>(command, "--reading", a.options.reading, readings,
                              "choose how to read the resource-conservative algorithms: front "
                              "(default), whole, remaining, bounded or classic");
  command.add_flag("--compare-readings", a.options.compare_readings,
                   "also run every reading, on SDSC-BLUE unless --log says otherwise");
}

void add_ensemble_study(CLI::App& studies, Exit& status) {
  auto page = std::make_shared<std::string>();
  const auto study = [page](const EnsembleStudyOptions& options) {
    require_picture_name("--page", *page);
    EnsembleStudyResult result = run_ensemble_study(options);
    if (!page->empty())
      write_file(*page, page->ends_with(".svg") ? to_svg(result) : to_html(result));
    return result;
  };
  add_one<EnsembleStudyOptions>(
      studies, status, "ensemble",
      "Caniou et al.: groups and repartitions of climate ensembles (Figures 11 to 22)", study)
      .command.add_option("--page", *page, "draw the figures to this file: .html or .svg");
}

void add_anytime_study(CLI::App& studies, Exit& status) {
  auto folder = std::make_shared<std::string>();
  const auto study = [folder](AnytimeStudyOptions options) {
    options.frontier = !folder->empty();
    AnytimeStudyResult result = run_anytime_study(options);
    if (folder->empty()) return result;
    std::filesystem::create_directories(*folder);
    for (const AnytimeFigure& figure : anytime_figures(result)) {
      write_file(*folder + "/" + figure.name + ".svg", draw::lines_svg({figure.chart}));
    }
    return result;
  };
  add_one<AnytimeStudyOptions>(studies, status, "anytime",
                               "DOVETAIL against the published planners for one cluster: "
                               "turn-around, CPU-hours, deadlines, certified gaps",
                               study)
      .command.add_option("--figures", *folder,
                          "draw progress, gaps and a frontier to this folder, as .svg");
}

// Prints the time to standard error: the result itself is the same every time.
QueueStudyResult run_timed_queue_study(const QueueStudyOptions& options) {
  using Clock = std::chrono::steady_clock;
  const auto begun = Clock::now();
  QueueStudyResult result = run_queue_study(options);
  const double seconds = std::chrono::duration<double>(Clock::now() - begun).count();
  tell("{} workflow executions in {:.1f} s, {:.0f} a second\n", result.executions(), seconds,
       static_cast<double>(result.executions()) / seconds);
  return result;
}

}  // namespace

void add_study(CLI::App& program, Exit& status) {
  CLI::App* command = program.add_subcommand("study", "repeat a paper's evaluation");
  command->require_subcommand(1);
  command->footer("Example: dovetail study turnaround --scale quick");
  add_one<TurnaroundStudyOptions>(
      *command, status, "turnaround",
      "Aida and Casanova: bounds, bottom levels and run times (Tables 4, 9, 10)",
      run_turnaround_study);
  add_deadline(*command, status);
  add_one<QueueStudyOptions>(
      *command, status, "queue",
      "Hataishi et al., GLUME: workflows cut into batch jobs (Figures 2, 3, 5, 6 and Table 2)",
      run_timed_queue_study);
  add_one<AdaptiveStudyOptions>(
      *command, status, "adaptive",
      "Yu and Shi, AHEFT: plans on resources that join (Tables 3, 4, 6, 7, 8 and Figure 8)",
      run_adaptive_study);
  add_ensemble_study(*command, status);
  add_one<FairStudyOptions>(*command, status, "fair",
                            "Casanova, Desprez and Suter, MAGS: workflows that share a cluster "
                            "(Figures 2 to 4, Table II)",
                            run_fair_study);
  add_anytime_study(*command, status);
}

}  // namespace dovetail::cli
