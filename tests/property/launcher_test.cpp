// Real processes below their supervisors: what is reported of them, and that none is left.
#include "run/local/launcher.hpp"

#include <fcntl.h>
#include <sched.h>

#include <filesystem>
#include <set>

#include "dovetail/error.hpp"
#include "support/task_runner.hpp"

namespace dovetail::run {
namespace {

using testing::children_of;
using testing::comes_true;
using testing::is_running;
using testing::text_of;
using Cause = AttemptEnd::Cause;

class LauncherTest : public testing::TaskRunner {};

TEST_F(LauncherTest, AnExitCodeIsReportedAndWrittenDown) {
  for (const int code : {0, 3, 255}) {
    SCOPED_TRACE(code);
    const auto task = command("exit " + std::to_string(code), static_cast<std::uint32_t>(code));
    const AttemptEnd end = run(task);
    EXPECT_EQ(end.exit_code, code);
    EXPECT_EQ(end.signal, 0);
    EXPECT_EQ(end.cause, Cause::ended);
    EXPECT_EQ(end.is_success(), code == 0);
    const Attempt attempt = read_attempt(task.attempt_file);
    ASSERT_TRUE(attempt.start && attempt.end);
    EXPECT_GT(attempt.start->group, 0);
    EXPECT_GE(attempt.end->time, attempt.start->time);
  }
}

TEST_F(LauncherTest, ACommandThatDoesNotExistIsAnExitCode) {
  const AttemptEnd end = run("no-such-command-at-all");
  EXPECT_EQ(end.exit_code, 127);
  EXPECT_EQ(end.cause, Cause::ended);
  EXPECT_NE(text_of(file("1.err")).find("no-such-command-at-all"), std::string::npos);
}

TEST_F(LauncherTest, ADeathBySignalIsReported) {
  const AttemptEnd end = run("kill -SEGV $$");
  EXPECT_EQ(end.signal, SIGSEGV);
  EXPECT_EQ(end.exit_code, 128 + SIGSEGV);
  EXPECT_EQ(end.cause, Cause::ended);
}

TEST_F(LauncherTest, WhatKeepsATaskFromStartingIsNamed) {
  auto task = command("touch ran", 1);
  task.folder = file("missing");
  EXPECT_EQ(run(task).why, file("missing") + ": No such file or directory");
  EXPECT_EQ(read_attempt(task.attempt_file).end.value_or(AttemptEnd{}).cause, Cause::not_started);

  task = command("touch ran", 2);
  task.out_file = file("missing/out");
  EXPECT_EQ(run(task).why, file("missing/out") + ": No such file or directory");

  task = command("touch ran", 3);
  task.attempt_file = file("missing/attempt");
  const AttemptEnd end = run(task);
  EXPECT_EQ(end.why, file("missing/attempt") + ": No such file or directory");
  EXPECT_EQ(end.cause, Cause::not_started);
  EXPECT_FALSE(end.is_success());

  task = command("touch ran; : " + std::string(3'000'000, 'x'), 4);
  EXPECT_EQ(run(task).why, "/bin/sh: Argument list too long");

  task = command(std::string("touch ran\0; true", 16), 5);
  EXPECT_EQ(run(task).cause, Cause::not_started) << "half a command must not run";
  EXPECT_FALSE(std::filesystem::exists(file("ran")));
}

TEST_F(LauncherTest, AReasonIsNamedHoweverLongThePath) {
  auto task = command("true");
  for (int i = 0; i < 30; ++i) task.folder += "/\"quoted\" and \n long \x01";
  EXPECT_TRUE(run(task).why.ends_with(": No such file or directory"));
  EXPECT_TRUE(read_attempt(task.attempt_file).end.has_value());
}

TEST_F(LauncherTest, ACommandMayHoldAnything) {
  const std::string odd = "a \"b\"  c\n'd' zwölf € \xff\\ $HOME `x` !";
  auto task = command("printf %s \"$ODD\"\nprintf '%s' ' and \"more\"\n\xfe'");
  task.environment = {{"ODD", odd}};
  EXPECT_TRUE(run(task).is_success());
  EXPECT_EQ(output(), odd + " and \"more\"\n\xfe");
}

TEST_F(LauncherTest, TheEnvironmentIsOursAndTheTasksOwn) {
  setenv("LAUNCHER_TEST_OURS", "ours", 1);
  setenv("LAUNCHER_TEST_BOTH", "ours", 1);
  auto task = command(
      "echo $LAUNCHER_TEST_OURS $LAUNCHER_TEST_BOTH $DOVETAIL_PROCESSORS $OMP_NUM_THREADS; pwd -P; "
      "cat");
  task.environment = {
      {"LAUNCHER_TEST_BOTH", "task"}, {"DOVETAIL_PROCESSORS", "4"}, {"OMP_NUM_THREADS", "4"}};
  EXPECT_TRUE(run(task).is_success());
  EXPECT_EQ(output(), "ours task 4 4\n" + std::filesystem::canonical(task.folder).string() + "\n");
}

TEST_F(LauncherTest, ATaskIsPinnedToItsCores) {
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  std::size_t last = 0;
  for (std::size_t core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &allowed)) last = core;
  }
  auto task = command("grep Cpus_allowed_list /proc/self/status | cut -f2");
  task.cores = {static_cast<int>(last)};
  EXPECT_TRUE(run(task).is_success());
  EXPECT_EQ(output(), std::to_string(last) + "\n");
  for (const int core : {-1, 5000, 1'000'000'000}) {
    auto other = command("exit 5", static_cast<std::uint32_t>(core) | 2U);
    other.cores = {core};
    EXPECT_EQ(run(other).exit_code, 5) << "a core that is not there: the task runs anywhere";
  }
}

TEST_F(LauncherTest, ATaskStartsWithACleanSlate) {
  const Descriptor other(open(file("other").c_str(), O_CREAT | O_RDWR, 0600));
  ASSERT_TRUE(other.is_open());
  signal(SIGPIPE, SIG_IGN);
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &before);
  const AttemptEnd end =
      run("ls -l /proc/self/fd > fds; grep -E 'Sig(Blk|Ign)' /proc/$$/status | cut -f2");
  sigprocmask(SIG_SETMASK, &before, nullptr);
  signal(SIGPIPE, SIG_DFL);
  EXPECT_TRUE(end.is_success());
  std::istringstream lines(output());
  std::string blocked;
  std::string ignored;
  lines >> blocked >> ignored;
  EXPECT_EQ(blocked, "0000000000000000");
  // Two signals beyond 31 are the C library's own, and may come ignored from who started us.
  EXPECT_EQ(std::stoull(ignored, nullptr, 16) & 0x7fffffffU, 0U) << ignored;
  const std::string open_files = text_of(file("fds"));
  EXPECT_NE(open_files.find("/dev/null"), std::string::npos) << open_files;
  for (const char* ours : {"/other", "nursery.lock", "1.1", "socket:", "pipe:"}) {
    EXPECT_EQ(open_files.find(ours), std::string::npos) << open_files;
  }
}

// Somebody may run us with nothing open at all.
TEST_F(LauncherTest, TasksRunWithoutStandardInputAndOutput) {
  const pid_t conductor = fork();
  if (conductor == 0) {
    for (const int standard : {0, 1, 2}) close(standard);
    Launcher launcher(lock_file(), std::make_shared<Nursery>());
    launcher.start(command("echo fine; echo bad >&2"));
    _exit(wait_for(launcher, 1).front().end.is_success() ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(conductor, &status, 0), conductor);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(output(), "fine\n");
  EXPECT_EQ(text_of(file("1.err")), "bad\n");
}

TEST_F(LauncherTest, ATaskThatTakesTooLongIsEnded) {
  auto task = command("sleep 60");
  task.timeout_seconds = 0.2;
  const AttemptEnd end = run(task);
  EXPECT_EQ(end.cause, Cause::timed_out);
  EXPECT_EQ(end.signal, SIGTERM);
  EXPECT_FALSE(end.is_success());
  EXPECT_GE(end.seconds, 0.2);
}

TEST_F(LauncherTest, ATaskThatEndsWellWhenItsTimeIsOverHasFailedAllTheSame) {
  auto task = command("trap 'echo bye; exit 0' TERM; while :; do sleep 0.01; done");
  task.timeout_seconds = 0.2;
  const AttemptEnd end = run(task);
  EXPECT_EQ(end.cause, Cause::timed_out);
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_FALSE(end.is_success());
  EXPECT_EQ(output(), "bye\n");
}

TEST_F(LauncherTest, ATaskThatIgnoresBeingAskedIsEnded) {
  auto task = command("trap '' TERM; echo $$ > pid; while :; do sleep 0.05; done");
  task.timeout_seconds = 0.1;
  const AttemptEnd end = run(task);
  EXPECT_EQ(end.cause, Cause::timed_out);
  EXPECT_EQ(end.signal, SIGKILL);
  EXPECT_FALSE(is_running(pid_in("pid")));
}

TEST_F(LauncherTest, ATaskThatSleepsInAnotherGroupIsEnded) {
  // The command's own process leaves the group that it was started in.
  auto task = command("exec perl -e 'setpgrp(0, getppid()); sleep 60'");
  task.timeout_seconds = 0.3;
  const AttemptEnd end = run(task);
  if (end.exit_code == 127) GTEST_SKIP() << "needs perl";
  EXPECT_EQ(end.cause, Cause::timed_out);
  EXPECT_EQ(end.signal, SIGTERM);
}

TEST_F(LauncherTest, ATaskThatWasHaltedIsEnded) {
  auto task = command("kill -STOP $$");
  task.timeout_seconds = 0.1;
  EXPECT_EQ(run(task).cause, Cause::timed_out);
}

TEST_F(LauncherTest, StopEndsATask) {
  Launcher launcher(lock_file(), std::make_shared<Nursery>());
  const auto task = command("echo $$ > pid.new; mv pid.new pid; sleep 60");
  launcher.start(task);
  ASSERT_TRUE(comes_true([&] { return std::filesystem::exists(file("pid")); }));
  const auto start = start_of(task);
  ASSERT_TRUE(start.has_value());
  EXPECT_EQ(start->group, pid_in("pid"));
  EXPECT_TRUE(start->supervisor.is_alive());
  EXPECT_TRUE(stop(*start));
  const AttemptEnd end = wait_for(launcher, 1).front().end;
  EXPECT_EQ(end.cause, Cause::stopped);
  EXPECT_EQ(end.signal, SIGTERM);
  EXPECT_FALSE(is_running(pid_in("pid")));
  EXPECT_TRUE(start->supervisor.is_alive()) << "it is free for another task";
}

TEST_F(LauncherTest, StopMeansOneTaskAndNotTheNextOfTheSameSupervisor) {
  Launcher launcher(lock_file(), std::make_shared<Nursery>());
  launcher.start(command("true", 1));
  wait_for(launcher, 1);
  const auto first = start_of(command("", 1));
  ASSERT_TRUE(first && stop(*first)) << "between the two tasks";
  launcher.start(command("touch running; while [ ! -e over ]; do sleep 0.01; done", 2));
  ASSERT_TRUE(comes_true([&] { return std::filesystem::exists(file("running")); }));
  EXPECT_TRUE(stop(*first)) << "while the second task runs";
  std::ofstream(file("over")) << "now";
  EXPECT_EQ(wait_for(launcher, 1).front().end.cause, Cause::ended);

  launcher.start(command("sleep 60", 3));
  const auto third = start_of(command("", 3));
  ASSERT_TRUE(third && stop(*first) && stop(*third));
  EXPECT_EQ(wait_for(launcher, 1).front().end.cause, Cause::stopped);
  EXPECT_EQ(third->supervisor.pid, first->supervisor.pid);
}

TEST_F(LauncherTest, StopReachesATaskThatHasOnlyJustBegun) {
  Launcher launcher(lock_file(), std::make_shared<Nursery>());
  for (std::uint32_t number = 0; number < 30; ++number) {
    const auto task = command("exec sleep 60", number);
    launcher.start(task);
    ASSERT_TRUE(comes_true([&] {
      const auto start = read_attempt(task.attempt_file).start;
      return start && stop(*start);
    }));
  }
  for (const StepEnd& report : wait_for(launcher, 30)) {
    EXPECT_EQ(report.end.cause, Cause::stopped);
  }
}

TEST_F(LauncherTest, WhatATaskLeavesInTheBackgroundIsEnded) {
  const char* const leftovers[] = {
      "sleep 60 & echo $! > pid", "setsid sh -c 'echo $$ > pid; exec sleep 60' &",
      "setsid sh -c 'trap \"\" TERM HUP; echo $$ > pid; while :; do sleep 0.1; done' &",
      "(setsid sh -c '(echo $$ > pid; exec sleep 60) & exit' & exit) & ",
      "sh -c 'kill -STOP $$' & echo $! > pid"};
  std::uint32_t number = 0;
  for (const char* const leftover : leftovers) {
    SCOPED_TRACE(leftover);
    const auto task = command(
        std::string(leftover) + "\nwhile [ ! -s pid ]; do sleep 0.01; done; exit 4", ++number);
    const AttemptEnd end = run(task);
    EXPECT_EQ(end.exit_code, 4);
    EXPECT_EQ(end.cause, Cause::ended);
    EXPECT_FALSE(is_running(pid_in("pid")));
    std::filesystem::remove(file("pid"));
  }
}

TEST_F(LauncherTest, ADeepTreeOfProcessesInTheBackgroundIsEnded) {
  // Each in a session of its own, deaf, and the parent of the next.
  std::ofstream(file("deep.sh")) << "trap '' TERM\n"
                                    "[ $1 = 0 ] || setsid sh ./deep.sh $(($1 - 1)) &\n"
                                    "echo $$ >> pids; sleep 60\n";
  const AttemptEnd end =
      run("setsid sh ./deep.sh 8 & while [ \"$(cat pids | wc -l)\" -lt 9 ]; do sleep 0.01; done");
  EXPECT_TRUE(end.is_success());
  std::ifstream pids(file("pids"));
  int count = 0;
  for (pid_t pid = 0; pids >> pid; ++count) EXPECT_FALSE(is_running(pid));
  EXPECT_EQ(count, 9);
}

TEST_F(LauncherTest, WhatHappensInTheBackgroundIsNotTheTasksTime) {
  const AttemptEnd end =
      run("setsid sh -c 'trap \"\" TERM; echo $$ > pid; while :; do sleep 0.05; done' &\n"
          "while [ ! -s pid ]; do sleep 0.01; done; date +%s%N > over");
  std::int64_t over = 0;
  std::ifstream(file("over")) >> over;
  const auto written = std::filesystem::last_write_time(file("1.1"));
  const auto ended = std::chrono::file_clock::to_sys(written).time_since_epoch();
  // The supervisor wrote after all was gone; the task's own end was earlier than that.
  EXPECT_LT(end.time, std::chrono::duration_cast<std::chrono::milliseconds>(ended).count());
  EXPECT_GE(end.time, over / 1'000'000);
}

TEST_F(LauncherTest, OutputMayBeClosedOrLong) {
  EXPECT_EQ(run(command("exec >&- 2>&-; echo x; exit 4", 2)).exit_code, 4);
  EXPECT_TRUE(run("head -c 50000000 /dev/zero; echo err >&2").is_success());
  EXPECT_EQ(std::filesystem::file_size(file("1.out")), 50'000'000U);
  EXPECT_EQ(text_of(file("1.err")), "err\n");
}

TEST_F(LauncherTest, ProcessorTimeAndMemoryAreThoseOfTheTask) {
  AttemptEnd end = run(command("ulimit -S -t 1; while :; do :; done", 2));
  EXPECT_EQ(end.signal, SIGXCPU);
  EXPECT_GE(end.cpu_seconds, 0.5);  // the limit is counted in ticks, roughly
  EXPECT_LE(end.cpu_seconds, end.seconds + 0.1);
  end = run("head -c 80000000 /dev/zero | tail -c 80000000 | tail -c 1 > /dev/null");
  EXPECT_TRUE(end.is_success());
  EXPECT_GE(end.peak_kib, 75'000);
  EXPECT_LE(end.peak_kib, 400'000);
}

TEST_F(LauncherTest, ProcessorTimeInTheBackgroundCounts) {
  // The loop is nobody's child; the task waits for it by its file.
  const AttemptEnd end =
      run("(setsid sh -c 'sh -c \"ulimit -S -t 1; while :; do :; done\"; touch over' &)\n"
          "while [ ! -e over ]; do sleep 0.02; done");
  EXPECT_TRUE(end.is_success());
  EXPECT_GE(end.cpu_seconds, 0.5);  // the limit is counted in ticks, roughly
}

TEST_F(LauncherTest, AnAttemptRunsOnce) {
  Launcher launcher(lock_file(), std::make_shared<Nursery>());
  const auto task = command("echo ran >> lines");
  for (int i = 0; i < 3; ++i) launcher.start(task);
  int refused = 0;
  for (const StepEnd& report : wait_for(launcher, 3)) {
    if (report.end.cause != Cause::not_started) continue;
    EXPECT_EQ(report.end.why, task.attempt_file + ": File exists");
    ++refused;
  }
  EXPECT_EQ(refused, 2);
  EXPECT_EQ(text_of(file("lines")), "ran\n");
  EXPECT_TRUE(
      read_attempt(task.attempt_file).end.value_or(AttemptEnd{.exit_code = 1}).is_success());
}

TEST_F(LauncherTest, ManyTasksAreEachReportedOnce) {
  constexpr std::uint32_t kTasks = 500;
  Launcher launcher(lock_file(), std::make_shared<Nursery>());
  // Nobody reads a report before all are started.
  for (std::uint32_t task = 0; task < kTasks; ++task) launcher.start(command("true", task));
  std::set<std::uint32_t> reported;
  for (const StepEnd& report : wait_for(launcher, kTasks)) {
    EXPECT_TRUE(report.end.is_success()) << report.end.why;
    EXPECT_TRUE(reported.insert(report.task).second) << report.task;
  }
  EXPECT_EQ(reported.size(), kTasks);
  for (std::uint32_t task = 0; task < kTasks; ++task) {
    const Attempt attempt = read_attempt(command("", task).attempt_file);
    EXPECT_TRUE(attempt.start && attempt.end) << task;
  }
  EXPECT_TRUE(launcher.reports().empty());
}

TEST_F(LauncherTest, ThereAreAsManySupervisorsAsTasksAtATime) {
  Launcher launcher(lock_file(), std::make_shared<Nursery>());
  const pid_t nursery = children_of(getpid()).at(0);
  std::uint32_t task = 0;
  for (const std::size_t at_a_time : {1U, 3U, 2U}) {
    for (int round = 0; round < 10; ++round) {
      for (std::size_t i = 0; i < at_a_time; ++i) launcher.start(command("true", ++task));
      for (const StepEnd& report : wait_for(launcher, at_a_time)) {
        EXPECT_TRUE(report.end.is_success()) << report.end.why;
      }
    }
    EXPECT_EQ(children_of(nursery).size(), at_a_time == 1 ? 1U : 3U);
  }
}

// Runs the tasks one after the other below one supervisor, and answers their ends.
class ReuseTest : public LauncherTest {
 protected:
  std::vector<AttemptEnd> run_in_turn(const std::vector<StepCommand>& tasks) const {
    Launcher launcher(lock_file(), std::make_shared<Nursery>());
    std::vector<AttemptEnd> ends;
    std::set<pid_t> supervisors;
    for (const StepCommand& task : tasks) {
      launcher.start(task);
      ends.push_back(wait_for(launcher, 1).front().end);
      supervisors.insert(start_of(task).value_or(AttemptStart{}).supervisor.pid);
    }
    EXPECT_EQ(supervisors.size(), 1U);
    return ends;
  }
};

TEST_F(ReuseTest, NothingThatATaskSetReachesTheNext) {
  const std::string look =
      "echo $MINE; pwd; umask; ulimit -S -c; ls -l /proc/self/fd | grep -c '[>] /'; "
      "grep -E 'Sig(Blk|Ign)|Cpus_allowed_list|Groups|Seccomp' /proc/self/status; ps -o nice= $$";
  const StepCommand before = command(look, 1);
  StepCommand first = command(
      "mkdir other; cd other; umask 077; ulimit -S -c 0; trap '' TERM PIPE USR1; export MINE=2; "
      "exec 7> open; renice 5 $$; echo done",
      2);
  first.environment = {{"MINE", "1"}, {"PATH", getenv("PATH")}};
  first.cores = {0};
  first.out_file = file("first.out");
  const StepCommand after = command(look, 3);
  EXPECT_TRUE(run_in_turn({before, first, after}).back().is_success());
  EXPECT_NE(text_of(file("first.out")).find("done"), std::string::npos);
  EXPECT_EQ(text_of(file("3.out")), text_of(file("1.out")));
  EXPECT_EQ(text_of(file("3.err")), "");
}

TEST_F(ReuseTest, WhatATaskLeftRunningIsNotThereForTheNext) {
  const auto ends = run_in_turn(
      {command("setsid sh -c 'trap \"\" TERM; echo $$ > pid; while :; do sleep 0.05; done' &\n"
               "while [ ! -s pid ]; do sleep 0.01; done",
               1),
       command("kill -0 $(cat pid)", 2)});
  EXPECT_EQ(ends.back().exit_code, 1);
}

TEST_F(ReuseTest, ProcessorTimeMemoryAndTroubleAreNotThoseOfTheTaskBefore) {
  StepCommand bad = command("true", 3);
  bad.folder = file("missing");
  const auto ends = run_in_turn(
      {command("true", 1),
       command("ulimit -S -t 1; head -c 80000000 /dev/zero | tail -c 80000000 > /dev/null; "
               "while :; do :; done",
               2),
       bad, command("exit 3", 4)});
  const AttemptEnd& last = ends.back();
  EXPECT_EQ(last.cause, Cause::ended);
  EXPECT_EQ(last.exit_code, 3);
  EXPECT_EQ(last.why, "");
  EXPECT_LT(last.cpu_seconds, 0.5);
  EXPECT_LT(last.peak_kib, ends.front().peak_kib + 40'000);
}

TEST_F(ReuseTest, ATimeLimitIsThatOfOneTask) {
  StepCommand first = command("sleep 60", 1);
  first.timeout_seconds = 0.2;
  EXPECT_TRUE(run_in_turn({first, command("sleep 0.4", 2)}).back().is_success());
}

TEST_F(LauncherTest, ALargeRequestGoesThrough) {
  auto task = command("printf %s \"$A$B$C\" | wc -c");
  for (const char* name : {"A", "B", "C"})
    task.environment.emplace_back(name, std::string(100'000, 'x'));
  EXPECT_TRUE(run(task).is_success());
  EXPECT_EQ(output(), "300000\n");
}

TEST_F(LauncherTest, ArgumentsAreNeverReadAsShellText) {
  StepCommand task = command("exec \"$@\"");
  task.arguments = {"printf", "%s|", "a b", "$(touch hacked)", "'; touch hacked; '", ""};
  EXPECT_EQ(run(task).exit_code, 0);
  EXPECT_EQ(output(), "a b|$(touch hacked)|'; touch hacked; '||");
  EXPECT_NE(access(file("hacked").c_str(), F_OK), 0);
}

}  // namespace
}  // namespace dovetail::run
