#include "planners/fair/fair_scale.hpp"

#include <algorithm>

#include "dovetail/fairness.hpp"
#include "dovetail/metrics.hpp"

namespace dovetail::planning {

FairScale::Scale FairScale::Scale::of(Duration most, double unit) {
  const double whole = std::max(unit, 1.0);
  return {.most = most, .unit = whole, .part = static_cast<double>(kPart) / whole};
}

Duration FairScale::Scale::length(double shares) const {
  const double length = std::max(shares, 0.0) * unit + 1;
  return length < static_cast<double>(most) ? static_cast<Duration>(length) : most;
}

FairScale::Scale FairScale::stretch_scale(const Fate& fate, double weight, double most_stretched) {
  const auto alone = static_cast<double>(fate.alone);
  const double unit = most_stretched * alone / weight;
  // The longest length with no greater stretch, to the last bit of the measure.
  auto most = static_cast<Duration>(std::min(unit, static_cast<double>(kForever))) + 2;
  while (most > fate.length && weight * (static_cast<double>(most) / alone) > most_stretched) {
    --most;
  }
  return Scale::of(most, unit);
}

FairScale::FairScale(const Problem& problem, const Plan& known, const DraftDecoder& decoder)
    : now_(problem.now()) {
  const Fairness fairness = measure_fairness(problem, known);
  double heaviest = 0;
  for (const Workflow& workflow : problem.workflows()) {
    heaviest = std::max(heaviest, workflow.terms().weight);
  }
  Duration total = 0;
  TaskId task = 0;
  for (std::uint32_t i = 0; i < problem.workflows().size(); ++i) {
    const Workflow& workflow = problem.workflows()[i];
    const Fate& fate = fairness.workflows[i];
    Competitor member{.ready = problem.ready(i),
                      .stretch = stretch_scale(fate, workflow.terms().weight / heaviest,
                                               fairness.weighted_stretch)};
    for (TaskId own = 0; own < workflow.size(); ++own, ++task) {
      workflow_of_.push_back(i);
      const Time end =
          decoder.view().release(task) + decoder.menu().widest(task).length + decoder.tail(task);
      member.least = std::max(member.least, end - member.ready);
    }
    total += fate.length;
    least_.total += member.least;
    least_.stretch = std::max(least_.stretch, member.stretch.parts(member.least));
    least_.makespan = std::max(least_.makespan, member.ready + member.least - now_);
    members_.push_back(member);
  }
  makespan_ = Scale::of(makespan(known), static_cast<double>(makespan(known)));
  total_ = Scale::of(total, static_cast<double>(total));
}

std::vector<Time> FairScale::ends_of(const DecodedPlan& plan) const {
  std::vector<Time> ends(size(), now_);
  for (TaskId task = 0; task < plan.slots.size(); ++task) {
    Time& end = ends[workflow_of_[task]];
    end = std::max(end, plan.slots[task].end);
  }
  return ends;
}

FairScale::Lengths FairScale::lengths_of(const std::vector<Time>& ends) const {
  Lengths lengths;
  for (std::size_t i = 0; i < size(); ++i) {
    const Competitor& member = members_[i];
    const Duration length = std::max<Duration>(ends[i] - member.ready, 0);
    lengths.total += length;
    lengths.stretch = std::max(lengths.stretch, member.stretch.parts(length));
    lengths.makespan = std::max(lengths.makespan, ends[i] - now_);
  }
  return lengths;
}

void FairScale::measure(DecodedPlan& plan) const {
  plan.fairness = value_of(lengths_of(ends_of(plan)));
}

bool FairScale::allows(const DecodedPlan& plan) const {
  const std::vector<Time> ends = ends_of(plan);
  const Lengths lengths = lengths_of(ends);
  if (lengths.makespan > makespan_.most || lengths.total > total_.most) return false;
  for (std::size_t i = 0; i < size(); ++i) {
    if (ends[i] - members_[i].ready > members_[i].stretch.most) return false;
  }
  return true;
}

std::int64_t FairScale::least() const { return value_of(least_); }

std::optional<std::size_t> FairScale::decisive(const std::vector<Time>& ends) const {
  const Lengths lengths = lengths_of(ends);
  const std::int64_t longest = makespan_.parts(lengths.makespan);
  const std::int64_t average = total_.parts(lengths.total);
  if (average > longest && average > lengths.stretch) return std::nullopt;
  const auto worth = [&](std::size_t i) {
    if (longest >= lengths.stretch) return ends[i] - now_;
    return members_[i].stretch.parts(ends[i] - members_[i].ready);
  };
  std::size_t decisive = 0;
  for (std::size_t i = 1; i < size(); ++i) {
    if (worth(i) > worth(decisive)) decisive = i;
  }
  return decisive;
}

FairMeter::FairMeter(const FairScale& scale)
    : scale_(scale), dues_(scale.size()), lengths_(scale.size()) {}

// The greatest share counts for 28 of 30 parts, the other two for one each; these two are at least
// those of the least plan.
void FairMeter::aim_at(std::int64_t value) {
  wanted_ = value;
  const FairScale::Lengths& least = scale_.least_;
  const std::int64_t makespan = scale_.makespan_.parts(least.makespan);
  const std::int64_t average = scale_.total_.parts(least.total);
  constexpr double kGreatest = 28 * static_cast<double>(FairScale::kPart);
  const double end_share = static_cast<double>(value - average - least.stretch) / kGreatest;
  const double stretch_share = static_cast<double>(value - average - makespan) / kGreatest;
  const Time end = scale_.now_ + scale_.makespan_.length(end_share);
  for (std::size_t i = 0; i < dues_.size(); ++i) {
    const FairScale::Competitor& member = scale_.members_[i];
    dues_[i] = std::min(end, member.ready + member.stretch.length(stretch_share));
  }
}

void FairMeter::reset() {
  for (std::size_t i = 0; i < lengths_.size(); ++i) lengths_[i] = scale_.members_[i].least;
  now_ = scale_.least_;
}

}  // namespace dovetail::planning
