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

// U+009B begins an escape sequence as ESC [ does; U+202E turns the rest of the line around.
TEST(Text, QuotesAreSafeToPrint) {
  EXPECT_EQ(quote("a\x1b[31mb\u009b2Jc"), R"("a\u001b[31mb\u009b2Jc")");
  EXPECT_EQ(quote("x\u202ey\u2066z\u200f\u061c"), R"("x\u202ey\u2066z\u200f\u061c")");
  EXPECT_EQ(quote("caf\u00e9 \U0001F600"), "\"caf\u00e9 \U0001F600\"");
  EXPECT_EQ(quote("a\xff"), "\"a\uFFFD\"");
}

TEST(Text, PlainLinesKeepLinesAndTabsAlone) {
  EXPECT_EQ(plain_lines("a\tb\nc\x1b[2J\r\u009bd\u202ee\xff"),
            "a\tb\nc\uFFFD[2J\uFFFD\uFFFDd\uFFFDe\uFFFD");
  EXPECT_EQ(plain_text("a\tb\nc"), "a\uFFFDb\uFFFDc");
  EXPECT_EQ(plain_lines("caf\u00e9"), "caf\u00e9");
}

TEST(Text, JsonStringsStayExact) {
  EXPECT_EQ(json_string("x\u202ey\u009b"), "\"x\u202ey\u009b\"");
}

}  // namespace
}  // namespace dovetail::io
