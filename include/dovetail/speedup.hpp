// How long a task runs as a function of its processors.
//
// Four models: a fixed time on a fixed number of processors; Amdahl's law, for moldable tasks; a
// table of measured times; and a time per named resource, for heterogeneous resources.
//
//   TimeSpec spec = TimeSpec::amdahl(3600.0, 0.05, {.min = 4, .max = 64});
//
// TimeSpec is what a user writes; TaskTime is the compact form that a Workflow returns. In every
// model more processors never take longer: measured counts that are no faster than a smaller
// measured count are dropped, since choosing them would be a waste.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dovetail/time.hpp"

namespace dovetail {

// The allowed processors of a moldable task; max 0 means all processors of the cluster.
struct ProcessorRange {
  Count min = 1;
  Count max = 0;
};

enum class TimeKind : std::uint8_t { fixed, amdahl, table, per_resource };

struct TimeSpec {
  TimeKind kind = TimeKind::fixed;
  double seconds = 0;  // amdahl: on one processor; fixed: as given
  double alpha = 0;    // amdahl: the share that cannot be parallelised
  ProcessorRange processors;
  std::vector<std::pair<Count, double>> measured = {};           // table: processors -> seconds
  std::vector<std::pair<std::string, double>> on_resource = {};  // per_resource: name -> seconds

  static TimeSpec fixed(double seconds, Count processors = 1);
  static TimeSpec amdahl(double seconds, double alpha, ProcessorRange processors = {});
  static TimeSpec table(std::vector<std::pair<Count, double>> measured,
                        ProcessorRange processors = {});
  static TimeSpec per_resource(std::vector<std::pair<std::string, double>> on_resource,
                               Count processors = 1);
};

// One point of a compact table: processors -> seconds, or resource number -> seconds.
struct TimePoint {
  std::int32_t key = 0;
  double seconds = 0;
};

// How the models round: max(1, ceil(1000 seconds - 1e-6)) milliseconds; at most kMaxSeconds.
Duration run_time(double seconds);

class TaskTime {
 public:
  TaskTime(TimeKind kind, double seconds, double alpha, Count min, Count max,
           std::span<const TimePoint> points);

  TimeKind kind() const { return kind_; }
  double seconds() const { return seconds_; }
  double alpha() const { return alpha_; }
  double speed() const { return speed_; }  // divides the times
  std::span<const TimePoint> points() const { return points_; }
  // Whether the allowed counts are those of points(); else all from the least to the most.
  bool lists_counts() const { return lists_counts_; }

  // The smallest and largest processor counts on which the task may run.
  Count min_procs() const { return min_; }
  Count max_procs() const { return max_; }

  bool allows(Count procs) const { return procs >= min_ && floor_allowed(procs) == procs; }

  // The largest allowed count <= procs, 0 if there is none.
  Count floor_allowed(Count procs) const;

  // The smallest allowed count > procs, 0 if there is none.
  Count next_allowed(Count procs) const;

  // Needs allows(procs), and a per-resource time needs on_resource first.
  Duration duration(Count procs) const;

  // The smallest allowed count of low..high on which the task runs for at most `length`; 0 if there
  // is none. Needs both ends to be allowed.
  Count fewest_within(Duration length, Count low, Count high) const;

  // The same task on a cluster whose speed divides its times.
  TaskTime at_speed(double speed) const;

  // The same task on these counts only, which it must allow: increasing, at least one. A view of
  // them. A table's have times; Amdahl's law gives its own.
  TaskTime only(std::span<const TimePoint> counts) const;

  // For kind() == per_resource: whether the task runs on that resource, a position in
  // Workflow::resource_names(), and its fixed time there.
  bool runs_on(std::int32_t resource) const;
  TaskTime on_resource(std::int32_t resource) const;

 private:
  TimeKind kind_;
  Count min_;
  Count max_;
  double seconds_;
  double alpha_;
  double speed_ = 1.0;
  bool lists_counts_;  // in points_
  std::span<const TimePoint> points_;
};

}  // namespace dovetail
