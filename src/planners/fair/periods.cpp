#include "planners/fair/periods.hpp"

#include <algorithm>
#include <map>

#include "core/order.hpp"

namespace dovetail::planning {

namespace {

int bits_of(Area number) {
  int bits = 0;
  for (; number > 0; number >>= 1) ++bits;
  return bits;
}

// Times since now as whole multiples of a unit so small that all of them are exact.
class TimeUnits {
 public:
  // Units for the due ends of the members at this stretch, and for the given number of halvings.
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

// For each time at which workflows become ready: how often the time from there to the last end can
// be halved before it is shorter than what the first of these workflows has.
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

// If 128 bits could not hold later products, as with tasks of centuries on a huge cluster, rounds
// the stretch up to a small enough fraction. The bound stays a bound.
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

// Whether the last due time would exceed the range of Time.
bool reaches_too_far(const Sharing& sharing, Ratio stretch) {
  constexpr Time kLast = kForever / 4;
  return std::ranges::any_of(sharing.members(), [&](const Member& member) {
    return static_cast<double>(member.ready) +
               stretch.value() * static_cast<double>(member.due_length) >
           static_cast<double>(kLast);
  });
}

// One period while its rows are assigned, from the lowest on.
struct OpenPeriod {
  Area begin = 0;  // in units
  Area end = 0;
  std::vector<std::pair<Count, Area>> free = {};  // processors -> for how long, fewest first
  std::size_t passed = 0;                         // entries of `free` with too few for the next row
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

// The periods before rows are assigned, and the period in which each workflow is due.
struct Outline {
  TimeUnits units;
  std::vector<std::size_t> order;  // workflows by due end, ties to the lower number
  std::vector<OpenPeriod> periods = {};
  std::vector<std::size_t> due = {};  // by workflow: the period by whose end it is due
};

// Sets boundaries.
class Outliner {
 public:
  Outliner(const Sharing& sharing, Ratio stretch)
      : sharing_(sharing),
        halvings_(halvings_of(sharing, stretch)),
        outline_{.units = TimeUnits(sharing, stretch, most_halvings()), .order = {}} {}

  Outline outline(bool one_after_the_other) && {
    outline_.order =
        order_by<std::size_t>(sharing_.size(), [&](std::size_t i) { return due_end(i); });
    set_boundaries();
    set_due();
    if (one_after_the_other) part_the_crowded();
    return std::move(outline_);
  }

 private:
  int most_halvings() const {
    int most = 0;
    for (const auto& [ready, count] : halvings_) most = std::max(most, count);
    return most;
  }

  Area due_end(std::size_t i) const { return outline_.units.due(sharing_.members()[i]); }

  void set_boundaries() {
    const Area last_due = due_end(outline_.order.back());
    std::vector<Area> boundaries;
    for (const auto& [ready, count] : halvings_) {
      const Area begin = outline_.units.of(ready);
      boundaries.push_back(begin);
      for (int i = 0; i <= count; ++i) boundaries.push_back(begin + ((last_due - begin) >> i));
    }
    std::sort(boundaries.begin(), boundaries.end());
    boundaries.erase(std::unique(boundaries.begin(), boundaries.end()), boundaries.end());
    for (std::size_t i = 1; i < boundaries.size(); ++i) {
      outline_.periods.push_back({.begin = boundaries[i - 1], .end = boundaries[i]});
    }
  }

  void set_due() {
    const auto& periods = outline_.periods;
    for (std::size_t i = 0; i < sharing_.size(); ++i) {
      const auto found = std::ranges::find_if(
          periods, [&](const OpenPeriod& period) { return period.end >= due_end(i); });
      outline_.due.push_back(static_cast<std::size_t>(found - periods.begin()));
    }
  }

  // Workflows due in period k, as groups that fit side by side, in the order of due ends.
  std::vector<std::vector<std::size_t>> groups_due_in(std::size_t k) const {
    std::vector<std::vector<std::size_t>> groups;
    Count room = 0;
    for (const std::size_t i : outline_.order) {
      if (outline_.due[i] != k) continue;
      const Count needed = sharing_.members()[i].needs;
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
    for (std::size_t k = 0; k < outline_.periods.size(); ++k) {
      const OpenPeriod& whole = outline_.periods[k];
      const auto groups = groups_due_in(k);
      const auto parts = static_cast<Area>(std::max<std::size_t>(groups.size(), 1));
      const Area length = (whole.end - whole.begin) / parts;
      for (const auto& group : groups) {
        for (const std::size_t i : group) due[i] = parted.size();
        parted.push_back({.begin = parted.empty() ? whole.begin : parted.back().end});
        parted.back().end = parted.back().begin + length;
      }
      if (groups.empty()) parted.push_back({.begin = whole.begin});
      parted.back().end = whole.end;
    }
    outline_.periods = std::move(parted);
    outline_.due = std::move(due);
  }

  const Sharing& sharing_;
  std::map<Time, int> halvings_;
  Outline outline_;
};

// Assigns the rows of the periods to workflows.
class RowGiver {
 public:
  RowGiver(const Sharing& sharing, const FreeArea& area, Outline outline)
      : sharing_(sharing), outline_(std::move(outline)) {
    for (const Member& member : sharing.members()) {
      missing_.push_back(fluid_work(area, member) * outline_.units.per_ms());
    }
  }

  std::vector<Period> give() && {
    for (OpenPeriod& period : outline_.periods) measure_rows(period);
    for (std::size_t k = 0; k < outline_.periods.size(); ++k) give_to_the_due(k);
    for (const std::size_t i : outline_.order) give_before(i);
    std::vector<Period> given;
    for (OpenPeriod& period : outline_.periods) {
      given.push_back(
          {outline_.units.ms(period.begin), outline_.units.ms(period.end), std::move(period.rows)});
    }
    return given;
  }

 private:
  void measure_rows(OpenPeriod& period) const {
    const TimeUnits& units = outline_.units;
    const Interval window{units.ms(period.begin) - 1, units.ms(period.end)};
    std::map<Count, Area> free;
    for (const Step& step : sharing_.calendar().steps(window)) {
      const Area begin = std::max(period.begin, units.of(step.begin));
      const Area end = std::min(period.end, units.of(step.end));
      if (end > begin && step.free > 0) free[step.free] += end - begin;
    }
    period.rows.resize(sharing_.size());
    for (const auto& [procs, length] : free) {
      period.free.emplace_back(procs, length);
      period.next_time += length;
    }
  }

  // In turns, one row each. A workflow gets at least as many as its widest task needs, if
  // available.
  void give_to_the_due(std::size_t k) {
    OpenPeriod& period = outline_.periods[k];
    std::vector<std::size_t> due;
    for (const std::size_t i : outline_.order) {
      if (outline_.due[i] == k) due.push_back(i);
    }
    const auto is_done = [&](std::size_t i) {
      const auto held = static_cast<Count>(period.rows[i].size());
      return missing_[i] <= 0 && held >= sharing_.members()[i].needs;
    };
    for (;;) {
      std::erase_if(due, is_done);
      if (due.empty()) return;
      for (const std::size_t i : due) {
        if (!period.has_rows()) return;
        period.give_row(i, missing_[i]);
      }
    }
  }

  void give_before(std::size_t i) {
    for (std::size_t k = 0; k < outline_.due[i]; ++k) {
      OpenPeriod& period = outline_.periods[k];
      if (period.begin < outline_.units.of(sharing_.members()[i].ready)) continue;
      while (period.has_rows() && missing_[i] > 0) period.give_row(i, missing_[i]);
    }
  }

  const Sharing& sharing_;
  Outline outline_;
  std::vector<Area> missing_ = {};  // by workflow: work for which it has no row yet
};

}  // namespace

std::optional<std::vector<Period>> divide_time(const Sharing& sharing, const FreeArea& area,
                                               const PeriodOptions& options) {
  if (reaches_too_far(sharing, options.stretch)) return std::nullopt;
  Outline outline =
      Outliner(sharing, manageable(sharing, options.stretch)).outline(options.one_after_the_other);
  return RowGiver(sharing, area, std::move(outline)).give();
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

}  // namespace dovetail::planning
