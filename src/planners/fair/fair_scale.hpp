// How a plan for several workflows compares with one that is known: what a search for fair plans
// makes small.
//
// Three numbers count, each as a share of what the known plan has: makespan, average stretch, and
// maximum stretch (times weights, where workflows have some). The value of a plan is 0.9 of the
// greatest share and 0.1 of their mean, in whole parts, so that every machine decides alike. All
// stretches are against the times alone that the known plan has.
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

namespace dovetail {

// Read-only and safe to share between threads.
class FairScale {
 public:
  // Parts in a share of 1, and the value of a plan that has three of these.
  static constexpr std::int64_t kPart = std::int64_t{1} << 32;
  static constexpr std::int64_t kKnown = 30 * kPart;

  // Needs the known plan to be feasible and to say how the workflows fare alone.
  FairScale(const Problem& problem, const Plan& known, const DraftDecoder& decoder);

  // Sets the plan's fairness.
  void measure(DecodedPlan& plan) const;

  // Whether the plan is worse than the known one in none of the three.
  bool allows(const DecodedPlan& plan) const;

  // No plan has less.
  std::int64_t least() const;

  std::size_t size() const { return members_.size(); }
  std::size_t workflow_of(TaskId task) const { return workflow_of_[task]; }

  // By workflow: when the last of its tasks ends.
  std::vector<Time> ends_of(const DecodedPlan& plan) const;

  // The workflow whose end decides what is worst about plans with these ends; nothing: the average,
  // and so every workflow.
  std::optional<std::size_t> decisive(const std::vector<Time>& ends) const;

 private:
  friend class FairMeter;

  // A length, and how much of it the known plan has.
  struct Scale {
    Duration most = 0;  // that is not worse than what the known plan has
    double unit = 1;    // that is a share of 1
    double part = 1;    // parts for each millisecond

    static Scale of(Duration most, double unit);
    std::int64_t parts(Duration length) const;
    Duration length(double shares) const;  // that has no more parts, or a little longer
  };
  struct Member {
    Time ready = 0;
    Duration least = 0;  // no plan has it done sooner
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
  std::vector<Member> members_;
  std::vector<std::uint32_t> workflow_of_;
  Scale makespan_, total_;
  Lengths least_ = {};
};

// Follows a plan while it is made, and says when it will not be good enough any more. Not safe to
// share between threads; the scale must outlive it.
class FairMeter {
 public:
  explicit FairMeter(const FairScale& scale);

  // Plans of a greater value are not wanted, nor those that the scale does not allow.
  void aim_at(std::int64_t value);

  // Before the first task.
  void reset();

  // No wanted plan has all of the task's workflow done later.
  Time due(TaskId task) const { return dues_[scale_.workflow_of_[task]]; }

  // False when no wanted plan can come of this: all of the task's workflow that depends on it ends
  // then at the earliest.
  bool add(TaskId task, Time end) {
    const std::size_t i = scale_.workflow_of_[task];
    const FairScale::Member& member = scale_.members_[i];
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

  // Of a plan whose tasks have all been added.
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

}  // namespace dovetail
