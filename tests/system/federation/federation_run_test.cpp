// Whole experiments over clusters that are processes of this machine.
#include <gtest/gtest.h>

#include "federation/client/offers.hpp"
#include "support/system/experiment_test.hpp"

namespace dovetail::testing {
namespace {

class FederationRun : public ExperimentTest {};

TEST_F(FederationRun, TheEightStepsAreInTheLogs) {
  start_three();
  write_experiment(6, 8);
  const auto offers = federation::ask_for_offers(client_, url("master"), {"sum", 6, 8}, 5000);
  ASSERT_EQ(offers.offers.size(), 3U);
  // Algorithm 1, word by word: six times the cluster with the smallest next entry.
  std::map<std::string, int> counts = {{"fast", 0}, {"middle", 0}, {"slow", 0}};
  for (int i = 0; i < 6; ++i) {
    const federation::Offer* best = nullptr;
    const auto next = [&](const federation::Offer& offer) {
      return offer.makespans[static_cast<std::size_t>(counts[offer.daemon])];
    };
    for (const auto& offer : offers.offers) {
      if (best == nullptr || next(offer) < next(*best)) best = &offer;
    }
    ++counts[best->daemon];
  }
  for (const auto& [daemon, count] : counts) EXPECT_GT(count, 0) << daemon;
  ASSERT_EQ(dovetail(command()), 0) << printed();
  const std::string repartition = "scenarios by cluster: fast " + std::to_string(counts["fast"]) +
                                  " middle " + std::to_string(counts["middle"]) + " slow " +
                                  std::to_string(counts["slow"]);
  EXPECT_NE(printed().find(repartition), std::string::npos) << repartition << "\n" << printed();
  for (const char* step : {"step 1", "step 5", "step 6", "step 7"}) {
    EXPECT_NE(printed().find(step), std::string::npos) << step;
  }
  for (const char* agent : {"master", "local"}) {
    for (const char* step : {"step 2", "step 4"}) {
      EXPECT_NE(log_of(agent).find(step), std::string::npos) << agent << " " << step;
    }
  }
  for (const char* daemon : {"fast", "middle", "slow"}) {
    EXPECT_NE(log_of(daemon).find("step 3"), std::string::npos) << daemon;
    if (counts[daemon] > 0) {
      EXPECT_NE(log_of(daemon).find("step 8"), std::string::npos) << daemon;
    }
  }
  expect_each_month_once(6, 8);
  std::printf("%s\n", printed().c_str());
}

TEST_F(FederationRun, ADryRunShowsVectorsAndRepartition) {
  start_three();
  write_experiment(6, 8);
  ASSERT_EQ(dovetail(command({"--dry-run"})), 0) << printed();
  EXPECT_NE(printed().find("nothing is run"), std::string::npos) << printed();
  EXPECT_NE(printed().find("round robin"), std::string::npos);
  EXPECT_TRUE(lines_of("ran").empty());
}

TEST_F(FederationRun, WhatIsWrongIsOneLine) {
  start_agent("master");
  write_experiment(2, 2);
  EXPECT_EQ(dovetail(command()), 3);
  EXPECT_NE(printed().find("no cluster is registered there"), std::string::npos) << printed();
  write_daemon("azur", 2, "0.05");
  start_daemon("azur", "master");
  wait_for_daemons(1);
  write("sum.yaml", "scenarios: 1\nmonths: 1\nservice: sum\nparameters: {label: \"a;b\"}\n");
  EXPECT_EQ(dovetail(command()), 2);
  EXPECT_NE(printed().find("parameter label"), std::string::npos) << printed();
  stop(servers_.at("master").pid, SIGKILL);
  EXPECT_EQ(dovetail(command()), 3);
  EXPECT_NE(printed().find("no server answers there"), std::string::npos) << printed();
  launch("master");
}

TEST_F(FederationRun, AKilledClientGoesOn) {
  start_three();
  write_experiment(4, 6);
  for (int i = 0; i < 3; ++i) {
    const pid_t client = begin(command());
    const std::size_t before = lines_of("ran").size();
    ASSERT_TRUE(comes_true([&] { return lines_of("ran").size() > before; })) << printed();
    stop(client, SIGKILL);
  }
  ASSERT_EQ(dovetail(command()), 0) << printed();
  EXPECT_NE(printed().find("sum-1 goes on"), std::string::npos);
  expect_each_month_once(4, 6);
}

TEST_F(FederationRun, AWorkflowGoesToTheClusterWhereItEndsFirst) {
  start_agent("master");
  write_daemon("narrow", 1, "0.1");
  write_daemon("wide", 4, "0.1");
  start_daemon("narrow", "master");
  start_daemon("wide", "master");
  wait_for_daemons(2);
  write("sum.yaml",
        "name: flow\ntasks:\n"
        "  - {id: a, run: \"say word=';touch${IFS}hacked'\", time: 1}\n"
        "  - {id: b, run: 'say word=two', time: 1}\n"
        "  - {id: c, run: 'say word=three', time: 1, after: [a, b]}\n");
  ASSERT_EQ(dovetail(command()), 0) << printed() << log_of("wide");
  EXPECT_NE(printed().find("to wide"), std::string::npos) << printed();
  EXPECT_EQ(lines_of("said").size(), 3U);
  EXPECT_EQ(lines_of("said")["';touch${IFS}hacked'"], 1) << "it is a word, and no command";
  write("sum.yaml", "name: flow\ntasks: [{id: a, run: 'rm -rf x', time: 1}]\n");
  EXPECT_EQ(dovetail(command()), 2);
  EXPECT_NE(printed().find("there is no service \"rm\" for tasks here"), std::string::npos)
      << printed();
  write("sum.yaml",
        "name: flow\ntasks: [{id: a, run: 'say word=x', time: 1, environment: {A: b}}]\n");
  EXPECT_EQ(dovetail(command()), 2);
  EXPECT_NE(printed().find("\"environment\" cannot be sent"), std::string::npos) << printed();
}

TEST_F(FederationRun, CancellingAWorkflowEndsItsTasks) {
  start_agent("master");
  write_daemon("wide", 4, "0.1");
  add_nap("wide");
  start_daemon("wide", "master");
  wait_for_daemons(1);
  write_naps(3, "300");
  const pid_t client = begin(command());
  ASSERT_TRUE(comes_true([&] { return lines_of("said").size() == 3; })) << printed();
  stop(client, SIGTERM);
  EXPECT_EQ(dovetail(command({"--cancel"})), 0) << printed();
  // What is left of them would be noticed when the test ends.
  EXPECT_EQ(lines_of("said").size(), 3U);
}

TEST_F(FederationRun, WhatALostClusterHasNotDoneIsDoneByOthers) {
  start_three();
  write_experiment(6, 8);
  const pid_t client = begin(command({"--lost-after", "1"}));
  ASSERT_TRUE(comes_true([&] { return lines_of("ran").size() > 6; })) << printed();
  // With all that runs on it, as when the machine is gone.
  stop(servers_.at("fast").pid, SIGKILL);
  end_steps_of("fast");
  ASSERT_EQ(wait_for(client), 0) << printed();
  EXPECT_NE(printed().find("fast is lost"), std::string::npos) << printed();
  expect_results(experiment(), 6, 8);
  // When it comes back it sees that its scenarios are others' by now.
  const std::size_t ran = lines_of("ran").size();
  launch("fast");
  sleep(1);
  EXPECT_EQ(lines_of("ran").size(), ran);
}

TEST_F(FederationRun, AClusterThatIsMuchSlowerThanItSaidLosesScenarios) {
  start_agent("master");
  write_daemon("liar", 4, "2");
  std::string text = text_of(file("liar.yaml"));
  const std::string times = "times: {1: 2, 2: 2}";
  text.replace(text.find(times), times.size(), "times: {1: 0.05, 2: 0.05}");
  write("liar.yaml", text);
  write_daemon("honest", 4, "0.2");
  start_daemon("liar", "master");
  start_daemon("honest", "master");
  wait_for_daemons(2);
  write_experiment(4, 8);
  ASSERT_EQ(dovetail(command({"--look-again", "1"})), 0) << printed();
  EXPECT_NE(printed().find("leaves liar"), std::string::npos) << printed();
  expect_results(experiment(), 4, 8);
}

TEST_F(FederationRun, WrongParametersAreSeenBeforeAnythingIsRun) {
  start_agent("master");
  write_daemon("azur", 2, "0.05");
  start_daemon("azur", "master");
  wait_for_daemons(1);
  write("sum.yaml", "scenarios: 1\nmonths: 1\nservice: sum\nparameters: {label: \"a;b\"}\n");
  EXPECT_EQ(dovetail(command({"--dry-run"})), 2) << printed();
  EXPECT_NE(printed().find("parameter label"), std::string::npos) << printed();
}

// Stopped, and not killed: its months go on, and it believes that they are still its own.
TEST_F(FederationRun, AClusterThatWasOnlySlowLeavesAloneWhatOthersHave) {
  start_three();
  write_experiment(6, 8);
  const pid_t client = begin(command({"--lost-after", "1"}));
  ASSERT_TRUE(comes_true([&] { return lines_of("ran").size() > 6; })) << printed();
  kill(servers_.at("fast").pid, SIGSTOP);
  ASSERT_TRUE(comes_true([&] { return printed().find("fast is lost") != std::string::npos; }))
      << printed();
  kill(servers_.at("fast").pid, SIGCONT);
  ASSERT_EQ(wait_for(client), 0) << printed();
  expect_results(experiment(), 6, 8);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(file("data"))) {
    EXPECT_FALSE(entry.path().filename().string().starts_with("work-")) << entry.path();
  }
}

// What both take is measured and told; on a machine with other work it decides nothing.
TEST_F(FederationRun, GreedyIsPredictedToEndBeforeRoundRobinAndBothComplete) {
  start_three(5);
  write_experiment(6, 8);
  for (const std::string by : {"greedy", "round-robin"}) {
    const Time began = run::steady_now();
    ASSERT_EQ(dovetail(command({"--repartition", by, "--look-again", "1000"})), 0) << printed();
    const double seconds = to_seconds(run::steady_now() - began);
    const auto place = printed().rfind("step 6");
    const std::string line = printed().substr(place, printed().find('\n', place) - place);
    std::printf("%s: %.1f s; %s\n", by.c_str(), seconds, line.c_str());
    RecordProperty(by, std::to_string(seconds));
    double predicted = 0;
    double round_robin = 0;
    ASSERT_EQ(std::sscanf(line.c_str() + line.find(';'), "; %lf s, round robin %lf s", &predicted,
                          &round_robin),
              2)
        << line;
    if (by == "greedy") {
      EXPECT_LT(predicted, round_robin);
    }
  }
}

}  // namespace
}  // namespace dovetail::testing
