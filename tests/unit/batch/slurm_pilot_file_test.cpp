// The files between the one who submits jobs and the jobs.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "batch/pilot/pilot_file.hpp"
#include "support/file_checks.hpp"
#include "support/job_work.hpp"
#include "support/whole_file.hpp"

namespace dovetail::batch {
namespace {

using testing::error_of;
using testing::failure_of;
using testing::is_marked_done;
using testing::put;
using testing::text_of;

class PilotFile : public ::testing::Test {
 protected:
  PilotTask task(std::uint32_t number, std::vector<std::uint32_t> after = {}) const {
    return {.command = {.task = number,
                        .attempt = 2,
                        .command = "echo \"a\tb\" \xc3\xa9\n",
                        .folder = own_.path().string(),
                        .attempt_file = folder_.attempt(number, 2),
                        .out_file = folder_.log(number, 2, "out"),
                        .err_file = folder_.log(number, 2, "err"),
                        .environment = {{"DOVETAIL_PROCESSORS", "2"}, {"EMPTY", ""}},
                        .outputs = {"made-" + std::to_string(number)},
                        .syncs = number % 2 == 0,
                        .origin = {.definition = "d", .inputs = "i", .processors = 3},
                        .timeout_seconds = 1.5,
                        .grace_seconds = 0.25,
                        .name = "task " + std::to_string(number),
                        .expected = 1000 * number},
            .after = std::move(after)};
  }

  PilotOrder order() const {
    return {.job_name = "flow-1.p3",
            .pilot = 3,
            .nodes = 4,
            .node = {.cores = 4, .memory = 1000, .gpus = 2},
            .request = 90'000,
            .picks_longest = true,
            .tasks = {task(1, {0}), task(11, {1, 7}), task(111)}};
  }

  std::string write(const PilotOrder& order) const {
    const std::string file = order_file(folder_, order.pilot);
    write_order(file, order);
    return file;
  }

  void report(const std::string& text) const {
    std::filesystem::create_directories(own_.file("state/runs/flow-1/pilots"));
    put(report_file(folder_, 3), text);
  }

  static std::string line(const run::Json& entry) { return entry.dump() + "\n"; }

  void end_attempt(std::uint32_t number, const run::AttemptEnd& end) const {
    auto file = run::AttemptWriter::create(folder_.attempt(number, 2));
    ASSERT_TRUE(file);
    file->prepare_start(run::ProcessName::self(), 5, {});
    ASSERT_TRUE(file->write_start(17));
    ASSERT_TRUE(file->write_end(end));
  }

  testing::TemporaryFolder own_;
  run::RunFolder folder_ = run::RunFolder::create(own_.file("state"), "flow");
};

void expect_same(const PilotTask& a, const PilotTask& b) {
  EXPECT_EQ(a.command.name, b.command.name);
  EXPECT_EQ(a.command.processors, b.command.processors);
  EXPECT_EQ(a.command.expected, b.command.expected);
  EXPECT_EQ(a.demand, b.demand);
  EXPECT_EQ(a.after, b.after);
  EXPECT_EQ(a.command.outputs, b.command.outputs);
  EXPECT_EQ(a.command.syncs, b.command.syncs);
  EXPECT_EQ(a.command.origin.definition, b.command.origin.definition);
  EXPECT_EQ(a.command.origin.inputs, b.command.origin.inputs);
  EXPECT_EQ(a.command.origin.processors, b.command.origin.processors);
  EXPECT_EQ(a.command.task, b.command.task);
  EXPECT_EQ(a.command.attempt, b.command.attempt);
  EXPECT_EQ(a.command.command, b.command.command);
  EXPECT_EQ(a.command.folder, b.command.folder);
  EXPECT_EQ(a.command.attempt_file, b.command.attempt_file);
  EXPECT_EQ(a.command.out_file, b.command.out_file);
  EXPECT_EQ(a.command.err_file, b.command.err_file);
  EXPECT_EQ(a.command.environment, b.command.environment);
  EXPECT_EQ(a.command.timeout_seconds, b.command.timeout_seconds);
  EXPECT_EQ(a.command.grace_seconds, b.command.grace_seconds);
}

void expect_same_head(const PilotOrder& a, const PilotOrder& b) {
  EXPECT_EQ(a.job_name, b.job_name);
  EXPECT_EQ(a.pilot, b.pilot);
  EXPECT_EQ(a.nodes, b.nodes);
  EXPECT_EQ(a.node, b.node);
  EXPECT_EQ(a.request, b.request);
  EXPECT_EQ(a.picks_longest, b.picks_longest);
}

TEST_F(PilotFile, OrdersAreReadAsTheyWereWritten) {
  PilotOrder before = order();
  before.tasks[0].demand = {.nodes = 3, .cores = 2, .memory = 500, .gpus = 1};
  before.tasks[1].demand = {.nodes = 2, .cores = 4, .is_whole = true};
  const PilotOrder after = read_order(write(before));
  expect_same_head(before, after);
  ASSERT_EQ(after.tasks.size(), before.tasks.size());
  for (std::size_t i = 0; i < after.tasks.size(); ++i) {
    expect_same(before.tasks[i], after.tasks[i]);
  }
}

TEST_F(PilotFile, OneTaskIsReadWithoutTheOthers) {
  const PilotOrder before = order();
  const std::string file = write(before);
  for (const PilotTask& task : before.tasks) {
    const PilotOrder after = read_order(file, task.command.task);
    expect_same_head(before, after);
    ASSERT_EQ(after.tasks.size(), 1U);
    expect_same(task, after.tasks.front());
  }
  EXPECT_EQ(error_of([&] { read_order(file, 2); }), file + ": there is no task 2 in it");
}

TEST_F(PilotFile, OneTaskIsFoundInAnOrderThatWasWrittenInAnotherWay) {
  const std::string file = write(order());
  put(file, run::Json::parse(text_of(file)).dump(2));
  const PilotOrder after = read_order(file, 11);
  ASSERT_EQ(after.tasks.size(), 1U);
  expect_same(order().tasks[1], after.tasks.front());
}

TEST_F(PilotFile, WhatIsNoOrderIsRefused) {
  const std::string file = write(order());
  const std::string whole = text_of(file);
  put(file, whole.substr(0, whole.size() / 2));
  EXPECT_TRUE(error_of([&] { read_order(file); }).starts_with(file + ": is not an order"));
  put(file, "{}");
  EXPECT_TRUE(error_of([&] { read_order(file); }).starts_with(file + ": is not an order"));
  std::filesystem::remove(file);
  EXPECT_EQ(failure_of([&] { read_order(file); }),
            file + ": cannot be read: No such file or directory");
}

TEST_F(PilotFile, OrdersThatCannotBeCarriedOutAreRefused) {
  PilotOrder circle = order();
  circle.tasks[2].after = {11};
  circle.tasks[1].after = {111};
  const std::string file = write(circle);
  EXPECT_EQ(error_of([&] { read_order(file); }),
            file + ": tasks come after one another in a circle");
  PilotOrder twice = order();
  twice.tasks.push_back(twice.tasks.front());
  write(twice);
  EXPECT_EQ(error_of([&] { read_order(file); }), file + ": task 1 is in it twice");
}

TEST_F(PilotFile, BytesThatJsonCannotHoldAreNotChangedInSilence) {
  PilotOrder order = this->order();
  order.tasks[0].command.command = "echo \xff";
  EXPECT_NE(failure_of([&] { write(order); }), "no error");
  EXPECT_FALSE(std::filesystem::exists(order_file(folder_, 3)));
}

TEST_F(PilotFile, TheRunIsFoundFromThePlaceOfTheOrder) {
  const std::string file = write(order());
  EXPECT_EQ(folder_of_order(file).journal(), folder_.journal());
  EXPECT_EQ(error_of([&] { folder_of_order(own_.file("3.json")); }),
            own_.file("3.json") + ": is not in the folder of a run");
}

TEST_F(PilotFile, TasksAreMarkedDoneOnceAndForAll) {
  EXPECT_FALSE(is_marked_done(folder_, 17));
  EXPECT_TRUE(marked_done(folder_, {1, 17}).empty());
  mark_done(folder_, 17);
  mark_done(folder_, 17);
  mark_done(folder_, 1);
  EXPECT_TRUE(is_marked_done(folder_, 17));
  EXPECT_FALSE(is_marked_done(folder_, 7));
  EXPECT_EQ(marked_done(folder_, {17, 7, 1}), (std::vector<std::uint32_t>{17, 1}));
}

TEST_F(PilotFile, AReportThatIsNotThereSaysNothing) {
  const PilotReport report = read_report(folder_, order());
  EXPECT_FALSE(report.began);
  EXPECT_TRUE(report.starts.empty() && report.ends.empty() && report.over.empty());
}

TEST_F(PilotFile, ReportsAreReadAsTheyWereWritten) {
  const run::AttemptEnd failed{.exit_code = 3, .why = "w", .time = 9, .seconds = 0.5};
  const std::vector<NodeShare> on = {{.node = "n2", .cores = {1, 2}, .gpus = {0}}, {.node = "n3"}};
  report(line(begin_entry("42", {"n1", "n2"})) +
         line(entry_of(PilotReport::BegunTask{.task = 1, .attempt = 2, .on = on, .time = 7})) +
         line(entry_of(
             PilotReport::EndedTask{.task = 1, .attempt = 2, .end = failed, .missing = "made"})) +
         line(over_entry("failed")));
  const PilotReport read = read_report(folder_, order());
  EXPECT_EQ(read.job_id, "42");
  EXPECT_TRUE(read.began);
  EXPECT_EQ(read.nodes, (std::vector<std::string>{"n1", "n2"}));
  ASSERT_EQ(read.starts.size(), 1U);
  EXPECT_EQ(read.starts[0].task, 1U);
  EXPECT_EQ(read.starts[0].attempt, 2U);
  EXPECT_EQ(read.starts[0].on, on);
  EXPECT_EQ(read.starts[0].time, 7);
  ASSERT_EQ(read.ends.size(), 1U);
  EXPECT_EQ(run::to_json(read.ends[0].end), run::to_json(failed));
  EXPECT_EQ(read.ends[0].missing, "made");
  EXPECT_EQ(read.over, "failed");
}

TEST_F(PilotFile, FilesOfAnEarlierDovetailAreReadAsBefore) {
  PilotOrder before = order();
  std::string text = testing::text_of(write(before));
  for (const std::string field :
       {",\"memory_per_node\":1000,\"gpus_per_node\":2", ",\"demand\":{\"nodes\":1,\"cores\":1}"}) {
    ASSERT_NE(text.find(field), std::string::npos) << text;
    for (auto at = text.find(field); at != text.npos; at = text.find(field)) {
      text.erase(at, field.size());
    }
  }
  put(order_file(folder_, 3), text);
  for (const PilotTask& task : read_order(order_file(folder_, 3)).tasks) {
    EXPECT_EQ(task.demand, (NodeDemand{.cores = 4, .is_whole = true}));
  }
  report(R"({"what":"start","time":7,"task":1,"attempt":2,"node":"n2"})"
         "\n");
  EXPECT_EQ(read_report(folder_, order()).starts.at(0).on,
            (std::vector<NodeShare>{{.node = "n2"}}));
}

TEST_F(PilotFile, TasksThatTakeMoreThanANodeHasAreRefused) {
  for (const NodeDemand& demand :
       {NodeDemand{.cores = 5}, NodeDemand{.cores = 0}, NodeDemand{.nodes = 0},
        NodeDemand{.memory = 1001}, NodeDemand{.gpus = 3}}) {
    PilotOrder wrong = order();
    wrong.tasks[1].demand = demand;
    const std::string file = write(wrong);
    EXPECT_EQ(error_of([&] { read_order(file); }),
              file + ": task 11 takes more than a node has, or nothing");
  }
}

TEST_F(PilotFile, EveryBeginningOfAReportCanBeRead) {
  const std::string text = line(begin_entry("42", {"n1"})) +
                           line(entry_of(PilotReport::BegunTask{
                               .task = 1, .attempt = 2, .on = {{.node = "n1"}}, .time = 7})) +
                           line(entry_of(PilotReport::EndedTask{.task = 1, .attempt = 2})) +
                           line(over_entry("done"));
  for (std::size_t size = 0; size <= text.size(); ++size) {
    SCOPED_TRACE(size);
    report(text.substr(0, size));
    const PilotReport read = read_report(folder_, order());
    const auto lines = std::count(text.begin(), text.begin() + static_cast<long>(size), '\n');
    EXPECT_EQ(read.began.has_value(), lines >= 1);
    EXPECT_EQ(read.starts.size(), lines >= 2 ? 1U : 0U);
    EXPECT_EQ(read.ends.size(), lines >= 3 ? 1U : 0U);
    EXPECT_EQ(read.over, lines >= 4 ? "done" : "");
  }
}

TEST_F(PilotFile, WhatComesAfterALineThatIsNotThereYetIsLeftForLater) {
  const std::string begin = line(begin_entry("42", {"n1"}));
  report(begin + std::string(40, '\0') + "\n" + line(over_entry("done")));
  const PilotReport read = read_report(folder_, order());
  EXPECT_TRUE(read.began);
  EXPECT_EQ(read.over, "");
}

TEST_F(PilotFile, EndsThatOnlyTheAttemptFilesKnowAreTakenFromThere) {
  report(line(begin_entry("42", {"n1", "n2"})) +
         line(entry_of(
             PilotReport::BegunTask{.task = 1, .attempt = 2, .on = {{.node = "n1"}}, .time = 7})) +
         line(entry_of(
             PilotReport::BegunTask{.task = 11, .attempt = 2, .on = {{.node = "n2"}}, .time = 7})) +
         line(entry_of(PilotReport::BegunTask{
             .task = 111, .attempt = 2, .on = {{.node = "n2"}}, .time = 7})));
  end_attempt(1, {.exit_code = 0, .time = 8});
  end_attempt(11, {.exit_code = 0, .time = 9});
  put(own_.file("made-11"), "");
  const PilotReport read = read_report(folder_, order());
  ASSERT_EQ(read.ends.size(), 2U);
  EXPECT_EQ(read.ends[0].task, 1U);
  EXPECT_EQ(read.ends[0].missing, "made-1");
  EXPECT_EQ(read.ends[1].task, 11U);
  EXPECT_EQ(read.ends[1].missing, "");
  EXPECT_EQ(read.ends[1].end.time, 9);
}

TEST_F(PilotFile, AnAttemptFileThatCameLateCountsMoreThanThatThereWasNone) {
  const auto none = run::AttemptEnd::not_started("srun: error");
  report(line(begin_entry("42", {"n1"})) +
         line(entry_of(
             PilotReport::BegunTask{.task = 1, .attempt = 2, .on = {{.node = "n1"}}, .time = 7})) +
         line(entry_of(PilotReport::EndedTask{.task = 1, .attempt = 2, .end = none})));
  ASSERT_EQ(read_report(folder_, order()).ends.size(), 1U);
  EXPECT_EQ(read_report(folder_, order()).ends[0].end.why, "srun: error");
  end_attempt(1, {.exit_code = 4, .time = 8});
  ASSERT_EQ(read_report(folder_, order()).ends.size(), 1U);
  EXPECT_EQ(read_report(folder_, order()).ends[0].end.exit_code, 4);
}

}  // namespace
}  // namespace dovetail::batch
