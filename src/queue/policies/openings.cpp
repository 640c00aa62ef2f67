#include "queue/policies/openings.hpp"

#include <algorithm>

namespace dovetail::queue {

namespace {

using PointId = Timeline::PointId;

Duration length(const Interval& span) { return span.end - span.begin; }

Count least_of(std::size_t size) { return Count{1} << size; }

// A piece of time with nodes enough, and its last point.
struct FreeStretch {
  Interval span;
  PointId last;
};

// The run that goes on from a point with nodes enough, up to `limit`.
FreeStretch run_from(PointId at, Count nodes, Time begin, Time limit, const Timeline& plan) {
  while (plan.time(plan.after(at)) < limit && plan.free(plan.after(at)) >= nodes) {
    at = plan.after(at);
  }
  return {{begin, std::min(plan.time(plan.after(at)), limit)}, at};
}

// Where a run that holds the point begins, down to about `limit`.
PointId run_begin(PointId at, Count nodes, Time limit, const Timeline& plan) {
  while (at != Timeline::kPresent && plan.time(at) > limit && plan.free(plan.before(at)) >= nodes) {
    at = plan.before(at);
  }
  return at;
}

}  // namespace

void Openings::Gaps::measure() {
  first_of.fill(kForever);
  std::size_t width = 0;
  for (const Gap& gap : list) {
    for (; width <= width_of(length(gap.span)); ++width) first_of[width] = gap.span.begin;
  }
}

// Around the rise, a run for a larger size lies within one for a smaller size. So most rises are
// done with after a size or two: no job that starts later is as short as their runs.
void Openings::add(const Timeline::Rise& rise, const Timeline& plan) {
  const Time end = rise.window.end;
  const Demand::Shortest* shortest = demand_.after(rise.window.begin);
  const Time first = rise.window.begin - demand_.longest();
  const Time last = end + demand_.longest();
  Duration longest = kForever - 1;  // of the runs for the last size; no request is as long as that
  for (std::size_t size = 0; size < gaps_.size() && longest >= shortest[size].upward; ++size) {
    if (shortest[size].here > longest) continue;
    const Count nodes = least_of(size);
    longest = 0;
    PointId at = rise.at;
    PointId begin = plan.free(at) >= nodes ? run_begin(at, nodes, first, plan) : at;
    for (; plan.time(at) < end; at = plan.after(at), begin = at) {
      if (plan.free(at) < nodes) continue;
      const FreeStretch run = run_from(at, nodes, plan.time(begin), last, plan);
      at = run.last;
      longest = std::max(longest, length(run.span));
      if (length(run.span) < shortest[size].here) continue;
      gaps_[size].note({.span = run.span, .at = begin, .round = round_});
    }
  }
}

void Openings::Gaps::note(Gap gap) {
  const auto first = std::ranges::lower_bound(list, gap.span.begin, {},
                                              [](const Gap& other) { return other.span.end; });
  auto last = first;
  for (; last != list.end() && last->span.begin <= gap.span.end; ++last) {
    if (last->span.begin < gap.span.begin) {
      gap.span.begin = last->span.begin;
      gap.at = last->at;
    }
    gap.span.end = std::max(gap.span.end, last->span.end);
  }
  for (auto width = width_of(length(gap.span)) + 1; width-- > 0;) {
    if (first_of[width] <= gap.span.begin) break;
    first_of[width] = gap.span.begin;
  }
  if (first == last) {
    list.insert(first, gap);
  } else {
    *first = gap;
    list.erase(first + 1, last);
  }
}

std::optional<Timeline::LineTime> Openings::find(const Ask& ask, Time start, const Timeline& plan) {
  const std::size_t size = size_of(ask.nodes);
  Gaps& gaps = gaps_[size];
  bool has_shrunk = false;
  for (std::size_t i = 0; i < gaps.list.size();) {
    Gap& gap = gaps.list[i];
    const Time now = plan.time(Timeline::kPresent);
    gap.span.begin = std::max(gap.span.begin, std::min(now, gap.span.end));
    if (gap.span.begin + ask.length >= start) break;
    const bool is_vain = ask.nodes >= gap.vain_nodes && ask.length >= gap.vain_length;
    if (is_vain || length(gap.span) < ask.length) {
      ++i;
      continue;
    }
    gap.at = plan.locate(gap.span.begin, gap.at);
    const auto place = plan.earliest(ask, gap.at, gap.span.begin, gap.span.end);
    // What has shrunk is measured when a job looked in vain; until then may_fit promises too much.
    if (place && place->time + ask.length < start) return place;
    has_shrunk |= !place;
    i = place ? i + 1 : look_again(size, i, ask, plan);
  }
  if (has_shrunk) gaps.measure();
  return std::nullopt;
}

// The job did not fit: what is left of the gap takes its place. Answers the position behind that.
std::size_t Openings::look_again(std::size_t size, std::size_t index, const Ask& ask,
                                 const Timeline& plan) {
  std::vector<Gap>& list = gaps_[size].list;
  const Gap gap = list[index];
  const Count nodes = least_of(size);
  pieces_.clear();
  for (PointId at = gap.at; plan.time(at) < gap.span.end; at = plan.after(at)) {
    if (plan.free(at) < nodes) continue;
    const Time begin = std::max(plan.time(at), gap.span.begin);
    const PointId near = at;
    const FreeStretch run = run_from(at, nodes, begin, gap.span.end, plan);
    at = run.last;
    if (length(run.span) < demand_.after(begin)[size].here) continue;
    pieces_.push_back({run.span, near, gap.round, ask.nodes, ask.length});
  }
  const auto place = list.erase(list.begin() + static_cast<std::ptrdiff_t>(index));
  list.insert(place, pieces_.begin(), pieces_.end());
  return index + pieces_.size();
}

void Openings::all_tried() {
  for (Gaps& gaps : gaps_) {
    if (gaps.list.empty()) continue;
    std::erase_if(gaps.list, [&](const Gap& gap) { return gap.round != round_; });
    gaps.measure();
  }
  ++round_;
}

}  // namespace dovetail::queue
