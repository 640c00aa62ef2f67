// Clusters that are ours in windows of time only.
//
//   const Platform ours = within_windows(platform, {{.length = 10 * kHour, .every = kDay}},
//   horizon);
#pragma once

#include <span>

#include "dovetail/ensemble.hpp"
#include "dovetail/platform.hpp"

namespace dovetail {

// The same clusters, on which everything outside of their windows is reserved by others. Slots that
// come again are laid out up to the horizon; then the cluster leaves. `windows` has one for every
// cluster.
Platform within_windows(const Platform& platform, std::span<const Windows> windows, Time horizon);

}  // namespace dovetail
