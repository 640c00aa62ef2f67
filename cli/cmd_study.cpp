// dovetail study: a paper's evaluation run again, beside the published tables.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>

#include "command.hpp"
#include "dovetail/io.hpp"
#include "study/turnaround.hpp"

namespace dovetail::cli {

namespace {

struct Arguments {
  TurnaroundStudyOptions options;
  bool json = false;
  bool csv = false;
  std::string output = "-";
};

// A bar with the time left, redrawn on standard error at most five times a second, and only when
// somebody can see it.
class ProgressBar {
 public:
  void operator()(std::size_t done, std::size_t total) {
    if (isatty(STDERR_FILENO) != 1 || total == 0) return;
    const auto now = Clock::now();
    if (done < total && now - drawn_ < std::chrono::milliseconds(200)) return;
    drawn_ = now;
    const double share = static_cast<double>(done) / static_cast<double>(total);
    const auto spent = std::chrono::duration_cast<std::chrono::milliseconds>(now - begun_).count();
    const auto left =
        share > 0 ? static_cast<Duration>(static_cast<double>(spent) / share) - spent : Duration{0};
    constexpr int kWidth = 30;
    const int filled = static_cast<int>(share * kWidth);
    std::cerr << fmt::format("\r|{:#<{}}{:.<{}}| {:5.1f} %  {} left   ", "", filled, "",
                             kWidth - filled, 100 * share, format_duration(left / 1000 * 1000));
    if (done == total) std::cerr << "\r\033[K";
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begun_ = Clock::now();
  Clock::time_point drawn_ = {};
};

Exit run(Arguments arguments) {
  TurnaroundStudyOptions& options = arguments.options;
  // Without --data and DOVETAIL_DATA, the data may lie beside the checkout.
  if (options.data_dir.empty() && std::getenv("DOVETAIL_DATA") == nullptr) {
    options.data_dir = "../shared/data";
  }
  options.progress = [bar = std::make_shared<ProgressBar>()](std::size_t done, std::size_t total) {
    (*bar)(done, total);
  };
  const TurnaroundStudyResult result = run_turnaround_study(options);
  const std::string text = arguments.json  ? to_json(result)
                           : arguments.csv ? to_csv(result)
                                           : format_table(result);
  write_file(arguments.output, text);
  if (arguments.output != "-") fmt::print("{} is written\n", arguments.output);
  return Exit::fine;
}

void add_turnaround(CLI::App& study, Exit& status) {
  CLI::App* command = study.add_subcommand(
      "turnaround", "Aida and Casanova: bounds, bottom levels and run times (Tables 4, 9, 10)");
  auto a = std::make_shared<Arguments>();
  add_choice<StudyScale>(*command, "--scale", a->options.scale,
                         {{"quick", StudyScale::quick}, {"paper", StudyScale::paper}},
                         "quick (default) or paper");
  command->add_option("--data", a->options.data_dir,
                      "folder with the archive's logs; default: $DOVETAIL_DATA or ../shared/data");
  command->add_flag("--synthetic", a->options.synthetic,
                    "one synthetic log instead of the four real ones");
  command->add_option("--threads", a->options.threads, "default: all cores")
      ->check(CLI::NonNegativeNumber.description(""));
  command->add_option("--seed", a->options.seed, "the same seed gives the same numbers")
      ->check(CLI::NonNegativeNumber.description(""));
  CLI::Option* json = command->add_flag("--json", a->json, "as JSON");
  command->add_flag("--csv", a->csv, "as CSV, a line per scenario and algorithm")->excludes(json);
  command->add_option("-o,--output", a->output, "write to this file");
  command->footer("Example: dovetail study turnaround --scale quick");
  command->callback([a, &status] { status = run(*a); });
}

}  // namespace

void add_study(CLI::App& program, Exit& status) {
  CLI::App* command = program.add_subcommand("study", "a paper's evaluation, run again");
  command->require_subcommand(1);
  command->footer("Example: dovetail study turnaround --scale quick");
  add_turnaround(*command, status);
}

}  // namespace dovetail::cli
