// Compares a plan for several workflows with a known one: the value that a search for fair plans
// minimises.
//
// Three numbers count, each relative to the known plan: makespan, average stretch, and maximum
// stretch (weighted, if workflows have weights). The value of a plan is 0.9 of the greatest share
// plus 0.1 of their mean, in whole parts, so that every machine decides alike. All stretches are
// relative to the known plan's times alone.
//
//   FairScale scale(problem, mags, decoder);
//   scale.measure(plan);
//   plan.fairness < FairScale::kKnown     // better than the known plan, on the whole
#pragma once

#include <vector>

#include "dovetail/fairness.hpp"
#include "dovetail/plan.hpp"
#include "dovetail/problem.hpp"
#include "planners/search/draft_plan.hpp"

namespace dovetail::planning {

// Read-only and safe to share between threads.
class FairScale {
 public:
  // The parts in a share of 1, and the value of a plan with three shares of 1.
  static constexpr std::int64_t kPart = std::int64_t{1} << 32;
  static constexpr std::int64_t kKnown = 30 * kPart;

  // Needs the known plan to be feasible and to hold each workflow's time alone.
  FairScale(const Problem& problem, const Plan& known, const DraftDecoder& decoder);

  // Sets the plan's fairness.
  void measure(DecodedPlan& plan) const;

  // Whether the plan is at least as good as the known one in all three.
  bool allows(const DecodedPlan& plan) const;

  // A lower bound on the value of any plan.
  std::int64_t least() const;

  std::size_t size() const { return members_.size(); }
  std::size_t workflow_of(TaskId task) const { return workflow_of_[task]; }

  // By workflow: when the last of its tasks ends.
  std::vector<Time> ends_of(const DecodedPlan& plan) const;

  // The workflow whose end decides the greatest share for plans with these ends; nothing: the
  // average decides, and so every workflow.
  std::optional<std::size_t> decisive(const std::vector<Time>& ends) const;

 private:
  friend class FairMeter;

  // Converts a length to a share of the known plan's.
  struct Scale {
    Duration most = 0;  // the longest that is no worse than the known plan
    double unit = 1;    // the length of a share of 1
    double part = 1;    // parts for each millisecond

    static Scale of(Duration most, double unit);
    std::int64_t parts(Duration length) const;
    Duration length(double shares) const;  // the longest with no more parts, or slightly longer
  };
  struct Competitor {
    Time ready = 0;
    Duration least = 0;  // no plan finishes it sooner
    Scale stretch = {};
  };
  struct Lengths {
    Duration makespan = 0;
    Duration total = 0;
    std::int64_t stretch = 0;  // in parts
  };

  static Scale stretch_scale(const Fate& fate, double weight, double most_stretched);
  Lengths lengths_of(const std::vector<Time>& ends) const;
  std::int64_t value_of(const Lengths& lengths) const;

  Time now_;
  std::vector<Competitor> members_;
  std::vector<std::uint32_t> workflow_of_;
  Scale makespan_, total_;
  Lengths least_ = {};
};

// Follows a plan while it is made, and says when it can no longer be good enough. Not safe to share
// between threads; the scale must outlive it.
class FairMeter {
 public:
  explicit FairMeter(const FairScale& scale);

  // Rejects plans of a greater value, and those that the scale does not allow.
  void aim_at(std::int64_t value);

  // Call before the first task.
  void reset();

  // In any acceptable plan the task's workflow ends by this time.
  Time due(TaskId task) const { return dues_[scale_.workflow_of_[task]]; }

  // False when no acceptable plan can result. `end` is the earliest time at which everything in the
  // workflow that depends on the task can have ended.
  bool add(TaskId task, Time end) {
    const std::size_t i = scale_.workflow_of_[task];
    const FairScale::Competitor& member = scale_.members_[i];
    const Duration length = end - member.ready;
    if (length <= lengths_[i]) return true;
    if (length > member.stretch.most) return false;
    now_.total += length - lengths_[i];
    lengths_[i] = length;
    now_.stretch = std::max(now_.stretch, member.stretch.parts(length));
    now_.makespan = std::max(now_.makespan, end - scale_.now_);
    return now_.total <= scale_.total_.most && now_.makespan <= scale_.makespan_.most &&
           value() <= wanted_;
  }

  // Needs all tasks of the plan to have been added.
  std::int64_t value() const { return scale_.value_of(now_); }

 private:
  const FairScale& scale_;
  std::int64_t wanted_ = 0;
  std::vector<Time> dues_;         // by workflow
  std::vector<Duration> lengths_;  // by workflow
  FairScale::Lengths now_ = {};
};

inline std::int64_t FairScale::Scale::parts(Duration length) const {
  constexpr double kMost = static_cast<double>(kPart) * (1 << 20);
  return static_cast<std::int64_t>(std::min(static_cast<double>(length) * part, kMost));
}

inline std::int64_t FairScale::value_of(const Lengths& lengths) const {
  const std::int64_t makespan = makespan_.parts(lengths.makespan);
  const std::int64_t average = total_.parts(lengths.total);
  return 27 * std::max({makespan, average, lengths.stretch}) + makespan + average + lengths.stretch;
}

}  // namespace dovetail::planning
