#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "dovetail/draw.hpp"
#include "draw/plain_text.hpp"
#include "support/sample_plan.hpp"

namespace dovetail::draw {
namespace {

using testing::kTestHour;
using testing::random_plan;
using testing::small_plan;
using testing::small_plan_with_lost;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string without_colours(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      i = text.find('m', i);
    } else {
      plain += text[i];
    }
  }
  return plain;
}

std::string line_with(const std::string& text, const std::string& start) {
  for (const std::string& line : lines_of(text)) {
    if (line.rfind(start, 0) == 0) return line;
  }
  return "no line begins with " + start;
}

TEST(GanttText, SmallPlanAsItLooks) {
  PlanRecord record = small_plan();
  record.deadline.reset();
  record.clusters[0].reservations = {{0, 81 * 60'000, 6}};
  EXPECT_EQ(gantt_text(record, 60, false),
            "demo: BL_CPAR_BD_CPAR, turn-around 2h42m, 15.0 CPU-hours,\n"
            "  6 tasks\n"
            "\n"
            "kth             █████\n"
            "16 procs        ████████████\n"
            "                █████████████\n"
            "            ███████████████████\n"
            "            ░░░░░░░░░░░░░░░░██████████████\n"
            "            ░░░░░░░░░░░░░░░░░████████████████\n"
            "            ┴───────────┴───────────┴────────\n"
            "            0s          1h          2h         procs    time\n"
            "prepare *   ██                                     2     10m\n"
            "mesh          ███████▏                             2     35m\n"
            "solve *         ██████████▎                        8     50m\n"
            "statistics                █████▍                   3     25m\n"
            "render *                  ████████████████▌        4   1h20m\n"
            "publish *                                 ███      1     12m\n"
            "* critical  █ this plan  ░ reserved by others\n");
}

TEST(GanttText, LostRunsHaveBarsOfTheirOwn) {
  const std::string text = gantt_text(small_plan_with_lost(), 100, false);
  EXPECT_NE(line_with(text, "mesh (lost)").find("\u2592"), std::string::npos);
  EXPECT_EQ(line_with(text, "mesh (lost)").find("\u2588"), std::string::npos);
  EXPECT_NE(line_with(text, "mesh  ").find("\u2588"), std::string::npos);
  EXPECT_NE(line_with(text, "* critical").find("cut short"), std::string::npos);
  PlanRecord many = random_plan(4, {.tasks = 100});
  many.lost = {many.tasks[0], many.tasks[1]};
  EXPECT_EQ(line_with(gantt_text(many, 90, false), "... and"), "... and 62 more");
}

TEST(GanttText, NoLineIsWiderThanAskedFor) {
  PlanRecord wide = small_plan();
  wide.tasks[0].id = "\u8a08\u7b97\u6a5f\u306e\u4ed5\u4e8b\u306e\u9577\u3044\u540d\u524d";
  wide.tasks[1].id = std::string(300, 'x');
  wide.algorithm = std::string(300, 'A');
  wide.clusters[0].name = std::string(80, 'c');
  for (const PlanRecord& record :
       {small_plan(), small_plan_with_lost(), wide, random_plan(2, {.workflows = 2}),
        random_plan(3, {.clusters = 3}), PlanRecord{}}) {
    for (const int columns : {30, 31, 40, 60, 79, 80, 100, 133, 200}) {
      for (const std::string& line : lines_of(gantt_text(record, columns, false))) {
        EXPECT_LE(display_width(line), columns) << line;
      }
    }
  }
}

TEST(GanttText, AHeadThatIsLongHasMoreLines) {
  PlanRecord record = random_plan(2, {.workflows = 2});
  record.average_stretch = 1.25;
  record.maximum_stretch = 3.5;
  record.maximum_weighted_stretch = 1.75;
  for (const int columns : {60, 80, 100}) {
    std::string head;
    for (const std::string& line : lines_of(gantt_text(record, columns, false))) {
      if (line.empty()) break;
      head += line;
    }
    EXPECT_NE(head.find("stretch 1.25 on average, 3.50 at most, 1.75 by weight"), std::string::npos)
        << head;
  }
}

TEST(GanttText, AbsurdWidthsAreBounded) {
  for (const int columns : {-5, 0, 1, 29}) {
    EXPECT_EQ(gantt_text(small_plan(), columns, false), gantt_text(small_plan(), 30, false));
  }
  for (const std::string& line : lines_of(gantt_text(small_plan(), 2'000'000'000, false))) {
    EXPECT_LE(display_width(line), 1000);
  }
}

TEST(GanttText, ColourChangesNothingButTheColour) {
  for (const PlanRecord& record : {small_plan(), random_plan(9, {.clusters = 2})}) {
    const std::string plain = gantt_text(record, 90, false);
    const std::string coloured = gantt_text(record, 90, true);
    EXPECT_EQ(plain.find('\x1b'), std::string::npos);
    EXPECT_NE(coloured.find('\x1b'), std::string::npos);
    EXPECT_EQ(without_colours(coloured), plain);
  }
}

TEST(GanttText, NamesCannotSendEscapeSequences) {
  PlanRecord record = small_plan();
  record.algorithm = record.tasks[0].id = record.clusters[0].name = "\x1b[2Jx\n\xff";
  EXPECT_EQ(gantt_text(record, 90, false).find('\x1b'), std::string::npos);
  EXPECT_NE(gantt_text(record, 90, false).find("\uFFFD[2Jx\uFFFD\uFFFD"), std::string::npos);
}

TEST(GanttText, LongPlansEndWithASummary) {
  const std::string text = gantt_text(random_plan(4, {.tasks = 100}), 90, false);
  EXPECT_EQ(line_with(text, "... and"), "... and 60 more");
  const std::string all = gantt_text(random_plan(4, {.tasks = 40}), 90, false);
  EXPECT_EQ(all.find("... and"), std::string::npos);
}

TEST(GanttText, NarrowTerminalKeepsTheBarsAndDropsTheNumbers) {
  EXPECT_NE(line_with(gantt_text(small_plan(), 80, false), "solve").find("50m"), std::string::npos);
  const std::string narrow = line_with(gantt_text(small_plan(), 36, false), "solve");
  EXPECT_EQ(narrow.find("50m"), std::string::npos);
  EXPECT_NE(narrow.find("\u2588"), std::string::npos);
}

TEST(GanttText, PlainTextReplacesWhatIsNotText) {
  EXPECT_EQ(plain_text("caf\u00e9 \U0001F600"), "caf\u00e9 \U0001F600");
  EXPECT_EQ(plain_text("\xc0\x80"), "\uFFFD\uFFFD");            // overlong
  EXPECT_EQ(plain_text("\xed\xa0\x80"), "\uFFFD\uFFFD\uFFFD");  // a surrogate
  EXPECT_EQ(plain_text("a\xe2\x82"), "a\uFFFD\uFFFD");          // cut off
  EXPECT_EQ(plain_text("\u202eabc"), "\uFFFDabc");              // turns the text around
}

TEST(GanttText, FitCountsColumnsNotBytes) {
  EXPECT_EQ(display_width("caf\u00e9"), 4);
  EXPECT_EQ(display_width("\u8a08\u7b97"), 4);
  EXPECT_EQ(display_width("e\u0301"), 1);
  EXPECT_EQ(fit("preprocessing", 8), "preproc\u2026");
  EXPECT_EQ(fit("\u8a08\u7b97\u6a5f", 4), "\u8a08\u2026");
  EXPECT_EQ(pad_right("\u8a08\u7b97\u6a5f", 4), "\u8a08\u2026 ");
  EXPECT_EQ(pad_left("ab", 4), "  ab");
  EXPECT_EQ(fit("abc", 0), "");
}

}  // namespace
}  // namespace dovetail::draw
