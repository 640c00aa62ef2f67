// Agents and daemons as processes of their own, with a program that computes months: for tests of
// whole experiments.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <optional>
#include <regex>
#include <sstream>

#include "federation/agent/gather.hpp"
#include "run/local/killed_supervisor.hpp"
#include "support/federation.hpp"
#include "support/system/real_run.hpp"
#include "test_places.hpp"

namespace dovetail::testing {

class RealFederation : public RealRun {
 protected:
  void SetUp() override {
    alarm(400);                        // a test that hangs ends the program
    prctl(PR_SET_CHILD_SUBREAPER, 1);  // what loses its parent becomes our child, and is found
    // Adds up what the month before left, after a while; says in `ran` that it was there, and in
    // `ran_again` that its month is recorded already.
    put(file("month.sh"),
        "#!/bin/sh\n"
        "# experiment scenario month previous folder pause\n"
        "test -d \"$(dirname \"$5\")/$(printf month-%05d $3)\" && echo \"$2 $3\" >> " +
            file("ran_again") +
            "\n"
            "value=$2\n"
            "test -n \"$4\" && value=$(($(cat \"$4/value\") + $2 * $3))\n"
            "sleep $6 || exit 1\n"
            "echo $value > \"$5/value\"\n"
            "echo \"$2 $3\" >> " +
            file("ran") + "\n");
    put(file("post.sh"),
        "#!/bin/sh\n"
        "# scenario month folder\n"
        "sleep 0.05\n"
        "cp \"$3/value\" \"$3/archive\"\n"
        "echo \"$1 $2\" >> " +
            file("posts") + "\n");
    for (const char* script : {"month.sh", "post.sh"}) chmod(file(script).c_str(), 0755);
  }

  void TearDown() override {
    for (const auto& [name, process] : servers_) stop(process.pid, SIGTERM);
    servers_.clear();
    EXPECT_TRUE(comes_true([] { return waitpid(-1, nullptr, WNOHANG) < 0; }))
        << "something is left running";
    alarm(0);
  }

  struct ServerProcess {
    pid_t pid = 0;
    std::vector<std::string> arguments;
    std::string state;
    std::string url = {};
  };

  static void stop(pid_t pid, int signal) {
    kill(pid, signal);
    waitpid(pid, nullptr, 0);
  }

  // Starts dovetail with its own state and waits for its URL; what it logs is in NAME.log.
  void launch(const std::string& name) {
    ServerProcess& server = servers_.at(name);
    const std::string out = file(name + ".out");
    put(out, "");
    server.pid = fork();
    if (server.pid == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);  // also when the test is ended
      if (chdir(folder().c_str()) != 0) _exit(9);
      setenv("DOVETAIL_STATE", server.state.c_str(), 1);
      dup2(::open("/dev/null", O_RDONLY), 0);
      dup2(::open(out.c_str(), O_WRONLY | O_APPEND), 1);
      dup2(::open(file(name + ".log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644), 2);
      const std::string program = program_path();
      std::vector<char*> words = {const_cast<char*>(program.c_str())};
      for (const std::string& word : server.arguments) {
        words.push_back(const_cast<char*>(word.c_str()));
      }
      words.push_back(nullptr);
      execv(words.front(), words.data());
      _exit(9);
    }
    ASSERT_TRUE(comes_true([&] {
      const std::string text = text_of(out);
      const auto place = text.find("https://");
      if (place == std::string::npos || text.back() != '\n') return false;
      server.url = text.substr(place, text.find('\n', place) - place);
      return true;
    })) << name
        << ": " << log_of(name);
  }

  void start_agent(const std::string& name, const std::string& parent = {}) {
    keys_.make(federation::Role::agent, name);
    std::vector<std::string> arguments = {"agent", "--keys", keys_.path(name)};
    if (!parent.empty()) arguments.insert(arguments.end(), {"--parent", url(parent)});
    arguments.insert(arguments.end(), {"--listen", "127.0.0.1:" + std::to_string(free_port())});
    servers_[name] = {.arguments = arguments, .state = file("state-" + name)};
    launch(name);
  }

  // The file of a daemon, whose months take `pause` seconds on 2 processors.
  void write_daemon(const std::string& name, int processors, const std::string& pause,
                    const std::string& more = "") {
    write(name + ".yaml",
          (more.find("slurm") == std::string::npos
               ? "processors: " + std::to_string(processors) + "\n"
               : "") +
              "data: " + file("data") + "\n" + more +
              "services:\n  sum:\n"
              "    parameters: {label: {word: '[a-z]*', default: none}}\n"
              "    main: [" +
              file("month.sh") +
              ", '{experiment}', '{scenario}', '{month}', '{previous}', '{folder}', '" + pause +
              "']\n"
              "    post: [" +
              file("post.sh") +
              ", '{scenario}', '{month}', '{folder}']\n"
              "    times: {1: " +
              pause + ", 2: " + pause +
              "}\n"
              "    post_time: 0.1\n    watchdog: 600\n"
              "  say:\n"
              "    parameters: {word: {word: '.*'}}\n"
              "    command: [sh, -c, 'echo \"$0\" >> " +
              file("said") + "', '{word}']\n");
  }

  void start_daemon(const std::string& name, const std::string& agent = {},
                    const std::string& state = {}) {
    keys_.make(federation::Role::daemon, name);
    std::vector<std::string> arguments = {"daemon", name + ".yaml", "--keys", keys_.path(name)};
    if (!agent.empty()) arguments.insert(arguments.end(), {"--agent", url(agent)});
    servers_[name] = {.arguments = arguments,
                      .state = state.empty() ? file("state-" + name) : state};
    launch(name);
  }

  // A port that nobody has now.
  static int free_port() {
    const run::Descriptor socket(::socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
    socklen_t size = sizeof address;
    if (bind(socket.get(), reinterpret_cast<sockaddr*>(&address), size) != 0) return 0;
    getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size);
    return ntohs(address.sin_port);
  }

  const std::string& url(const std::string& name) const { return servers_.at(name).url; }
  std::string log_of(const std::string& name) const { return text_of(file(name + ".log")); }

  // SIGKILL, and the same again.
  void kill_and_restart(const std::string& name) {
    stop(servers_.at(name).pid, SIGKILL);
    launch(name);
  }

  // What a daemon's supervisors run, with them.
  void end_steps_of(const std::string& name) const {
    const std::string folder = servers_.at(name).state + "/daemons/runs/" + name + "-1/attempts";
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const auto attempt = run::read_attempt(entry.path().string());
      if (!attempt.still_runs()) continue;
      kill(attempt.start->supervisor.pid, SIGKILL);
      while (attempt.start->supervisor.is_alive()) waitpid(-1, nullptr, WNOHANG);
      run::end_leftovers(*attempt.start);
    }
  }

  federation::Json call(const std::string& daemon, const std::string& operation,
                        const federation::Json& body) {
    return client_.post({url(daemon), federation::Role::daemon}, "/v1/" + operation, body, 60);
  }

  static federation::Json order(const std::string& id, int scenarios, int months) {
    federation::Json json = {{"request_id", id},
                             {"experiment", "e"},
                             {"service", "sum"},
                             {"months", months},
                             {"scenarios", federation::Json::array()}};
    for (int i = 1; i <= scenarios; ++i) {
      json["scenarios"].push_back({{"scenario", i}, {"first_month", 1}});
    }
    return json;
  }

  federation::Json watch_to_end(const std::string& daemon, const std::string& id) {
    federation::Json progress = {{"cursor", 0}};
    for (int i = 0; i < 2000; ++i) {
      progress = call(daemon, "watch",
                      {{"request_id", id}, {"cursor", progress["cursor"]}, {"wait_seconds", 5}});
      if (progress["over"] == true) break;
    }
    return progress;
  }

  // How often each line is in a file.
  std::map<std::string, int> lines_of(const std::string& name) const {
    std::map<std::string, int> times;
    std::istringstream lines(text_of(file(name)));
    for (std::string line; std::getline(lines, line);) ++times[line];
    return times;
  }

  // Every month has its result, with the value that the chain of months before it gives.
  void expect_results(const std::string& experiment, int scenarios, int months) const {
    for (int s = 1; s <= scenarios; ++s) {
      long value = s;
      for (int m = 1; m <= months; ++m) {
        if (m > 1) value += static_cast<long>(s) * m;
        char month[32];
        std::snprintf(month, sizeof month, "month-%05d", m);
        const std::string folder =
            file("data/alice/" + experiment + "/s" + std::to_string(s) + "/" + month);
        EXPECT_EQ(text_of(folder + "/value"), std::to_string(value) + "\n") << s << " " << m;
        EXPECT_EQ(text_of(folder + "/archive"), std::to_string(value) + "\n") << s << " " << m;
      }
    }
  }

  TestKeys keys_;
  federation::Caller client_{keys_.make(federation::Role::client, "alice")};
  std::map<std::string, ServerProcess> servers_;
};

}  // namespace dovetail::testing
