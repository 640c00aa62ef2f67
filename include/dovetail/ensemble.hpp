// An ensemble: scenarios that share nothing, each a chain of months; a month is a moldable main
// task and small post-processing tasks that nothing waits for.
//
//   Ensemble ensemble{.scenarios = 10, .months = 180, .sites = {grillon}};
//   check(ensemble);   // throws InputError for nonsense
//
// Values; planners (src/planners/ensemble/grouping.hpp, repartition.hpp) turn them into groups of
// processors and into numbers of scenarios per cluster.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dovetail/time.hpp"

namespace dovetail {

// How long a month's main task takes on a group of that many processors.
struct GroupTime {
  Count procs = 0;
  Duration time = 0;
  friend bool operator==(const GroupTime&, const GroupTime&) = default;
};

// What was measured on one cluster.
struct MonthTimes {
  std::vector<GroupTime> main = {};  // sizes rise, times do not
  Duration post = 0;                 // of one post task, on one processor; 0: there are none
  Count posts = 1;                   // tasks of that length after each month
  friend bool operator==(const MonthTimes&, const MonthTimes&) = default;
};

// The disk that the months of a cluster share, in megabytes. A month takes room from its start
// until its post tasks have ended; what they leave stays.
struct DiskSpec {
  std::int64_t capacity = 0;
  std::int64_t month = 1000;
  std::int64_t archive = 0;
  std::optional<std::int64_t> margin = {};  // nothing: 2 GB for every group

  std::int64_t margin_for(std::int64_t groups) const { return margin.value_or(2'000 * groups); }
  friend bool operator==(const DiskSpec&, const DiskSpec&) = default;
};

// A part of time in which a cluster is ours, as a list or as slots that come again.
struct Windows {
  std::vector<Interval> list = {};
  // Slots of this length, every so often, the first at `first`; 0: there is the list alone.
  Duration length = 0;
  Duration every = 0;
  Time first = 0;

  bool always() const { return list.empty() && length == 0; }
  friend bool operator==(const Windows&, const Windows&) = default;
};

// A cluster as the months see it.
struct EnsembleSite {
  std::string name = {};
  Count processors = 0;
  Count cores_per_node = 1;
  MonthTimes times = {};
  Windows windows = {};
};

// What holds on every cluster of an ensemble.
struct EnsembleRules {
  bool node_multiples = false;        // two scenarios never share a node
  Count extra_size = 0;               // one more size, as fast as the largest measured; 0: none
  Count post_processors = 0;          // kept for post tasks alone
  bool post_node = false;             // a node is
  Count full_speed_posts = 0;         // more at a time slow each other down; 0: they never do
  std::optional<DiskSpec> disk = {};  // nothing: it never fills
};

struct Ensemble {
  Count scenarios = 0;
  Count months = 0;
  EnsembleRules rules = {};
  std::vector<EnsembleSite> sites = {};
};

// The sizes that groups of a site may have under the rules, with their times; may be none.
std::vector<GroupTime> group_sizes(const EnsembleSite& site, const EnsembleRules& rules);

// Processors of a site that are kept for post tasks.
Count reserved_for_posts(const EnsembleSite& site, const EnsembleRules& rules);

// What is wrong with a table of times, as the end of a sentence; empty when nothing is.
std::string find_fault(const MonthTimes& times);

// Throws InputError for no scenarios or months, tables that are wrong, and sums beyond any time.
void check(const Ensemble& ensemble);

}  // namespace dovetail
