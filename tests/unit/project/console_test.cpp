// The engine that runs documents and scenarios must itself notice what is wrong.
#include "support/console.hpp"

#include <gtest/gtest.h>

namespace dovetail::test {
namespace {

// A program that is always there, in place of dovetail.
constexpr const char* kEcho = "/bin/echo";

std::vector<std::string> run_markdown(const std::string& text) {
  return differences(parse_markdown(text), "doc.md", kEcho);
}

const Command& command(const Script& script, std::size_t position) {
  return std::get<Command>(script.actions.at(position));
}

TEST(ConsoleMatch, ComparesLineByLine) {
  EXPECT_TRUE(matches({"a", "b"}, {"a", "b"}));
  EXPECT_FALSE(matches({"a", "b"}, {"a"}));
  EXPECT_FALSE(matches({"a"}, {"a", "b"}));
  EXPECT_FALSE(matches({}, {"a"}));
  EXPECT_TRUE(matches({}, {}));
}

TEST(ConsoleMatch, DotsStandForAnyNumberOfLines) {
  EXPECT_TRUE(matches({"a", "...", "d"}, {"a", "b", "c", "d"}));
  EXPECT_TRUE(matches({"a", "...", "d"}, {"a", "d"}));
  EXPECT_TRUE(matches({"...", "b", "c"}, {"b", "x", "b", "c"}));
  EXPECT_TRUE(matches({"..."}, {}));
  EXPECT_FALSE(matches({"a", "...", "d"}, {"a", "b", "c"}));
}

TEST(ConsoleMatch, BracketedDotsStandForTextWithinALine) {
  EXPECT_TRUE(matches({"took [...] ms, [...] in all"}, {"took 7 ms, 9 s in all"}));
  EXPECT_TRUE(matches({"[...]"}, {""}));
  EXPECT_FALSE(matches({"took [...] ms"}, {"took 7 s"}));
  EXPECT_FALSE(matches({"aba[...]aba"}, {"aba"}));
  EXPECT_FALSE(matches({"[...]"}, {"a", "b"}));
}

TEST(ConsoleDocument, SplitsCommandsOutputAndExit) {
  const Script script =
      parse_markdown("Text\n```console\n$ first \\\n    more\nline\n\n$ second\n(exit 2)\n```\n");
  ASSERT_EQ(script.actions.size(), 2U);
  EXPECT_EQ(command(script, 0).text, "first \\\n    more");
  EXPECT_EQ(command(script, 0).line, 3U);
  EXPECT_EQ(command(script, 0).expected, std::vector<std::string>{"line"});
  EXPECT_EQ(command(script, 0).exit, 0);
  EXPECT_TRUE(command(script, 1).expected.empty());
  EXPECT_EQ(command(script, 1).exit, 2);
}

TEST(ConsoleDocument, TakesFilesFromBlocksWithAComment) {
  const Script script = parse_markdown(
      "<!-- file: flow.yaml -->\n\n```yaml\na: 1\n  b\n```\n```yaml\nonly: shown\n```\n");
  ASSERT_EQ(script.actions.size(), 1U);
  const auto& file = std::get<GivenFile>(script.actions[0]);
  EXPECT_EQ(file.name, "flow.yaml");
  EXPECT_EQ(file.content, "a: 1\n  b\n");
}

TEST(ConsoleDocument, IndentedBlocksLoseTheirIndent) {
  const Script script = parse_markdown("1. Do this:\n   ```console\n   $ one\n     two\n   ```\n");
  ASSERT_EQ(script.actions.size(), 1U);
  EXPECT_EQ(command(script, 0).expected, std::vector<std::string>{"  two"});
}

TEST(ConsoleDocument, ALongerFenceShowsBlocksWithoutRunningThem) {
  EXPECT_TRUE(parse_markdown("````text\n```console\n$ false\n```\n````\n").actions.empty());
}

TEST(ConsoleDocument, RefusesCommandsThatWouldEscape) {
  for (const char* language : {"sh", "bash", "shell"}) {
    const std::string block = std::string("```") + language + "\ndovetail plan\n```\n";
    EXPECT_EQ(parse_markdown(block).problems.size(), 1U) << language;
    const Script excused = parse_markdown("<!-- not run: takes hours -->\n" + block);
    EXPECT_TRUE(excused.problems.empty()) << language;
    EXPECT_EQ(excused.not_run, 1U) << language;
  }
  EXPECT_TRUE(parse_markdown("```sh\nmake\n```\n").problems.empty());
  EXPECT_EQ(parse_markdown("```console\n$ echo\n").problems.size(), 1U);
  EXPECT_EQ(parse_markdown("```console\nno command\n```\n").problems.size(), 1U);
  EXPECT_EQ(parse_markdown("<!-- file: ../x -->\n```yaml\na\n```\n").problems.size(), 1U);
}

TEST(ConsoleScenario, HasFilesThenCommands) {
  const Script script =
      parse_scenario("What this shows.\n--- file a/b.yaml\nx: 1\n--- run\n$ cat a/b.yaml\nx: 1\n");
  EXPECT_TRUE(script.problems.empty());
  ASSERT_EQ(script.actions.size(), 2U);
  EXPECT_EQ(command(script, 1).line, 5U);
  EXPECT_TRUE(differences(script, "a.scn", kEcho).empty());
}

TEST(ConsoleScenario, RefusesAnUnknownSection) {
  EXPECT_EQ(parse_scenario("--- rum\n$ echo\n").problems.size(), 1U);
}

TEST(ConsoleRun, AcceptsWhatIsTrue) {
  EXPECT_TRUE(run_markdown("<!-- file: x -->\n```json\n{}\n```\n"
                           "```console\n$ cat x\n{}\n$ echo one; echo two >&2\none\ntwo\n"
                           "$ exit 3\n(exit 3)\n$ dovetail said\nsaid\n$ echo $NO_COLOR\n1\n```\n")
                  .empty());
}

TEST(ConsoleRun, ReportsOtherOutputAndOtherExitWithTheirLine) {
  const auto output = run_markdown("```console\n$ echo one\ntwo\n```\n");
  ASSERT_EQ(output.size(), 1U);
  EXPECT_TRUE(output[0].starts_with("doc.md:2: ")) << output[0];
  EXPECT_EQ(run_markdown("```console\n$ false\n```\n").size(), 1U);
  EXPECT_EQ(run_markdown("```console\n$ true\n(exit 1)\n```\n").size(), 1U);
}

TEST(ConsoleRun, EndsACommandThatTakesTooLong) {
  const Console console(kEcho);
  EXPECT_EQ(console.run("sleep 30", std::chrono::seconds(1)).exit, 124);
}

TEST(ConsoleRun, LeavesNothingBehind) {
  std::filesystem::path directory;
  {
    const Console console(kEcho);
    directory = console.directory();
    EXPECT_EQ(console.run("touch left").exit, 0);
    EXPECT_TRUE(std::filesystem::exists(directory / "left"));
  }
  EXPECT_FALSE(std::filesystem::exists(directory.parent_path()));
}

}  // namespace
}  // namespace dovetail::test
