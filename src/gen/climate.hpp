// Clusters and ensembles of coupled climate runs.
//
// The reference clusters are those of Caniou et al. 2009. Their Figure 4 is an image; the times
// here satisfy everything that its text says (docs/ensembles.md lists the conditions). Made-up
// clusters look like them: a few components that stay sequential, and one that does not scale
// further than eight processors.
#pragma once

#include <cstdint>
#include <vector>

#include "dovetail/ensemble.hpp"

namespace dovetail {

// grillon, azur, capricorne, sagittaire, chicon.
std::vector<EnsembleSite> reference_sites();

struct ClimateSpec {
  Count scenarios = 10;
  Count months = 180;
  Count clusters = 3;
  Count smallest = 32;  // processors of a cluster
  Count largest = 256;
  std::uint64_t seed = 1;
};

// Throws InputError when the numbers make no sense.
Ensemble made_up_ensemble(const ClimateSpec& spec);

}  // namespace dovetail
