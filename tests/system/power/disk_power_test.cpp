// The disk whose power is cut, judged by itself: what was synced is there after every cut, and what
// was not is missing after some. Without the second, the other tests would prove nothing.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "run/local/descriptor.hpp"
#include "support/file_checks.hpp"
#include "support/power/power_test.hpp"
#include "support/whole_file.hpp"

namespace dovetail::testing {
namespace {

class PowerDisk : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (const std::string why = lab_.why_not(); !why.empty()) GTEST_SKIP() << why;
  }

  std::string path(int number) const { return lab_.disk() + "/" + std::to_string(number); }
  static std::string content(int number) {
    return std::string(static_cast<std::size_t>(100 + 3000 * number),
                       static_cast<char>('a' + number));
  }

  // Syncs the files of even numbers; answers when each was written.
  std::vector<std::int64_t> write_files(int count) const {
    std::vector<std::int64_t> times;
    for (int i = 0; i < count; ++i) {
      put(path(i), content(i));
      if (i % 2 == 0) {
        const run::Descriptor file(open(path(i).c_str(), O_RDONLY));
        EXPECT_EQ(fsync(file.get()), 0);
      }
      times.push_back(nanoseconds_now());
    }
    return times;
  }

  TemporaryFolder own_;
  PowerLab lab_{own_.file("lab"), GetParam()};
};

TEST_P(PowerDisk, KeepsWhatWasSyncedAndLosesOther) {
  lab_.begin(1, false);
  const auto times = write_files(20);
  lab_.end();
  int lost = 0;
  lab_.cut(wanted_cuts(), [&](const PowerCut& cut) {
    for (int i = 0; i < 20; ++i) {
      if (times[static_cast<std::size_t>(i)] > cut.time) continue;
      const bool is_there = text_of(path(i)) == content(i);
      const bool was_synced = i % 2 == 0;
      EXPECT_TRUE(is_there || !was_synced) << "file " << i << " after seed " << cut.seed;
      lost += is_there ? 0 : 1;
    }
  });
  EXPECT_GT(lost, 0);
  EXPECT_GT(lab_.flushes(), 10U);
}

INSTANTIATE_TEST_SUITE_P(FileSystems, PowerDisk, kFileSystems, name_of_file_system);

}  // namespace
}  // namespace dovetail::testing
