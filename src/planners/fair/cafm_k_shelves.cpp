// CAFM_K_SHELVES: workflows as boxes on shelves, the most urgent ones on the short shelves.
//
// Source: Casanova, Desprez and Suter (2010), after the batch algorithm of Dutot, Eyraud, Mounie
// and Trystram (2004) and the dual approximation of Mounie, Rapine and Trystram (1999). Idea: each
// workflow is one moldable job. The estimate C of the makespan is the least length for which all
// jobs can be split over a shelf of that length and one of half of it. Shelves of doubling length
// up to C follow each other in time; each takes the jobs of greatest total weight (1 / C*, so that
// the sum of stretches counts) that fit side by side. The tasks of a job keep the places that CPA
// gives them on as many processors as the job's box has. Ties between sets of jobs: fewer
// processors, then the smaller list of workflow numbers. Cost: as many CPA schedules per workflow
// as the cluster has processors; by far the slowest. The paper only cites its two sources, so
// weights, the number of shelves, and the repetition of the last length are our choices. Boxes are
// drawn as if there were no reservations, and compaction then moves the tasks around them. If there
// are reservations, boxes for smaller parts of the cluster are drawn as well (Sharing::sizes), and
// the fairest plan wins. A workflow that is not ready yet is not offered to a shelf.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "dovetail/metrics.hpp"
#include "planners/fair/fair_planners.hpp"
#include "planners/fair/list_map.hpp"
#include "planners/fair/sharing.hpp"
#include "planners/list/allocate.hpp"
#include "planners/list/cluster_view.hpp"
#include "planners/list/earliest_slot.hpp"

namespace dovetail::planning {

namespace {

void move_by(std::vector<Slot>& slots, Duration shift) {
  for (Slot& slot : slots) slot = {slot.procs, slot.start + shift, slot.end + shift};
}

// A workflow as one moldable job: its time by number of processors, by CPA on an empty cluster of
// that size.
class MoldableJob {
 public:
  // One CPA schedule per number of processors, up to all of the cluster. The sharing must outlive
  // the job.
  MoldableJob(const Sharing& sharing, std::size_t workflow)
      : sharing_(sharing), member_(sharing.members()[workflow]), least_(member_.needs) {
    for (Count procs = least_; procs <= sharing.processors(); ++procs) {
      Duration length = 0;
      for (const Slot& slot : plan(procs)) length = std::max(length, slot.end);
      times_.push_back(times_.empty() ? length : std::min(length, times_.back()));
    }
  }

  // The number of processors that its widest task needs.
  Count least() const { return least_; }

  // Its time on `procs` >= least() processors, or on fewer when that is no slower.
  Duration time(Count procs) const { return times_[static_cast<std::size_t>(procs - least_)]; }

  Area work(Count procs) const { return Area{procs} * time(procs); }

  // The canonical number: the fewest processors, up to `most`, on which it takes at most `length`;
  // 0 if there is none.
  Count fewest_within(double length, Count most) const {
    const auto found = std::ranges::partition_point(
        times_, [&](Duration time) { return static_cast<double>(time) > length; });
    const Count fewest = least_ + static_cast<Count>(found - times_.begin());
    return fewest <= most ? fewest : 0;
  }

  // Its tasks placed by CPA on `procs` processors, from time 0 on.
  std::vector<Slot> plan(Count procs) const {
    const ClusterView& view = member_.view;
    const auto allocation = cpa_allocation(view, procs, sharing_.cpa_stop());
    auto slots = place_fixed(view, by_decreasing_level(bottom_levels(view, allocation)), allocation,
                             Calendar(procs, member_.ready))
                     .value();
    move_by(slots, -member_.ready);
    return slots;
  }

 private:
  const Sharing& sharing_;
  const Member& member_;
  Count least_;
  std::vector<Duration> times_;  // by processors from least_ on; never increasing
};

using Jobs = std::vector<MoldableJob>;

// The least total work of the jobs when each goes to a shelf of length d, which is at most `procs`
// wide, or to one of half that length. Negative when there is no such split.
Area least_split_work(const Jobs& jobs, Count procs, double d) {
  constexpr Area kNever = std::numeric_limits<Area>::max() / 4;
  std::vector<Area> works(static_cast<std::size_t>(procs) + 1, 0);  // by width of the first shelf
  for (const MoldableJob& job : jobs) {
    if (static_cast<double>(job.time(job.least())) <= d / 2) {
      for (Area& work : works) work += job.work(job.least());
      continue;
    }
    const Count wide = job.fewest_within(d, procs);
    const Count wider = job.fewest_within(d / 2, procs);
    if (wide == 0) return -1;
    for (Count width = procs; width >= 0; --width) {
      const auto at = static_cast<std::size_t>(width);
      Area best = wider > 0 ? works[at] + job.work(wider) : kNever;
      if (width >= wide)
        best = std::min(best, works[at - static_cast<std::size_t>(wide)] + job.work(wide));
      works[at] = std::min(best, kNever);
    }
  }
  return works.back() >= kNever ? -1 : works.back();
}

// The estimate of the makespan: the least accepted length, to one part in a thousand.
double estimate_makespan(const Jobs& jobs, Count procs) {
  double low = 0;
  double high = 0;
  for (const MoldableJob& job : jobs) {
    low = std::max(low, static_cast<double>(job.time(procs)));
    high += static_cast<double>(job.time(job.least()));
  }
  const auto accepted = [&](double d) {
    const Area work = least_split_work(jobs, procs, d);
    return work >= 0 && static_cast<double>(work) <= procs * d;
  };
  while (high - low > 0.001 * low) {
    const double middle = (low + high) / 2;
    (accepted(middle) ? high : low) = middle;
  }
  return high;
}

// The set of jobs of greatest weight within a capacity, by dynamic programming over capacities.
class ShelfFiller {
 public:
  explicit ShelfFiller(Count procs) : best_(static_cast<std::size_t>(procs) + 1) {}

  // Call in increasing order of jobs.
  void offer(std::size_t job, Count size, double weight) {
    for (std::size_t room = best_.size() - 1; room >= static_cast<std::size_t>(size); --room) {
      const Packing& rest = best_[room - static_cast<std::size_t>(size)];
      Packing with{rest.weight + weight, rest.size + size, rest.jobs};
      if (!is_better(with, best_[room], job)) continue;
      with.jobs.push_back(job);
      best_[room] = std::move(with);
    }
  }

  std::vector<std::size_t> take() && { return std::move(best_.back().jobs); }

 private:
  struct Packing {
    double weight = 0;
    Count size = 0;
    std::vector<std::size_t> jobs = {};
  };

  // Whether `with` plus the added job beats the other. Weights that differ only by rounding are
  // equal.
  static bool is_better(const Packing& with, const Packing& other, std::size_t added) {
    const double doubt = 1e-12 * std::max(with.weight, other.weight);
    if (std::abs(with.weight - other.weight) > doubt) return with.weight > other.weight;
    if (with.size != other.size) return with.size < other.size;
    std::vector<std::size_t> jobs = with.jobs;
    jobs.push_back(added);
    return jobs < other.jobs;
  }

  std::vector<Packing> best_;  // by capacity
};

// Shelves as wide as `procs`, on which every job must fit.
class Shelves {
 public:
  Shelves(const Sharing& sharing, const Jobs& jobs, Count procs)
      : sharing_(sharing),
        jobs_(jobs),
        procs_(procs),
        slots_(sharing.size()),
        left_(sharing.size(), true) {}

  SharedSlots fill() && {
    const double makespan = estimate_makespan(jobs_, procs_);
    double shortest = std::numeric_limits<double>::infinity();
    for (const MoldableJob& job : jobs_) {
      shortest = std::min(shortest, static_cast<double>(job.time(procs_)));
    }
    double length = makespan;
    while (length / 2 >= shortest) length /= 2;
    auto begin = static_cast<double>(next_ready(-std::numeric_limits<double>::infinity()));
    for (std::size_t placed = 0; placed < jobs_.size();) {
      const std::size_t more = fill_shelf(begin, length);
      placed += more;
      if (more > 0) begin += length;
      // Repeats the last length as long as a job fits.
      if (length < makespan || (more == 0 && is_one_ready(begin))) {
        length *= 2;
      } else if (more == 0) {
        begin = static_cast<double>(next_ready(begin));
      }
    }
    return std::move(slots_);
  }

 private:
  Time ready(std::size_t i) const { return sharing_.members()[i].ready; }

  bool is_offered(std::size_t i, double begin) const {
    return left_[i] && static_cast<double>(ready(i)) <= begin;
  }

  bool is_one_ready(double begin) const {
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      if (is_offered(i, begin)) return true;
    }
    return false;
  }

  Time next_ready(double begin) const {
    Time next = kForever;
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      if (left_[i] && static_cast<double>(ready(i)) > begin) next = std::min(next, ready(i));
    }
    return next;
  }

  // Returns the number of jobs placed.
  std::size_t fill_shelf(double begin, double length) {
    ShelfFiller filler(procs_);
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      const Count size = is_offered(i, begin) ? jobs_[i].fewest_within(length, procs_) : 0;
      if (size == 0) continue;
      filler.offer(i, size, 1.0 / static_cast<double>(sharing_.members()[i].due_length));
    }
    const auto chosen = std::move(filler).take();
    const auto start = static_cast<Time>(std::ceil(begin));
    for (const std::size_t i : chosen) {
      slots_[i] = jobs_[i].plan(jobs_[i].fewest_within(length, procs_));
      move_by(slots_[i], start);
      left_[i] = false;
    }
    return chosen.size();
  }

  const Sharing& sharing_;
  const Jobs& jobs_;
  Count procs_;
  SharedSlots slots_;
  std::vector<bool> left_;  // not on any shelf yet
};

}  // namespace

std::string k_shelves_unfit(const Problem& problem) {
  std::string unfit = single_cluster_unfit(problem);
  if (!unfit.empty()) return unfit;
  // A few seconds of CPA schedules; longer is too long to wait.
  constexpr std::uint64_t kMost = 200'000;
  const auto procs = static_cast<std::uint64_t>(problem.platform().clusters()[0].processors);
  if (procs * problem.task_count() <= kMost) return {};
  return "plans every workflow once for every number of processors, which takes too long for " +
         std::to_string(problem.task_count()) + " tasks on " + std::to_string(procs) +
         " processors; MAGS and SELFISH_ORDER are fast";
}

Plan plan_cafm_k_shelves(const Sharing& sharing, std::string_view name) {
  Jobs jobs;
  for (std::size_t i = 0; i < sharing.size(); ++i) jobs.emplace_back(sharing, i);
  std::vector<Plan> plans;
  for (const Count procs : sharing.sizes()) {
    const auto fits = [&](const MoldableJob& job) { return job.least() <= procs; };
    if (!std::ranges::all_of(jobs, fits)) continue;
    plans.push_back(sharing.to_plan(name, compact(sharing, Shelves(sharing, jobs, procs).fill())));
  }
  return sharing.fairest_of(std::move(plans));
}

}  // namespace dovetail::planning
