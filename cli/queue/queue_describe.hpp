// Workflows in batch queues, in words and tables for people.
#pragma once

#include <span>
#include <string>

#include "queue/sim/queue_report.hpp"

namespace dovetail::cli {

// "86400 s", or a date where dates are known.
std::string clock_text(const queue::Site& site, Time time);

// "kth: 100 nodes, conservative, log KTH-SP2, requests as in the log".
std::string describe_site(const queue::Site& site);

// "flow: 50 tasks on 9 levels, 100.0 node-hours".
std::string describe_tasks(const queue::LeveledTasks& tasks);

// "at 86400 s: 61 jobs run, 12 wait; 3 of 100 nodes are free".
std::string describe_moment(const queue::Site& site, Time at, const queue::QueueState& state);

// The jobs of one run, when it ends, how much of that is waiting, what it holds.
std::string describe_run(const queue::QueueReport& report, const queue::QueueRun& run);

// All strategies in one table, and which to use and why.
std::string describe_comparison(std::span<const queue::QueueRun> runs);

std::string describe_waits(const queue::Site& site, Time at,
                           std::span<const queue::WaitAnswer> answers);

std::string describe_instants(std::span<const queue::InstantRuns> strategies);

}  // namespace dovetail::cli
