// Limits and dates as Slurm writes them.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <time.h>

#include <optional>
#include <string>

#include "batch/slurm/slurm_text.hpp"

namespace dovetail::batch::slurm {
namespace {

// Another time zone until the end of the block.
class InZone {
 public:
  explicit InZone(const char* zone) {
    if (const char* before = getenv("TZ")) before_ = before;
    setenv("TZ", zone, 1);
    tzset();
  }
  ~InZone() {
    before_ ? setenv("TZ", before_->c_str(), 1) : unsetenv("TZ");
    tzset();
  }
  InZone(const InZone&) = delete;
  InZone& operator=(const InZone&) = delete;

 private:
  std::optional<std::string> before_;
};

constexpr const char* kBerlin = "CET-1CEST,M3.5.0,M10.5.0/3";

TEST(SlurmLimit, IsReadInAllItsForms) {
  EXPECT_EQ(parse_limit("90"), 90 * kMinute);
  EXPECT_EQ(parse_limit("10:00"), 10 * kMinute);
  EXPECT_EQ(parse_limit("0:30"), 30 * kSecond);
  EXPECT_EQ(parse_limit("1:30:00"), 90 * kMinute);
  EXPECT_EQ(parse_limit("1-12"), 36 * kHour);
  EXPECT_EQ(parse_limit("1-12:30"), 36 * kHour + 30 * kMinute);
  EXPECT_EQ(parse_limit("1-12:00:01"), 36 * kHour + kSecond);
  EXPECT_EQ(parse_limit("365-00:00:00"), 365 * kDay);
  EXPECT_EQ(parse_limit("UNLIMITED"), kForever);
  EXPECT_EQ(parse_limit("INFINITE"), kForever);
  for (const char* text : {"", "NOT_SET", "N/A", "-1", "1-", "1:2:3:4", "1-1:2:3:4", "1.5", "a",
                           "1-2-3", "99999999999999999999"}) {
    EXPECT_EQ(parse_limit(text), std::nullopt) << text;
  }
}

TEST(SlurmLimit, IsWrittenInWholeMinutesUp) {
  EXPECT_EQ(format_limit(36 * kHour), "1-12:00:00");
  EXPECT_EQ(format_limit(90 * kMinute), "01:30:00");
  EXPECT_EQ(format_limit(90 * kMinute + 1), "01:31:00");
  EXPECT_EQ(format_limit(0), "00:01:00");
  EXPECT_EQ(format_limit(kForever), "UNLIMITED");
  for (const Duration minutes : {1, 59, 60, 61, 1439, 1440, 1441, 100'000}) {
    EXPECT_EQ(parse_limit(format_limit(minutes * kMinute)), minutes * kMinute);
  }
}

TEST(SlurmMoment, IsLocalOrSeconds) {
  EXPECT_EQ(parse_moment("1794850682"), 1'794'850'682'000);
  for (const char* text :
       {"", "N/A", "NONE", "Unknown", "(null)", "2026-11-15", "2026-13-15T00:00:00",
        "2026-11-15T19:04", "now", "-5", "99999999999999999999"}) {
    EXPECT_EQ(parse_moment(text), std::nullopt) << text;
  }
  const InZone berlin(kBerlin);
  EXPECT_EQ(parse_moment("2026-11-15T19:04:59"), 1'794'765'899'000);  // 18:04:59 of UTC
  EXPECT_EQ(parse_moment("2026-07-15T19:04:59"), 1'784'135'099'000);  // 17:04:59 of UTC
}

TEST(SlurmMoment, IsWrittenInLocalTimeAsItIsRead) {
  const InZone berlin(kBerlin);
  EXPECT_EQ(format_moment(1'794'765'899'000), "2026-11-15T19:04:59");
  EXPECT_EQ(format_moment(1'784'135'099'999), "2026-07-15T19:04:59");
  // On both sides of the hour that summer skips and of the one that winter repeats.
  for (const WallTime moment : {0L, 951'782'400'000L, 1'774'745'999'000L, 1'774'746'000'000L,
                                1'792'886'399'000L, 1'792'893'600'000L, 4'102'444'799'000L}) {
    EXPECT_EQ(parse_moment(format_moment(moment)), moment) << format_moment(moment);
  }
}

}  // namespace
}  // namespace dovetail::batch::slurm
