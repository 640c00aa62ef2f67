// What is wrong with a daemon's file, as far as can be seen before a client asks for a service.
#pragma once

#include <string>
#include <vector>

#include "federation/daemon/daemon_file.hpp"

namespace dovetail::federation {

// Needs the cluster's processors, also those of a batch system. Throws InputError when results
// cannot be written, or a service has no size of groups that fits.
void require_usable(const DaemonDescription& description);

// What looks like a mistake, and may be none: sizes larger than the cluster, programs that are not
// found here.
std::vector<std::string> doubts_of(const DaemonDescription& description);

}  // namespace dovetail::federation
