// An ensemble: independent scenarios, each a chain of months. A month is a moldable main task
// followed by small post-processing tasks that no other task depends on.
//
//   Ensemble ensemble{.scenarios = 10, .months = 180, .sites = {grillon}};
//   check(ensemble);   // throws InputError if it is inconsistent
//
// These are plain values. The planners (src/planners/ensemble/grouping.hpp, repartition.hpp) turn
// them into groups of processors and numbers of scenarios per cluster.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dovetail/time.hpp"

namespace dovetail {

// How long a month's main task takes on a group of this size.
struct GroupTime {
  Count procs = 0;
  Duration time = 0;
  friend bool operator==(const GroupTime&, const GroupTime&) = default;
};

// Times measured on one cluster.
struct MonthTimes {
  std::vector<GroupTime> main = {};  // sizes increase, times do not
  Duration post = 0;                 // of one post task, on one processor; 0: no post tasks
  Count posts = 1;                   // tasks of that length after each month
  friend bool operator==(const MonthTimes&, const MonthTimes&) = default;
};

// The disk that the months of a cluster share, in megabytes. A month occupies space from its start
// until its post tasks end; their results stay.
struct DiskSpec {
  std::int64_t capacity = 0;
  std::int64_t month = 1000;
  std::int64_t archive = 0;
  std::optional<std::int64_t> margin = {};  // nothing: 2 GB for every group

  std::int64_t margin_for(std::int64_t groups) const { return margin.value_or(2'000 * groups); }
  friend bool operator==(const DiskSpec&, const DiskSpec&) = default;
};

// The times at which we may use a cluster, as a list or as repeating slots.
struct Windows {
  std::vector<Interval> list = {};
  // Slots of this length repeat at a fixed interval, the first at `first`; 0: only the list counts.
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

// Rules for every cluster of an ensemble.
struct EnsembleRules {
  bool node_multiples = false;        // two scenarios never share a node
  Count extra_size = 0;               // one more size, as fast as the largest measured; 0: none
  Count post_processors = 0;          // reserved for post tasks
  bool post_node = false;             // reserve one node for them
  Count full_speed_posts = 0;         // more post tasks at once slow each other down; 0: no limit
  std::optional<DiskSpec> disk = {};  // nothing: unlimited
};

struct Ensemble {
  Count scenarios = 0;
  Count months = 0;
  EnsembleRules rules = {};
  std::vector<EnsembleSite> sites = {};
};

// The group sizes that the rules allow on a site, with their times; may be empty.
std::vector<GroupTime> group_sizes(const EnsembleSite& site, const EnsembleRules& rules);

// The number of processors of a site reserved for post tasks.
Count reserved_for_posts(const EnsembleSite& site, const EnsembleRules& rules);

// What is wrong with a table of times, as the end of a sentence; empty if nothing is.
std::string find_fault(const MonthTimes& times);

// Throws InputError for no scenarios or months, invalid tables, and totals beyond the range of
// Time.
void check(const Ensemble& ensemble);

}  // namespace dovetail
