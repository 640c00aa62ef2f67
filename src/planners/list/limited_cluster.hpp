// A cluster of which a user may use only a limited number of processors.
#pragma once

#include "dovetail/platform.hpp"

namespace dovetail {

// The same cluster with `limit` processors. At every moment as many are free as the cluster has
// free, but no more than the limit. If others have reserved nothing, the limit may exceed the
// cluster's size, and then becomes its new size. Needs limit >= 1.
Cluster limited_cluster(const Platform& platform, Count limit);

}  // namespace dovetail
