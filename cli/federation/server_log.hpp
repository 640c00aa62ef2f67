// For the verbs that run a server: a log on standard error, and waiting for the end.
#pragma once

#include <functional>
#include <string>

#include "federation/net/keys.hpp"
#include "run/interrupts.hpp"

namespace dovetail::cli {

// Writes lines that begin with the date; callable from any thread.
std::function<void(const std::string& line)> service_log();

// Waits for SIGINT or SIGTERM, or until the descriptor `failed` becomes readable.
void wait_for_end(run::Interrupts& interrupts, int failed = -1);

// Warns if the certificate does not name the host of the URL: callers would reject it.
void warn_of_another_host(const federation::Identity& self, const std::string& url);

}  // namespace dovetail::cli
