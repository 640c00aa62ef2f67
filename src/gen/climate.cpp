#include "gen/climate.hpp"

#include <cmath>
#include <string>

#include "core/random.hpp"
#include "dovetail/error.hpp"

namespace dovetail::gen {

namespace {

EnsembleSite reference_site(std::string name, Count cores, Count per_node, Duration post,
                            const std::vector<Duration>& seconds) {
  EnsembleSite site{.name = std::move(name), .processors = cores, .cores_per_node = per_node};
  site.times.post = post * kSecond;
  Count procs = 4;
  for (const Duration time : seconds) site.times.main.push_back({procs++, time * kSecond});
  return site;
}

// Three sequential components, and one that divides its work among the other processors at a
// communication cost: seconds a + b / (G - 3), with some noise.
EnsembleSite made_up_site(const ClimateSpec& spec, Count number, Random& random) {
  EnsembleSite site{.name = "c" + std::to_string(number + 1)};
  site.cores_per_node = random.uniform01() < 0.5 ? 2 : 4;
  const auto nodes = static_cast<Count>(std::lround(random.uniform(spec.smallest, spec.largest) /
                                                    static_cast<double>(site.cores_per_node)));
  site.processors = std::max(spec.smallest, nodes * site.cores_per_node);
  const double speed = random.uniform(0.75, 1.25);
  const double fixed = random.uniform(300, 600) / speed;
  const double shared = random.uniform(6000, 8000) / speed;
  Duration last = kForever;
  for (Count procs = 4; procs <= 11; ++procs) {
    const double seconds = (fixed + shared / (procs - 3)) * random.uniform(0.97, 1.03);
    last = std::min(last, static_cast<Duration>(std::lround(seconds)) * kSecond);
    site.times.main.push_back({procs, last});
  }
  site.times.post = static_cast<Duration>(std::lround(random.uniform(60, 120) / speed)) * kSecond;
  return site;
}

}  // namespace

std::vector<EnsembleSite> reference_sites() {
  return {
      reference_site("grillon", 94, 2, 100, {8050, 4205, 2670, 2090, 1855, 1652, 1502, 1400}),
      reference_site("azur", 144, 2, 110, {8300, 4350, 2900, 2225, 1865, 1660, 1560, 1440}),
      reference_site("capricorne", 112, 2, 100, {7300, 3750, 2470, 1945, 1745, 1568, 1386, 1330}),
      reference_site("sagittaire", 140, 2, 90, {7200, 3700, 2480, 1950, 1740, 1570, 1385, 1300}),
      reference_site("chicon", 104, 4, 80, {5750, 2960, 1960, 1535, 1365, 1215, 1100, 1080}),
  };
}

Ensemble made_up_ensemble(const ClimateSpec& spec) {
  if (spec.clusters < 1) throw InputError("an ensemble needs at least one cluster");
  if (spec.smallest < 4)
    throw InputError(
        "--smallest: the smallest group has 4 processors; expected at least 4, found " +
        std::to_string(spec.smallest));
  if (spec.largest < spec.smallest) {
    throw InputError("--largest: expected at least the " + std::to_string(spec.smallest) +
                     " processors of --smallest, found " + std::to_string(spec.largest));
  }
  Ensemble ensemble{.scenarios = spec.scenarios, .months = spec.months};
  Random random(spec.seed);
  for (Count c = 0; c < spec.clusters; ++c) ensemble.sites.push_back(made_up_site(spec, c, random));
  check(ensemble);
  return ensemble;
}

}  // namespace dovetail::gen
