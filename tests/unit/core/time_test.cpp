#include "dovetail/time.hpp"

#include <gtest/gtest.h>

namespace dovetail {
namespace {

TEST(Time, RoundsDownOrUpToMilliseconds) {
  EXPECT_EQ(time_floor(17.2509), 17'250);
  EXPECT_EQ(time_ceil(17.2501), 17'251);
  EXPECT_EQ(time_floor(-0.0005), -1);
  EXPECT_EQ(time_ceil(-0.0005), 0);
}

TEST(Time, RoundingIgnoresBinaryNoise) {
  EXPECT_EQ(time_ceil(0.1 + 0.2), 300);
  EXPECT_EQ(time_floor(1.1 * 3), 3300);
  EXPECT_EQ(time_floor(0.29), 290);  // 1000 * 0.29 is 289.99999999999994
}

TEST(Duration, ReadsEveryWayOfWriting) {
  const std::pair<const char*, double> cases[] = {{"90", 90},
                                                  {"1.5", 1.5},
                                                  {"1e3", 1000},
                                                  {"1m30s", 90},
                                                  {"2h", 7200},
                                                  {"1d 4h", 100800},
                                                  {"1w", 604800},
                                                  {"250ms", 0.25},
                                                  {"12:30", 750},
                                                  {"12:00:00", 43200},
                                                  {"1-12", 129600},
                                                  {"1-12:30", 131400},
                                                  {"1-12:00:00", 129600},
                                                  {" 5 ", 5},
                                                  {"0", 0},
                                                  {"1.5h", 5400}};
  for (const auto& [text, seconds] : cases) {
    const auto parsed = parse_duration(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_DOUBLE_EQ(*parsed, seconds) << text;
  }
}

TEST(Duration, RefusesWhatIsNone) {
  for (const char* text : {"", " ", "-5", "+5", "h", "5x", "5m5m", "5s5m", "1:2:3:4", "1-", "-1-2",
                           "nan", "inf", "1e11", "5 hours", "0x10", "1:-2", "1--2"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
}

TEST(Date, CountsSecondsFrom1970InAnyZone) {
  EXPECT_EQ(parse_date("1970-01-01T00:00:00Z"), 0);
  EXPECT_EQ(parse_date("2026-11-15T08:00:00Z"), 1794729600);
  EXPECT_EQ(parse_date("2026-11-15T09:00:00+01:00"), 1794729600);
  EXPECT_EQ(parse_date("2026-11-15 02:30-0530"), 1794729600);
  EXPECT_EQ(parse_date("2024-02-29T00:00:00.5Z"), 1709164800.5);
}

TEST(Date, RefusesWhatIsNone) {
  for (const char* text : {"2026-11-15", "2026-11-15T08:00:00", "2026-02-30T00:00:00Z",
                           "2026-13-01T00:00:00Z", "2026-11-15T24:00:00Z", "2026-11-15T08:60:00Z",
                           "2026-11-15T08:00:60Z", "26-11-15T08:00:00Z", "today", ""}) {
    EXPECT_FALSE(parse_date(text)) << text;
  }
}

TEST(Format, DurationsAreExactToTheMinute) {
  EXPECT_EQ(format_duration(0), "0s");
  EXPECT_EQ(format_duration(7), "7ms");
  EXPECT_EQ(format_duration(2500), "2.5s");
  EXPECT_EQ(format_duration(45'000), "45s");
  EXPECT_EQ(format_duration(90'000), "1m30s");
  EXPECT_EQ(format_duration(65'000), "1m05s");
  EXPECT_EQ(format_duration(5 * 3'600'000 + 12 * 60'000), "5h12m");
  EXPECT_EQ(format_duration(9 * kDay + 3 * kHour), "9d 3h");
  EXPECT_EQ(format_duration(2 * kDay + 19 * kHour + 24 * kMinute), "2d 19h24m");
  EXPECT_EQ(format_duration(2 * kDay + 4 * kMinute), "2d 0h04m");
  EXPECT_EQ(format_duration(-90'000), "-1m30s");
}

TEST(Format, RoundingCarriesIntoTheLargerUnit) {
  EXPECT_EQ(format_duration(59'700), "1m");
  EXPECT_EQ(format_duration(3'599'700), "1h");
  EXPECT_EQ(format_duration(86'399'000), "1d");
  EXPECT_EQ(format_duration(2 * kDay - kSecond), "2d");
}

TEST(Format, DurationsCanBeTypedBack) {
  for (const Duration length : {45 * kSecond, 5 * kHour + 2 * kMinute, kDay + 7 * kMinute,
                                2 * kDay + 19 * kHour + 24 * kMinute}) {
    EXPECT_EQ(parse_duration(format_duration(length)), to_seconds(length));
  }
}

TEST(Format, SecondsHaveNoMoreDecimalsThanNeeded) {
  EXPECT_EQ(format_seconds(8'123'500), "8123.5");
  EXPECT_EQ(format_seconds(60'000), "60");
  EXPECT_EQ(format_seconds(1), "0.001");
  EXPECT_EQ(format_seconds(-1), "-0.001");
  EXPECT_EQ(format_seconds(-1'250), "-1.25");
}

TEST(Format, DatesAreInGreenwichTime) {
  EXPECT_EQ(format_date(1'794'729'600'000), "2026-11-15 08:00:00Z");
  EXPECT_EQ(format_date(-1000), "1969-12-31 23:59:59Z");
}

TEST(Format, MomentsOfAClockAreExact) {
  EXPECT_EQ(format_clock(1'794'729'600'000, true), "2026-11-15 08:00:00Z");
  EXPECT_EQ(format_clock(1'794'729'600'050, true), "2026-11-15 08:00:00.05Z");
  EXPECT_EQ(format_clock(-1, true), "1969-12-31 23:59:59.999Z");
  EXPECT_EQ(format_clock(8'123'500, false), "8123.5");
}

TEST(ExactDuration, ParsesBackToAtLeastItself) {
  EXPECT_EQ(exact_duration(0), "0s");
  EXPECT_EQ(exact_duration(35'531'000), "9h52m11s");
  EXPECT_EQ(exact_duration(86'400'000), "1d");
  for (Duration length = 1; length < time_floor(kMaxSeconds); length = length * 3 + 1) {
    const Duration read = time_floor(parse_duration(exact_duration(length)).value());
    EXPECT_GE(read, length);
    if (length < 100'000'000'000) {
      EXPECT_EQ(read, length);
    }
  }
}

}  // namespace
}  // namespace dovetail
