// What holds for every batch system of the table: it runs by itself for a new one.
#include <gtest/gtest.h>

#include <set>

#include "batch/job_script.hpp"
#include "batch/table.hpp"
#include "dovetail/error.hpp"
#include "dovetail/platform.hpp"
#include "support/file_checks.hpp"

namespace dovetail::batch {
namespace {

TEST(SystemTable, EverySystemHasAWordATitleAndASummary) {
  std::set<std::string_view> names;
  for (const SystemInfo& info : systems()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_EQ(info.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789"), info.name.npos);
    EXPECT_FALSE(info.summary.empty());
    EXPECT_EQ(info.make({})->title(), info.title);
    EXPECT_EQ(find_system(info.name), &info);
  }
}

TEST(SystemTable, FilesCanNameExactlyTheSystemsOfTheTable) {
  std::vector<std::string_view> names;
  for (const SystemInfo& info : systems()) names.push_back(info.name);
  EXPECT_EQ(names, std::vector(std::begin(kBatchSystems), std::end(kBatchSystems)));
}

TEST(SystemTable, AnUnknownSystemListsTheKnown) {
  const std::string error = testing::error_of([] { system_named("lottery"); });
  EXPECT_EQ(error.find("there is no batch system \"lottery\"; known: "), 0U) << error;
  for (const SystemInfo& info : systems()) EXPECT_NE(error.find(info.name), std::string::npos);
}

// Whatever is in names of files, a script is a shell's, and every directive is a comment to it.
TEST(SystemTable, EveryScriptIsAShellScriptThatStartsThePilot) {
  PilotOrder order{.job_name = "dovetail-flow-1-0.1", .nodes = 2, .request = 90 * kMinute};
  order.tasks = {{.command = {.name = "mesh"}}};
  for (const SystemInfo& info : systems()) {
    const auto system = info.make({});
    const std::string script =
        job_script(*system, order, {.partition = "p", .begin = 1'794'850'000'000},
                   {.program = "/opt/dovetail", .order = "/s p/0.json", .output = "/o"});
    EXPECT_EQ(script.find("#!/bin/sh\n"), 0U);
    EXPECT_TRUE(script.ends_with("\nexec '/opt/dovetail' pilot '/s p/0.json'\n")) << script;
    EXPECT_NE(script.find("dovetail-flow-1-0.1"), std::string::npos);
    std::size_t lines = 0;
    for (std::size_t at = 0; at < script.size(); at = script.find('\n', at) + 1) {
      if (script[at] != '#') ++lines;
    }
    EXPECT_EQ(lines, 1U) << script;
  }
}

TEST(SystemTable, AStepIsACommandThatEndsWithTheTasks) {
  for (const SystemInfo& info : systems()) {
    const auto words = info.make({})->step(
        {.node = "n1", .cores = 4, .name = "t", .command = {"dovetail", "step"}});
    ASSERT_GE(words.size(), 2U);
    EXPECT_EQ(std::vector(words.end() - 2, words.end()),
              (std::vector<std::string>{"dovetail", "step"}));
  }
}

}  // namespace
}  // namespace dovetail::batch
