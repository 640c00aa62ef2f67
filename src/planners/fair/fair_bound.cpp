#include "planners/fair/fair_bound.hpp"

#include <algorithm>
#include <utility>

namespace dovetail::planning {

namespace {

Area common_divisor(Area a, Area b) {
  while (b != 0) a = std::exchange(b, a % b);
  return a;
}

bool all_ready_together(const Sharing& sharing) {
  return std::ranges::all_of(sharing.members(), [&](const Member& member) {
    return member.ready == sharing.members().front().ready;
  });
}

std::optional<Ratio> bound_of_one_start(const Sharing& sharing, const FreeArea& area) {
  const Time start = sharing.members().front().ready;
  Area work = area.until(start);
  std::optional<Ratio> bound;
  for (const std::size_t i : sharing.by_due_length()) {
    const Member& member = sharing.members()[i];
    work += fluid_work(area, member);
    const auto end = area.first_with(work);
    if (!end) return std::nullopt;
    const Ratio stretch = Ratio::of(*end - start, member.due_length);
    if (!bound || *bound < stretch) bound = stretch;
  }
  return bound;
}

// Whether fluid workflows could all keep a stretch given in parts of 1024: the workflows that
// become ready at or after one time and must end by another must fit in between.
class StretchJudge {
 public:
  StretchJudge(const Sharing& sharing, const FreeArea& area) : sharing_(sharing), area_(area) {}

  bool allows(Area parts) {
    due_.clear();
    for (const Member& member : sharing_.members()) {
      const Area length = parts * member.due_length / kParts;
      const auto most = static_cast<Area>(kForever - member.ready);
      due_.push_back({member.ready + static_cast<Duration>(std::min(length, most)), member.ready,
                      fluid_work(area_, member)});
    }
    std::ranges::sort(due_, {}, &Due::end);
    return std::ranges::all_of(due_, [&](const Due& from) { return has_room_from(from.ready); });
  }

  static constexpr Area kParts = 1024;

 private:
  struct Due {
    Time end;
    Time ready;
    Area work;
  };

  bool has_room_from(Time start) const {
    Area work = area_.until(start);
    for (const Due& due : due_) {
      if (due.ready < start) continue;
      work += due.work;
      if (work > area_.until(due.end)) return false;
    }
    return true;
  }

  const Sharing& sharing_;
  const FreeArea& area_;
  std::vector<Due> due_ = {};
};

std::optional<Ratio> bound_of_many_starts(const Sharing& sharing, const FreeArea& area) {
  StretchJudge judge(sharing, area);
  constexpr Area kMost = StretchJudge::kParts << 40;
  Area high = StretchJudge::kParts;
  while (!judge.allows(high)) {
    high *= 2;
    if (high > kMost) return std::nullopt;
  }
  Area low = 0;
  while (high - low > 1) {
    const Area middle = (low + high) / 2;
    (judge.allows(middle) ? high : low) = middle;
  }
  return Ratio::of(high, StretchJudge::kParts);
}

}  // namespace

Ratio Ratio::of(Area above, Area below) {
  const Area divisor = common_divisor(above, below);
  return {above / divisor, below / divisor};
}

bool operator<(const Ratio& a, const Ratio& b) { return a.above * b.below < b.above * a.below; }

Area fluid_work(const FreeArea& area, const Member& member) {
  return area.until(member.ready + member.alone) - area.until(member.ready);
}

std::optional<Ratio> fair_bound(const Sharing& sharing, const FreeArea& area) {
  return all_ready_together(sharing) ? bound_of_one_start(sharing, area)
                                     : bound_of_many_starts(sharing, area);
}

FreeArea::FreeArea(const Calendar& calendar, Time from) {
  Area before = 0;
  for (const Step& step : calendar.steps({from, kForever})) {
    pieces_.push_back({step, before});
    before += Area{step.free} * (step.end - step.begin);
  }
}

Area FreeArea::until(Time t) const {
  const auto next = std::ranges::partition_point(
      pieces_, [t](const FreeStep& piece) { return piece.step.begin < t; });
  if (next == pieces_.begin()) return 0;
  const FreeStep& piece = *std::prev(next);
  return piece.before + Area{piece.step.free} * (std::min(t, piece.step.end) - piece.step.begin);
}

std::optional<Time> FreeArea::first_with(Area area) const {
  if (area <= 0) return pieces_.front().step.begin;
  const auto next = std::ranges::partition_point(
      pieces_, [area](const FreeStep& piece) { return piece.before < area; });
  const FreeStep& piece = *std::prev(next);
  if (piece.step.free == 0) return std::nullopt;  // the last one, and the cluster has left
  const Area missing = area - piece.before;
  const auto needed = static_cast<Duration>((missing + piece.step.free - 1) / piece.step.free);
  if (needed > piece.step.end - piece.step.begin) return std::nullopt;
  return piece.step.begin + needed;
}

}  // namespace dovetail::planning
