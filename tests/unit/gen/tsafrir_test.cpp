#include "gen/tsafrir.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "gen/lublin.hpp"
#include "support/file_checks.hpp"
#include "support/fingerprint.hpp"

namespace dovetail::gen {
namespace {

constexpr Duration kMinute = 60'000;
constexpr Duration kHour = 60 * kMinute;

std::vector<Duration> model_runs(LublinTypes types, std::uint32_t jobs, Duration longest,
                                 std::uint64_t seed) {
  Random random(seed);
  std::vector<Duration> runs;
  for (const LublinJob& job : lublin_log({.types = types, .jobs = jobs}, random)) {
    runs.push_back(std::min(job.run, longest));
  }
  return runs;
}

std::vector<RequestBin> distribution(std::size_t jobs, Duration longest, std::uint64_t seed,
                                     const TsafrirOptions& options = {}) {
  Random random(seed);
  return tsafrir_distribution(jobs, longest, options, random);
}

std::size_t sum_of_jobs(const std::vector<RequestBin>& bins) {
  std::size_t sum = 0;
  for (const RequestBin& bin : bins) sum += bin.jobs;
  return sum;
}

std::size_t jobs_asking_for(const std::vector<RequestBin>& bins, Duration request) {
  for (const RequestBin& bin : bins) {
    if (bin.request == request) return bin.jobs;
  }
  return 0;
}

TEST(Tsafrir, DistinctValuesFollowThePublishedCurve) {
  EXPECT_EQ(distinct_requests(1), 1U);
  EXPECT_EQ(distinct_requests(10), 5U);
  EXPECT_EQ(distinct_requests(20), 10U);
  EXPECT_EQ(distinct_requests(110), 15U);
  EXPECT_EQ(distinct_requests(200), 20U);
  EXPECT_EQ(distinct_requests(1000), 35U);
  EXPECT_EQ(distinct_requests(10'000), 90U);
  EXPECT_EQ(distinct_requests(40'000), 215U);
  EXPECT_EQ(distinct_requests(70'000), 340U);
  EXPECT_EQ(distinct_requests(250'000), 565U);
  EXPECT_EQ(distinct_requests(5'000'000), 565U);
}

std::vector<Duration> in_minutes(std::initializer_list<Duration> minutes) {
  std::vector<Duration> values(minutes);
  for (Duration& value : values) value *= kMinute;
  return values;
}

TEST(Tsafrir, PopularValuesAreTheRoundOnesThenMultiples) {
  EXPECT_EQ(popular_requests(18 * kHour),
            in_minutes({5,   10,  15,  20,  30,  60,  120, 180, 240,  300,
                        360, 480, 600, 720, 780, 840, 900, 960, 1020, 1080}));
  EXPECT_EQ(popular_requests(36 * kHour),
            in_minutes({5,   10,  15,  20,  30,   60,   120,  180,  240,  300,
                        360, 480, 600, 720, 1080, 1200, 1500, 1800, 2100, 2160}));
  const std::vector<Duration> long_queue = popular_requests(450 * kHour);
  EXPECT_TRUE(std::binary_search(long_queue.begin(), long_queue.end(), 400 * kHour));
  EXPECT_TRUE(std::binary_search(long_queue.begin(), long_queue.end(), 200 * kHour));
  EXPECT_TRUE(std::binary_search(long_queue.begin(), long_queue.end(), 300 * kHour));
  EXPECT_FALSE(std::binary_search(long_queue.begin(), long_queue.end(), 440 * kHour));
}

TEST(Tsafrir, PopularValuesAreTwentyForEveryLimit) {
  for (const Duration longest : {kHour, 61 * kMinute, 100 * kMinute, 2 * kHour, 9600 * kHour}) {
    const std::vector<Duration> values = popular_requests(longest);
    EXPECT_EQ(values.size(), 20U) << longest;
    EXPECT_EQ(values.back(), longest);
    EXPECT_GT(values.front(), 0);
  }
}

TEST(Tsafrir, HeadHasThePublishedShares) {
  constexpr std::size_t kJobs = 1'000'000;
  std::vector<RequestBin> bins = distribution(kJobs, 18 * kHour, 1);
  EXPECT_NEAR(static_cast<double>(jobs_asking_for(bins, 18 * kHour)), 0.2173 * kJobs, 600);
  std::vector<double> head;
  for (const Duration value : popular_requests(18 * kHour)) {
    head.push_back(100.0 * static_cast<double>(jobs_asking_for(bins, value)) / kJobs);
  }
  EXPECT_NEAR(std::accumulate(head.begin(), head.end(), 0.0), 89, 0.05);
  std::sort(head.begin(), head.end(), std::greater<>());
  EXPECT_NEAR(head[1], 10.31, 0.01);
  EXPECT_NEAR(head[2], 8.71, 0.01);
  EXPECT_NEAR(head[3], 7.37, 0.01);
  EXPECT_NEAR(head[19], 0.87, 0.01);
}

// Which of the values is how popular is left to chance, but the positions of four logs guide it:
// the first value has rank 3, 4 or 6 there, and in the row before it rank 3 again.
TEST(Tsafrir, RanksVaryWithinThePositionsOfTheLogs) {
  std::set<std::size_t> ranks_of_five_minutes;
  std::size_t rank_of_last = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const std::vector<RequestBin> bins = distribution(1'000'000, 18 * kHour, seed);
    std::vector<std::size_t> head;
    for (const Duration value : popular_requests(18 * kHour)) {
      head.push_back(jobs_asking_for(bins, value));
    }
    const auto rank = [&](std::size_t position) {
      return 1 + static_cast<std::size_t>(std::count_if(
                     head.begin(), head.end(), [&](std::size_t n) { return n > head[position]; }));
    };
    std::set<std::size_t> all;
    for (std::size_t position = 0; position < head.size(); ++position) all.insert(rank(position));
    ASSERT_EQ(all.size(), 20U) << "seed " << seed << ": a rank is given twice";
    ASSERT_EQ(rank(19), 1U) << "seed " << seed;
    ranks_of_five_minutes.insert(rank(0));
    rank_of_last += rank(18);
  }
  EXPECT_EQ(ranks_of_five_minutes, (std::set<std::size_t>{3, 4, 6}));
  EXPECT_GT(rank_of_last, 40 * 10U) << "late positions have the unpopular ranks";
}

TEST(Tsafrir, TailValuesAreWholeMinutesOrNearAndShareTheRest) {
  const std::vector<RequestBin> bins = distribution(70'000, 18 * kHour, 3);
  const std::vector<Duration> popular = popular_requests(18 * kHour);
  std::size_t jobs = 0;
  std::size_t short_ones = 0;
  std::size_t values = 0;
  for (const RequestBin& bin : bins) {
    if (std::binary_search(popular.begin(), popular.end(), bin.request)) continue;
    ++values;
    jobs += bin.jobs;
    short_ones += bin.request < 9 * kHour;
    EXPECT_GE(bin.jobs, 1U);
    EXPECT_EQ(bin.request % 10'000, 0) << "seconds come in tens";
    EXPECT_LT(bin.request, 18 * kHour);
  }
  EXPECT_NEAR(static_cast<double>(jobs), 0.11 * 70'000, 200);
  EXPECT_GT(short_ones, 2 * values / 3) << "tail values are denser where they are short";
  EXPECT_EQ(values, 320U);
}

TEST(Tsafrir, ValuesThatFindNoPlaceAreGivenUp) {
  // An hour has 60 whole minutes and three places near each: not enough for 565 values.
  const std::vector<RequestBin> bins = distribution(300'000, kHour, 1);
  EXPECT_LT(bins.size(), 565U);
  EXPECT_GT(bins.size(), 60U);
  EXPECT_EQ(sum_of_jobs(bins), 300'000U);
  EXPECT_GT(bins.front().request, 0);
  EXPECT_EQ(bins.back().request, kHour);
}

TEST(Tsafrir, CountsAddUpForEveryNumberOfJobs) {
  for (std::size_t jobs = 1; jobs <= 3000; jobs += jobs < 250 ? 1 : 97) {
    const std::vector<RequestBin> bins = distribution(jobs, 18 * kHour, jobs);
    ASSERT_EQ(sum_of_jobs(bins), jobs);
    ASSERT_EQ(bins.size(), distinct_requests(jobs));
    ASSERT_TRUE(std::all_of(bins.begin(), bins.end(), [](const RequestBin& b) { return b.jobs; }));
    for (std::size_t i = 1; i < bins.size(); ++i) ASSERT_LT(bins[i - 1].request, bins[i].request);
  }
  EXPECT_TRUE(distribution(0, 18 * kHour, 1).empty());
}

TEST(Tsafrir, ShareOfTheLongestRequestMayBeGiven) {
  constexpr std::size_t kJobs = 10'000;
  for (const double percent : {5.0, 60.0}) {
    const auto bins = distribution(kJobs, 18 * kHour, 4, {.longest_percent = percent});
    const auto longest = static_cast<double>(jobs_asking_for(bins, 18 * kHour));
    EXPECT_NEAR(longest, percent * kJobs / 100, 30);
    EXPECT_EQ(sum_of_jobs(bins), kJobs);
    EXPECT_EQ(bins.size(), 90U);
  }
}

TEST(Tsafrir, AssignmentKeepsTheRequestsAndNeverFallsShort) {
  Random random(11);
  for (int round = 0; round < 200; ++round) {
    std::vector<Duration> runs;
    std::vector<Duration> requests;
    for (std::uint64_t i = 0; i < 1 + random.below(60); ++i) {
      runs.push_back(static_cast<Duration>(random.below(100)));
      requests.push_back(runs.back() + static_cast<Duration>(random.below(50)));
    }
    std::vector<Duration> given = assign_requests(runs, requests, random);
    ASSERT_EQ(given.size(), runs.size());
    for (std::size_t i = 0; i < runs.size(); ++i) ASSERT_GE(given[i], runs[i]) << round;
    std::sort(given.begin(), given.end());
    std::sort(requests.begin(), requests.end());
    ASSERT_EQ(given, requests) << "round " << round;
  }
}

TEST(Tsafrir, AssignmentReachesEveryPossibility) {
  // Runs 3, 2, 1 and requests 3, 3, 2: the run of 3 needs a 3, all else is free.
  std::set<std::vector<Duration>> seen;
  Random random(5);
  for (int i = 0; i < 200; ++i) {
    seen.insert(assign_requests(std::vector<Duration>{3, 2, 1}, {2, 3, 3}, random));
  }
  EXPECT_EQ(seen, (std::set<std::vector<Duration>>{{3, 2, 3}, {3, 3, 2}}));
}

TEST(Tsafrir, AssignmentSaysWhyThereIsNone) {
  Random random(1);
  const std::vector<Duration> runs = {kHour, 5000, kHour, kHour};
  EXPECT_EQ(testing::error_of([&] {
              assign_requests(runs, {kHour, kHour, 30 * kMinute, 5 * kMinute}, random);
            }),
            "requests: 3 jobs run for 1h or longer, but only 2 requests are that long; raise the "
            "longest request or the share of jobs that ask for it");
}

// The reference made 10,000 jobs of the model "single", once: the mean padding over a few seeds is
// near it.
TEST(Tsafrir, TenThousandModelJobsLookLikeTheReference) {
  struct Expected {
    Duration longest;
    double padding_hours;
  };
  for (const auto& [longest, expected] :
       {Expected{18 * kHour, 5.8}, {36 * kHour, 11.2}, {46 * kHour, 14.1}}) {
    double padding = 0;
    constexpr int kSeeds = 10;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      const auto runs = model_runs(LublinTypes::single, 10'000, longest, seed);
      Random random(100 + seed);
      const auto requests = tsafrir_requests(runs, longest, {}, random);
      ASSERT_EQ(std::set<Duration>(requests.begin(), requests.end()).size(), 90U);
      ASSERT_NEAR(static_cast<double>(std::count(requests.begin(), requests.end(), longest)), 2173,
                  10);
      for (std::size_t i = 0; i < runs.size(); ++i) {
        ASSERT_GE(requests[i], runs[i]);
        padding += to_seconds(requests[i] - runs[i]) / 3600 / 10'000 / kSeeds;
      }
    }
    EXPECT_NEAR(padding / expected, 1, 0.07) << "longest request " << longest;
  }
}

TEST(Tsafrir, RunsLongerThanTheLimitCountAsTheLimit) {
  Random random(1);
  const std::vector<Duration> runs = {50 * kHour, 60'000};
  EXPECT_EQ(tsafrir_requests(runs, 18 * kHour, {}, random)[0], 18 * kHour);
}

TEST(Tsafrir, TooShortALimitIsAnError) {
  Random random(1);
  const auto error = [&](Duration longest, const TsafrirOptions& options = {}) {
    return testing::error_of([&] { tsafrir_distribution(10, longest, options, random); });
  };
  EXPECT_EQ(error(30 * kMinute), "the longest request is 30m; it must be between 1h and 400d");
  EXPECT_EQ(error(kHour, {.longest_percent = 100}),
            "the percentage of the longest request is 100; it must be between 0.1 and 99.9");
  // Four tenths of the batch jobs run for an hour or longer; a fifth of the requests do.
  const auto runs = model_runs(LublinTypes::batch, 10'000, kHour, 1);
  const std::string message = testing::error_of([&] { tsafrir_requests(runs, kHour, {}, random); });
  EXPECT_NE(message.find("jobs run for 1h or longer, but only 21"), std::string::npos) << message;
  EXPECT_NO_THROW(tsafrir_requests(runs, kHour, {.longest_percent = 60}, random));
}

TEST(Tsafrir, IsTheSameForTheSameSeed) {
  const auto runs = model_runs(LublinTypes::single, 2000, 18 * kHour, 9);
  Random random(9);
  testing::Fingerprint print;
  for (const Duration request : tsafrir_requests(runs, 18 * kHour, {}, random)) print.add(request);
  EXPECT_EQ(print.value(), 7950967183061682449ULL);
}

TEST(FactorRequests, LieBetweenTheRunAndItsMultiple) {
  const auto runs = model_runs(LublinTypes::both, 5000, 18 * kHour, 2);
  Random random(2);
  const auto requests = factor_requests(runs, 18 * kHour, {.factor = 2}, random);
  double ratio = 0;
  std::size_t counted = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    ASSERT_GE(requests[i], runs[i]);
    ASSERT_LE(requests[i], std::min(3 * runs[i] + 1000, 18 * kHour));
    ASSERT_EQ(requests[i] % 1000, 0);
    if (runs[i] < 100'000 || runs[i] > 6 * kHour) continue;
    ratio += static_cast<double>(requests[i]) / static_cast<double>(runs[i]);
    ++counted;
  }
  EXPECT_NEAR(ratio / static_cast<double>(counted), 2, 0.05);
}

TEST(FactorRequests, RoundUpToPopularValues) {
  Random random(2);
  const std::vector<Duration> runs = {1000, 5 * kMinute, 5 * kMinute + 1000, 7 * kHour, 17 * kHour};
  EXPECT_EQ(factor_requests(runs, 18 * kHour, {.factor = 0, .round_up = true}, random),
            (std::vector<Duration>{5 * kMinute, 5 * kMinute, 10 * kMinute, 8 * kHour, 17 * kHour}));
  EXPECT_EQ(factor_requests(std::vector<Duration>{30 * kHour}, 18 * kHour,
                            {.factor = 5, .round_up = true}, random)[0],
            18 * kHour);
}

TEST(FactorRequests, ZeroIsExact) {
  Random random(1);
  const std::vector<Duration> runs = {1000, 3'661'000};
  EXPECT_EQ(factor_requests(runs, 18 * kHour, {.factor = 0}, random), runs);
  EXPECT_EQ(testing::error_of([&] { factor_requests(runs, 18 * kHour, {.factor = -1}, random); }),
            "the factor is -1; it must be between 0 and 1000000");
}

}  // namespace
}  // namespace dovetail::gen
