#include "cli/plan/search_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/command.hpp"
#include "dovetail/error.hpp"
#include "io/text.hpp"

namespace dovetail::cli {

namespace {

constexpr double kMaxBudget = 1e15;  // CPU-hours, beyond any plan

// A duration above 0: seconds, or such as 1m30s.
double parse_time_limit(const std::string& text) {
  const auto seconds = parse_duration(text);
  if (seconds && *seconds > 0 && *seconds <= kMaxSeconds) return *seconds;
  throw InputError(
      fmt::format("--time-limit: expected a time above 0 and up to {:g} seconds, such as 0.5, 10s "
                  "or 2m, found {}",
                  kMaxSeconds, io::quote(text)));
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

// What is lost in the product of two binary numbers is far less.
Area budget_area(double hours) { return static_cast<Area>(std::floor(hours * 3.6e6 + 1e-3)); }

double parse_budget(const std::string& text) {
  const auto hours = io::parse_number(text);
  if (hours && *hours > 0 && *hours <= kMaxBudget) return *hours;
  throw InputError(fmt::format(
      "--budget: expected a number of CPU-hours above 0 and up to {:g}, such as 100, found {}",
      kMaxBudget, io::quote(text)));
}

void SearchArguments::add(CLI::App& command) {
  add_choice<std::optional<Effort>>(
      command, "--effort", effort,
      {{"quick", Effort::quick}, {"normal", Effort::normal}, {"thorough", Effort::thorough}},
      "choose how long DOVETAIL searches: quick, normal or thorough");
  command.add_option("--trials", trials, "try this many plans, instead of choosing an effort")
      ->check(whole_number_from(1, 1'000'000'000'000), "");
  command
      .add_option("--seed", seed,
                  "search with this seed; the same seed and trials give the same plan")
      ->check(whole_number_problem, "");
  command
      .add_option("--threads", threads,
                  "search with this many threads; any number gives the same plan")
      ->check(whole_number_from(1, 1024), "");
  command.add_option(
      "--time-limit", time_limit,
      "stop searching after this time, such as 10s; another run may then find another plan");
}

void SearchArguments::add_budget(CLI::App& command) {
  command.add_option(
      "--cpu-factor", cpu_factor,
      "limit the plan to this multiple of the CPU-hours of BL_CPAR_BD_CPAR; default: 1.25");
  command.add_option("--budget", budget, "limit the plan to this many CPU-hours");
  command.add_flag("--fastest", is_fastest, "end as early as possible, at any cost");
}

void SearchArguments::forbid(const std::string& beside, bool any) const {
  const char* given = budget              ? "--budget"
                      : any && cpu_factor ? "--cpu-factor"
                      : any && is_fastest ? "--fastest"
                                          : nullptr;
  if (given == nullptr) return;
  throw InputError(std::string(given) + ": does not go with " + beside + "; leave one of them out");
}

void SearchArguments::forbid_for(Goal goal) const {
  if (goal == Goal::deadline) {
    forbid("a deadline, for which plans use as few CPU-hours as they can", true);
  }
  if (goal == Goal::fair) forbid("--goal fair, where --cpu-factor counts MAGS's CPU-hours", false);
}

void SearchArguments::forbid_in_events(const Problem& problem, const std::string& algorithm) const {
  forbid_for(problem.goal());
  if (problem.goal() == Goal::fair) forbid("--goal fair while things happen", true);
  if (problem.platform().clusters().size() > 1) forbid("a pool of resources", true);
  if (!algorithm.empty() && io::upper_case(algorithm) != "DOVETAIL") {
    forbid("--algorithm " + algorithm, true);
  }
}

SearchLimits SearchArguments::limits() const {
  if ((cpu_factor ? 1 : 0) + (budget ? 1 : 0) + (is_fastest ? 1 : 0) > 1) {
    throw InputError("--cpu-factor, --budget, --fastest: give one of them only");
  }
  if (effort && trials) throw InputError("--effort, --trials: give one of them only");
  SearchLimits limits{.trials = trials, .effort = effort};
  if (seed) limits.seed = *seed;
  if (threads) limits.threads = *threads;
  if (time_limit) {
    const std::chrono::duration<double> gone = std::chrono::steady_clock::now() - began;
    limits.seconds = std::max(0.0, parse_time_limit(*time_limit) - gone.count());
  }
  if (cpu_factor) limits.cpu_factor = parse_factor(*cpu_factor);
  if (budget) limits.budget = budget_area(parse_budget(*budget));
  if (is_fastest) limits.cpu_factor.reset();
  return limits;
}

}  // namespace dovetail::cli
