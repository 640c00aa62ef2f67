// The plain batch queue is an oracle for others, so it is held against still plainer ones: a grid
// of nodes and seconds, EASY in the words of its specification, and rules that every outcome obeys.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "support/random_queue.hpp"

namespace dovetail::plain {
namespace {

using testing::Dice;
using testing::random_flow;
using testing::random_log;
using testing::random_options;
using testing::random_rules;

// Nodes and seconds one by one: the earliest and lowest place is the first that fits.
Place place_on_grid(const std::vector<std::pair<Size, Place>>& boxes, const Rules& rules,
                    const Size& size, Seconds from) {
  const auto fits = [&](Seconds start, int first) {
    for (Seconds t = start; t < start + size.length; ++t) {
      int used = 0, running = 0;
      for (const auto& [other, place] : boxes) {
        if (place.start > t || place.start + other.length <= t) continue;
        const bool apart = place.first + other.nodes <= first || first + size.nodes <= place.first;
        if (rules.contiguous && !apart) return false;
        used += other.nodes;
        running += size.user != kNobody && other.user == size.user;
      }
      if (used + size.nodes > rules.nodes) return false;
      if (rules.running_cap > 0 && running >= rules.running_cap) return false;
    }
    return true;
  };
  for (Seconds start = from;; ++start) {
    if (!rules.contiguous && fits(start, -1)) return {start, -1};
    for (int first = 0; rules.contiguous && first + size.nodes <= rules.nodes; ++first) {
      if (fits(start, first)) return {start, first};
    }
  }
}

TEST(PlainQueueValid, HolesAreThoseOfAGrid) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Dice dice(seed);
    Rules rules{.nodes = dice(1, 6), .contiguous = dice(0, 1) == 1, .running_cap = dice(0, 2)};
    Plan plan(rules);
    std::vector<std::pair<Size, Place>> boxes;
    for (int step = 0; step < 30; ++step) {
      if (!boxes.empty() && dice(0, 3) == 0) {
        const auto gone = boxes.begin() + dice(0, static_cast<int>(boxes.size()) - 1);
        plan.remove(gone->first, gone->second);
        boxes.erase(gone);
      }
      const Size size{dice(1, rules.nodes), dice(1, 12), dice(-1, 1)};
      const Seconds from = dice(0, 30);
      const Place place = plan.hole(size, from);
      const Place expected = place_on_grid(boxes, rules, size, from);
      ASSERT_EQ(place.start, expected.start);
      ASSERT_EQ(place.first, expected.first);
      plan.put(size, place);
      boxes.emplace_back(size, place);
    }
  }
}

// EASY in the specification's words: shadow time and extra nodes.
class LiteralEasy {
 public:
  LiteralEasy(const std::vector<Job>& log, int nodes) : log_(log), nodes_(nodes) {}

  std::vector<Seconds> starts() {
    std::vector<Seconds> starts(log_.size(), -1);
    std::size_t arrived = 0;
    for (Seconds now = 0; arrived < log_.size() || !waiting_.empty(); ++now) {
      std::erase_if(running_, [&](const Running& job) { return job.end == now; });
      while (arrived < log_.size() && log_[arrived].submit == now) waiting_.push_back(arrived++);
      for (std::size_t key : pass(now)) starts[key] = now;
    }
    return starts;
  }

 private:
  struct Running {
    Seconds end, by_request;
    int nodes;
  };

  int free() const {
    int free = nodes_;
    for (const Running& job : running_) free -= job.nodes;
    return free;
  }

  void start(std::size_t key, Seconds now) {
    const Job& job = log_[key];
    running_.push_back({now + std::min(job.run, job.request), now + job.request, job.nodes});
  }

  int free_by(Seconds time) const {
    int ending = free();
    for (const Running& job : running_) ending += job.by_request <= time ? job.nodes : 0;
    return ending;
  }

  std::vector<std::size_t> pass(Seconds now) {
    std::vector<std::size_t> started;
    while (!waiting_.empty() && log_[waiting_.front()].nodes <= free()) {
      started.push_back(waiting_.front());
      start(waiting_.front(), now);
      waiting_.erase(waiting_.begin());
    }
    if (waiting_.empty()) return started;
    const int head = log_[waiting_.front()].nodes;
    Seconds shadow = now;
    while (free_by(shadow) < head) ++shadow;
    int extra = free_by(shadow) - head;
    for (std::size_t i = 1; i < waiting_.size(); ++i) {
      const Job& job = log_[waiting_[i]];
      const bool ends_before = now + job.request <= shadow;
      if (job.nodes > free() || (!ends_before && job.nodes > extra)) continue;
      if (!ends_before) extra -= job.nodes;
      started.push_back(waiting_[i]);
      start(waiting_[i], now);
      waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i--));
    }
    return started;
  }

  const std::vector<Job>& log_;
  int nodes_;
  std::vector<std::size_t> waiting_;
  std::vector<Running> running_;
};

std::vector<Seconds> starts_of(const std::vector<Record>& records) {
  std::vector<Seconds> starts;
  starts.reserve(records.size());
  for (const Record& record : records) starts.push_back(record.start);
  return starts;
}

TEST(PlainQueueValid, EasyIsTheOneOfShadowTimeAndExtraNodes) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    Dice dice(seed);
    const int nodes = dice(2, 9);
    const std::vector<Job> log = random_log(dice, 40, nodes);
    ASSERT_EQ(starts_of(replay(log, {.nodes = nodes, .policy = Policy::easy})),
              LiteralEasy(log, nodes).starts())
        << "seed " << seed;
  }
}

TEST(PlainQueueValid, EasyWithoutEndToItsDepthIsConservativeBuiltAnew) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    Dice dice(seed);
    Rules rules = random_rules(dice);
    const std::vector<Job> log = random_log(dice, 40, rules.nodes);
    rules.policy = Policy::easy;
    rules.depth = 1000;
    const auto easy = starts_of(replay(log, rules));
    rules.policy = Policy::conservative;
    rules.compress = Compress::rebuild;
    ASSERT_EQ(easy, starts_of(replay(log, rules))) << "seed " << seed;
  }
}

// The nodes of the jobs and reservations at an instant.
int used_at(Seconds time, const std::vector<Record>& records, const Rules& rules) {
  int used = 0;
  for (const Record& record : records) {
    if (record.start <= time && time < record.end) used += record.nodes;
  }
  for (const Rules::Reservation& reservation : rules.reservations) {
    if (reservation.start <= time && time < reservation.end) used += reservation.nodes;
  }
  return used;
}

void expect_valid(const std::vector<Job>& log, const std::vector<Record>& records,
                  const Rules& rules) {
  for (const Rules::Reservation& reservation : rules.reservations) {
    ASSERT_LE(used_at(reservation.start, records, rules), rules.nodes);
  }
  for (std::size_t i = 0; i < log.size(); ++i) {
    const Record& record = records[i];
    ASSERT_GE(record.start, record.submit);
    ASSERT_EQ(record.end, record.start + std::min(log[i].run, log[i].request));
    ASSERT_LE(used_at(record.start, records, rules), rules.nodes);
    ASSERT_EQ(record.first_node >= 0, rules.contiguous);
    ASSERT_LE(record.first_node + record.nodes, rules.nodes);
    int running = 0;
    for (std::size_t j = 0; j < log.size(); ++j) {
      const Record& other = records[j];
      if (other.start > record.start || other.end <= record.start) continue;
      running += log[i].user != kNobody && log[j].user == log[i].user;
      if (!rules.contiguous || i == j) continue;
      ASSERT_TRUE(other.first_node + other.nodes <= record.first_node ||
                  record.first_node + record.nodes <= other.first_node);
    }
    ASSERT_TRUE(rules.running_cap == 0 || running <= rules.running_cap);
  }
}

TEST(PlainQueueValid, JobsNeverHaveMoreThanThereIs) {
  for (unsigned seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Dice dice(seed);
    const Rules rules = random_rules(dice);
    const std::vector<Job> log = random_log(dice, 40, rules.nodes);
    ASSERT_NO_FATAL_FAILURE(expect_valid(log, replay(log, rules), rules));
  }
}

TEST(PlainQueueValid, ConservativeStartsAreNoLaterThanEstimatedAndExactWithoutEarlyEnds) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Dice dice(seed);
    Rules rules = random_rules(dice);
    rules.policy = Policy::conservative;
    if (rules.compress == Compress::rebuild) rules.compress = Compress::arrival;
    std::vector<Job> log = random_log(dice, 30, rules.nodes);
    const bool exact = dice(0, 1) == 1;
    for (Job& job : log) {
      if (exact) job.run = job.request;
    }
    // The log up to a job, without it, says how long it will wait; later jobs change nothing.
    const std::vector<Record> records = replay(log, rules);
    for (std::size_t i = 0; i < log.size(); ++i) {
      const std::vector<Job> before(log.begin(), log.begin() + static_cast<std::ptrdiff_t>(i));
      std::vector<Question> ask{{log[i].submit, log[i].nodes, log[i].request, log[i].user}};
      replay(before, rules, ask);
      const Seconds planned = log[i].submit + ask[0].wait;
      ASSERT_LE(records[i].start, planned) << "job " << i;
      ASSERT_TRUE(!exact || records[i].start == planned) << "job " << i;
    }
  }
}

// Each task ran after its parents in one job that was done with it, on a node of its own.
void expect_valid(const std::vector<Task>& tasks, const WorkflowRun& run, const Rules& rules) {
  std::map<int, int> last_job;
  for (int job = 0; job < std::ssize(run.jobs); ++job) {
    const WorkflowJob& it = run.jobs.at(static_cast<std::size_t>(job));
    ASSERT_LE(it.nodes, rules.nodes);
    ASSERT_LE(it.end, it.start < 0 ? it.end : it.start + it.request);
    for (int task : it.tasks) last_job[task] = job;
  }
  for (int task = 0; task < std::ssize(tasks); ++task) {
    const auto t = static_cast<std::size_t>(task);
    ASSERT_EQ(run.task_end[t], run.task_start[t] + tasks[t].time);
    for (int parent : tasks[t].parents) {
      ASSERT_LE(run.task_end[static_cast<std::size_t>(parent)], run.task_start[t]);
    }
    int found = 0;
    for (const WorkflowJob& job : run.jobs) {
      found += job.start >= 0 && job.start <= run.task_start[t] && run.task_end[t] <= job.end &&
               std::count(job.tasks.begin(), job.tasks.end(), task) == 1;
    }
    ASSERT_EQ(found, 1);
    const WorkflowJob& job = run.jobs[static_cast<std::size_t>(last_job[task])];
    int together = 0;
    for (int other : job.tasks) {
      const auto o = static_cast<std::size_t>(other);
      together += last_job[other] == last_job[task] && run.task_start[o] <= run.task_start[t] &&
                  run.task_start[t] < run.task_end[o];
    }
    ASSERT_LE(together, job.nodes);
  }
}

TEST(PlainStrategiesValid, EveryTaskRunsOnceAfterItsParentsWithinItsJob) {
  std::map<Outcome, int> outcomes;
  int single = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    Dice dice(seed);
    const Rules rules = random_rules(dice);
    const std::vector<Job> log = random_log(dice, 40, rules.nodes);
    const std::vector<Task> tasks = random_flow(dice);
    const QueueOptions options = random_options(dice);
    for (const char* strategy : {"ONEJOBPERTASK", "ONEJOB", "LEVELBYLEVEL", "ZHANG", "GLUME"}) {
      SCOPED_TRACE("seed " + std::to_string(seed) + " " + strategy);
      const WorkflowRun run = run_workflow(strategy, tasks, log, rules, dice(0, 200), options);
      ASSERT_NO_FATAL_FAILURE(expect_valid(tasks, run, rules));
      for (const WorkflowJob& job : run.jobs) ++outcomes[job.outcome];
      single += run.single_mode;
    }
  }
  EXPECT_GT(outcomes[Outcome::expired], 0);
  EXPECT_GT(outcomes[Outcome::cancelled], 0);
  EXPECT_GT(single, 0);
}

}  // namespace
}  // namespace dovetail::plain
