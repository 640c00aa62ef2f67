// Clusters and ensembles of coupled climate runs.
//
// The reference clusters are those of Caniou et al. 2009. Their Figure 4 is an image; the times
// here satisfy every condition in the paper's text (docs/ensembles.md lists them). Made-up clusters
// resemble them: a few sequential components, and one that does not scale beyond eight processors.
#pragma once

#include <cstdint>
#include <vector>

#include "dovetail/ensemble.hpp"

namespace dovetail::gen {

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

// Throws InputError for numbers out of range.
Ensemble made_up_ensemble(const ClimateSpec& spec);

}  // namespace dovetail::gen
