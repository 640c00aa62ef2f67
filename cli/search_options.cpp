#include "search_options.hpp"

#include <algorithm>
#include <cmath>

#include "command.hpp"
#include "dovetail/error.hpp"
#include "io/text.hpp"

namespace dovetail::cli {

namespace {

constexpr double kMaxBudget = 1e15;  // CPU-hours, beyond any plan

// A duration above 0: seconds, or such as 1m30s.
double parse_time_limit(const std::string& text) {
  const auto seconds = parse_duration(text);
  if (seconds && *seconds > 0 && *seconds <= kMaxSeconds) return *seconds;
  throw InputError("--time-limit: expected a time above 0, such as 0.5, 10s or 2m, found " +
                   io::quote(text));
}

double parse_factor(const std::string& text) {
  const auto factor = io::parse_number(text);
  if (factor && *factor >= 1 && *factor <= 1e6) return *factor;
  throw InputError(
      "--cpu-factor: expected a number from 1 to 1000000, such as 1.25 for a quarter more "
      "CPU-hours than BL_CPAR_BD_CPAR, found " +
      io::quote(text));
}

}  // namespace

double parse_budget(const std::string& text) {
  const auto hours = io::parse_number(text);
  if (hours && *hours > 0 && *hours <= kMaxBudget) return *hours;
  throw InputError("--budget: expected a number of CPU-hours above 0, such as 100, found " +
                   io::quote(text));
}

void SearchArguments::add(CLI::App& command) {
  add_choice<std::optional<Effort>>(
      command, "--effort", effort,
      {{"quick", Effort::quick}, {"normal", Effort::normal}, {"thorough", Effort::thorough}},
      "how long DOVETAIL searches: quick, normal or thorough");
  command.add_option("--trials", trials, "instead: how many plans it tries")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000'000}));
  command.add_option("--seed", seed, "of the search; the same seed and trials give the same plan")
      ->check(whole_number_problem, "");
  command.add_option("--threads", threads, "of the search; any number gives the same plan")
      ->check(CLI::Range(1U, 1024U));
  command.add_option("--time-limit", time_limit,
                     "stop searching after so many seconds; then another run may find another "
                     "plan");
}

void SearchArguments::add_budget(CLI::App& command) {
  command.add_option("--cpu-factor", cpu_factor,
                     "CPU-hours that the plan may use, as a multiple of BL_CPAR_BD_CPAR's; "
                     "default: 1.25");
  command.add_option("--budget", budget, "instead: CPU-hours that the plan may use");
  command.add_flag("--fastest", is_fastest, "instead: as early as possible at any cost");
}

void SearchArguments::forbid(const std::string& beside, bool any) const {
  const char* given = budget              ? "--budget"
                      : any && cpu_factor ? "--cpu-factor"
                      : any && is_fastest ? "--fastest"
                                          : nullptr;
  if (given != nullptr) {
    throw InputError(std::string(given) + ": does not go with " + beside +
                     "; leave one of them out");
  }
}

SearchLimits SearchArguments::limits() const {
  if ((cpu_factor ? 1 : 0) + (budget ? 1 : 0) + (is_fastest ? 1 : 0) > 1) {
    throw InputError("--cpu-factor, --budget, --fastest: give one of them only");
  }
  if (effort && trials) throw InputError("--effort, --trials: give one of them only");
  SearchLimits limits{.trials = trials, .effort = effort, .seed = seed, .threads = threads};
  if (time_limit) {
    const std::chrono::duration<double> gone = std::chrono::steady_clock::now() - began;
    limits.seconds = std::max(0.0, parse_time_limit(*time_limit) - gone.count());
  }
  if (cpu_factor) limits.cpu_factor = parse_factor(*cpu_factor);
  if (budget) limits.budget = static_cast<Area>(std::floor(parse_budget(*budget) * 3.6e6));
  if (is_fastest) limits.cpu_factor.reset();
  return limits;
}

}  // namespace dovetail::cli
