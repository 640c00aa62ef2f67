// The runner of a cluster's months, with a back end that only remembers.
#include <gtest/gtest.h>

#include <filesystem>
#include <utility>

#include "federation/daemon/month_runner.hpp"
#include "support/file_checks.hpp"
#include "support/whole_file.hpp"

namespace dovetail::federation {
namespace {

class RememberingBackend : public run::Backend {
 public:
  void start(const run::StepCommand& command) override { started.push_back(command); }
  void adopt(const run::StepCommand& command) override { started.push_back(command); }
  void stop(std::uint32_t task) override {
    ends.push_back({.task = task, .end = {.cause = run::AttemptEnd::Cause::stopped}});
  }
  std::vector<run::StepEnd> ended() override { return std::exchange(ends, {}); }
  int descriptor() const override { return -1; }

  std::vector<run::StepCommand> started;
  std::vector<run::StepEnd> ends;
};

class MonthsOfACluster : public ::testing::Test {
 protected:
  MonthsOfACluster() {
    description_.processors = 4;
    description_.data = files_.file("data");
    description_.services = {{.name = "sum",
                              .main = {"sum", "{folder}"},
                              .post = {"post", "{folder}"},
                              .times = {.main = {{1, 1000}}, .post = 100},
                              .tries = 1}};
  }

  MonthRunner runner() {
    return {{.name = "azur",
             .description = description_,
             .times = [](const Service& service) { return service.times; }},
            folder_,
            {.months = backend_, .workflows = backend_}};
  }

  static MonthRequest request(const std::string& id, Count first) {
    return {.id = id,
            .experiment = "e",
            .client = "alice",
            .service = "sum",
            .months = 8,
            .scenarios = {{.number = 1, .first = first}}};
  }

  MonthFolder scenario_folder() const {
    return {description_.data, {.id = "", .experiment = "e", .client = "alice", .service = ""}, 1};
  }

  testing::TemporaryFolder files_;
  DaemonDescription description_;
  RememberingBackend backend_;
  run::RunFolder folder_ = run::RunFolder::create(files_.file("state"), "azur");
};

TEST_F(MonthsOfACluster, WhatAnotherHasTakenOverTakesItsPostTasksAlong) {
  for (const Count month : {1, 2}) {
    std::filesystem::create_directories(scenario_folder().month(month));
  }
  MonthRunner months = runner();
  months.submit(request("r1", 3));
  scenario_folder().claim("r2");
  EXPECT_EQ(months.state().posts().size(), 2U);
  months.step(months.ended());
  EXPECT_TRUE(backend_.started.empty());
  EXPECT_TRUE(months.state().posts().empty());
  EXPECT_TRUE(months.state().find("r1")->is_over());
  EXPECT_EQ(scenario_folder().last_done(), 2);
}

TEST_F(MonthsOfACluster, TheEndOfWhatAFailedMonthSaidIsInTheReason) {
  MonthRunner months = runner();
  months.submit(request("r1", 1));
  months.step(months.ended());
  ASSERT_EQ(backend_.started.size(), 1U);
  const std::uint32_t number = backend_.started[0].task;
  const std::string log = folder_.log(number, 1, "err");
  std::string said(5000, 'x');
  said.append("\none\ntwo\tof\nthree\nno such file: grid.nc\n\n");
  testing::put(log, said);
  backend_.ends.push_back({.task = number, .attempt = 1, .end = {.exit_code = 3, .seconds = 1}});
  months.step(months.ended());
  EXPECT_EQ(
      months.state().find("r1")->scenarios[0].why,
      "main of scenario 1 month 1: exit code 3: two of three no such file: grid.nc (" + log + ")");
}

}  // namespace
}  // namespace dovetail::federation
