// What the verbs that stay and answer share: a log on standard error, and waiting for the end.
#pragma once

#include <functional>
#include <string>

#include "federation/net/keys.hpp"
#include "run/interrupts.hpp"

namespace dovetail::cli {

// Lines with the date in front, each written at once; from any thread.
std::function<void(const std::string& line)> service_log();

// Until SIGINT or SIGTERM, or until there is something to read from the file.
void wait_for_end(run::Interrupts& interrupts, int failed = -1);

// Who calls the server at its URL believes only a certificate that is for that host.
void warn_of_another_host(const federation::Identity& self, const std::string& url);

}  // namespace dovetail::cli
