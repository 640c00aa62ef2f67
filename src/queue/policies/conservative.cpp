// Conservative backfilling (Mu'alem and Feitelson 2001): every waiting job holds a place in the
// plan; a new one takes the earliest that is left. When a job ends, the plan is compressed.
//
// Where only node counts matter the plan is a timeline: most moves of a compression are short
// slides, and openings tell the few jobs that could jump. So long queues stay cheap, and the plan
// is that of trying every job.
#include <algorithm>
#include <cassert>

#include "queue/policies/openings.hpp"
#include "queue/policies/scheduler.hpp"
#include "queue/policies/timeline.hpp"

namespace dovetail::queue {

namespace {

// A job with its place in the plan.
template <typename Place>
struct Placed {
  Ask ask;
  Place place;
  JobSlot job = 0;
};

// The plan for blocks of nodes and for caps, where a move is a search.
class RoomPlan {
 public:
  using PlacedJob = Placed<BlockSlot>;

  explicit RoomPlan(const QueueRules& rules) : outlook_{Room(rules.room, rules.reservations)} {}

  void advance(Time now) { outlook_.room.advance(now); }
  void forget_due() {}

  void take_earliest(PlacedJob& job, Time now) {
    job.place = outlook_.room.earliest(job.ask, now);
    outlook_.room.take(job.ask, job.place);
  }

  void release(const PlacedJob& job) { release_rest(job, job.place.start); }
  void release_rest(const PlacedJob& job, Time now) {
    outlook_.room.give_back(job.ask, job.place, now);
  }

  // Answers an earliest start: no job that moved starts before it.
  Time move_up(std::span<PlacedJob> jobs, Time now) {
    Time first = kForever;
    for (PlacedJob& job : jobs) {
      job.place = outlook_.room.move_up(job.ask, job.place, now);
      first = std::min(first, job.place.start);
    }
    return first;
  }

  const Outlook& outlook() { return outlook_; }

 private:
  Outlook outlook_;
};

// The plan where only counts matter.
class CountPlan {
 public:
  using PlacedJob = Placed<Timeline::LinePlace>;

  explicit CountPlan(const QueueRules& rules)
      : moves_(rules.compress == Compress::arrival),
        line_(rules.room.nodes, rules.reservations),
        openings_(rules.room.nodes),
        outlook_{Room(rules.room)} {}

  void advance(Time now) { line_.advance(now); }
  void forget_due() { line_.forget_due(); }

  void take_earliest(PlacedJob& job, Time now) {
    job.place = line_.take(job.ask, line_.earliest(job.ask, Timeline::kPresent, now).value());
    if (moves_) openings_.waits(job.ask, job.place.start);
    is_outlook_current_ = false;
  }

  void release(const PlacedJob& job) { note(line_.release(job.ask, job.place)); }
  void release_rest(const PlacedJob& job, Time now) {
    line_.advance(now);
    note(line_.release_rest(job.ask, job.place));
  }

  Time move_up(std::span<PlacedJob> jobs, Time now) {
    if (!has_risen_) return kForever;
    Time first = kForever;
    has_risen_ = false;
    if (++rounds_ % kRenewEvery == 0) renew_demand(jobs, now);
    for (PlacedJob& job : jobs) {
      if (!(openings_.may_fit(job.ask, job.place.start) && jump(job))) {
        if (!line_.can_slide(job.place, job.ask.nodes)) continue;
        note(line_.slide(job.place, job.ask));
      }
      first = std::min(first, job.place.start);
    }
    openings_.all_tried();
    return first;
  }

  const Outlook& outlook() {
    if (!is_outlook_current_) outlook_.room = Room(outlook_.room.nodes(), line_.calendar());
    is_outlook_current_ = true;
    return outlook_;
  }

 private:
  // Old demand keeps gaps that no job wants; new demand costs a look at every job.
  static constexpr std::uint32_t kRenewEvery = 16;

  void renew_demand(std::span<const PlacedJob> jobs, Time now) {
    Time last = now;
    for (const PlacedJob& job : jobs) last = std::max(last, job.place.start);
    openings_.forget_waiting(now, last, jobs.size());
    for (const PlacedJob& job : jobs) openings_.waits(job.ask, job.place.start);
  }

  bool jump(PlacedJob& job) {
    const auto start = openings_.find(job.ask, job.place.start, line_);
    if (!start || start->time >= line_.leftmost(job.place, job.ask.nodes).time) return false;
    note(line_.jump(job.place, job.ask, *start));
    return true;
  }

  void note(const Timeline::Rise& rise) {
    if (rise.window.begin >= rise.window.end) return;
    if (moves_) openings_.add(rise, line_);
    has_risen_ = true;
    is_outlook_current_ = false;
  }

  bool moves_;  // whether jobs will want to know where nodes have come free
  Timeline line_;
  Openings openings_;
  bool has_risen_ = false;  // since the last compression began
  std::uint32_t rounds_ = 0;
  Outlook outlook_;
  bool is_outlook_current_ = false;
};

template <typename Plan>
class Conservative final : public Scheduler {
 public:
  explicit Conservative(const QueueRules& rules) : compress_(rules.compress), plan_(rules) {}

  std::unique_ptr<Scheduler> clone() const override {
    return std::make_unique<Conservative>(*this);
  }

  void submit(JobSlot job, const Ask& ask) override { queue_.push_back({ask, {}, job}); }

  void end(JobSlot job, Time now) override {
    const PlacedJob& over = running_[job];
    if (over.place.start + over.ask.length > now) plan_.release_rest(over, now);
    has_ended_ = true;
  }

  void withdraw(JobSlot job, Time) override {
    const auto gone = std::ranges::find(queue_, job, &PlacedJob::job);
    assert(gone != queue_.end());
    if (gone - queue_.begin() < static_cast<std::ptrdiff_t>(planned_)) {
      --planned_;
      plan_.release(*gone);
      has_ended_ = true;
    }
    queue_.erase(gone);
  }

  std::span<const JobSlot> pass(Time now) override {
    plan_.advance(now);
    if (has_ended_) compress(now);
    has_ended_ = false;
    for (; planned_ < queue_.size(); ++planned_) {
      plan_.take_earliest(queue_[planned_], now);
      next_start_ = std::min(next_start_, queue_[planned_].place.start);
    }
    start_due(now);
    return started_;
  }

  Time next_start() const override { return next_start_; }

  const Outlook& outlook(Time) override { return plan_.outlook(); }

  std::optional<Time> promised(JobSlot job) const override {
    const auto end = queue_.begin() + static_cast<std::ptrdiff_t>(planned_);
    const auto found = std::ranges::find(queue_.begin(), end, job, &PlacedJob::job);
    return found == end ? std::nullopt : std::optional(found->place.start);
  }

  std::size_t waiting() const override { return queue_.size(); }

 private:
  using PlacedJob = typename Plan::PlacedJob;

  void compress(Time now) {
    const std::span<PlacedJob> planned(queue_.data(), planned_);
    if (compress_ == Compress::arrival) {
      next_start_ = std::min(next_start_, plan_.move_up(planned, now));
    }
    if (compress_ == Compress::rebuild) {
      for (const PlacedJob& job : planned) plan_.release(job);
      planned_ = 0;
      next_start_ = kForever;
    }
  }

  void start_due(Time now) {
    started_.clear();
    if (next_start_ > now) return;
    next_start_ = kForever;
    for (const PlacedJob& job : queue_) {
      if (job.place.start == now) {
        running_.start(job.job, job);
        started_.push_back(job.job);
      } else {
        next_start_ = std::min(next_start_, job.place.start);
      }
    }
    std::erase_if(queue_, [now](const PlacedJob& job) { return job.place.start == now; });
    planned_ = queue_.size();
    plan_.forget_due();
  }

  Compress compress_;
  Plan plan_;                     // all jobs that run or have a planned start
  std::vector<PlacedJob> queue_;  // by arrival; the first planned_ have a place
  std::size_t planned_ = 0;
  RunningJobs<PlacedJob> running_;
  bool has_ended_ = false;
  Time next_start_ = kForever;
  std::vector<JobSlot> started_;
};

}  // namespace

std::unique_ptr<Scheduler> make_conservative(const QueueRules& rules) {
  if (rules.room.contiguous || rules.room.cap > 0) {
    return std::make_unique<Conservative<RoomPlan>>(rules);
  }
  return std::make_unique<Conservative<CountPlan>>(rules);
}

}  // namespace dovetail::queue
