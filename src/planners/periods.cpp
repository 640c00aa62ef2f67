#include "planners/periods.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace dovetail {

namespace {

int bits_of(Area number) {
  int bits = 0;
  for (; number > 0; number >>= 1) ++bits;
  return bits;
}

// Moments since now as whole numbers of a unit so small that all of them are exact.
class TimeUnits {
 public:
  // Units for the due ends of the members at this stretch, and for as many halvings.
  TimeUnits(const Sharing& sharing, Ratio stretch, int halvings)
      : now_(sharing.now()), stretch_(stretch), per_ms_(stretch.below << halvings) {}

  Area of(Time t) const { return Area{t - now_} * per_ms_; }
  Area due(const Member& member) const {
    return of(member.ready) + stretch_.above * (per_ms_ / stretch_.below) * member.due_length;
  }
  Time ms(Area units) const { return now_ + static_cast<Time>((units + per_ms_ - 1) / per_ms_); }
  Area per_ms() const { return per_ms_; }

 private:
  Time now_;
  Ratio stretch_;
  Area per_ms_;
};

// How often the time from each moment at which workflows become ready to the last end can be halved
// before it is shorter than what the first of these workflows has.
std::map<Time, int> halvings_of(const Sharing& sharing, Ratio stretch) {
  const TimeUnits units(sharing, stretch, 0);
  Area last = 0;
  std::map<Time, Area> shortest;
  for (const Member& member : sharing.members()) {
    last = std::max(last, units.due(member));
    const Area length = units.due(member) - units.of(member.ready);
    const auto [entry, is_new] = shortest.emplace(member.ready, length);
    if (!is_new) entry->second = std::min(entry->second, length);
  }
  std::map<Time, int> halvings;
  for (const auto& [ready, length] : shortest) {
    const Area rest = last - units.of(ready);
    int& count = halvings[ready];
    while ((rest >> (count + 1)) >= length) ++count;
  }
  return halvings;
}

// Where 128 bits would not hold the products to come, as with tasks of centuries on a huge cluster:
// the stretch rounded up to a fraction that is small enough. The bound stays a bound.
Ratio manageable(const Sharing& sharing, Ratio stretch) {
  constexpr int kMostBits = 124;
  Duration longest = 1;
  Duration shortest = kForever;
  for (const Member& member : sharing.members()) {
    longest = std::max({longest, member.due_length, member.ready - sharing.now()});
    shortest = std::min(shortest, member.due_length);
  }
  const int halvings = bits_of(longest) - bits_of(shortest) + 3;
  const int used = bits_of(longest) + halvings;
  const int procs = bits_of(sharing.processors());
  if (used + std::max(bits_of(stretch.above), procs + bits_of(stretch.below)) <= kMostBits) {
    return stretch;
  }
  const Area below = Area{1} << std::clamp(kMostBits - used - procs, 0, 16);
  const Area whole = stretch.above / stretch.below;
  const long double rest = static_cast<long double>(stretch.above % stretch.below) /
                           static_cast<long double>(stretch.below);
  const auto parts = static_cast<Area>(rest * static_cast<long double>(below)) + 1;
  return Ratio::of(whole * below + parts, below);
}

// Whether the last workflow would be due when time ends.
bool reaches_too_far(const Sharing& sharing, Ratio stretch) {
  constexpr Time kLast = kForever / 4;
  return std::ranges::any_of(sharing.members(), [&](const Member& member) {
    return static_cast<double>(member.ready) +
               stretch.value() * static_cast<double>(member.due_length) >
           static_cast<double>(kLast);
  });
}

// One period while rows are given away, from the lowest on.
struct OpenPeriod {
  Area begin = 0;  // in units
  Area end = 0;
  std::vector<std::pair<Count, Area>> free = {};  // processors -> for how long, fewest first
  std::size_t passed = 0;                         // of `free`: too few for the next row
  Count next_row = 0;
  Area next_time = 0;  // for how long the next row is free
  std::vector<std::vector<Count>> rows = {};

  bool has_rows() const { return next_time > 0; }

  void give_row(std::size_t workflow, Area& missing_work) {
    rows[workflow].push_back(next_row++);
    missing_work -= next_time;
    while (passed < free.size() && free[passed].first <= next_row) {
      next_time -= free[passed++].second;
    }
  }
};

class Divider {
 public:
  Divider(const Sharing& sharing, const FreeArea& area, const PeriodOptions& options)
      : Divider(sharing, area, options, manageable(sharing, options.stretch)) {}

  Periods divide() && {
    set_boundaries();
    set_due();
    if (one_after_the_other_) part_the_crowded();
    for (OpenPeriod& period : periods_) measure_rows(period);
    give_rows();
    Periods result{.due = due_};
    for (OpenPeriod& period : periods_) {
      result.periods.push_back(
          {units_.ms(period.begin), units_.ms(period.end), std::move(period.rows)});
    }
    return result;
  }

 private:
  Divider(const Sharing& sharing, const FreeArea& area, const PeriodOptions& options, Ratio stretch)
      : sharing_(sharing),
        area_(area),
        one_after_the_other_(options.one_after_the_other),
        halvings_(halvings_of(sharing, stretch)),
        units_(sharing, stretch, most_halvings()) {
    order_.resize(sharing.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::ranges::stable_sort(order_, {}, [&](std::size_t i) { return units_.due(member(i)); });
  }

  int most_halvings() const {
    int most = 0;
    for (const auto& [ready, count] : halvings_) most = std::max(most, count);
    return most;
  }

  const Member& member(std::size_t i) const { return sharing_.members()[i]; }
  Area last_due() const { return units_.due(member(order_.back())); }

  void set_boundaries() {
    std::vector<Area> boundaries;
    for (const auto& [ready, count] : halvings_) {
      const Area begin = units_.of(ready);
      boundaries.push_back(begin);
      for (int i = 0; i <= count; ++i) {
        boundaries.push_back(begin + ((last_due() - begin) >> i));
      }
    }
    std::sort(boundaries.begin(), boundaries.end());
    boundaries.erase(std::unique(boundaries.begin(), boundaries.end()), boundaries.end());
    for (std::size_t i = 1; i < boundaries.size(); ++i) {
      periods_.push_back({.begin = boundaries[i - 1], .end = boundaries[i]});
    }
  }

  void set_due() {
    due_.resize(sharing_.size());
    for (std::size_t i = 0; i < sharing_.size(); ++i) {
      const Area end = units_.due(member(i));
      const auto found = std::ranges::find_if(
          periods_, [&](const OpenPeriod& period) { return period.end >= end; });
      due_[i] = static_cast<std::size_t>(found - periods_.begin());
    }
  }

  // Workflows due in period k, as groups that fit side by side, in the order of due ends.
  std::vector<std::vector<std::size_t>> groups_due_in(std::size_t k) const {
    std::vector<std::vector<std::size_t>> groups;
    Count room = 0;
    for (const std::size_t i : order_) {
      if (due_[i] != k) continue;
      const Count needed = member(i).needs;
      if (needed > room) {
        groups.emplace_back();
        room = sharing_.processors();
      }
      groups.back().push_back(i);
      room -= needed;
    }
    return groups;
  }

  void part_the_crowded() {
    std::vector<OpenPeriod> parted;
    std::vector<std::size_t> due(sharing_.size());
    for (std::size_t k = 0; k < periods_.size(); ++k) {
      const auto groups = groups_due_in(k);
      const auto parts = static_cast<Area>(std::max<std::size_t>(groups.size(), 1));
      const Area length = (periods_[k].end - periods_[k].begin) / parts;
      for (const auto& group : groups) {
        for (const std::size_t i : group) due[i] = parted.size();
        parted.push_back({.begin = parted.empty() ? periods_[k].begin : parted.back().end});
        parted.back().end = parted.back().begin + length;
      }
      if (groups.empty()) parted.push_back({.begin = periods_[k].begin});
      parted.back().end = periods_[k].end;
    }
    periods_ = std::move(parted);
    due_ = std::move(due);
  }

  void measure_rows(OpenPeriod& period) const {
    const Interval window{units_.ms(period.begin) - 1, units_.ms(period.end)};
    std::map<Count, Area> free;
    for (const Step& step : sharing_.calendar().steps(window)) {
      const Area begin = std::max(period.begin, units_.of(step.begin));
      const Area end = std::min(period.end, units_.of(step.end));
      if (end > begin && step.free > 0) free[step.free] += end - begin;
    }
    period.rows.resize(sharing_.size());
    for (const auto& [procs, length] : free) {
      period.free.emplace_back(procs, length);
      period.next_time += length;
    }
  }

  void give_rows() {
    std::vector<Area> missing;
    for (const Member& member : sharing_.members()) {
      missing.push_back(fluid_work(area_, member) * units_.per_ms());
    }
    for (std::size_t k = 0; k < periods_.size(); ++k) give_to_the_due(k, missing);
    for (const std::size_t i : order_) give_before(i, missing[i]);
  }

  // In turns, one row each. A workflow gets as many as its widest task needs, if there are.
  void give_to_the_due(std::size_t k, std::vector<Area>& missing) {
    OpenPeriod& period = periods_[k];
    std::vector<std::size_t> due;
    for (const std::size_t i : order_) {
      if (due_[i] == k) due.push_back(i);
    }
    const auto is_done = [&](std::size_t i) {
      const auto held = static_cast<Count>(period.rows[i].size());
      return missing[i] <= 0 && held >= member(i).needs;
    };
    for (;;) {
      std::erase_if(due, is_done);
      if (due.empty()) return;
      for (const std::size_t i : due) {
        if (!period.has_rows()) return;
        period.give_row(i, missing[i]);
      }
    }
  }

  void give_before(std::size_t i, Area& missing) {
    for (std::size_t k = 0; k < due_[i]; ++k) {
      OpenPeriod& period = periods_[k];
      if (period.begin < units_.of(member(i).ready)) continue;
      while (period.has_rows() && missing > 0) period.give_row(i, missing);
    }
  }

  const Sharing& sharing_;
  const FreeArea& area_;
  bool one_after_the_other_;
  std::map<Time, int> halvings_;
  TimeUnits units_;
  std::vector<std::size_t> order_;  // workflows by due end, ties to the lower number
  std::vector<OpenPeriod> periods_;
  std::vector<std::size_t> due_;
};

}  // namespace

std::optional<Periods> divide_time(const Sharing& sharing, const FreeArea& area,
                                   const PeriodOptions& options) {
  if (reaches_too_far(sharing, options.stretch)) return std::nullopt;
  return Divider(sharing, area, options).divide();
}

Calendar rows_calendar(const Calendar& cluster, const Period& period,
                       const std::vector<Count>& rows) {
  std::vector<Step> steps;
  for (const Step& step : cluster.steps({period.begin, period.end})) {
    const auto owned = std::ranges::lower_bound(rows, step.free) - rows.begin();
    steps.push_back({step.begin, step.end, static_cast<Count>(owned)});
  }
  steps.back().end = kForever;
  return Calendar(steps);
}

}  // namespace dovetail
