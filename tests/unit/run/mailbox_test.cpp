// Requests to a run.
#include "run/mailbox.hpp"

#include <gtest/gtest.h>
#include <poll.h>

#include "support/file_checks.hpp"
#include "support/whole_file.hpp"

namespace dovetail::run {
namespace {

TEST(Mailbox, RequestsComeInOrderAndOnce) {
  const testing::TemporaryFolder state;
  const RunFolder run = RunFolder::create(state.path().string(), "w");
  post(run, {{"what", "early"}});  // before anybody listens
  Mailbox mailbox(run);
  ASSERT_EQ(mailbox.take().size(), 1U);
  EXPECT_EQ(Mailbox(run).take().size(), 1U);  // still there for whoever comes after us
  mailbox.forget();
  EXPECT_TRUE(mailbox.take().empty());
  pollfd file{mailbox.descriptor(), POLLIN, 0};
  EXPECT_EQ(poll(&file, 1, 0), 0);
  post(run, {{"what", "resources"}, {"processors", 3}});
  EXPECT_EQ(poll(&file, 1, 10'000), 1);
  const auto requests = mailbox.take();
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_EQ(requests[0].value("processors", 0), 3);
}

TEST(Mailbox, WhatIsNoRequestIsThrownAway) {
  const testing::TemporaryFolder state;
  const RunFolder run = RunFolder::create(state.path().string(), "w");
  Mailbox mailbox(run);
  testing::put(run.mail() + "/1.json", "{\"what\": \"canc");
  testing::put(run.mail() + "/notes.txt", "{}");
  EXPECT_TRUE(mailbox.take().empty());
  mailbox.forget();
  EXPECT_FALSE(std::filesystem::exists(run.mail() + "/1.json"));
  EXPECT_TRUE(std::filesystem::exists(run.mail() + "/notes.txt"));
}

}  // namespace
}  // namespace dovetail::run
