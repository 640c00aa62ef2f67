// Options and words that all verbs about batch queues share.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "queue/policies/scheduler.hpp"
#include "queue/sim/trace.hpp"
#include "queue/strategies/strategy.hpp"

namespace dovetail::cli {

// --requests, --never-ran, --overrun: how the lines of a log are read.
void add_log_rules(CLI::App& command, queue::TraceRules& trace);

// --policy, --compress, --depth, --contiguous.
void add_policy_rules(CLI::App& command, queue::QueueRules& queue);

// Says on standard error which of these options have no effect with the policy.
void note_idle_options(const queue::QueueRules& queue);

// "conservative, compression rebuild, neighbouring nodes, 16 jobs a user at once".
std::string rules_text(const queue::QueueRules& queue);

// "requests as in the log" or "accurate requests".
std::string requests_text(const queue::TraceRules& trace);

// "GLUME+, GLUME, ...".
std::string known_strategies();

// In upper or lower case. Throws InputError that names the nearest, or all.
const queue::StrategyInfo& choose_strategy(const std::string& name);

// A line of a table of names and texts.
std::string row(std::string_view name, const std::string& text);

// The length that an option names. Throws InputError, which says what is expected.
Duration read_length(const std::string& option, const std::string& text, const char* expected);

// "12 lines: 10 never ran, 2 larger than the machine".
std::string dropped_text(const queue::Dropped& dropped);

}  // namespace dovetail::cli
