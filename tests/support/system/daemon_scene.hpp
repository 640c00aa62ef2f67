// A daemon computes two months for a client, which asks until they are there and then stops the
// daemon.
#pragma once

#include <signal.h>
#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "federation/net/http_client.hpp"
#include "support/system/run_scene.hpp"

namespace dovetail::testing {

struct DaemonKeys {
  std::string daemon;  // the path of its key, without the ending
  federation::Identity client;
};

class DaemonScene : public RunScene {
 public:
  DaemonScene(std::string folder, const DaemonKeys& keys, int port)
      : RunScene(std::move(folder)), keys_(keys), port_(port) {}

  ~DaemonScene() override {
    is_given_up_ = true;
    if (client_.joinable()) client_.join();
  }

  void prepare() override {
    // Adds up what the month before left.
    script("month.sh",
           "echo begin month $1 >> trace; value=$1\n"
           "test -n \"$2\" && value=$(($(cat \"$2/value\") + $1))\n"
           "sleep 0.05; echo $value > \"$3/value\"; echo end month $1 >> trace\n");
    script("post.sh",
           "echo begin post $1 >> trace; cp \"$2/value\" \"$2/archive\"\n"
           "echo end post $1 >> trace\n");
    put(file("azur.yaml"), "processors: 2\ndata: " + file("data") +
                               "\nservices:\n  sum:\n    main: [" + file("month.sh") +
                               ", '{month}', '{previous}', '{folder}']\n    post: [" +
                               file("post.sh") +
                               ", '{month}', '{folder}']\n"
                               "    times: {1: 0.1, 2: 0.1}\n    post_time: 0.1\n"
                               "    watchdog: 600\n");
  }

  Words command() const override {
    return {DOVETAIL_PROGRAM,
            "daemon",
            "azur.yaml",
            "--keys",
            keys_.daemon,
            "--listen",
            "127.0.0.1:" + std::to_string(port_)};
  }

  void started(pid_t process) override {
    daemon_ = process;
    if (client_.joinable()) return;
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);  // signals are for the thread that traces
    client_ = std::thread([this] { ask_until_over(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  // The client stops it when all is done; it may not have got as far as to take that signal.
  bool is_success(int status) const override {
    const bool was_stopped = WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM;
    return is_over_ && (was_stopped || RunScene::is_success(status));
  }

  bool was_end_reported() const override { return false; }

  // A month is done when its result is on disk. If that fails it is computed again.
  bool may_repeat_after(const CallPoint& point) const override {
    return point.fault.kind == Fault::Kind::error && point.call.find(" data/") != std::string::npos;
  }

  Complaints complaints(bool may_repeat) override {
    Complaints wrong;
    if (!is_over_) wrong.push_back("the client did not get its months");
    const auto trace = lines_of("trace");
    for (const std::string what : {"month 1", "month 2", "post 1", "post 2"}) {
      const auto count = [&](const std::string& line) {
        const auto found = trace.find(line);
        return found == trace.end() ? 0 : found->second;
      };
      const int most = may_repeat ? 2 : 1;
      if (count("end " + what) == 0) wrong.push_back("a month never completed");
      if (count("end " + what) > most) wrong.push_back("a month completed twice");
      if (count("end " + what) == 1 && count("begin " + what) > most) {
        wrong.push_back("a month began twice");
      }
    }
    for (const auto& [month, value] : {std::pair(1, "1\n"), std::pair(2, "3\n")}) {
      const std::string folder = file("data/alice/e/s1/month-0000" + std::to_string(month));
      if (text_of(folder + "/value") != value || text_of(folder + "/archive") != value) {
        wrong.push_back("an output is not what it should be");
      }
    }
    return wrong;
  }

 private:
  void script(const std::string& name, const std::string& text) const {
    put(file(name), "#!/bin/sh\ncd " + folder() + "\n" + text);
    chmod(file(name).c_str(), 0755);
  }

  void ask_until_over() {
    const federation::Caller caller(keys_.client);
    const federation::Server daemon{"https://127.0.0.1:" + std::to_string(port_),
                                    federation::Role::daemon};
    const federation::Json order = {{"request_id", "r1"},
                                    {"experiment", "e"},
                                    {"service", "sum"},
                                    {"months", 2},
                                    {"scenarios", {{{"scenario", 1}, {"first_month", 1}}}}};
    while (!is_given_up_ && !is_over_) {
      try {
        caller.post(daemon, "/v1/submit", order, 5);
        const auto progress = caller.post(
            daemon, "/v1/watch", {{"request_id", "r1"}, {"cursor", 0}, {"wait_seconds", 0}}, 5);
        is_over_ = progress["over"] == true;
      } catch (const std::exception&) {
        // It is not there yet, or has met its fault.
      }
      usleep(20'000);
    }
    for (pid_t stopped = 0; !is_given_up_; usleep(20'000)) {
      if (stopped != daemon_) kill(stopped = daemon_, SIGTERM);
    }
  }

  DaemonKeys keys_;
  int port_;
  std::thread client_;
  std::atomic<pid_t> daemon_ = 0;
  std::atomic<bool> is_over_ = false;
  std::atomic<bool> is_given_up_ = false;
};

}  // namespace dovetail::testing
