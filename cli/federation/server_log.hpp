// For the verbs that run a server: a log on standard error, and waiting for the end.
#pragma once

#include <functional>
#include <string>

#include "federation/net/keys.hpp"
#include "run/interrupts.hpp"

namespace dovetail::cli {

// Writes lines that begin with the date; callable from any thread.
std::function<void(const std::string& line)> service_log();

// Says that the server answers at the URL, and warns if it runs as root, or if its certificate does
// not name that host: callers would reject it. Then waits for SIGINT or SIGTERM, or until the
// descriptor `failed` becomes readable.
void wait_for_end(const federation::Identity& self, const std::string& url,
                  run::Interrupts& interrupts, int failed = -1);

}  // namespace dovetail::cli
