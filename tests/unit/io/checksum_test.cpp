#include "io/checksum.hpp"

#include <gtest/gtest.h>

namespace dovetail::io {
namespace {

TEST(Checksum, IsTheOneOfGzip) {
  EXPECT_EQ(crc32_of(""), 0U);
  EXPECT_EQ(crc32_text("123456789"), "cbf43926") << "the check value of the standard";
  EXPECT_EQ(crc32_text("{\"n\":0}"), "cd500a3f");
}

}  // namespace
}  // namespace dovetail::io
