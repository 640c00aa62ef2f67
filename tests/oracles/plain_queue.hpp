// The batch queue as its specification reads, without any idea to make it fast: the plan is a list
// of rectangles, every question goes through all of them, and the plan is put together anew at
// every instant. It is the oracle of the queue's property tests and shares nothing with the
// library. Times are whole seconds from 0 on.
//
//   plain::Rules rules{.nodes = 4, .policy = plain::Policy::easy};
//   std::vector<plain::Record> records = plain::replay(jobs, rules);
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

namespace dovetail::plain {

using Seconds = std::int64_t;
constexpr Seconds kNever = std::numeric_limits<Seconds>::max();
constexpr Seconds kUnplanned = -1;
constexpr int kNobody = -1;  // a user who is not known and whom no cap concerns

// A job of the log. It ends after the lesser of what it runs and what it requested.
struct Job {
  std::int64_t id = 0;
  Seconds submit = 0, run = 0, request = 0;
  int nodes = 1;
  int user = kNobody;
};

enum class Policy { conservative, easy, fcfs };
enum class Compress { arrival, rebuild, none };

struct Rules {
  struct Reservation {
    Seconds start = 0, end = 0;
    int nodes = 0;
  };

  int nodes = 1;
  Policy policy = Policy::conservative;
  Compress compress = Compress::arrival;
  bool contiguous = false;
  int depth = 1;  // EASY: how many of the jobs that have to wait hold a reservation
  // Nobody's jobs may overlap them. Where jobs need neighbouring nodes a reservation has the lowest
  // block that the ones before it leave.
  std::vector<Reservation> reservations = {};
  int running_cap = 0;  // the most jobs of a user that may run at once; 0 for any number
};

struct Record {
  std::int64_t id = 0;
  Seconds submit = 0, start = 0, end = 0;
  int nodes = 0;
  Seconds request = 0;
  int first_node = -1;  // of the block, where jobs need neighbouring nodes
};

// How long a job of this size would wait if it were submitted at that instant, after its pass.
struct Question {
  Seconds at = 0;
  int nodes = 1;
  Seconds length = 0;
  int user = kNobody;
  Seconds wait = -1;  // the answer
};

struct Size {
  int nodes = 0;
  Seconds length = 0;
  int user = kNobody;
};

struct Place {
  Seconds start = 0;
  int first = -1;
};

// Rectangles of nodes and time, and where there is room for another.
class Plan {
 public:
  explicit Plan(const Rules& rules)
      : nodes_(rules.nodes), contiguous_(rules.contiguous), cap_(rules.running_cap) {}

  void put(const Size& size, const Place& place) {
    boxes_.push_back({size, place});
    put(Change{place.start, size.nodes, size.user, 1});
    put(Change{place.start + size.length, -size.nodes, size.user, -1});
  }

  void remove(const Size& size, const Place& place) {
    const auto here = [&](const Box& box) {
      return box.place.start == place.start && box.place.first == place.first &&
             box.size.nodes == size.nodes && box.size.length == size.length &&
             box.size.user == size.user;
    };
    boxes_.erase(std::find_if(boxes_.begin(), boxes_.end(), here));
    remove(Change{place.start, size.nodes, size.user, 1});
    remove(Change{place.start + size.length, -size.nodes, size.user, -1});
  }

  // The earliest place at or after that time, and of these the lowest block.
  Place hole(const Size& size, Seconds from) const {
    Seconds start = enough(size, from);
    if (!contiguous_) return {start, -1};
    for (;;) {
      const int first = lowest_block(size, start);
      if (first >= 0) return {start, first};
      start = enough(size, next_end(start));  // nothing becomes free before
    }
  }

  // The first of the lowest neighbouring nodes that are free during the whole of the size's length;
  // -1 if there are none.
  int lowest_block(const Size& size, Seconds start) const {
    std::vector<bool> busy(static_cast<std::size_t>(nodes_), false);
    for (const Box& box : boxes_) {
      if (box.place.start >= start + size.length || box.end() <= start) continue;
      const auto begin = busy.begin() + box.place.first;
      std::fill(begin, begin + box.size.nodes, true);
    }
    int run = 0;
    for (int node = 0; node < nodes_; ++node) {
      run = busy[static_cast<std::size_t>(node)] ? 0 : run + 1;
      if (run == size.nodes) return node + 1 - size.nodes;
    }
    return -1;
  }

 private:
  struct Box {
    Size size;
    Place place;
    Seconds end() const { return place.start + size.length; }
  };
  struct Change {
    Seconds time;
    int nodes;
    int user;
    int jobs;
    bool operator==(const Change&) const = default;
  };

  static bool earlier(const Change& a, const Change& b) { return a.time < b.time; }

  void put(const Change& change) {
    changes_.insert(std::upper_bound(changes_.begin(), changes_.end(), change, earlier), change);
  }

  void remove(const Change& change) {
    const auto same = std::lower_bound(changes_.begin(), changes_.end(), change, earlier);
    changes_.erase(std::find(same, changes_.end(), change));
  }

  // The earliest start with enough nodes, wherever they are, and below the user's cap throughout.
  Seconds enough(const Size& size, Seconds from) const {
    const bool capped = cap_ > 0 && size.user != kNobody;
    Seconds start = from;
    Seconds since = std::numeric_limits<Seconds>::min();
    int used = 0;
    int running = 0;  // the user's jobs
    for (const Change& change : changes_) {
      if (change.time > since) {  // used and running hold in [since, change.time)
        if (used + size.nodes > nodes_ || (capped && running >= cap_)) {
          start = std::max(start, change.time);
        } else if (change.time - start >= size.length) {
          return start;
        }
      }
      since = change.time;
      used += change.nodes;
      if (change.user == size.user) running += change.jobs;
    }
    return start;
  }

  Seconds next_end(Seconds after) const {
    Seconds next = kNever;
    for (const Box& box : boxes_) {
      if (box.end() > after) next = std::min(next, box.end());
    }
    return next;
  }

  int nodes_;
  bool contiguous_;
  int cap_;
  std::vector<Box> boxes_;
  std::vector<Change> changes_;  // of all boxes, by time
};

// What the queue answers at one instant about jobs that are not in it.
class Estimate {
 public:
  Estimate(Plan plan, Seconds now, Seconds from, int user)
      : plan_(std::move(plan)), now_(now), from_(from), user_(user) {}

  Seconds wait(int nodes, Seconds length) const {
    return plan_.hole({nodes, length, user_}, from_).start - now_;
  }

 private:
  Plan plan_;
  Seconds now_;
  Seconds from_;
  int user_;
};

// The jobs that wait and run, and who of them starts. It knows requests, never run times.
class Queue {
 public:
  struct Entry {
    int key = 0;
    Size size;                       // its length is the request
    Place place = {kUnplanned, -1};  // planned while it waits, then real
  };

  explicit Queue(const Rules& rules) : rules_(rules), empty_(rules) {
    for (const Rules::Reservation& reservation : rules.reservations) {
      const Size size{reservation.nodes, reservation.end - reservation.start, kNobody};
      Place place{reservation.start, -1};
      if (rules.contiguous) {
        place.first = empty_.lowest_block(size, place.start);
        if (place.first < 0) throw std::invalid_argument("the reservations leave no block");
      }
      empty_.put(size, place);
    }
  }

  void submit(int key, const Size& size) {
    if (size.nodes < 1 || size.nodes > rules_.nodes || size.length < 1) {
      throw std::invalid_argument("a job that never fits");
    }
    waiting_.push_back({key, size});
  }

  // The job is gone: it ended, was killed, or was cancelled while it waited or ran.
  void leave(int key) {
    const auto is_it = [&](const Entry& entry) { return entry.key == key; };
    std::erase_if(waiting_, is_it);
    std::erase_if(running_, is_it);
    left_ = true;
  }

  // One scheduling pass. Returns the jobs that start, in order of arrival.
  std::vector<Entry> pass(Seconds now) {
    if (rules_.policy == Policy::conservative) pass_conservative(now);
    if (rules_.policy == Policy::easy) pass_easy(now);
    if (rules_.policy == Policy::fcfs) pass_fcfs(now);
    left_ = false;
    const auto due = [&](const Entry& entry) { return entry.place.start == now; };
    std::vector<Entry> started;
    std::copy_if(waiting_.begin(), waiting_.end(), std::back_inserter(started), due);
    std::erase_if(waiting_, due);
    running_.insert(running_.end(), started.begin(), started.end());
    return started;
  }

  Estimate estimate(Seconds now, int user) const {
    Plan plan = occupied();
    Seconds from = now;
    for (const Entry& entry : waiting_) {
      Place place = entry.place;
      if (rules_.policy != Policy::conservative) place = plan.hole(entry.size, from);
      if (place.start == kUnplanned) continue;
      plan.put(entry.size, place);
      if (rules_.policy == Policy::fcfs) from = place.start;
    }
    return {std::move(plan), now, from, user};
  }

  Seconds next_planned(Seconds after) const {
    Seconds next = kNever;
    for (const Entry& entry : waiting_) {
      if (entry.place.start > after) next = std::min(next, entry.place.start);
    }
    return next;
  }

 private:
  // The reservations and the running jobs until the ends of their requests.
  Plan occupied() const {
    Plan plan = empty_;
    for (const Entry& entry : running_) plan.put(entry.size, entry.place);
    return plan;
  }

  void forget_plans() {
    for (Entry& entry : waiting_) entry.place = {kUnplanned, -1};
  }

  void pass_conservative(Seconds now) {
    if (left_ && rules_.compress == Compress::rebuild) forget_plans();
    Plan plan = occupied();
    for (const Entry& entry : waiting_) {
      if (entry.place.start != kUnplanned) plan.put(entry.size, entry.place);
    }
    for (Entry& entry : waiting_) {
      if (entry.place.start != kUnplanned) {
        if (!left_ || rules_.compress != Compress::arrival) continue;
        plan.remove(entry.size, entry.place);
      }
      entry.place = plan.hole(entry.size, now);
      plan.put(entry.size, entry.place);
    }
  }

  // The head's reservation is a rectangle at the shadow time. A job that overlaps neither it nor
  // what runs ends by the shadow time or uses the extra nodes.
  void pass_easy(Seconds now) {
    forget_plans();
    Plan plan = occupied();
    int held = 0;
    for (Entry& entry : waiting_) {
      const Place place = plan.hole(entry.size, now);
      if (place.start > now && held == rules_.depth) continue;
      if (place.start > now) ++held;
      entry.place = place;
      plan.put(entry.size, place);
    }
  }

  void pass_fcfs(Seconds now) {
    forget_plans();
    Plan plan = occupied();
    for (Entry& entry : waiting_) {
      entry.place = plan.hole(entry.size, now);
      if (entry.place.start > now) return;
      plan.put(entry.size, entry.place);
    }
  }

  Rules rules_;
  Plan empty_;  // the reservations
  std::vector<Entry> running_;
  std::vector<Entry> waiting_;  // in order of arrival
  bool left_ = false;           // some job left since the last pass
};

// The queue with the log that fills it, instant by instant: enter, pass, and perhaps more
// submissions and passes. The keys of the log's jobs are their positions in the log; the log must
// be sorted by submission and outlive the machine.
class Machine {
 public:
  Machine(const std::vector<Job>& log, const Rules& rules)
      : log_(log), reservations_(rules.reservations), queue_(rules) {
    for (const Job& job : log) {
      records_.push_back({job.id, job.submit, -1, -1, job.nodes, job.request, -1});
    }
  }

  Seconds now() const { return now_; }
  const std::vector<Record>& records() const { return records_; }
  Queue& queue() { return queue_; }
  bool has_key(int key) const { return key < static_cast<int>(log_.size()); }

  // The next instant at which the log or the queue has something to do.
  Seconds next() const {
    Seconds next = queue_.next_planned(now_);
    if (arrived_ < log_.size()) next = std::min(next, log_[arrived_].submit);
    for (std::size_t key : running_) next = std::min(next, records_[key].end);
    for (const Rules::Reservation& reservation : reservations_) {
      if (reservation.end > now_) next = std::min(next, reservation.end);
    }
    return next;
  }

  // The ends and then the arrivals of the log at that instant.
  void enter(Seconds now) {
    now_ = now;
    std::erase_if(running_, [&](std::size_t key) {
      if (records_[key].end != now) return false;
      queue_.leave(static_cast<int>(key));
      return true;
    });
    for (; arrived_ < log_.size() && log_[arrived_].submit == now; ++arrived_) {
      const Job& job = log_[arrived_];
      queue_.submit(static_cast<int>(arrived_), {job.nodes, job.request, job.user});
    }
  }

  // One scheduling pass. Returns the keys of the jobs that start, in order of arrival.
  std::vector<int> pass() {
    std::vector<int> keys;
    for (const Queue::Entry& entry : queue_.pass(now_)) {
      keys.push_back(entry.key);
      if (!has_key(entry.key)) continue;
      const auto key = static_cast<std::size_t>(entry.key);
      records_[key].start = now_;
      records_[key].end = now_ + std::min(log_[key].run, log_[key].request);
      records_[key].first_node = entry.place.first;
      running_.push_back(key);
    }
    return keys;
  }

  Estimate estimate(int user) const { return queue_.estimate(now_, user); }

 private:
  const std::vector<Job>& log_;
  std::vector<Rules::Reservation> reservations_;
  Queue queue_;
  Seconds now_ = -1;
  std::size_t arrived_ = 0;
  std::vector<std::size_t> running_;
  std::vector<Record> records_;
};

// What happens to the jobs of a log, in its order, and the answers to the questions.
inline std::vector<Record> replay(const std::vector<Job>& log, const Rules& rules,
                                  std::vector<Question>& questions) {
  Machine machine(log, rules);
  for (;;) {
    Seconds next = machine.next();
    for (const Question& question : questions) {
      if (question.at > machine.now()) next = std::min(next, question.at);
    }
    if (next == kNever) return machine.records();
    machine.enter(next);
    machine.pass();
    for (Question& question : questions) {
      if (question.at != next) continue;
      question.wait = machine.estimate(question.user).wait(question.nodes, question.length);
    }
  }
}

inline std::vector<Record> replay(const std::vector<Job>& log, const Rules& rules) {
  std::vector<Question> none;
  return replay(log, rules, none);
}

}  // namespace dovetail::plain
