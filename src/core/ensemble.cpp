#include "dovetail/ensemble.hpp"

#include "dovetail/error.hpp"

namespace dovetail {

namespace {

// The longest total time of a problem; see time.hpp.
constexpr double kMostMilliseconds = 1e18;
constexpr double kMostMonths = 1e8;

double all_months(const Ensemble& ensemble) {
  return static_cast<double>(ensemble.scenarios) * static_cast<double>(ensemble.months);
}

void check_site(const EnsembleSite& site, double months) {
  const std::string who = "cluster \"" + site.name + "\": ";
  if (const std::string fault = find_fault(site.times); !fault.empty()) {
    throw InputError(who + fault);
  }
  const double posts = static_cast<double>(site.times.post) * site.times.posts;
  const double longest = static_cast<double>(site.times.main.front().time) + posts;
  if (months * longest > kMostMilliseconds) {
    throw InputError(who + "all months together take more than 1e15 seconds");
  }
}

}  // namespace

std::vector<GroupTime> group_sizes(const EnsembleSite& site, const EnsembleRules& rules) {
  std::vector<GroupTime> sizes = site.times.main;
  if (!sizes.empty() && rules.extra_size > sizes.back().procs) {
    sizes.push_back({rules.extra_size, sizes.back().time});
  }
  if (rules.node_multiples) {
    std::erase_if(sizes, [&](const GroupTime& size) { return size.procs % site.cores_per_node; });
  }
  return sizes;
}

Count reserved_for_posts(const EnsembleSite& site, const EnsembleRules& rules) {
  return rules.post_node ? site.cores_per_node : rules.post_processors;
}

std::string find_fault(const MonthTimes& times) {
  if (times.main.empty()) return "the table of times is empty";
  for (std::size_t i = 0; i < times.main.size(); ++i) {
    const GroupTime& size = times.main[i];
    const std::string procs = std::to_string(size.procs) + " processors";
    if (size.procs < 1 || size.time < 1) return "the time on " + procs + " makes no sense";
    if (i == 0) continue;
    const GroupTime& smaller = times.main[i - 1];
    if (size.time > smaller.time) {
      return procs + " take longer than " + std::to_string(smaller.procs) +
             "; times must not rise with the processors";
    }
  }
  if (times.post < 0 || times.posts < 0) return "the time of post tasks makes no sense";
  return {};
}

void check(const Ensemble& ensemble) {
  if (ensemble.scenarios < 1) throw InputError("an ensemble needs at least one scenario");
  if (ensemble.months < 1) throw InputError("an ensemble needs at least one month");
  if (all_months(ensemble) > kMostMonths) {
    throw InputError("scenarios x months: at most 100000000 months can be planned");
  }
  for (const EnsembleSite& site : ensemble.sites) check_site(site, all_months(ensemble));
}

}  // namespace dovetail
