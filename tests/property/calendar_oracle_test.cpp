// Random questions and changes, each put to the calendar and to a slow twin: no answer may differ.
//
// DOVETAIL_ORACLE_OPERATIONS sets the number of operations (default one million; sanitizer builds
// take fewer). A failure prints the seed of its scenario and the number of the operation.
#include <cstdlib>
#include <functional>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "dovetail/calendar.hpp"
#include "gtest/gtest.h"
#include "oracles/map_calendar.hpp"
#include "oracles/naive_calendar.hpp"

namespace dovetail {
namespace {

using testing::MapCalendar;
using testing::NaiveCalendar;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kDefaultOperations = 40'000;
constexpr int kLargeCalendarOperations = 2'000;
#else
constexpr int kDefaultOperations = 1'000'000;
constexpr int kLargeCalendarOperations = 12'000;
#endif

int operations_wanted() {
  const char* text = std::getenv("DOVETAIL_ORACLE_OPERATIONS");
  return text == nullptr ? kDefaultOperations : std::atoi(text);
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  Time time(Time low, Time high) { return std::uniform_int_distribution<Time>(low, high)(engine_); }
  Count count(Count low, Count high) {
    return std::uniform_int_distribution<Count>(low, high)(engine_);
  }
  std::size_t index(std::size_t size) {
    return std::uniform_int_distribution<std::size_t>(0, size - 1)(engine_);
  }
  bool chance(double p) { return std::bernoulli_distribution(p)(engine_); }

 private:
  std::mt19937_64 engine_;
};

template <typename Range>
std::vector<Step> listed(const Range& range) {
  return {range.begin(), range.end()};
}

// A calendar, its twin, and what is booked on both.
struct Pair {
  Calendar calendar;
  NaiveCalendar naive;
  std::vector<Booking> booked;
};

// Several pairs that are copied over one another while they change, so that they share their parts.
class Scenario {
 public:
  Scenario(std::uint64_t seed, Time horizon)
      : seed_(seed), random_(seed), horizon_(horizon), capacity_(random_.count(1, 80)) {
    const Time origin = random_.chance(0.5) ? 0 : random_.time(0, horizon / 8);
    Pair pair{Calendar(capacity_, origin), NaiveCalendar(horizon, capacity_, origin), {}};
    for (Time i = 0; i < horizon / 8; ++i) reserve(pair);
    pairs_.assign(4, pair);
  }

  void run(int operations) {
    for (operation_ = 0; operation_ < operations; ++operation_) {
      step(pairs_[random_.index(pairs_.size())]);
      if (::testing::Test::HasFatalFailure()) return;
    }
    for (const Pair& pair : pairs_) compare_steps(pair);
  }

 private:
  void step(Pair& pair) {
    const int kind = random_.count(0, 99);
    if (kind < 18) {
      ask_earliest(pair);
    } else if (kind < 34) {
      ask_latest(pair);
    } else if (kind < 50) {
      ask_about_window(pair);
    } else if (kind < 72) {
      reserve(pair);
    } else if (kind < 88) {
      release(pair);
    } else if (kind < 92) {
      reserve_all(pair);
    } else if (kind < 94) {
      set_capacity(pair);
    } else if (kind < 97) {
      copy_and_compare(pair);
    } else if (kind < 99) {
      compare_steps(pair);
    } else {
      forget(pair);
    }
  }

  void ask_earliest(const Pair& pair) {
    const Count procs = random_.count(-1, capacity_ + 2);
    const Duration length = random_length();
    const Time ready = random_.time(-5, horizon_ + 5);
    const Time limit = random_.chance(0.5) ? kForever : random_.time(-5, horizon_ + 60);
    ASSERT_EQ(pair.calendar.earliest_fit(procs, length, ready, limit),
              pair.naive.earliest_fit(procs, length, ready, limit))
        << where() << "earliest_fit(" << procs << ", " << length << ", " << ready << ", " << limit;
  }

  void ask_latest(const Pair& pair) {
    const Count procs = random_.count(-1, capacity_ + 2);
    const Duration length = random_length();
    const Time ready = random_.time(-5, horizon_ + 5);
    const Time deadline = random_.chance(0.1) ? kForever : random_.time(-5, horizon_ + 60);
    ASSERT_EQ(pair.calendar.latest_fit(procs, length, ready, deadline),
              pair.naive.latest_fit(procs, length, ready, deadline))
        << where() << "latest_fit(" << procs << ", " << length << ", " << ready << ", " << deadline;
  }

  void ask_about_window(const Pair& pair) {
    const Interval window = random_window(-5);
    const Count procs = random_.count(-1, capacity_);
    ASSERT_EQ(pair.calendar.free_at(window.begin), pair.naive.free_at(window.begin)) << where();
    ASSERT_EQ(pair.calendar.min_free(window), pair.naive.min_free(window)) << where();
    ASSERT_EQ(pair.calendar.fits(window, procs), pair.naive.fits(window, procs)) << where();
    std::vector<Step> steps = pair.naive.steps(window);
    ASSERT_EQ(listed(pair.calendar.steps(window)), steps) << where();
    std::reverse(steps.begin(), steps.end());
    ASSERT_EQ(listed(pair.calendar.steps_back(window)), steps) << where();
    if (window.begin < window.end && window.end <= horizon_) {
      ASSERT_DOUBLE_EQ(pair.calendar.mean_free(window), pair.naive.mean_free(window)) << where();
    }
  }

  void reserve(Pair& pair) {
    Interval window = random_window(pair.naive.origin());
    const Count most = std::min(pair.naive.min_free(window), capacity_);
    const Count procs = random_.count(0, random_.chance(0.2) ? most : std::min<Count>(most, 3));
    pair.calendar.reserve(window, procs);
    pair.naive.add(window, -procs);
    if (procs > 0 && window.begin < window.end) pair.booked.push_back({window, procs});
  }

  // Gives back a random part of a random booking and keeps the rest booked.
  void release(Pair& pair) {
    if (pair.booked.empty()) return;
    std::swap(pair.booked[random_.index(pair.booked.size())], pair.booked.back());
    const auto [window, procs] = pair.booked.back();
    pair.booked.pop_back();
    Interval part = window;
    if (random_.chance(0.4)) {
      const Time last = std::min(window.end, horizon_ - 1);
      part.begin = random_.time(window.begin, last);
      part.end = random_.chance(0.5) ? window.end : random_.time(part.begin, last);
    }
    pair.calendar.release(part, procs);
    pair.naive.add(part, procs);
    if (window.begin < part.begin) pair.booked.push_back({{window.begin, part.begin}, procs});
    if (part.end < window.end) pair.booked.push_back({{part.end, window.end}, procs});
  }

  void reserve_all(Pair& pair) {
    std::vector<Booking> bookings;
    for (int i = random_.count(0, 12); i > 0; --i) {
      const Time low = random_.chance(0.02) ? -3 : pair.naive.origin();
      bookings.push_back({random_window(low), random_.count(0, 1 + capacity_ / 8)});
    }
    const bool done = pair.naive.reserve_all(bookings);
    ASSERT_EQ(pair.calendar.reserve_all(bookings), done) << where();
    if (!done) return compare_steps(pair);
    for (const Booking& booking : bookings) {
      if (booking.window.begin < booking.window.end) pair.booked.push_back(booking);
    }
  }

  void set_capacity(Pair& pair) {
    const Interval window = random_window(-5);
    const Count value = random_.count(0, capacity_);
    pair.calendar.set_capacity(window, value);
    pair.naive.set_capacity(window, value);
    std::erase_if(pair.booked, [&](const Booking& booking) {
      return booking.window.begin < window.end && window.begin < booking.window.end;
    });
  }

  void copy_and_compare(Pair& pair) {
    Pair& other = pairs_[random_.index(pairs_.size())];
    ASSERT_EQ(pair.calendar == other.calendar, pair.naive == other.naive) << where();
    other = pair;
    ASSERT_TRUE(pair.calendar == other.calendar) << where();
  }

  // Now and then only: every scenario runs out of time in the end.
  void forget(Pair& pair) {
    if (!random_.chance(0.3)) return;
    const Time now = random_.time(0, horizon_ / 2);
    pair.calendar.forget_before(now);
    pair.naive.forget_before(now);
    compare_steps(pair);
  }

  void compare_steps(const Pair& pair) {
    const std::vector<Step> expected = pair.naive.steps({pair.naive.origin(), kForever});
    ASSERT_EQ(listed(pair.calendar.steps()), expected) << where();
    ASSERT_EQ(pair.calendar.step_count(), expected.size()) << where();
  }

  Duration random_length() {
    if (random_.chance(0.01)) return kForever - horizon_;
    return random_.time(0, random_.chance(0.1) ? horizon_ / 2 : 1 + horizon_ / 16);
  }

  // Sometimes empty, sometimes without end.
  Interval random_window(Time low) {
    const Time begin = random_.time(low, horizon_ - 1);
    if (random_.chance(0.02)) return {begin, kForever};
    const Duration length = random_.time(0, random_.chance(0.05) ? horizon_ : 1 + horizon_ / 50);
    return {begin, std::min(begin + length, horizon_ - 1)};
  }

  std::string where() const {
    std::ostringstream text;
    text << "seed " << seed_ << ", horizon " << horizon_ << ", operation " << operation_ << ": ";
    return text.str();
  }

  std::uint64_t seed_;
  Random random_;
  Time horizon_;
  Count capacity_;
  std::vector<Pair> pairs_;
  int operation_ = 0;
};

TEST(CalendarOracle, AgreesWithArrayByTheTick) {
  const std::vector<Time> horizons = {12, 60, 250, 800, 3'000};
  const int per_scenario = 2'000;
  int done = 0;
  for (std::uint64_t seed = 1; done < operations_wanted(); ++seed, done += per_scenario) {
    Scenario(seed, horizons[seed % horizons.size()]).run(per_scenario);
    if (HasFatalFailure()) return;
  }
}

// A calendar of many thousand steps and its twin.
class LargeScenario {
 public:
  explicit LargeScenario(std::uint64_t seed)
      : random_(seed), calendar_(kCapacity), twin_(kCapacity) {
    std::vector<Booking> bookings;
    while (twin_.step_count() < kSteps) {
      const Booking booking = random_booking();
      if (!twin_.fits(booking.window, booking.procs)) continue;
      twin_.add(booking.window, -booking.procs);
      bookings.push_back(booking);
    }
    EXPECT_TRUE(calendar_.reserve_all(bookings));
    booked_ = std::move(bookings);
  }

  void run(int operations) {
    compare();
    for (int i = 0; i < operations && !::testing::Test::HasFatalFailure(); ++i) {
      random_.chance(0.5) ? release() : reserve();
      ask();
      if (i % 2'000 == 0) compare();
    }
    compare();
  }

  void set_capacity_somewhere() {
    const Time begin = random_.time(0, kHorizon);
    const Interval window{begin, begin + kHorizon / 500};
    twin_.set_capacity(window, 300);
    calendar_.set_capacity(window, 300);
    std::erase_if(booked_, [&](const Booking& booking) {
      return booking.window.begin < window.end && window.begin < booking.window.end;
    });
  }

  void forget_half() {
    twin_.forget_before(kHorizon / 2);
    calendar_.forget_before(kHorizon / 2);
    std::erase_if(booked_,
                  [](const Booking& booking) { return booking.window.end <= kHorizon / 2; });
    for (Booking& booking : booked_) {
      booking.window.begin = std::max(booking.window.begin, kHorizon / 2);
    }
    compare();
  }

  // Empties the calendar in random order, so that its parts shrink and join.
  void release_all() {
    while (!booked_.empty()) release();
    EXPECT_EQ(calendar_.step_count(), 1U);
    EXPECT_TRUE(calendar_ == Calendar(kCapacity));
  }

 private:
  static constexpr Count kCapacity = 512;
  static constexpr std::size_t kSteps = 20'000;
  static constexpr Time kHorizon = 40'000'000;

  Booking random_booking() {
    const Time begin = random_.time(0, kHorizon);
    const Duration longest = random_.chance(0.01) ? kHorizon / 10 : kHorizon / 200;
    return {{begin, begin + random_.time(1, longest)}, random_.count(1, 16)};
  }

  void reserve() {
    const Booking booking = random_booking();
    if (booking.window.begin < twin_.origin()) return;
    const bool fits = twin_.fits(booking.window, booking.procs);
    ASSERT_EQ(calendar_.fits(booking.window, booking.procs), fits);
    if (!fits) return;
    twin_.add(booking.window, -booking.procs);
    calendar_.reserve(booking.window, booking.procs);
    booked_.push_back(booking);
  }

  void release() {
    if (booked_.empty()) return;
    std::swap(booked_[random_.index(booked_.size())], booked_.back());
    const Booking booking = booked_.back();
    booked_.pop_back();
    twin_.add(booking.window, booking.procs);
    calendar_.release(booking.window, booking.procs);
  }

  void ask() {
    const Count procs = random_.count(1, kCapacity);
    const Duration length = random_.time(1, kHorizon / 50);
    const Time ready = random_.time(0, kHorizon);
    ASSERT_EQ(calendar_.earliest_fit(procs, length, ready),
              twin_.earliest_fit(procs, length, ready, kForever));
    const Time deadline = random_.time(0, kHorizon + kHorizon / 10);
    ASSERT_EQ(calendar_.latest_fit(procs, length, ready / 2, deadline),
              twin_.latest_fit(procs, length, ready / 2, deadline));
  }

  void compare() {
    ASSERT_EQ(calendar_.step_count(), twin_.step_count());
    auto it = twin_.changes().begin();
    for (const Step& step : calendar_.steps()) {
      ASSERT_EQ(step.begin, it->first);
      ASSERT_EQ(step.free, it->second);
      ++it;
    }
  }

  Random random_;
  Calendar calendar_;
  MapCalendar twin_;
  std::vector<Booking> booked_;
};

TEST(CalendarOracle, LargeCalendarAgreesWithMap) {
  const std::uint64_t seed = 11;
  SCOPED_TRACE("seed " + std::to_string(seed));
  LargeScenario scenario(seed);
  scenario.run(kLargeCalendarOperations);
  for (int i = 0; i < 10; ++i) scenario.set_capacity_somewhere();
  scenario.run(kLargeCalendarOperations / 10);
  scenario.forget_half();
  scenario.run(kLargeCalendarOperations / 10);
}

TEST(CalendarOracle, ReleasingEverythingLeavesOneStep) {
  const std::uint64_t seed = 21;
  SCOPED_TRACE("seed " + std::to_string(seed));
  LargeScenario scenario(seed);
  scenario.run(kLargeCalendarOperations / 10);
  scenario.release_all();
}

// Each thread copies the same calendar, changes its copy and drops it, so that threads share and
// give up chunks at the same time; under the thread sanitizer this shows a wrong memory order.
TEST(CalendarOracle, ThreadsMayChangeCopiesAtOnce) {
  Calendar base(64);
  for (Time t = 0; t < 1'000; ++t)
    base.reserve({t * 10, t * 10 + 25}, 1 + static_cast<Count>(t % 5));
  const Calendar untouched = base;

  const auto work = [&base](std::uint64_t seed, Calendar& result) {
    Random random(seed);
    Calendar own = base;
    for (int i = 0; i < 300; ++i) {
      if (i % 10 == 0) own = base;
      const Time begin = random.time(0, 10'000);
      const Interval window{begin, begin + random.time(1, 3'000)};
      own.reserve(window, std::min<Count>(own.min_free(window), 2));
    }
    result = own;
  };
  std::vector<Calendar> together(4);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < together.size(); ++i) {
    threads.emplace_back(work, i, std::ref(together[i]));
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(base == untouched);
  for (std::size_t i = 0; i < together.size(); ++i) {
    Calendar alone;
    work(i, alone);
    EXPECT_TRUE(together[i] == alone) << "seed " << i;
  }
}

// The last other owner of a chunk lives in another thread: its reading must come before our
// writing in place, although nothing but the count of owners orders the two.
TEST(CalendarOracle, WritingWaitsForReadersOfFormerCopies) {
  for (int round = 0; round < 200; ++round) {
    Calendar calendar(8);
    calendar.reserve({10, 20}, 2);
    std::thread reader([copy = calendar]() mutable {
      EXPECT_EQ(copy.free_at(15), 6);
      copy = Calendar(1);
    });
    for (int i = 0; i < 50; ++i) {
      calendar.reserve({10, 20}, 1);
      calendar.release({10, 20}, 1);
    }
    reader.join();
    EXPECT_EQ(calendar.free_at(15), 6);
  }
}

}  // namespace
}  // namespace dovetail
