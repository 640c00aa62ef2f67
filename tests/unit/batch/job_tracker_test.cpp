// What is known of jobs that were submitted, or may have been.
#include "batch/job_tracker.hpp"

#include <gtest/gtest.h>

#include "batch/user_limits.hpp"

namespace dovetail::batch {
namespace {

using What = JobNews::What;

class Tracker : public ::testing::Test {
 protected:
  static ExpectedJob expected(std::uint32_t number, bool is_certain, WallTime tried) {
    return {number, "job-" + std::to_string(number), is_certain, tried};
  }
  static ClusterJob seen(std::uint32_t number, JobState state) {
    return {.id = "7", .name = "job-" + std::to_string(number), .user = own_user(), .state = state};
  }

  // What is news about job 1, if anything is.
  std::optional<What> look(const ExpectedJob& job, const std::vector<ClusterJob>& answer) {
    const auto news = tracker_.compare({job}, answer);
    return news.empty() ? std::nullopt : std::optional(news.front().what);
  }

  WallTime now_ = 1'000'000;
  JobTracker tracker_ =
      JobTracker({.wall = [this] { return now_; }, .steady = [this] { return now_; }});
};

TEST_F(Tracker, JobsAreFoundByTheirNames) {
  const auto news =
      tracker_.compare({expected(1, true, now_), expected(2, true, now_), expected(3, false, now_)},
                       {seen(9, JobState::running), seen(3, JobState::pending),
                        seen(1, JobState::timeout), seen(2, JobState::running)});
  ASSERT_EQ(news.size(), 3U);
  EXPECT_EQ(news[0].what, What::over);
  EXPECT_EQ(news[0].job.state, JobState::timeout);
  EXPECT_EQ(news[1].what, What::runs);
  EXPECT_EQ(news[2].what, What::waits);
  EXPECT_FALSE(tracker_.misses_some());
}

TEST_F(Tracker, AJobOfAnotherUserWithOurNameIsNotOurs) {
  ClusterJob other = seen(1, JobState::running);
  other.user = "not-" + own_user();
  EXPECT_EQ(look(expected(1, true, now_), {other}), std::nullopt);
  EXPECT_TRUE(tracker_.misses_some());
  EXPECT_EQ(look(expected(1, true, now_), {seen(1, JobState::pending), other}), What::waits);
  EXPECT_EQ(look(expected(1, true, now_), {other, seen(1, JobState::pending)}), What::waits);
}

TEST_F(Tracker, AStateOfANewerVersionIsNoEnd) {
  EXPECT_EQ(look(expected(1, true, now_), {seen(1, JobState::unknown)}), What::waits);
}

TEST_F(Tracker, AJobIsGoneWhenSeveralAnswersFarApartDoNotHaveIt) {
  const ExpectedJob job = expected(1, true, now_);
  EXPECT_EQ(look(job, {}), std::nullopt);
  EXPECT_TRUE(tracker_.misses_some());
  now_ += kArrivalTime;
  EXPECT_EQ(look(job, {}), std::nullopt) << "two answers";
  EXPECT_EQ(look(job, {}), What::gone);
}

TEST_F(Tracker, ManyAnswersInAMomentDoNotMakeAJobGone) {
  const ExpectedJob job = expected(1, false, now_);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(look(job, {}), std::nullopt);
  now_ += kArrivalTime;
  EXPECT_EQ(look(job, {}), What::gone);
}

TEST_F(Tracker, AJobThatComesBackIsMissedFromTheBeginningAgain) {
  const ExpectedJob job = expected(1, true, now_);
  look(job, {});
  look(job, {});
  now_ += kArrivalTime;
  EXPECT_EQ(look(job, {seen(1, JobState::pending)}), What::waits);
  EXPECT_FALSE(tracker_.misses_some());
  EXPECT_EQ(look(job, {}), std::nullopt);
}

TEST_F(Tracker, ASubmissionOfAnEarlierProcessLongAgoIsNotOnItsWayAnyMore) {
  EXPECT_EQ(look(expected(1, false, 0), {}), What::gone);
  EXPECT_EQ(look(expected(2, true, 0), {}), std::nullopt) << "it was there once";
  EXPECT_EQ(look(expected(3, false, now_ - kArrivalTime + 1), {}), std::nullopt);
}

TEST(JobToken, HasLettersOfTheLabelAndIsNeverTheSame) {
  const std::string token = job_token("my flow/with a very long name indeed");
  EXPECT_EQ(token.find("my_flow_with_a_very_long-"), 0U) << token;
  EXPECT_EQ(token.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-"), std::string::npos);
  EXPECT_NE(token, job_token("my flow/with a very long name indeed"));
}

}  // namespace
}  // namespace dovetail::batch
