// The dispatcher with memory and GPUs, in random runs: it starts what the table of all moments
// says, and never takes more than there is.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "oracles/plain_dispatch.hpp"
#include "run/dispatcher.hpp"

namespace dovetail::run {
namespace {

using plain::PlainDispatch;

// A random run, whose tasks take longer or shorter than planned, fail, and are tried again, while
// other runs come and go.
class RandomRun {
 public:
  explicit RandomRun(std::uint64_t seed)
      : random_(seed), problem_(make_problem()), dispatcher_(problem_, processors_, limit_) {
    dispatcher_.follow(slots_);
    const Bytes memory = limit_.memory > 0 ? limit_.memory : kMaxMemory;  // it does not count
    twin_.all = {processors_, memory / kMebibyte, limit_.gpus};
    for (std::size_t task = 0; task < needs_.size(); ++task) {
      const Count procs = slots_[task].procs;
      const MemoryAndGpus room = taken_by(needs_[task], procs);
      twin_.tasks.push_back({{procs, room.memory / kMebibyte, room.gpus},
                             slots_[task].start,
                             slots_[task].end - slots_[task].start});
      if (missing_[task] == 0) twin_.ready.insert(task);
    }
  }

  // To its end, or until the two differ.
  void play() {
    for (Time now = 0; now < 2000 && !is_over(); ++now) {
      end_some(now);
      if (below(10) == 0) change_others();
      const auto expected = twin_.start(now);
      ASSERT_EQ(dispatcher_.start(now), expected) << "at " << now;
      for (const std::size_t task : expected) {
        end_[task] = now + below(2 * static_cast<int>(twin_.tasks[task].length) + 2);
      }
      check_room();
    }
    EXPECT_TRUE(is_over()) << "tasks are left that nothing keeps from starting";
  }

  int waited() const { return waited_; }

 private:
  int below(int bound) { return static_cast<int>(random_() % static_cast<unsigned>(bound)); }

  Problem make_problem() {
    processors_ = 1 + below(6);
    limit_ = {.memory = below(4) == 0 ? 0 : (1 + below(20)) * kMebibyte, .gpus = below(4)};
    WorkflowBuilder builder("w");
    const int count = 1 + below(12);
    for (int task = 0; task < count; ++task) {
      const Count procs = 1 + below(processors_);
      TaskNeeds needs{.gpus = below(limit_.gpus + 1)};
      const Bytes most = limit_.memory > 0 ? limit_.memory : 10 * kMebibyte;
      const int mebibytes = static_cast<int>(most / kMebibyte);
      if (below(3) == 0) needs.memory = below(mebibytes + 1) * kMebibyte;
      if (below(3) == 0 && needs.memory == 0) {
        needs.memory_per_processor = below(mebibytes / procs + 1) * kMebibyte;
      }
      builder.add_task({.id = "t" + std::to_string(task),
                        .time = TimeSpec::amdahl(1, 0),
                        .run = "true",
                        .needs = needs});
      needs_.push_back(needs);
      const Time start = below(30);
      slots_.push_back({procs, start, start + 1 + below(15)});
      missing_.push_back(0);
      for (int before = 0; before < task; ++before) {
        if (below(8) != 0) continue;
        builder.add_edge(static_cast<TaskId>(before), static_cast<TaskId>(task));
        after_.emplace_back(before, task);
        ++missing_.back();
      }
    }
    std::vector<Reservation> reservations;
    if (below(3) == 0) {
      const Time start = below(30);
      reservations.push_back({start, start + 1 + below(20), 1 + below(processors_)});
      twin_.reserved.push_back({start, reservations.back().end, {reservations.back().procs, 0, 0}});
    }
    const Platform platform(
        0, {{.name = "c", .processors = processors_, .reservations = std::move(reservations)}});
    return Problem({std::move(builder).build()}, platform);
  }

  void end_some(Time now) {
    for (auto next = end_.begin(); next != end_.end();) {
      const std::size_t task = next->first;
      if (next->second > now) {
        ++next;
        continue;
      }
      next = end_.erase(next);
      twin_.running.erase(task);
      if (below(8) == 0) {
        dispatcher_.retry(task);
        twin_.ready.insert(task);
        continue;
      }
      dispatcher_.end(task, true);
      ++done_;
      for (const auto& [before, behind] : after_) {
        if (before != static_cast<int>(task)) continue;
        if (--missing_[static_cast<std::size_t>(behind)] == 0) {
          twin_.ready.insert(static_cast<std::size_t>(behind));
        }
      }
    }
  }

  // At the end they leave.
  void change_others() {
    MemoryAndGpus held;
    if (++changes_ < 10) {
      held = {below(3) * limit_.memory / 3 / kMebibyte * kMebibyte, below(limit_.gpus + 1)};
    }
    dispatcher_.set_held_by_others(held);
    twin_.others = {0, held.memory / kMebibyte, held.gpus};
  }

  // What has started fits, beside what the others held then.
  void check_room() {
    PlainDispatch::Amounts sum = {};
    for (const auto& [task, end] : twin_.running) {
      for (std::size_t kind = 0; kind < sum.size(); ++kind) {
        sum[kind] += twin_.tasks[task].needs[kind];
      }
    }
    EXPECT_LE(sum[0], twin_.all[0]);
    EXPECT_LE(sum[1], twin_.all[1]);
    EXPECT_LE(sum[2], twin_.all[2]);
    EXPECT_EQ(dispatcher_.in_use(), sum[0]);
    EXPECT_EQ(dispatcher_.room_in_use(),
              (MemoryAndGpus{sum[1] * kMebibyte, static_cast<Count>(sum[2])}));
    if (!twin_.ready.empty()) ++waited_;
  }

  bool is_over() const { return done_ == needs_.size(); }

  std::mt19937_64 random_;
  Count processors_ = 1;
  MemoryAndGpus limit_;
  std::vector<TaskNeeds> needs_;
  std::vector<planning::Slot> slots_;
  std::vector<int> missing_;
  std::vector<std::pair<int, int>> after_;
  PlainDispatch twin_;
  Problem problem_;
  Dispatcher dispatcher_;
  std::map<std::size_t, Time> end_;  // of tasks that run, really
  std::size_t done_ = 0;
  int waited_ = 0;
  int changes_ = 0;
};

TEST(DispatcherOracle, StartsWhatTheTableOfAllMomentsSays) {
  int waited = 0;
  for (std::uint64_t seed = 1; seed <= 4000; ++seed) {
    SCOPED_TRACE(seed);
    RandomRun run(seed);
    run.play();
    if (HasFatalFailure() || HasFailure()) return;
    waited += run.waited();
  }
  EXPECT_GT(waited, 4000) << "too easy: tasks hardly ever wait";
}

}  // namespace
}  // namespace dovetail::run
