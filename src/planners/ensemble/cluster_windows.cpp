#include "planners/ensemble/cluster_windows.hpp"

#include <algorithm>
#include <vector>

namespace dovetail {

namespace {

// From now to the horizon, in order.
std::vector<Interval> laid_out(const Windows& windows, Time now, Time horizon) {
  std::vector<Interval> list = windows.list;
  if (windows.length > 0 && windows.length == windows.every) {
    list.push_back({windows.first, kForever});  // they touch each other
  } else if (windows.length > 0) {
    const Time since = std::max<Time>(0, now - windows.first);
    Time begin = windows.first + since / windows.every * windows.every;
    for (; begin < horizon; begin += windows.every) list.push_back({begin, begin + windows.length});
  }
  std::erase_if(list, [now](const Interval& window) { return window.end <= now; });
  return list;
}

Cluster cut_to_windows(const Cluster& cluster, const Calendar& free, Time now,
                       std::span<const Interval> windows) {
  Cluster cut = cluster;
  Time begin = kBeginning;
  for (const Interval& window : windows) {
    for (const Step& step : free.steps({begin, window.begin})) {
      if (step.free > 0) cut.reservations.push_back({step.begin, step.end, step.free});
    }
    begin = window.end;
  }
  cut.leaves = std::min(cut.leaves, std::max(begin, now));
  if (cut.joins >= cut.leaves) cut.joins = kBeginning, cut.leaves = now;  // it is never ours
  // What others hold before it joins or after it leaves is of no interest any more.
  std::erase_if(cut.reservations,
                [&](const Reservation& held) { return held.start >= cut.leaves; });
  for (Reservation& held : cut.reservations) held.end = std::min(held.end, cut.leaves);
  return cut;
}

}  // namespace

Platform within_windows(const Platform& platform, std::span<const Windows> windows, Time horizon) {
  std::vector<Cluster> clusters;
  for (std::size_t c = 0; c < platform.clusters().size(); ++c) {
    const Cluster& cluster = platform.clusters()[c];
    if (windows[c].always()) {
      clusters.push_back(cluster);
      continue;
    }
    clusters.push_back(cut_to_windows(cluster, platform.calendar(c), platform.now(),
                                      laid_out(windows[c], platform.now(), horizon)));
  }
  return Platform(platform.now(), std::move(clusters), platform.wall_clock());
}

}  // namespace dovetail
