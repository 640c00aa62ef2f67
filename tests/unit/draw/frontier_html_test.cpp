#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "dovetail/draw.hpp"
#include "draw/frontier/frontier_scene.hpp"
#include "draw/page.hpp"
#include "support/draw/sample_frontier.hpp"

namespace dovetail::draw {
namespace {

using testing::sample_frontier;

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

TEST(FrontierHtml, EveryPlanHasDotsACardAndARow) {
  const std::string page = frontier_html(sample_frontier({.plans = 17}));
  EXPECT_EQ(count(page, "<g class=\"point "), 4 * 17u) << "the chart is drawn for four widths";
  EXPECT_EQ(count(page, "<article class=\"plan"), 17u);
  EXPECT_EQ(count(page, "<tr data-point="), 17u);
  EXPECT_EQ(count(page, "<article class=\"plan shown\""), 1u) << "there without a script";
}

TEST(FrontierHtml, CardListsWhatIsKnownOfThePlan) {
  std::vector<PlanRecord> plans = sample_frontier({.plans = 5});
  const std::string page = frontier_html(plans);
  for (const char* part :
       {"<dt>turn-around</dt>", "<dt>CPU-hours</dt><dd>2000</dd>", "<dt>processors at most</dt>",
        "<dt>algorithm</dt><dd>DL_RC_CPAR-lambda</dd>", "<dt>lambda</dt><dd>0.35</dd>",
        "<dt>deadline</dt>", "<code>--algorithm BL_CPAR_BD_ALL</code>", "<code>--deadline "}) {
    EXPECT_GE(count(page, part), 1u) << part;
  }
}

TEST(FrontierHtml, NoNameCanBreakOutOfThePage) {
  std::vector<PlanRecord> plans = sample_frontier({.plans = 4});
  const std::string hostile = "</script><b>{{content}}<script>alert(1)</script>\xff\x1b";
  for (PlanRecord& plan : plans) {
    plan.workflows[0].name = hostile;
    plan.algorithm = hostile;
    plan.deadline = std::nullopt;
    plan.clusters[0].name = hostile;
    for (TaskRecord& task : plan.tasks) task.id = task.cluster = task.workflow = hostile;
  }
  const std::string page = frontier_html(plans, 600.0);
  EXPECT_EQ(count(page, "<b>"), 0u);
  EXPECT_EQ(count(page, "<script"), 1u);
  EXPECT_EQ(count(page, "</script"), 1u);
  EXPECT_EQ(count(page, "<main>"), 1u);
  EXPECT_GE(count(page, "&lt;/script&gt;&lt;b&gt;"), 1u);
}

TEST(FrontierHtml, PageNeedsNoNetworkAndForbidsIt) {
  const std::string page = frontier_html(sample_frontier());
  EXPECT_EQ(count(page, "default-src 'none'"), 1u);
  for (const char* part : {"src=\"", "<link", "@import", "https:", "url("}) {
    EXPECT_EQ(count(page, part), 0u) << part;
  }
}

TEST(FrontierHtml, EverySlotOfTheTemplateIsFilled) {
  const std::string page = frontier_html(sample_frontier());
  for (const char* file : {"frontier.css", "frontier_chart.css", "frontier.js", "gantt.css"}) {
    EXPECT_EQ(count(page, embedded_file(file)), 1u) << file;
  }
  EXPECT_EQ(count(page, "{{"), 0u);
}

TEST(FrontierHtml, FiftyPlansOfTenThousandTasksStaySmall) {
  EXPECT_LT(frontier_html(sample_frontier({.plans = 50, .tasks = 10'000})).size(), 2'000'000u);
}

TEST(FrontierHtml, NoPlanIsAPageThatSaysSo) {
  const std::string page = frontier_html({});
  EXPECT_EQ(count(page, "<h1>no plan</h1>"), 1u);
  EXPECT_EQ(count(page, "<table"), 0u);
}

TEST(FrontierHtml, NoteSaysThatNothingKeepsToTheBudget) {
  EXPECT_EQ(count(frontier_html(sample_frontier(), 3.0), "No known plan keeps to 3 h"), 1u);
  EXPECT_EQ(count(frontier_html(sample_frontier(), 3000.0), "No known plan"), 0u);
}

TEST(FrontierScene, KneeIsFarthestBelowTheLineBetweenTheEnds) {
  const auto point = [](double turnaround, double hours) {
    return FrontierPoint{.turnaround = turnaround, .hours = hours};
  };
  EXPECT_EQ(knee(std::vector{point(0, 10), point(1, 4), point(2, 3), point(10, 0)}), 1u);
  EXPECT_EQ(knee(std::vector{point(0, 10), point(8, 9), point(10, 0)}), std::nullopt);
  EXPECT_EQ(knee(std::vector{point(0, 10), point(10, 0)}), std::nullopt);
}

TEST(FrontierScene, PublishedNamesTellTheKindOfAlgorithm) {
  EXPECT_EQ(kind_of_plan("BL_1_BD_HALF"), PlanKind::turnaround);
  EXPECT_EQ(kind_of_plan("CPA"), PlanKind::turnaround);
  EXPECT_EQ(kind_of_plan("DL_BD_CPA"), PlanKind::aggressive);
  EXPECT_EQ(kind_of_plan("DL_RC_CPA"), PlanKind::conservative);
  EXPECT_EQ(kind_of_plan("DL_RC_CPAR-lambda"), PlanKind::hybrid);
  EXPECT_EQ(kind_of_plan("DL_RCBD_CPAR-lambda"), PlanKind::hybrid);
  EXPECT_EQ(kind_of_plan("DOVETAIL"), PlanKind::search);
  EXPECT_EQ(kind_of_plan("HEFT"), PlanKind::other);
}

TEST(FrontierScene, NeighboursReadDifferentlyInCpuHours) {
  std::vector<PlanRecord> plans = sample_frontier({.plans = 3, .dearest = 500, .cheapest = 300});
  plans[1].cpu_hours = 300.3;
  plans[2].cpu_hours = 300.2;
  const FrontierScene scene = make_scene(plans, std::nullopt);
  EXPECT_EQ(scene.points[1].hours_text, "300.3");
  EXPECT_EQ(scene.points[2].hours_text, "300.2");
  EXPECT_EQ(make_scene(sample_frontier(), std::nullopt).points[0].hours_text, "2000");
}

}  // namespace
}  // namespace dovetail::draw
