#include <gtest/gtest.h>

#include <map>
#include <set>

#include "gen/lublin.hpp"
#include "gen/workload.hpp"

namespace dovetail::gen {
namespace {

std::vector<Count> model_sizes(std::uint32_t jobs) {
  Random random(8);
  std::vector<Count> procs;
  for (const LublinJob& job : lublin_log({.jobs = jobs}, random)) procs.push_back(job.procs);
  return procs;
}

TEST(Users, SizeClassesDouble) {
  EXPECT_EQ(size_class(1), 0U);
  EXPECT_EQ(size_class(2), 1U);
  EXPECT_EQ(size_class(3), 2U);
  EXPECT_EQ(size_class(4), 2U);
  EXPECT_EQ(size_class(5), 3U);
  EXPECT_EQ(size_class(128), 7U);
}

TEST(Users, FollowZipfsLaw) {
  constexpr std::uint32_t kUsers = 60;
  const std::vector<Count> procs = model_sizes(30'000);
  Random random(3);
  std::vector<double> jobs(kUsers + 1);
  for (const std::uint32_t user : draw_users(procs, kUsers, random)) {
    ASSERT_GE(user, 1U);
    ASSERT_LE(user, kUsers);
    ++jobs[user];
  }
  double harmonic = 0;
  for (std::uint32_t user = 1; user <= kUsers; ++user) harmonic += 1.0 / user;
  for (const std::uint32_t user : {1U, 2U, 3U, 5U, 10U, 30U, 60U}) {
    const double expected = 30'000 / harmonic / user;
    EXPECT_NEAR(jobs[user] / expected, 1, 0.25) << "user " << user;
  }
}

TEST(Users, KeepToOneSizeClass) {
  const std::vector<Count> procs = model_sizes(5000);
  Random random(4);
  const std::vector<std::uint32_t> users = draw_users(procs, 60, random);
  std::map<std::uint32_t, std::set<std::size_t>> classes;
  for (std::size_t i = 0; i < users.size(); ++i) classes[users[i]].insert(size_class(procs[i]));
  for (const auto& [user, of_user] : classes) EXPECT_EQ(of_user.size(), 1U) << "user " << user;
}

TEST(Users, FewUsersShareTheClasses) {
  const std::vector<Count> procs = {1, 1, 1, 64, 2, 64, 1, 1};
  Random random(1);
  EXPECT_EQ(draw_users(procs, 1, random), std::vector<std::uint32_t>(8, 1));
  // Two users: one for the serial jobs and what is next to them, one for the large ones.
  EXPECT_EQ(draw_users(procs, 2, random), (std::vector<std::uint32_t>{1, 1, 1, 2, 1, 2, 1, 1}));
  EXPECT_TRUE(draw_users({}, 2, random).empty());
}

}  // namespace
}  // namespace dovetail::gen
