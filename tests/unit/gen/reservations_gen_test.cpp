#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "dovetail/error.hpp"
#include "gen/reservation_logs.hpp"
#include "gen/reservations.hpp"
#include "support/fingerprint.hpp"
#include "support/test_data.hpp"

namespace dovetail::gen {
namespace {

constexpr Time kHour = 3'600'000;
constexpr Time kDay = 24 * kHour;

const ReservationLog& busy_log() {
  static const ReservationLog log = [] {
    Random random(1);
    return synthetic_log({.processors = 128, .jobs = 15'000}, random);
  }();
  return log;
}

// One hour on one processor, every hour, for `days` days, each submitted two days ahead.
ReservationLog hourly_log(int days) {
  std::vector<BatchJob> jobs;
  for (Time t = 0; t < days * kDay; t += kHour) {
    jobs.push_back({t - 2 * kDay, t, t + kHour, 1});
  }
  return {"hourly", 4, jobs};
}

Tagging all_of(const ReservationLog& log) {
  Random random(1);
  return tag_jobs(log, 1, random);
}

int starts_on_day(const Cluster& cluster, int day) {
  return static_cast<int>(std::count_if(
      cluster.reservations.begin(), cluster.reservations.end(),
      [&](const Reservation& r) { return r.start >= day * kDay && r.start < (day + 1) * kDay; }));
}

TEST(ReservationLog, LeavesOutWhatNeverRanAndCutsSizes) {
  const ReservationLog log("x", 8, {{0, 50, 60, 99}, {5, 10, 20, 4}, {7, 7, 7, 4}, {8, 9, 12, 0}});
  ASSERT_EQ(log.jobs().size(), 2U);
  EXPECT_EQ(log.jobs()[0], (BatchJob{5, 10, 20, 4}));
  EXPECT_EQ(log.jobs()[1], (BatchJob{0, 50, 60, 8}));
  EXPECT_EQ(log.span(), (Interval{0, 60}));
  EXPECT_DOUBLE_EQ(log.utilisation(), 120.0 / 480.0);
}

TEST(ReservationLog, NeedsAJob) { EXPECT_THROW(ReservationLog("x", 8, {}), InputError); }

TEST(Reservations, TaggingTakesThePhiShare) {
  for (const double phi : {0.1, 0.2, 0.5}) {
    Random random(3);
    const Tagging tagging = tag_jobs(busy_log(), phi, random);
    EXPECT_NEAR(static_cast<double>(tagging.size()) / 15'000, phi, 0.012);
    EXPECT_TRUE(std::is_sorted(tagging.begin(), tagging.end()));
  }
  Random random(3);
  EXPECT_TRUE(tag_jobs(busy_log(), 0, random).empty());
  EXPECT_THROW(tag_jobs(busy_log(), 1.1, random), InputError);
}

TEST(Reservations, MomentsLieInsideTheLogOnWholeSeconds) {
  const auto [begin, end] = busy_log().span();
  Random random(4);
  for (int i = 0; i < 1000; ++i) {
    const Time moment = draw_moment(busy_log(), random);
    ASSERT_EQ(moment % 1000, 0);
    ASSERT_GE(moment, begin + (end - begin) / 10 - 1000);
    ASSERT_LE(moment, begin + (end - begin) / 20 * 19 + 1000);
  }
}

TEST(Reservations, DailyNumbersDecay) {
  std::vector<std::int64_t> linear;
  std::vector<std::int64_t> expo;
  for (int day = 0; day < 7; ++day) {
    linear.push_back(reservations_on_day(ReservationMethod::linear, 70, day));
    expo.push_back(reservations_on_day(ReservationMethod::expo, 70, day));
  }
  EXPECT_EQ(linear, (std::vector<std::int64_t>{65, 55, 45, 35, 25, 15, 5}));
  EXPECT_EQ(expo, (std::vector<std::int64_t>{55, 33, 20, 12, 7, 4, 3}));
}

TEST(Reservations, SchedulesNeverOverbook) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Tagging tagging = tag_jobs(busy_log(), 0.5, random);
    const Time moment = draw_moment(busy_log(), random);
    const Cluster cluster =
        reservation_schedule(busy_log(), tagging, moment, kReservationMethods[seed % 3], random);
    ASSERT_EQ(find_overbooking(cluster), std::nullopt);
    ASSERT_FALSE(cluster.reservations.empty());
    EXPECT_EQ(cluster.processors, 128);
  }
}

TEST(Reservations, OverbookedLogsLoseTheJobsThatDoNotFit) {
  const ReservationLog log("x", 10,
                           {{0, 0, 100'000, 6}, {0, 10'000, 90'000, 6}, {0, 20'000, 90'000, 4}});
  Random random(1);
  const Cluster cluster =
      reservation_schedule(log, all_of(log), 50'000, ReservationMethod::real, random);
  EXPECT_EQ(cluster.reservations,
            (std::vector<Reservation>{{-50'000, 50'000, 6}, {-30'000, 40'000, 4}}));
}

TEST(Reservations, NothingIsLeftAfterSevenDays) {
  for (const auto method : {ReservationMethod::linear, ReservationMethod::expo}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      Random random(seed);
      const Tagging tagging = tag_jobs(busy_log(), 0.5, random);
      const Time moment = draw_moment(busy_log(), random);
      const Cluster cluster = reservation_schedule(busy_log(), tagging, moment, method, random);
      for (const Reservation& r : cluster.reservations) {
        ASSERT_GT(r.end, 0) << "seed " << seed;
        ASSERT_LE(r.end, 7 * kDay) << "seed " << seed;
      }
    }
  }
}

TEST(Reservations, DaysGetTheirNumberFromTheLogsAverage) {
  // 24 a day in the log; where a day has more, some go, where it has fewer, copies come.
  const ReservationLog log = hourly_log(100);
  Random random(5);
  for (const auto method : {ReservationMethod::linear, ReservationMethod::expo}) {
    const Cluster cluster =
        reservation_schedule(log, all_of(log), 50 * kDay + 1000, method, random);
    const double per_day = 24 * 100.0 / 102;  // the first submission is two days early
    for (int day = 0; day < kReservationDays; ++day) {
      EXPECT_EQ(starts_on_day(cluster, day), reservations_on_day(method, per_day, day)) << day;
    }
  }
}

TEST(Reservations, QuietDaysAreFilledWithCopiesAtTheirTimeOfDay) {
  // All jobs start at 06:00 on days 0 to 49, seven a day; afterwards nothing but one late job.
  std::vector<BatchJob> jobs;
  for (Time day = 0; day < 50; ++day) {
    for (int k = 0; k < 7; ++k) {
      const Time start = day * kDay + 6 * kHour;
      jobs.push_back({start, start, start + kHour, 1});
    }
  }
  jobs.push_back({0, 100 * kDay - kHour, 100 * kDay, 1});
  const ReservationLog log("quiet", 16, jobs);
  Random random(6);
  Tagging tagging = all_of(log);
  tagging.pop_back();
  const Time noon = 60 * kDay + 12 * kHour;
  const Cluster cluster =
      reservation_schedule(log, tagging, noon, ReservationMethod::linear, random);
  ASSERT_EQ(cluster.reservations.size(), 12U);  // from 3.5 a day: 3 + 3 + 2 + 2 + 1 + 1 + 0
  for (const Reservation& r : cluster.reservations) {
    EXPECT_EQ((r.start + noon) % kDay, 6 * kHour);
    EXPECT_EQ(r.end - r.start, kHour);
  }
}

TEST(Reservations, RealKeepsWhatWasSubmittedByThen) {
  const ReservationLog log = hourly_log(100);
  Random random(7);
  const Cluster cluster = reservation_schedule(log, all_of(log), 50 * kDay + kHour / 2,
                                               ReservationMethod::real, random);
  // The job that runs, and one for each hour of the next two days.
  ASSERT_EQ(cluster.reservations.size(), 49U);
  EXPECT_EQ(cluster.reservations.front(), (Reservation{-kHour / 2, kHour / 2, 1}));
  EXPECT_EQ(cluster.reservations.back().start, 2 * kDay - kHour / 2);
}

TEST(Reservations, FreeOnAverageCountsTheTaggedJobsBeforeTheMoment) {
  const ReservationLog log = hourly_log(100);
  Random random(8);
  const Cluster cluster =
      reservation_schedule(log, all_of(log), 50 * kDay, ReservationMethod::real, random);
  EXPECT_DOUBLE_EQ(*cluster.free_on_average, 4 - 50.0 / 52);
  const Cluster unused = reservation_schedule(log, {}, 50 * kDay, ReservationMethod::expo, random);
  EXPECT_DOUBLE_EQ(*unused.free_on_average, 4);
  EXPECT_TRUE(unused.reservations.empty());
}

TEST(Reservations, AreTheSameForTheSameSeed) {
  std::vector<std::uint64_t> prints;
  for (const auto method : kReservationMethods) {
    Random random(42);
    const Tagging tagging = tag_jobs(busy_log(), 0.2, random);
    const Time moment = draw_moment(busy_log(), random);
    prints.push_back(
        testing::fingerprint(reservation_schedule(busy_log(), tagging, moment, method, random)));
  }
  EXPECT_EQ(prints, (std::vector<std::uint64_t>{9333879524707055002ULL, 13828993184707018489ULL,
                                                15772848394571254497ULL}));
}

TEST(ReservationLogs, FirstComeFirstServedKeepsTheOrderAndTheMachine) {
  const std::vector<LublinJob> jobs = {{0, 10, 3}, {1, 10, 2}, {2, 5, 1}, {40, 1, 4}};
  EXPECT_EQ(
      first_come_first_served(jobs, 4),
      (std::vector<BatchJob>{{0, 0, 10, 3}, {1, 10, 20, 2}, {2, 10, 15, 1}, {40, 40, 41, 4}}));
}

TEST(ReservationLogs, SaysWhichLogIsMissingAndWhereItLooked) {
  try {
    read_archive_log(archive_logs()[1], "nowhere");
    FAIL() << "no error";
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("OSC-Clust-2000-3.1-cln.swf.gz"), std::string::npos) << text;
    EXPECT_NE(text.find("nowhere"), std::string::npos) << text;
  }
}

TEST(ReservationLogs, ArchiveLogsHaveTheKnownUse) {
  if (!testing::archive_dir()) GTEST_SKIP() << testing::kNoArchive;
  const std::string data = testing::archive_dir()->string();
  const double use[] = {0.66, 0.40, 0.77, 0.65};
  for (std::size_t i = 0; i < archive_logs().size(); ++i) {
    const ReservationLog log = read_archive_log(archive_logs()[i], data);
    EXPECT_NEAR(log.utilisation(), use[i], 0.005) << log.name();
  }
}

}  // namespace
}  // namespace dovetail::gen
