// Whoever starts tasks dies, at any moment: every attempt that began ends, once, and is known.
#include <fcntl.h>
#include <sys/file.h>

#include <filesystem>
#include <map>
#include <set>

#include "dovetail/error.hpp"
#include "run/local/descriptor.hpp"
#include "support/random_problem.hpp"
#include "support/task_runner.hpp"

namespace dovetail::run {
namespace {

using testing::children_of;
using testing::comes_true;
using testing::Dice;
using testing::is_running;
using testing::text_of;

class LauncherCrashTest : public testing::TaskRunner {
 protected:
  static constexpr std::uint32_t kTasks = 20;

  // Starts a process that starts tasks, each of which writes a line at its begin and its end.
  pid_t fork_conductor(std::uint64_t seed) const {
    const pid_t conductor = fork();
    if (conductor != 0) return conductor;
    Dice dice(seed);
    Launcher launcher(lock_file(), std::make_shared<Nursery>());
    for (std::uint32_t task = 0; task < kTasks; ++task) {
      const std::string number = std::to_string(task);
      const std::string length = "0.0" + std::to_string(dice.between(10, 99));
      launcher.start(command("echo begin " + number + " >> lines; sleep " + length + "; echo end " +
                                 number + " >> lines",
                             task));
      if (dice.chance(0.2)) usleep(static_cast<useconds_t>(dice.between(0, 3000)));
    }
    for (;;) pause();
  }

  std::set<std::uint32_t> attempts() const {
    std::set<std::uint32_t> found;
    for (std::uint32_t task = 0; task < kTasks; ++task) {
      if (std::filesystem::exists(command("", task).attempt_file)) found.insert(task);
    }
    return found;
  }

  std::map<std::string, int> lines() const {
    std::map<std::string, int> count;
    std::ifstream all(file("lines"));
    for (std::string line; std::getline(all, line);) ++count[line];
    return count;
  }

  void remove_all_files() const {
    for (const auto& entry : std::filesystem::directory_iterator(file("."))) {
      std::filesystem::remove_all(entry);
    }
  }
};

TEST_F(LauncherCrashTest, EveryAttemptThatBeganRunsOnceAndIsKnown) {
  std::size_t began = 0;
  constexpr std::uint64_t kSeeds = 50;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    remove_all_files();
    const pid_t conductor = fork_conductor(seed);
    usleep(static_cast<useconds_t>(Dice(seed + 1000).between(0, 40'000)));
    kill(conductor, SIGKILL);
    waitpid(conductor, nullptr, 0);
    {
      const Descriptor lock(open(lock_file().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
      ASSERT_EQ(flock(lock.get(), LOCK_EX), 0);
    }
    // Now all is known that ever begins.
    const std::set<std::uint32_t> known = attempts();
    for (const std::uint32_t task : known) {
      const Attempt attempt = read_attempt(command("", task).attempt_file);
      ASSERT_TRUE(attempt.start.has_value()) << task;
      EXPECT_GT(attempt.start->group, 0);
      EXPECT_TRUE(comes_true([&] { return !attempt.start->supervisor.is_alive(); }));
      const auto end = read_attempt(command("", task).attempt_file).end;
      ASSERT_TRUE(end.has_value()) << task;
      EXPECT_TRUE(end->is_success());
    }
    ASSERT_TRUE(comes_true([] { return waitpid(-1, nullptr, WNOHANG) < 0; }));
    EXPECT_EQ(attempts(), known) << "something began after the lock was free";
    std::map<std::string, int> expected;
    for (const std::uint32_t task : known) {
      expected["begin " + std::to_string(task)] = 1;
      expected["end " + std::to_string(task)] = 1;
    }
    EXPECT_EQ(lines(), expected);
    began += known.size();
  }
  EXPECT_GT(began, 0U);
  EXPECT_LT(began, kSeeds * kTasks) << "nobody was killed before the end";
}

// A run must be taken over while its tasks still run.
TEST_F(LauncherCrashTest, NothingThatTheDeadHeldIsHeldOn) {
  const auto task = command("touch running; while [ ! -e over ]; do sleep 0.01; done");
  const pid_t conductor = fork();
  if (conductor == 0) {
    const int lock = open(file("run.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    flock(lock, LOCK_EX);
    Launcher launcher(lock_file(), std::make_shared<Nursery>());
    launcher.start(task);
    for (;;) pause();
  }
  EXPECT_TRUE(comes_true([&] { return std::filesystem::exists(file("running")); }));
  kill(conductor, SIGKILL);
  waitpid(conductor, nullptr, 0);
  for (const char* name : {"run.lock", "nursery.lock"}) {
    const Descriptor lock(open(file(name).c_str(), O_RDWR | O_CLOEXEC));
    EXPECT_TRUE(comes_true([&] { return flock(lock.get(), LOCK_EX | LOCK_NB) == 0; })) << name;
  }
  EXPECT_FALSE(read_attempt(task.attempt_file).end.has_value()) << "it still runs";
  std::ofstream(file("over")) << "now";
  EXPECT_TRUE(comes_true([&] { return read_attempt(task.attempt_file).end.has_value(); }));
}

TEST_F(LauncherCrashTest, WhoTakesOverCanStopATaskAndStartOthers) {
  const auto task = command("touch running; sleep 60");
  const pid_t conductor = fork();
  if (conductor == 0) {
    Launcher launcher(lock_file(), std::make_shared<Nursery>());
    launcher.start(task);
    for (;;) pause();
  }
  EXPECT_TRUE(comes_true([&] { return std::filesystem::exists(file("running")); }));
  kill(conductor, SIGKILL);
  waitpid(conductor, nullptr, 0);
  EXPECT_TRUE(run(command("true", 2)).is_success());
  const auto start = start_of(task);
  ASSERT_TRUE(start && stop(*start));
  EXPECT_TRUE(comes_true([&] { return read_attempt(task.attempt_file).end.has_value(); }));
  EXPECT_EQ(read_attempt(task.attempt_file).end->cause, AttemptEnd::Cause::stopped);
}

TEST_F(LauncherCrashTest, WithoutItsSupervisorATaskDoesNotGoOn) {
  Launcher launcher(lock_file(), std::make_shared<Nursery>());
  const auto task = command("echo $$ > pid.new; mv pid.new pid; exec sleep 60");
  launcher.start(task);
  ASSERT_TRUE(comes_true([&] { return std::filesystem::exists(file("pid")); }));
  const auto start = start_of(task);
  ASSERT_TRUE(start.has_value());
  kill(start->supervisor.pid, SIGKILL);
  EXPECT_TRUE(comes_true([&] {
    waitpid(-1, nullptr, WNOHANG);
    return !is_running(pid_in("pid"));
  }));
  kill(pid_in("pid"), SIGKILL);
  EXPECT_FALSE(start->supervisor.is_alive());
  EXPECT_FALSE(stop(*start));
  const StepEnd report = wait_for(launcher, 1).front();
  EXPECT_TRUE(report.is_lost);
  EXPECT_EQ(report.task, task.task);
}

TEST_F(LauncherCrashTest, ASupervisorThatIsKilledBetweenTasksIsReplaced) {
  Launcher launcher(lock_file(), std::make_shared<Nursery>());
  for (const bool is_noticed : {false, true}) {
    const std::uint32_t task = is_noticed ? 3 : 1;
    launcher.start(command("true", task));
    EXPECT_TRUE(wait_for(launcher, 1).front().end.is_success());
    const auto start = start_of(command("", task));
    ASSERT_TRUE(start.has_value());
    kill(start->supervisor.pid, SIGKILL);
    EXPECT_TRUE(comes_true([&] { return !start->supervisor.is_alive(); }));
    EXPECT_TRUE(!is_noticed || launcher.reports().empty());
    launcher.start(command("true", task + 1));
    EXPECT_TRUE(wait_for(launcher, 1).front().end.is_success());
  }
}

TEST_F(LauncherCrashTest, EveryStartIsReportedOnceWhicheverSupervisorsAreKilled) {
  std::size_t lost = 0;
  constexpr std::uint64_t kSeeds = 10;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    remove_all_files();
    Dice dice(seed);
    Launcher launcher(lock_file(), std::make_shared<Nursery>());
    const pid_t nursery = children_of(getpid()).at(0);
    std::map<std::uint32_t, StepEnd> reports;
    for (std::uint32_t task = 0; reports.size() < kTasks;) {
      if (task < kTasks)
        launcher.start(command("echo " + std::to_string(task) + " >> lines", task));
      ++task;
      usleep(static_cast<useconds_t>(dice.between(0, 5000)));
      const auto supervisors = children_of(nursery);
      if (!supervisors.empty() && task < kTasks && dice.chance(0.5)) {
        kill(supervisors[static_cast<std::size_t>(dice.between(0, supervisors.size() - 1))],
             SIGKILL);
      }
      for (const StepEnd& report : launcher.reports()) {
        EXPECT_TRUE(reports.emplace(report.task, report).second) << report.task;
      }
    }
    const auto ran = lines();
    for (const auto& [task, report] : reports) {
      const auto known = read_attempt(command("", task).attempt_file);
      const auto count = ran.find(std::to_string(task));
      EXPECT_EQ(report.is_lost, !known.end.has_value()) << task;
      EXPECT_LE(count == ran.end() ? 0 : count->second, 1) << task;
      EXPECT_TRUE(report.is_lost || (report.end.is_success() && count != ran.end())) << task;
      lost += report.is_lost ? 1U : 0U;
    }
  }
  EXPECT_GT(lost, 0U) << "nobody was killed while it ran a task";
  EXPECT_LT(lost, kSeeds * kTasks);
}

TEST_F(LauncherCrashTest, TwoLaunchersDoNotHoldEachOther) {
  std::optional<Launcher> first;
  first.emplace(lock_file(), std::make_shared<Nursery>());
  Launcher second(file("second.lock"), std::make_shared<Nursery>());
  first.reset();
  second.start(command("true"));
  EXPECT_TRUE(wait_for(second, 1).front().end.is_success());
}

// What a launcher asked for may still begin when it is gone: its lock says so, and no other's does.
TEST_F(LauncherCrashTest, LaunchersThatShareANurseryKeepTheirOwnLocks) {
  const auto nursery = std::make_shared<Nursery>();
  const pid_t process = children_of(getpid()).at(0);
  const auto is_locked = [](const std::string& lock) {
    const Descriptor file(open(lock.c_str(), O_RDWR | O_CLOEXEC));
    return flock(file.get(), LOCK_EX | LOCK_NB) != 0;
  };
  const StepCommand asked = command("true");
  {
    Launcher first(lock_file(), nursery);
    Launcher second(file("second.lock"), nursery);
    second.start(command("true", 2));
    EXPECT_TRUE(wait_for(second, 1).front().end.is_success());
    kill(process, SIGSTOP);
    first.start(asked);
  }
  EXPECT_TRUE(is_locked(lock_file()));
  EXPECT_TRUE(comes_true([&] { return !is_locked(file("second.lock")); }));
  EXPECT_FALSE(read_attempt(asked.attempt_file).start);
  kill(process, SIGCONT);
  Launcher third(lock_file(), nursery);
  EXPECT_TRUE(read_attempt(asked.attempt_file).start);
  EXPECT_TRUE(comes_true([&] { return read_attempt(asked.attempt_file).end.has_value(); }));
  third.start(command("true", 3));
  EXPECT_TRUE(wait_for(third, 1).front().end.is_success());
}

TEST_F(LauncherCrashTest, WithoutANurseryWhatWasStartedIsReportedAndStartingIsAnError) {
  Launcher launcher(lock_file(), std::make_shared<Nursery>());
  const pid_t nursery = children_of(getpid()).at(0);
  kill(nursery, SIGKILL);
  std::uint32_t started = 0;
  const auto start_all = [&] {
    for (; started < 1000; ++started) launcher.start(command("true", started));
  };
  EXPECT_THROW(start_all(), ExecutionError);
  for (const StepEnd& report : wait_for(launcher, started)) {
    EXPECT_TRUE(report.is_lost || report.end.is_success()) << report.task;
  }
}

TEST_F(LauncherCrashTest, WhereThereCanBeNoLockIsOneClearError) {
  try {
    const Launcher launcher(file("missing/nursery.lock"), std::make_shared<Nursery>());
    ADD_FAILURE() << "no error";
  } catch (const ExecutionError& error) {
    EXPECT_EQ(std::string(error.what()),
              file("missing/nursery.lock") + ": No such file or directory");
  }
}

}  // namespace
}  // namespace dovetail::run
