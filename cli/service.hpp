// What the verbs that stay and answer share: a log on standard error, and waiting for the end.
#pragma once

#include <functional>
#include <string>

#include "exec/interrupts.hpp"
#include "federation/keys.hpp"

namespace dovetail::cli {

// Lines with the date in front, each written at once; from any thread.
std::function<void(const std::string& line)> service_log();

// Until SIGINT or SIGTERM, or until there is something to read from the file.
void wait_for_end(exec::Interrupts& interrupts, int failed = -1);

// Logs why others would not reach the server at its URL, such as a certificate for another host.
void warn_if_unreachable(const federation::Identity& self, const std::string& url);

}  // namespace dovetail::cli
