// A cluster of which only some processors may be used.
#pragma once

#include "dovetail/platform.hpp"

namespace dovetail {

// The same cluster with `limit` processors, of which at every moment as many are free as the
// cluster has free, but no more than the limit. Where others have reserved nothing, the limit may
// be more than the cluster has: it then is what the cluster has by now. Needs limit >= 1.
Cluster limited_cluster(const Platform& platform, Count limit);

}  // namespace dovetail
