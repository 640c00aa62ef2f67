// Experiments over three clusters of different speed behind a tree of agents, for tests.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "support/system/real_federation.hpp"

namespace dovetail::testing {

class ExperimentTest : public RealFederation {
 protected:
  // A master with a local agent below it, and three clusters of different speed; all months may
  // take so many times as long.
  void start_three(double slower = 1) {
    const auto pause = [&](double seconds) { return fmt::format("{:.2f}", seconds * slower); };
    start_agent("master");
    start_agent("local", "master");
    write_daemon("fast", 3, pause(0.1));
    write_daemon("middle", 2, pause(0.15));
    write_daemon("slow", 2, pause(0.2));
    start_daemon("fast", "master");
    start_daemon("middle", "local");
    start_daemon("slow", "local");
    wait_for_daemons(3);
  }

  void wait_for_daemons(std::size_t count) {
    ASSERT_TRUE(comes_true([&] {
      const auto reply = client_.post({url("master"), federation::Role::agent}, "/v1/find",
                                      {{"operation", "capabilities"},
                                       {"request", federation::Json::object()},
                                       {"deadline_ms", 5000}},
                                      20);
      return reply["answers"].size() == count;
    })) << log_of("master");
  }

  void write_experiment(int scenarios, int months) {
    write("sum.yaml", "scenarios: " + std::to_string(scenarios) + "\nmonths: " +
                          std::to_string(months) + "\nservice: sum\nparameters: {label: test}\n");
  }

  // Adds a service to a daemon's file: says a word, and sleeps.
  void add_nap(const std::string& name) {
    write(name + ".yaml", text_of(file(name + ".yaml")) +
                              "  nap:\n"
                              "    parameters: {word: {word: '.*'}, seconds: {number: [0, 1000]}}\n"
                              "    command: [sh, -c, 'echo \"$0\" >> " +
                              file("said") + "; sleep $1', '{word}', '{seconds}']\n");
  }

  // An ordinary workflow of that many tasks beside each other.
  void write_naps(int tasks, const std::string& seconds) {
    std::string text = "name: flow\ntasks:\n";
    for (int i = 0; i < tasks; ++i) {
      text += fmt::format("  - {{id: t{0}, run: 'nap word=w{0} seconds={1}', time: {1}}}\n", i,
                          seconds);
    }
    write("sum.yaml", text);
  }

  std::vector<std::string> command(std::vector<std::string> more = {}) const {
    std::vector<std::string> words = {"run",         "sum.yaml", "--agent",
                                      url("master"), "--keys",   keys_.path("alice")};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  // The id of the experiment whose results there are; there is one.
  std::string experiment() const {
    for (const auto& entry : std::filesystem::directory_iterator(file("data/alice"))) {
      return entry.path().filename().string();
    }
    return "";
  }

  void expect_each_month_once(int scenarios, int months) const {
    expect_results(experiment(), scenarios, months);
    const auto ran = lines_of("ran");
    EXPECT_EQ(ran.size(), static_cast<std::size_t>(scenarios * months));
    for (const auto& [month, times] : ran) EXPECT_EQ(times, 1) << month;
    for (const auto& [month, times] : lines_of("posts")) EXPECT_EQ(times, 1) << month;
    EXPECT_TRUE(lines_of("ran_again").empty()) << text_of(file("ran_again"));
  }
};

}  // namespace dovetail::testing
