// The runner of a cluster's months, with a back end that only remembers.
#include <gtest/gtest.h>

#include <filesystem>

#include "federation/daemon/month_runner.hpp"
#include "support/file_checks.hpp"
#include "support/power/recorded_syncs.hpp"
#include "support/remembering_backend.hpp"
#include "support/whole_file.hpp"

namespace dovetail::federation {
namespace {

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

  // Of scenarios 1, 3, 5 and so on: there is no short way to write them down.
  static MonthRequest large_request(const std::string& id, Count scenarios, Count months) {
    MonthRequest made = request(id, 1);
    made.months = months;
    made.scenarios.clear();
    for (Count i = 0; i < scenarios; ++i) made.scenarios.push_back({.number = 2 * i + 1});
    return made;
  }

  MonthFolder scenario_folder(Count scenario = 1) const {
    return {description_.data,
            {.id = "", .experiment = "e", .client = "alice", .service = ""},
            scenario};
  }

  // The status with which the submission is refused, and the reason.
  static std::pair<int, std::string> refusal_of(MonthRunner& months, const MonthRequest& request) {
    try {
      months.submit(request);
    } catch (const Refusal& refusal) {
      return {refusal.status(), refusal.what()};
    }
    return {200, ""};
  }

  std::uintmax_t journal_bytes() const { return std::filesystem::file_size(folder_.journal()); }

  testing::TemporaryFolder files_;
  DaemonDescription description_;
  testing::RememberingBackend backend_;
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
  EXPECT_TRUE(months.state().find({"r1", "alice"})->is_over());
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
      months.state().find({"r1", "alice"})->scenarios[0].why,
      "main of scenario 1 month 1: exit code 3: two of three no such file: grid.nc (" + log + ")");
}

TEST_F(MonthsOfACluster, AQuotaOfTheClientRefusesWhatIsTooMuch) {
  description_.quotas = {.requests = 2, .months = 100, .bytes = 10'000};
  MonthRunner months = runner();
  EXPECT_EQ(refusal_of(months, large_request("big", 20, 6)),
            (std::pair<int, std::string>(
                413, "120 months in requests that are not over, and a client may have 100 here")));
  EXPECT_EQ(refusal_of(months, large_request("r1", 10, 9)).first, 200);
  EXPECT_EQ(refusal_of(months, large_request("r2", 10, 2)),
            (std::pair<int, std::string>(
                429,
                "alice would have 110 months in requests that are not over here, and may "
                "have 100")));
  EXPECT_EQ(refusal_of(months, large_request("r2", 10, 1)).first, 200);
  EXPECT_EQ(refusal_of(months, large_request("r3", 1, 1)),
            (std::pair<int, std::string>(
                429, "alice would have 3 requests that are not over here, and may have 2")));
  MonthRequest others = large_request("b1", 10, 9);
  others.client = "bob";
  EXPECT_EQ(refusal_of(months, others).first, 200) << "each client has its own";
  EXPECT_EQ(refusal_of(months, large_request("r1", 10, 9)).first, 200) << "known already";
  months.cancel({"r1", "alice"}, {});
  EXPECT_EQ(refusal_of(months, large_request("r3", 10, 9)).first, 200) << "there is room again";
}

TEST_F(MonthsOfACluster, LongParametersAndWorkflowsCountForTheQuota) {
  description_.quotas = {.bytes = 10'000};
  description_.services[0].parameters = {{.name = "label", .pattern = ".*"}};
  MonthRunner months = runner();
  MonthRequest first = request("r1", 1);
  first.parameters = {{"label", std::string(90, 'x')}};
  EXPECT_EQ(refusal_of(months, first).first, 200);
  MonthRequest second = request("r2", 1);
  second.service = "workflow";
  second.months = 1;
  second.workflow = std::string(9'900, ' ');
  EXPECT_EQ(refusal_of(months, second).first, 429);
  EXPECT_EQ(scenario_folder().owner(), "r1") << "what is refused claims nothing";
}

TEST_F(MonthsOfACluster, OfTwoSubmissionsOfARequestAtTheSameTimeOneIsTakenIn) {
  MonthRunner months = runner();
  const auto arrival = months.receive(large_request("r1", 40, 2));
  ASSERT_TRUE(arrival);
  for (const Count scenario : {1, 39, 79}) {
    EXPECT_EQ(scenario_folder(scenario).owner(), "r1");
    EXPECT_FALSE(std::filesystem::exists(scenario_folder(scenario).path() + "/claim.r1"));
  }
  EXPECT_EQ(months.state().find({"r1", "alice"}), nullptr) << "claimed, and not yet written down";
  EXPECT_EQ(refusal_of(months, large_request("r1", 40, 2)).first, 503);
  months.accept(*arrival);
  EXPECT_EQ(refusal_of(months, large_request("r1", 40, 2)).first, 200);
  EXPECT_EQ(refusal_of(months, large_request("r1", 39, 2)).first, kConflict);
}

TEST_F(MonthsOfACluster, AClaimIsOnDiskWithAllTheFoldersAboveIt) {
  description_.data = files_.file("made/by/us/data");
  for (const Count scenarios : {1, 40}) {
    const testing::RecordedSyncs syncs;
    ASSERT_TRUE(runner().receive(large_request("r" + std::to_string(scenarios), scenarios, 2)));
    for (const char* folder : {"made/by/us", "made/by", "made", ""}) {
      EXPECT_TRUE(syncs.has(files_.file(folder))) << folder << " is not among\n" << syncs.text();
    }
    if (scenarios > 1) break;  // then the rest is synced with the whole file system
    for (const char* folder : {"/alice/e/s1", "/alice/e", "/alice", ""}) {
      EXPECT_TRUE(syncs.has(description_.data + folder)) << folder;
    }
  }
}

TEST_F(MonthsOfACluster, TwoClientsMayGiveTheSameId) {
  MonthRequest others = request("r1", 1);
  others.client = "bob";
  {
    MonthRunner months = runner();
    const auto arriving = months.receive(request("r1", 1));
    ASSERT_TRUE(arriving);
    EXPECT_EQ(refusal_of(months, others), (std::pair<int, std::string>(200, "")))
        << "while alice's is on its way in";
    months.accept(*arriving);
    others.months = 7;
    EXPECT_EQ(refusal_of(months, others),
              (std::pair<int, std::string>(kConflict, "request r1 of bob is another one")));
    others.months = 8;
    months.step(months.ended());
    months.cancel({"r1", "alice"}, {});
    EXPECT_THROW(months.cancel({"r1", "carol"}, {}), Refusal);
  }
  ASSERT_EQ(backend_.started.size(), 2U);
  EXPECT_NE(backend_.started[0].folder, backend_.started[1].folder);
  backend_.started.clear();
  MonthRunner again = runner();  // from the journal
  EXPECT_TRUE(again.state().find({"r1", "alice"})->scenarios[0].is_cancelled);
  EXPECT_FALSE(again.state().find({"r1", "bob"})->scenarios[0].is_cancelled);
  for (const auto& [number, step] : again.state().running()) {
    backend_.ends.push_back({.task = number, .attempt = 1, .end = {.seconds = 1}});
  }
  again.step(again.ended());
  EXPECT_EQ(again.state().find({"r1", "alice"})->scenarios[0].state, Scenario::State::cancelled);
  EXPECT_EQ(again.state().find({"r1", "bob"})->scenarios[0].done, 1);
  EXPECT_EQ(MonthFolder(description_.data, others, 1).last_done(), 1);
}

TEST_F(MonthsOfACluster, CancellingAgainWritesNothing) {
  MonthRunner months = runner();
  months.submit(large_request("r1", 10, 2));
  std::vector<Count> numbers(10'000, 1);
  numbers.push_back(2);  // which the request does not have
  months.cancel({"r1", "alice"}, numbers);
  const std::uintmax_t before = journal_bytes();
  for (int i = 0; i < 30; ++i) months.cancel({"r1", "alice"}, numbers);
  EXPECT_EQ(journal_bytes(), before);
  EXPECT_FALSE(months.state().find({"r1", "alice"})->is_over());
  months.cancel({"r1", "alice"}, {});
  EXPECT_TRUE(months.state().find({"r1", "alice"})->is_over());
  EXPECT_LT(journal_bytes(), before + 300) << "all of them have no need to be named";
}

TEST_F(MonthsOfACluster, RequestsThatAreOverAreForgottenAndTheJournalStaysShort) {
  MonthRecord record(folder_.journal(), {.requests = 5, .bytes = 1'000'000});
  const MonthRequest first = large_request("first", 1500, 2);
  std::vector<FoundScenario> found;
  for (const Scenario& one : first.scenarios) found.push_back({.number = one.number});
  record.write(request_entry(first, found));
  for (int i = 0; i < 60; ++i) {
    record.write(request_entry(request("r" + std::to_string(i), 1), found));
    record.write(cancel_entry({"r" + std::to_string(i), "alice"}, {}, "why"));
    record.tidy();
  }
  // Each request takes 90 kB, and what is remembered of it 180 kB.
  EXPECT_LT(journal_bytes(), 3'500'000U);
  EXPECT_EQ(record.state().find({"r0", "alice"}), nullptr);
  EXPECT_TRUE(record.state().find({"r59", "alice"})->is_over());
  EXPECT_FALSE(record.state().find({"first", "alice"})->is_over()) << "old, and not over";
  MonthRecord again(folder_.journal(), {.requests = 5, .bytes = 1'000'000});
  EXPECT_EQ(again.state().requests().size(), 6U);
  EXPECT_NE(again.state().find({"r55", "alice"}), nullptr);
  EXPECT_EQ(again.state().find({"first", "alice"})->scenarios.size(), 1500U);
}

TEST_F(MonthsOfACluster, EqualScenariosTakeOneLine) {
  MonthRecord record(folder_.journal());
  std::vector<FoundScenario> found;
  for (Count i = 1; i <= 1000; ++i) found.push_back({.number = i});
  record.write(request_entry(request("r1", 1), found));
  EXPECT_LT(journal_bytes(), 500U);
  const MonthRecord again(folder_.journal());
  ASSERT_EQ(again.state().find({"r1", "alice"})->scenarios.size(), 1000U);
  EXPECT_EQ(again.state().find({"r1", "alice"})->scenarios.back().number, 1000);
}

TEST_F(MonthsOfACluster, GroupsForVeryManyMonthsAreChosenByAFewOfThem) {
  MonthState state;
  MonthRequest many = request("many", 1);
  many.months = 20;
  std::vector<FoundScenario> found;
  for (Count i = 1; i <= 10'000; ++i) found.push_back({.number = i});
  state.apply(request_entry(many, found));
  MonthRequest few = request("few", 1);
  few.months = 20'000;
  state.apply(request_entry(few, {{.number = 10'001}}));
  const RunnerOptions options{.name = "azur",
                              .description = description_,
                              .times = [](const Service& service) { return service.times; }};
  MonthChoice choice(options);
  const auto question = choice.question(state, description_.services[0]);
  ASSERT_TRUE(question);
  EXPECT_LE(std::int64_t{question->scenarios} * question->months, 20'000);
  choice.take(*question, choice.answer(*question));
  EXPECT_EQ(choice.next(state, description_.services[0]).size(), 4U) << "one for each processor";
  EXPECT_FALSE(choice.question(state, description_.services[0]));
  state.apply(cancel_entry({"many", "alice"}, {7}, "why"));
  EXPECT_FALSE(choice.question(state, description_.services[0]))
      << "one scenario of ten thousand makes no difference";
}

TEST_F(MonthsOfACluster, GroupsForAnotherServiceStartNothing) {
  description_.services.push_back(description_.services[0]);
  description_.services[1].name = "other";
  MonthRunner months = runner();
  months.submit(request("r1", 1));
  const auto question = months.question();
  ASSERT_TRUE(question);
  MonthGroups groups = months.answer(*question);
  // While they are chosen, the service changes.
  months.cancel({"r1", "alice"}, {});
  MonthRequest next = request("r2", 1);
  next.service = "other";
  months.submit(next);
  months.use(*question, std::move(groups));
  EXPECT_FALSE(months.start_steps());
  EXPECT_TRUE(months.step({}));
  EXPECT_EQ(backend_.started.size(), 1U);
}

}  // namespace
}  // namespace dovetail::federation
