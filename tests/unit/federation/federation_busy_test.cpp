// A daemon whose worker is busy for long: those that only ask are answered.
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>

#include "federation/daemon/daemon.hpp"
#include "support/federation.hpp"
#include "support/remembering_backend.hpp"

namespace dovetail::federation {
namespace {

// Starts nothing until it is released: a disk or a batch system that takes its time.
class SlowBackend final : public testing::RememberingBackend {
 public:
  void start(const run::StepCommand& command) override {
    std::unique_lock lock(mutex_);
    is_starting_ = true;
    changed_.notify_all();
    changed_.wait(lock, [&] { return is_released_; });
    RememberingBackend::start(command);
  }

  void wait_for_a_start() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_starting_; });
  }

  void release() {
    const std::lock_guard lock(mutex_);
    is_released_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_starting_ = false;
  bool is_released_ = false;
};

TEST(FederationBusyDaemon, AnswersThoseThatOnlyAsk) {
  const testing::TestKeys keys;
  const testing::TemporaryFolder files;
  testing::LogLines lines;
  DaemonOptions options;
  options.history = files.file("history");
  options.description.processors = 2;
  options.description.data = files.file("data");
  options.description.services = {
      {.name = "sum", .main = {"sum"}, .times = {.main = {{1, 1000}}, .post = 0}}};
  auto months = std::make_unique<SlowBackend>();
  SlowBackend& backend = *months;
  Daemon daemon(
      options, keys.make(Role::daemon, "azur"), run::RunFolder::create(files.file("state"), "azur"),
      {.months = std::move(months), .workflows = std::make_unique<testing::RememberingBackend>()},
      lines.log());
  const struct Releasing {
    SlowBackend& backend;
    ~Releasing() { backend.release(); }  // also when an expectation fails: the daemon must end
  } releasing{backend};
  const Server server{daemon.url(), Role::daemon};
  const Caller alice(keys.make(Role::client, "alice"));
  const auto call = [&](const char* path, const Json& body) {
    return alice.post(server, path, body, 20);
  };
  const Json scenario = {{"scenario", 1}, {"first_month", 1}};
  call("/v1/submit", {{"request_id", "r1"},
                      {"experiment", "e"},
                      {"service", "sum"},
                      {"months", 2},
                      {"scenarios", Json::array({scenario})}});
  backend.wait_for_a_start();
  const Json progress =
      call("/v1/watch", {{"request_id", "r1"}, {"cursor", 0}, {"wait_seconds", 0}});
  EXPECT_EQ(progress["over"], false);
  EXPECT_EQ(progress["scenarios"][0]["state"], "active");
  const Json estimate = call("/v1/estimate", {{"service", "sum"}, {"scenarios", 1}, {"months", 2}});
  EXPECT_EQ(estimate["busy_scenarios"], 1);
  EXPECT_EQ(alice.get(server, "/v1/capabilities", 20)["name"], "azur");
}

}  // namespace
}  // namespace dovetail::federation
