#include "draw/gantt/before_after.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "dovetail/draw.hpp"
#include "support/draw/page_test.hpp"
#include "support/draw/sample_before_after.hpp"
#include "support/draw/svg_picture.hpp"

namespace dovetail::draw {
namespace {

using testing::BeforeAndAfter;
using testing::disturbed;
using testing::joined_pool;
using testing::kTestHour;
using testing::kTestMinute;
using testing::random_plan;
using testing::small_plan;

struct Picture : testing::SvgPicture {
  explicit Picture(const BeforeAndAfter& sample)
      : SvgPicture(before_after_svg(sample.before, sample.after)) {}

  // The rectangles of a task that is in one piece: before, after.
  std::vector<pugi::xml_node> task(const std::string& id) const {
    std::vector<pugi::xml_node> found;
    for (const pugi::xml_node& rect : rects("task")) {
      const std::string tip = rect.child("title").text().get();
      if (tip.rfind(id + "\n", 0) == 0) found.push_back(rect);
    }
    return found;
  }

  bool says(const std::string& words) const { return all_text().find(words) != std::string::npos; }
};

double number(const pugi::xml_node& node, const char* name) {
  return node.attribute(name).as_double();
}

// One cluster of 128 with reservations and 50 tasks; others book more while they run.
BeforeAndAfter busy_cluster() {
  const PlanRecord plan = random_plan(7, {.horizon = 12 * kTestHour});
  const Time now = plan.now;
  return disturbed(plan, {{now + kTestHour, now + 3 * kTestHour, 30},
                          {now + 2 * kTestHour, now + 5 * kTestHour, 10},
                          {now + 6 * kTestHour, now + 7 * kTestHour, 24}});
}

// Many events that change nothing, and among the last of them one that does.
BeforeAndAfter eventful(int events) {
  BeforeAndAfter sample = joined_pool();
  sample.after.history.clear();
  for (int i = 0; i < events; ++i) {
    sample.after.history.push_back(
        {i * 76'000 / events, "late n9 x1.01", {}, 76'000, i == events - 2});
  }
  return sample;
}

TEST(BeforeAfter, BothPlansShareOneAxisOfTime) {
  const Picture picture(joined_pool());
  ASSERT_TRUE(picture.well_formed());
  const auto first = picture.task("n1");
  const auto last = picture.task("n10");
  ASSERT_EQ(first.size(), 2u);
  ASSERT_EQ(last.size(), 2u);
  EXPECT_EQ(number(first[0], "x"), number(first[1], "x"));
  const double second = number(first[0], "width") / 9;
  EXPECT_NEAR(number(last[0], "width"), 7 * second, 0.1);
  EXPECT_NEAR(number(last[1], "width"), 7 * second, 0.1);
  EXPECT_NEAR(number(last[0], "x") - number(last[1], "x"), 4 * second, 0.1);
  EXPECT_LT(number(first[0], "y"), number(first[1], "y"));
}

TEST(BeforeAfter, TheLongerOneDecidesTheAxisWhicheverItIs) {
  const BeforeAndAfter sample = joined_pool();
  const Picture forth(sample);
  const Picture reversed({sample.after, sample.before});
  const auto there = forth.task("n10");
  const auto back = reversed.task("n10");
  EXPECT_EQ(number(there[0], "x"), number(back[1], "x"));
  EXPECT_EQ(number(there[1], "x"), number(back[0], "x"));
}

TEST(BeforeAfter, EveryTaskIsDrawnTwiceInOneColour) {
  BeforeAndAfter sample = joined_pool();
  std::reverse(sample.after.tasks.begin(), sample.after.tasks.end());
  const Picture picture(sample);
  std::map<std::string, std::string> colours;
  for (const TaskRecord& task : sample.before.tasks) {
    const auto drawn = picture.task(task.id);
    ASSERT_EQ(drawn.size(), 2u) << task.id;
    const std::string colour = drawn[0].attribute("fill").value();
    EXPECT_EQ(colour, drawn[1].attribute("fill").value()) << task.id;
    colours[colour] = task.id;
  }
  EXPECT_EQ(colours.size(), 10u);
}

TEST(BeforeAfter, TellsBothPlansAndTheChange) {
  const Picture picture(joined_pool());
  for (const char* expected :
       {"sample: AHEFT, as planned and as it went", "2 events", "1 new plan", "As planned",
        "turn-around 1m20s", "As it went", "turn-around 1m16s", "4s (5 %) earlier than planned"}) {
    EXPECT_TRUE(picture.says(expected)) << expected;
  }
}

TEST(BeforeAfter, LostRunsAreInThePartThatWentThatWay) {
  BeforeAndAfter sample = joined_pool();
  // n9 began on r1 and was cut short.
  sample.after.lost = {{"sample", "n9", "r1", 40'000, 50'000, 1, false}};
  const Picture picture(sample);
  ASSERT_TRUE(picture.well_formed());
  const auto lost = picture.rects("lost");
  ASSERT_EQ(lost.size(), 1u);
  EXPECT_EQ(lost[0].child("title").text().get(),
            std::string("n9, lost after 10s\nstart 40s\nend 50s\nduration 10s (10 s)\n"
                        "1 processor of r1"));
  // In the row of r1 below the middle, as is n8; and of the colour of n9, the ninth.
  EXPECT_EQ(number(lost[0], "y"), number(picture.task("n8")[1], "y"));
  EXPECT_EQ(lost[0].attribute("fill").value(), std::string("url(#lost-8)"));
  EXPECT_EQ(picture.all("text", "lost-label").size(), 1u);
  EXPECT_TRUE(picture.says(" CPU-hours + 0.0028 lost"));
  EXPECT_TRUE(picture.says("cut short"));
  EXPECT_FALSE(Picture(joined_pool()).says("cut short"));
}

TEST(BeforeAfter, LostRunsKeepTheColourOfTheTaskThatIsNeverFinished) {
  BeforeAndAfter sample = joined_pool();
  sample.after.lost = {sample.before.tasks[2], sample.before.tasks[0]};
  sample.after.tasks.clear();
  sample.after.feasible = false;
  const Picture picture(sample);
  const auto lost = picture.rects("lost");
  ASSERT_EQ(lost.size(), 2u);
  EXPECT_EQ(lost[0].attribute("fill").value(), std::string("url(#lost-0)"));
  EXPECT_EQ(lost[1].attribute("fill").value(), std::string("url(#lost-2)"));
}

TEST(BeforeAfter, ChangeIsLaterEarlierOrNone) {
  BeforeAndAfter sample = joined_pool();
  EXPECT_EQ(change_text(sample.before, sample.before), "ends as planned");
  sample.after.makespan = 90'000;
  EXPECT_EQ(change_text(sample.before, sample.after), "10s (13 %) later than planned");
  sample.after.makespan = 81'000;
  EXPECT_EQ(change_text(sample.before, sample.after), "1s (1.3 %) later than planned");
  sample.after.feasible = false;
  EXPECT_EQ(change_text(sample.before, sample.after), "");
}

TEST(BeforeAfter, MarksAreNumberedOnBothPartsAndInTheTable) {
  const Picture picture(joined_pool());
  const auto numbers = picture.all("text", "number");
  ASSERT_EQ(numbers.size(), 6u);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const bool adopted = i % 2 == 0;
    EXPECT_EQ(numbers[i].text().as_int(), adopted ? 1 : 2);
    EXPECT_EQ(std::string(numbers[i].attribute("class").value()),
              adopted ? "number strong" : "number");
  }
  // The mark at 15 seconds: n1 begins at 0 and takes 9.
  const pugi::xml_node n1 = picture.task("n1")[0];
  EXPECT_NEAR(number(numbers[0], "x"), number(n1, "x") + number(n1, "width") * 15 / 9, 0.1);
  EXPECT_EQ(number(numbers[0], "x"), number(numbers[2], "x"));
}

TEST(BeforeAfter, TableHasAllThatHappened) {
  const Picture picture(joined_pool());
  std::string cells;
  for (const pugi::xml_node& cell : picture.all("text", "cell")) {
    cells += std::string(cell.text().get()) + "|";
  }
  EXPECT_EQ(cells,
            "15s|join r4|1m20s|1m16s|adopted, 4s earlier|"
            "50s|late n9 x1.01|1m16s|\u2013|kept, no other was made|");
}

TEST(BeforeAfter, EveryDecisionHasItsWords) {
  PlanRecord after;
  after.history = {{0, "start", 9'000, {}, true},     {1'000, "a", 9'000, {}, true},
                   {1'000, "b", {}, {}, false},       {1'000, "c", {}, 9'000, false},
                   {1'000, "d", 9'000, 9'000, false}, {1'000, "e", 9'000, 8'000, false},
                   {1'000, "f", 8'000, 9'000, false}, {1'000, "g", 8'000, 9'000, true},
                   {1'000, "h", 9'000, 8'000, true},  {1'000, "i", 9'000, 9'000, true}};
  const std::vector<EventRow> rows = event_rows(after, after);
  ASSERT_EQ(rows.size(), 9u);
  EXPECT_EQ(rows[0].number, 1u);
  EXPECT_EQ(rows[0].decision, "adopted, the old plan was impossible");
  EXPECT_EQ(rows[0].old_end, "impossible");
  EXPECT_EQ(rows[1].decision, "no plan is left");
  EXPECT_EQ(rows[2].decision, "kept, no other was made");
  EXPECT_EQ(rows[3].decision, "kept, no gain");
  EXPECT_EQ(rows[4].decision, "kept, the new one 1s later");
  EXPECT_EQ(rows[5].decision, "kept, the new one only 1s earlier");
  EXPECT_EQ(rows[6].decision, "adopted, 1s earlier");
  EXPECT_EQ(rows[7].decision, "adopted, cheaper; 1s later");
  EXPECT_EQ(rows[8].decision, "adopted");
}

TEST(BeforeAfter, NumbersOfManyEventsKeepApartAndTheAdoptedOneStays) {
  const Picture picture(eventful(300));
  ASSERT_TRUE(picture.well_formed());
  std::map<double, std::vector<std::pair<double, double>>> by_height;  // of the badges: left, right
  for (const pugi::xml_node& badge : picture.rects("badge")) {
    const double x = number(badge, "x");
    by_height[number(badge, "y")].emplace_back(x, x + number(badge, "width"));
  }
  for (auto& [y, badges] : by_height) {
    std::sort(badges.begin(), badges.end());
    for (std::size_t i = 1; i < badges.size(); ++i) {
      EXPECT_GT(badges[i].first, badges[i - 1].second) << y;
    }
  }
  EXPECT_GT(by_height.begin()->second.size(), 20u);
  std::size_t adopted = 0;
  for (const pugi::xml_node& text : picture.all("text", "number strong")) {
    adopted += text.text().as_int() == 299;
  }
  EXPECT_EQ(adopted, 3u);
}

TEST(BeforeAfter, LongTableIsCutAndSaysSo) {
  EXPECT_FALSE(Picture(eventful(40)).says("more"));
  const Picture picture(eventful(300));
  EXPECT_TRUE(picture.says("and 260 more that changed nothing"));
  EXPECT_EQ(picture.all("text", "cell").size(), 40u * 5);
  const std::string page = before_after_html(eventful(300).before, eventful(300).after);
  EXPECT_NE(page.find(">300</span>"), std::string::npos);
}

TEST(BeforeAfter, ReservationsAreThoseOfEachPart) {
  const BeforeAndAfter sample = busy_cluster();
  ASSERT_EQ(sample.after.history.size(), 4u);
  const Picture picture(sample);
  ASSERT_TRUE(picture.well_formed());
  const double middle = number(picture.all("text", "number")[3], "y");
  std::map<bool, std::map<std::string, int>> tips;
  for (const pugi::xml_node& rect : picture.rects("reservation")) {
    ++tips[number(rect, "y") > middle][rect.child("title").text().get()];
  }
  EXPECT_EQ(tips[true].size(), tips[false].size() + 3);
}

TEST(BeforeAfter, PlotsEndWithTheirPlan) {
  PlanRecord longer = small_plan();
  longer.tasks.back().end += 60 * kTestMinute;
  longer.makespan += 60 * kTestMinute;
  const Picture picture({small_plan(), longer});
  // The last reservation outlives both plans.
  const pugi::xml_node publish = picture.task("publish")[0];
  const double end = number(publish, "x") + number(publish, "width");
  double last = 0;
  for (const pugi::xml_node& rect : picture.rects("reservation")) {
    if (number(rect, "y") > number(picture.task("solve")[1], "y") - 100) break;
    last = std::max(last, number(rect, "x") + number(rect, "width"));
  }
  EXPECT_NEAR(last, end, 0.1);
}

TEST(BeforeAfter, DeadlineIsInBothParts) {
  const BeforeAndAfter sample{small_plan(), small_plan()};
  EXPECT_EQ(Picture(sample).all("path", "deadline").size(), 2u);
  EXPECT_EQ(Picture(joined_pool()).all("path", "deadline").size(), 0u);
}

TEST(BeforeAfter, BothPartsShowTheSameProcessors) {
  PlanRecord narrow;
  narrow.clusters = {{"c", 400, {}}};
  narrow.tasks = {{"w", "x", "c", 0, kTestMinute, 8, false}};
  PlanRecord wide = narrow;
  wide.tasks[0].processors = 300;
  EXPECT_TRUE(Picture({narrow, narrow}).says("the top"));
  EXPECT_FALSE(Picture({narrow, wide}).says("the top"));
  EXPECT_FALSE(Picture({wide, narrow}).says("the top"));
}

TEST(BeforeAfter, MomentsCountFromTheFirstNow) {
  BeforeAndAfter sample = joined_pool();
  sample.after.now = 15'000;
  sample.after.makespan -= 15'000;
  const Picture picture(sample);
  const std::string tip = picture.task("n10")[1].child("title").text().get();
  EXPECT_NE(tip.find("start 1m09s"), std::string::npos) << tip;
  EXPECT_TRUE(picture.says("4s (5 %) earlier than planned"));
}

TEST(BeforeAfter, NothingHappenedAndNoPlanAreTold) {
  EXPECT_TRUE(Picture({small_plan(), small_plan()}).says("nothing happened"));
  PlanRecord lost = small_plan();
  lost.feasible = false;
  lost.tasks.clear();
  lost.history = {{kTestMinute, "fail 16", {}, {}, false}};
  const Picture picture({small_plan(), lost});
  ASSERT_TRUE(picture.well_formed());
  EXPECT_TRUE(picture.says("no plan was found"));
  EXPECT_TRUE(picture.says("no plan is left"));
  EXPECT_TRUE(Picture({PlanRecord{}, PlanRecord{}}).well_formed());
}

TEST(BeforeAfter, NoNameBreaksOut) {
  const std::string hostile = "</style></title><script>alert(1)</script>{{style}}\xff\x1b";
  BeforeAndAfter sample = joined_pool();
  for (PlanRecord* record : {&sample.before, &sample.after}) {
    record->algorithm = record->workflows[0].name = record->clusters[0].name = hostile;
    for (TaskRecord& task : record->tasks) task.id = task.workflow = hostile;
  }
  sample.after.history[1].event = hostile;
  const Picture picture(sample);
  ASSERT_TRUE(picture.well_formed());
  EXPECT_EQ(picture.text().find("<script"), std::string::npos);
  const std::string page = before_after_html(sample.before, sample.after);
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_NE(page.find("&lt;script&gt;alert(1)"), std::string::npos);
}

TEST(BeforeAfter, PageHoldsChartsAndTableAndNeedsNothing) {
  const BeforeAndAfter sample = joined_pool();
  const std::string page = before_after_html(sample.before, sample.after);
  for (const char* expected :
       {"<h1>sample: AHEFT, as planned and as it went</h1>", "<li>2 events</li>",
        "<td>join r4</td>", "adopted, 4s earlier", "<title>n10\n", "prefers-color-scheme: dark",
        "default-src 'none'"}) {
    EXPECT_NE(page.find(expected), std::string::npos) << expected;
  }
  for (const char* unwanted : {"src=\"", "<link", "@import", "https:", "{{"}) {
    EXPECT_EQ(page.find(unwanted), std::string::npos) << unwanted;
  }
}

class BeforeAfterPage : public testing::PageTest {};

TEST_F(BeforeAfterPage, LogsNothing) {
  const BeforeAndAfter sample = busy_cluster();
  const int status = check(before_after_html(sample.before, sample.after));
  if (status == kNoBrowser) GTEST_SKIP() << "no Chromium on PATH";
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace dovetail::draw
