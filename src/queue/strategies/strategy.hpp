// Strategies that cut a workflow into batch jobs: which tasks, how many nodes, how long, and when
// to submit.
//
// A strategy is told what happens to its jobs and answers by submitting and cancelling at a Desk.
// It knows no clock and no batch system: the desk is a simulated queue here and a real one
// elsewhere.
//
//   RunTimes run_times(tasks, options.pick);
//   auto strategy = find_strategy("GLUME")->make(run_times, options);
//   strategy->begin(desk);
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "queue/strategies/open_tasks.hpp"
#include "queue/strategies/run_times.hpp"
#include "queue/strategies/wait_estimator.hpp"

namespace dovetail::queue {

using PilotId = std::uint32_t;  // the workflow's jobs, numbered in order of submission

// What to submit: a job that runs these tasks.
struct PilotDraft {
  std::vector<TaskId> tasks;
  Count nodes = 1;
  Duration request = 0;
};

// A job of the workflow that waits or runs.
struct LivePilot {
  PilotId id = 0;
  Count nodes = 1;
  Duration request = 0;
  std::optional<Time> start;  // nothing: it waits
  bool has_worked = false;    // one of its tasks has started
};

enum class PilotOutcome { done, expired, cancelled };

enum class TaskStage : std::uint8_t { open, held, done };

class Desk {
 public:
  virtual ~Desk() = default;

  virtual Time now() const = 0;
  // How the queue looks now, without what was submitted since the last decision of the scheduler.
  virtual const WaitEstimator& queue() = 0;
  // In order of submission.
  virtual std::vector<LivePilot> live() const = 0;
  virtual std::size_t live_count() const = 0;
  // held: in a job that waits or runs; open: neither held nor done.
  virtual TaskStage state(TaskId task) const = 0;
  // Median wait of small jobs like this one that started during the last day; nothing if unknown.
  virtual std::optional<Duration> recent_wait(Duration request) const = 0;
  // Nodes that other people's jobs used during the last day, on average; nothing if unknown.
  virtual std::optional<double> recent_use() const = 0;

  virtual void submit(const PilotDraft& draft) = 0;
  virtual void cancel(PilotId pilot) = 0;
};

// What a job asks for: what its tasks take, with the margin of GLUME's authors, or in whole minutes
// with time to begin and to end, as batch systems count it.
enum class RequestRule { exact, authors, minutes };
inline constexpr Duration kJobOverhead = 15 * kSecond;
enum class ZhangRule { paper, code };
enum class GlumeRule { paper, code };
enum class LeewayRule { exact, code };

struct StrategyOptions {
  Count cap = 0;  // jobs in the system at once; 0: no limit
  RequestRule requests = RequestRule::exact;
  ZhangRule zhang = ZhangRule::paper;
  GlumeRule glume = GlumeRule::paper;
  LeewayRule leeway = LeewayRule::exact;
  Pick pick = Pick::shortest;
  double min_utilisation = 0;  // GLUME+: share of the held node-seconds that tasks must use
};

class Strategy {
 public:
  virtual ~Strategy() = default;

  virtual void begin(Desk& desk) = 0;
  virtual void started(Desk& /*desk*/, PilotId /*pilot*/) {}
  // done, or expired with unfinished tasks, which are open again. A job that the strategy cancelled
  // itself is not told.
  virtual void ended(Desk& desk, PilotId pilot, PilotOutcome outcome) = 0;

  // Whether tasks are submitted one by one from here on.
  virtual bool in_single_mode() const { return false; }
};

// One line per strategy.
struct StrategyInfo {
  std::string_view name;
  std::string_view description;
  std::string_view source;
  std::unique_ptr<Strategy> (*make)(RunTimes&, const StrategyOptions&);
};

std::span<const StrategyInfo> strategies();

// Null when the table has no such name.
const StrategyInfo* find_strategy(std::string_view name);

}  // namespace dovetail::queue
