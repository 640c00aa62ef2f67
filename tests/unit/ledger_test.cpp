#include "dovetail/ledger.hpp"

#include "gtest/gtest.h"

namespace dovetail {
namespace {

TEST(Ledger, AddBooksAndRemembers) {
  Ledger ledger(Calendar(10));
  EXPECT_TRUE(ledger.add(7, {0, 60}, 4));
  EXPECT_EQ(ledger.calendar().free_at(30), 6);
  EXPECT_EQ(ledger.find(7), (Booking{{0, 60}, 4}));
  EXPECT_EQ(ledger.find(8), std::nullopt);
  EXPECT_EQ(ledger.size(), 1U);
}

TEST(Ledger, RefusesATakenIdAndWhatDoesNotFit) {
  Ledger ledger(Calendar(10));
  ASSERT_TRUE(ledger.add(7, {0, 60}, 4));
  const Calendar before = ledger.calendar();
  EXPECT_FALSE(ledger.add(7, {100, 160}, 1));
  EXPECT_FALSE(ledger.add(8, {30, 90}, 7));
  EXPECT_FALSE(ledger.add(9, {90, 30}, 1));
  EXPECT_FALSE(ledger.add(9, {30, 90}, -1));
  EXPECT_TRUE(ledger.calendar() == before);
  EXPECT_EQ(ledger.size(), 1U);
}

TEST(Ledger, TruncateGivesBackTheEnd) {
  Ledger ledger(Calendar(10));
  ASSERT_TRUE(ledger.add(7, {0, 60}, 4));
  EXPECT_TRUE(ledger.truncate(7, 20));
  EXPECT_EQ(ledger.calendar().free_at(19), 6);
  EXPECT_EQ(ledger.calendar().free_at(20), 10);
  EXPECT_EQ(ledger.find(7), (Booking{{0, 20}, 4}));
  EXPECT_FALSE(ledger.truncate(7, 21));
  EXPECT_FALSE(ledger.truncate(7, -1));
  EXPECT_FALSE(ledger.truncate(8, 5));
}

TEST(Ledger, TruncateToItsBeginRemoves) {
  Ledger ledger(Calendar(10));
  ASSERT_TRUE(ledger.add(7, {10, 60}, 4));
  EXPECT_TRUE(ledger.truncate(7, 10));
  EXPECT_EQ(ledger.find(7), std::nullopt);
  EXPECT_TRUE(ledger.calendar() == Calendar(10));
}

TEST(Ledger, RemoveGivesEverythingBackOnce) {
  Ledger ledger(Calendar(10));
  ASSERT_TRUE(ledger.add(7, {10, 60}, 4));
  EXPECT_TRUE(ledger.remove(7));
  EXPECT_FALSE(ledger.remove(7));
  EXPECT_TRUE(ledger.calendar() == Calendar(10));
  EXPECT_TRUE(ledger.add(7, {10, 60}, 10));
}

}  // namespace
}  // namespace dovetail
