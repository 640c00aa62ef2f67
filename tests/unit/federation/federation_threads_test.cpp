// A machine that gives no more threads: a daemon does not begin, or refuses; it does not crash.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>

#include "federation/daemon/daemon.hpp"
#include "support/federation.hpp"
#include "support/remembering_backend.hpp"

namespace {

constexpr int kAsManyAsWanted = -1;
std::atomic<int> threads_left = kAsManyAsWanted;

}  // namespace

// Stands in for the C library's.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*work)(void*), void* argument) noexcept {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  if (threads_left == 0) return EAGAIN;
  if (threads_left > 0) --threads_left;
  return create(thread, attributes, work, argument);
}

namespace dovetail::federation {
namespace {

class FederationThreads : public ::testing::Test {
 protected:
  ~FederationThreads() override { threads_left = kAsManyAsWanted; }

  std::unique_ptr<Daemon> daemon(const std::string& agent = {}) {
    DaemonOptions options;
    options.agent = agent;
    options.history = files_.file("history");
    options.description.processors = 2;
    options.description.data = files_.file("data");
    return std::make_unique<Daemon>(
        options, keys_.make(Role::daemon, "azur"),
        run::RunFolder::create(files_.file("state"), "azur"),
        DaemonBackends{.months = std::make_unique<testing::RememberingBackend>(),
                       .workflows = std::make_unique<testing::RememberingBackend>()},
        lines_.log());
  }

  testing::TestKeys keys_;
  testing::TemporaryFolder files_;
  testing::LogLines lines_;
};

TEST_F(FederationThreads, ADaemonThatCannotHaveAllItsThreadsDoesNotBegin) {
  constexpr int kThreads = 3;  // of its server, its registration and its work
  for (int given = 0; given <= kThreads; ++given) {
    threads_left = given;
    std::string trouble;
    try {
      daemon("https://127.0.0.1:9");
    } catch (const std::system_error& error) {
      trouble = error.what();
    }
    threads_left = kAsManyAsWanted;
    EXPECT_EQ(trouble.empty(), given == kThreads) << given << " threads: " << trouble;
  }
}

TEST_F(FederationThreads, AQuestionForWhichThereIsNoThreadIsRefused) {
  const auto running = daemon();
  const Caller alice(keys_.make(Role::client, "alice"));
  const Server there{running->url(), Role::daemon};
  threads_left = 0;
  EXPECT_NE(testing::failure_of([&] {
              alice.get(there, "/v1/capabilities", 20);
            }).find("the server cannot start a thread; try again later"),
            std::string::npos);
  threads_left = kAsManyAsWanted;
  EXPECT_EQ(alice.get(there, "/v1/capabilities", 20)["name"], "azur");
}

}  // namespace
}  // namespace dovetail::federation
