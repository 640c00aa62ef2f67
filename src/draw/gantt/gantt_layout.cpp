#include "draw/gantt/gantt_layout.hpp"

#include <algorithm>
#include <map>
#include <queue>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace dovetail::draw {
namespace {

// The time span shown for an empty plan.
constexpr Duration kEmptySpan = 3'600'000;

// More rows than any overbooking can need, yet safe to add to.
constexpr std::int64_t kOverflowRows = std::int64_t{1} << 60;

// A band of at most a fifth of at least 40 rows counts as narrow.
constexpr std::int64_t kNarrowFrom = 40;
constexpr std::int64_t kNarrowBand = 5;

Time clamp_time(Time t) { return std::clamp(t, kBeginning, kForever); }

Interval run_window(const TaskRecord& run) {
  const Time start = clamp_time(run.start);
  return {start, std::max(start, clamp_time(run.end))};
}

Time last_reservation_end(const PlanRecord& record) {
  Time last = clamp_time(record.now);
  for (const ClusterRecord& cluster : record.clusters) {
    for (const Reservation& reservation : cluster.reservations) {
      if (reservation.end < kForever) last = std::max(last, clamp_time(reservation.end));
    }
  }
  return last;
}

Interval scene_window(const PlanRecord& record) {
  const Time now = clamp_time(record.now);
  Interval window{now, now};
  for (const auto* runs : {&record.tasks, &record.lost}) {
    for (const TaskRecord& run : *runs) {
      const Interval own = run_window(run);
      window.begin = std::min(window.begin, own.begin);
      window.end = std::max(window.end, own.end);
    }
  }
  if (window.end == window.begin) {
    const Time last = last_reservation_end(record);
    window.end = last > now ? last : now + kEmptySpan;
  }
  if (record.deadline) {
    // Leaves out a deadline that comes after the plan by more than the plan's length: it would
    // squeeze the plan.
    const Time deadline = clamp_time(*record.deadline);
    if (deadline - window.end <= window.end - window.begin) {
      window.end = std::max(window.end, deadline);
    }
  }
  return window;
}

std::vector<GanttItem> reservation_items(const ClusterRecord& cluster, Time now, Interval scene) {
  std::vector<GanttItem> items;
  for (std::size_t i = 0; i < cluster.reservations.size(); ++i) {
    const Reservation& reservation = cluster.reservations[i];
    const Interval window{std::max(reservation.start, now), std::min(reservation.end, scene.end)};
    if (window.begin >= window.end) continue;
    items.push_back({GanttKind::reservation, i, window, reservation.procs});
  }
  return items;
}

bool drawn_before(const GanttItem& a, const GanttItem& b) {
  if (a.window.begin != b.window.begin) return a.window.begin < b.window.begin;
  const bool a_reserved = a.kind == GanttKind::reservation;
  if (a_reserved != (b.kind == GanttKind::reservation)) return a_reserved;
  if (a.procs != b.procs) return a.procs > b.procs;
  return std::tie(a.kind, a.index) < std::tie(b.kind, b.index);
}

// The most processors that the items hold at once.
Count peak(const std::vector<GanttItem>& items) {
  std::vector<std::pair<Time, std::int64_t>> changes;
  for (const GanttItem& item : items) {
    changes.emplace_back(item.window.begin, item.procs);
    changes.emplace_back(item.window.end, -std::int64_t{item.procs});
  }
  std::sort(changes.begin(), changes.end());  // at the same time, ends come first
  std::int64_t held = 0;
  std::int64_t most = 1;
  for (const auto& change : changes) {
    held += change.second;
    most = std::max(most, held);
  }
  return static_cast<Count>(std::min<std::int64_t>(most, kMaxProcessors));
}

// The free rows of a cluster as maximal runs, found by place or by size.
class FreeRows {
 public:
  enum class Side { bottom, top };

  explicit FreeRows(RowBlock all) { insert(all); }

  std::int64_t count() const { return count_; }

  // Takes `rows` <= count() of them: neighbouring ones if possible, else as few pieces as possible.
  // Among the runs that are long enough, the one nearest to the side wins. (Taking the shortest one
  // instead leaves about 5 % fewer pieces in crowded plans, but scatters tasks over all rows.)
  void take(std::int64_t rows, Side side, std::vector<RowBlock>& blocks) {
    while (rows > 0) {
      const RowBlock run = find(rows, side);
      const std::int64_t piece = std::min(rows, run.rows);
      const RowBlock rest{side == Side::bottom ? run.row + piece : run.row, run.rows - piece};
      erase(run);
      insert(rest);
      blocks.push_back({side == Side::bottom ? run.row : run.row + rest.rows, piece});
      rows -= piece;
    }
  }

  void give_back(RowBlock block) {
    const auto next = by_row_.lower_bound(block.row);
    RowBlock above;
    RowBlock below;
    if (next != by_row_.end() && block.row + block.rows == next->first) {
      above = {next->first, next->second};
    }
    if (next != by_row_.begin()) {
      const auto [row, rows] = *std::prev(next);
      if (row + rows == block.row) below = {row, rows};
    }
    if (above.rows > 0) erase(above);
    if (below.rows > 0) erase(below);
    insert({block.row - below.rows, below.rows + block.rows + above.rows});
  }

 private:
  // A run with enough rows, else the longest.
  RowBlock find(std::int64_t rows, Side side) const {
    const auto longest = std::prev(by_size_.end());
    if (longest->first < rows) return {longest->second, longest->first};
    const auto long_enough = [rows](const auto& run) { return run.second >= rows; };
    if (side == Side::bottom) {
      const auto lowest = std::find_if(by_row_.begin(), by_row_.end(), long_enough);
      return {lowest->first, lowest->second};
    }
    const auto highest = std::find_if(by_row_.rbegin(), by_row_.rend(), long_enough);
    return {highest->first, highest->second};
  }

  void insert(RowBlock run) {
    if (run.rows <= 0) return;
    by_row_.emplace(run.row, run.rows);
    by_size_.emplace(run.rows, run.row);
    count_ += run.rows;
  }

  void erase(RowBlock run) {
    by_row_.erase(run.row);
    by_size_.erase({run.rows, run.row});
    count_ -= run.rows;
  }

  // The same maximal runs, disjoint and not touching: row -> rows, and (rows, row).
  std::map<std::int64_t, std::int64_t> by_row_;
  std::set<std::pair<std::int64_t, std::int64_t>> by_size_;
  std::int64_t count_ = 0;
};

void join_neighbours(std::vector<RowBlock>& blocks) {
  std::ranges::sort(blocks, {}, &RowBlock::row);
  std::vector<RowBlock> joined;
  for (const RowBlock& block : blocks) {
    if (!joined.empty() && joined.back().row + joined.back().rows == block.row) {
      joined.back().rows += block.rows;
    } else {
      joined.push_back(block);
    }
  }
  blocks = std::move(joined);
}

// The sweep over one cluster: items take rows when they start and return them when they end.
class RowSweep {
 public:
  explicit RowSweep(GanttCluster& cluster)
      : cluster_(cluster),
        free_({0, cluster.processors}),
        overflow_({std::max<Count>(cluster.processors, 0), kOverflowRows}) {}

  void run() {
    cluster_.rows = std::max<std::int64_t>(cluster_.processors, 1);
    for (std::size_t i = 0; i < cluster_.items.size(); ++i) {
      release_until(cluster_.items[i].window.begin);
      place(cluster_.items[i]);
      running_.emplace(cluster_.items[i].window.end, i);
    }
  }

 private:
  void release_until(Time t) {
    while (!running_.empty() && running_.top().first <= t) {
      for (const RowBlock& block : cluster_.items[running_.top().second].blocks) give_back(block);
      running_.pop();
    }
  }

  void give_back(RowBlock block) {
    const std::int64_t inside =
        std::clamp<std::int64_t>(cluster_.processors - block.row, 0, block.rows);
    if (inside > 0) free_.give_back({block.row, inside});
    if (inside < block.rows) overflow_.give_back({block.row + inside, block.rows - inside});
  }

  void place(GanttItem& item) {
    const std::int64_t wanted = std::max<Count>(item.procs, 0);
    const std::int64_t inside = std::min(wanted, free_.count());
    const auto side =
        item.kind == GanttKind::reservation ? FreeRows::Side::bottom : FreeRows::Side::top;
    free_.take(inside, side, item.blocks);
    overflow_.take(wanted - inside, FreeRows::Side::bottom, item.blocks);
    join_neighbours(item.blocks);
    if (!item.blocks.empty()) {
      cluster_.rows = std::max(cluster_.rows, item.blocks.back().row + item.blocks.back().rows);
    }
  }

  GanttCluster& cluster_;
  FreeRows free_;
  FreeRows overflow_;
  // (end, item), the first to end on top.
  std::priority_queue<std::pair<Time, std::size_t>, std::vector<std::pair<Time, std::size_t>>,
                      std::greater<>>
      running_;
};

// The first row of the picture: 0, unless our runs keep to a narrow band at the top of a large
// cluster and would be too thin to see.
std::int64_t first_shown_row(const GanttCluster& cluster) {
  std::int64_t lowest = cluster.rows;
  for (const GanttItem& item : cluster.items) {
    if (item.kind == GanttKind::reservation || item.blocks.empty()) continue;
    lowest = std::min(lowest, item.blocks.front().row);
  }
  const std::int64_t band = cluster.rows - lowest;
  if (band == 0 || cluster.rows < kNarrowFrom || band > cluster.rows / kNarrowBand) return 0;
  return std::max<std::int64_t>(0, lowest - std::max<std::int64_t>(4, band / 4));
}

}  // namespace

const TaskRecord& run_of(const PlanRecord& record, const GanttItem& item) {
  return (item.kind == GanttKind::lost ? record.lost : record.tasks)[item.index];
}

GanttScene collect_items(const PlanRecord& record, Time until) {
  GanttScene scene{scene_window(record), {}};
  scene.window.end = std::max(scene.window.end, clamp_time(until));
  for (const ClusterRecord& cluster : record.clusters) {
    scene.clusters.push_back(
        {.name = cluster.name,
         .processors = cluster.processors,
         .items = reservation_items(cluster, clamp_time(record.now), scene.window)});
  }
  std::unordered_map<std::string, std::size_t> position;
  for (const GanttCluster& cluster : scene.clusters) {
    position.emplace(cluster.name, position.size());
  }
  const auto add = [&](const std::vector<TaskRecord>& runs, GanttKind kind) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const auto [found, is_new] = position.emplace(runs[i].cluster, scene.clusters.size());
      if (is_new) scene.clusters.push_back({.name = runs[i].cluster});
      scene.clusters[found->second].items.push_back(
          {kind, i, run_window(runs[i]), runs[i].processors});
    }
  };
  add(record.tasks, GanttKind::task);
  add(record.lost, GanttKind::lost);
  for (std::size_t c = 0; c < scene.clusters.size(); ++c) {
    GanttCluster& cluster = scene.clusters[c];
    std::ranges::sort(cluster.items, drawn_before);
    if (c >= record.clusters.size()) cluster.processors = peak(cluster.items);
  }
  return scene;
}

GanttScene lay_out(const PlanRecord& record, Time until) {
  GanttScene scene = collect_items(record, until);
  for (GanttCluster& cluster : scene.clusters) {
    RowSweep(cluster).run();
    cluster.first_shown = first_shown_row(cluster);
  }
  return scene;
}

}  // namespace dovetail::draw
