#include "io/text.hpp"

#include <gtest/gtest.h>

namespace dovetail::io {
namespace {

TEST(HoursText, IsRoundedUpSoThatABudgetCopiedFromItIsEnough) {
  EXPECT_EQ(hours_text(10.6), "10.6");
  EXPECT_EQ(hours_text(10.61), "10.7");
  EXPECT_EQ(hours_text(847.2 + 1 / 3.6e6), "847.3");
  for (int tenths = 1; tenths < 5000; ++tenths) {
    const double hours = tenths / 10.0;
    EXPECT_EQ(parse_number(hours_text(hours)), hours);
  }
}

TEST(HoursText, OfLittleHasTwoDigits) {
  EXPECT_EQ(hours_text(0), "0.0");
  EXPECT_EQ(hours_text(0.00411), "0.0042");
  EXPECT_EQ(hours_text(0.05), "0.050");
  EXPECT_EQ(hours_text(1 / 3.6e6), "0.00000028");
}

TEST(NearestWord, TakesUpperAndLowerCaseForTheSame) {
  NearestWord nearest("dovetal");
  nearest.offer("DOVETAIL");
  nearest.offer("basic");
  EXPECT_EQ(nearest.suggestion(), "; did you mean \"DOVETAIL\"?");
}

}  // namespace
}  // namespace dovetail::io
