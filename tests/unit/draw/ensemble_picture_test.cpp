// Pictures of ensembles: their markup.
#include "draw/ensemble_picture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "draw/line_chart.hpp"
#include "support/draw/page_test.hpp"
#include "support/draw/svg_picture.hpp"

namespace dovetail::draw {
namespace {

using testing::SvgPicture;

EnsemblePicture two_groups(Count months, Duration month) {
  EnsemblePicture picture{.title = "a <b>",
                          .facts = {"two & more"},
                          .window = {0, months * month},
                          .scenarios = 2,
                          .months = months};
  for (std::uint32_t g = 0; g < 2; ++g) {
    GroupRow row{.name = "cluster " + std::to_string(g + 1)};
    for (Count m = 0; m < months; ++m) row.runs.push_back({g, m, m * month, (m + 1) * month});
    picture.rows.push_back(std::move(row));
  }
  return picture;
}

TEST(EnsembleSvg, DrawsEveryMonthThatHasRoom) {
  const SvgPicture picture(ensemble_svg(two_groups(6, kHour)));
  ASSERT_TRUE(picture.well_formed());
  EXPECT_EQ(picture.rects("month").size(), 12U + 2U) << "and two in the legend";
  EXPECT_NE(picture.all_text().find("s2 m6"), std::string::npos);
  EXPECT_NE(picture.text().find("scenario 2, month 6\n5h to 6h"), std::string::npos);
}

TEST(EnsembleSvg, DrawsMonthsTogetherThatAreTooNarrow) {
  const SvgPicture picture(ensemble_svg(two_groups(20'000, kHour)));
  ASSERT_TRUE(picture.well_formed());
  EXPECT_LT(picture.rects("month").size(), 1500U);
  EXPECT_GT(picture.rects("month").size(), 500U);
}

TEST(EnsembleSvg, ShowsTheProgressOfEveryScenario) {
  const SvgPicture picture(ensemble_svg(two_groups(6, kHour)));
  EXPECT_EQ(picture.all("path", "line").size(), 2U);
  EXPECT_NE(picture.all_text().find("months done"), std::string::npos);
}

// Two months with a night in between.
TEST(EnsembleSvg, ProgressIsLevelWhileNothingRuns) {
  EnsemblePicture picture{.title = "t", .window = {0, 10 * kHour}, .scenarios = 1, .months = 2};
  picture.rows.push_back({.name = "a",
                          .runs = {{0, 0, 0, kHour}, {0, 1, 9 * kHour, 10 * kHour}},
                          .absent = {{kHour, 9 * kHour}}});
  picture.rows.push_back({.name = "a: post tasks", .spells = {{1, kHour, 2 * kHour}}});
  const SvgPicture drawn(ensemble_svg(picture));
  ASSERT_TRUE(drawn.well_formed());
  EXPECT_EQ(drawn.rects("unreached").size(), 1U);
  EXPECT_EQ(drawn.all("path", "spells").size(), 1U);
  const auto lines = drawn.all("path", "line");
  ASSERT_EQ(lines.size(), 1U);
  const std::string path = lines[0].attribute("d").value();
  EXPECT_EQ(std::count(path.begin(), path.end(), 'L'), 3) << "up, level, up: " << path;
}

TEST(EnsembleSvg, EveryScenarioHasItsColourAndItsPlaceInTheLegend) {
  EnsemblePicture picture{.title = "t", .window = {0, kHour}, .scenarios = 40, .months = 1};
  for (std::uint32_t s = 0; s < 40; ++s) {
    picture.rows.push_back({.name = "g", .runs = {{s, 0, 0, kHour}}});
  }
  const SvgPicture drawn(ensemble_svg(picture));
  std::set<std::string> colours;
  for (const auto& rect : drawn.rects("month")) colours.insert(rect.attribute("fill").value());
  EXPECT_EQ(colours.size(), 40U);
  EXPECT_EQ(drawn.rects("month").size(), 80U);
}

TEST(LineChart, OnePageSaysItsTitleOnce) {
  const std::string page = lines_html("gains", {{.title = "gains"}});
  EXPECT_EQ(page.find("<h2>gains"), std::string::npos);
  EXPECT_NE(page.find("<h1>gains"), std::string::npos);
}

TEST(EnsembleHtml, EscapesWhatFilesSay) {
  const std::string page = ensemble_html(two_groups(3, kHour));
  EXPECT_EQ(page.find("a <b>"), std::string::npos);
  EXPECT_NE(page.find("a &lt;b&gt;"), std::string::npos);
  EXPECT_NE(page.find("two &amp; more"), std::string::npos);
  EXPECT_EQ(page.find("{{"), std::string::npos);
}

class EnsemblePage : public testing::PageTest {};

TEST_F(EnsemblePage, ShowsBothChartsInABrowser) {
  const std::string page = with_script(ensemble_html(two_groups(3, kHour)), R"(<script>
const charts = [...document.querySelectorAll("svg")].map(svg => svg.getBoundingClientRect());
if (charts.length !== 2 || charts.some(box => box.width < 300 || box.height < 80)) {
  console.error("charts are missing or too small", JSON.stringify(charts));
}
</script>)");
  // The page itself has no scripts and forbids them.
  std::string open = page;
  const std::string policy = "default-src 'none'; style-src 'unsafe-inline'";
  const auto at = open.find(policy);
  ASSERT_NE(at, std::string::npos);
  open.insert(at + policy.size(), "; script-src 'unsafe-inline'");
  const int status = check(open);
  if (status == kNoBrowser) GTEST_SKIP() << "no Chromium on PATH";
  EXPECT_EQ(status, 0);
}

TEST(LineChart, HasALinePerSeriesAndItsNames) {
  const LineChart chart{
      .title = "gains",
      .x_name = "processors",
      .y_name = "gain",
      .series = {{"imp1", {{11, 0}, {12, 3}}, {}}, {"imp2", {{11, -1}, {12, 4}}, {}}}};
  const SvgPicture picture(lines_svg({chart, chart}));
  ASSERT_TRUE(picture.well_formed());
  EXPECT_EQ(picture.all("path", "line").size(), 8U);
  EXPECT_NE(picture.all_text().find("imp2"), std::string::npos);
  EXPECT_NE(picture.all_text().find("processors"), std::string::npos);
}

TEST(LineChart, OfNothingIsAnEmptyPlot) {
  EXPECT_TRUE(
      SvgPicture(lines_svg({{.title = "nothing", .series = {{"a", {}, {}}}}})).well_formed());
}

}  // namespace
}  // namespace dovetail::draw
