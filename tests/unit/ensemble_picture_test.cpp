// Pictures of ensembles: their markup.
#include "io/ensemble_picture.hpp"

#include <gtest/gtest.h>

#include "io/line_chart.hpp"
#include "support/svg_picture.hpp"

namespace dovetail {
namespace {

using testing::SvgPicture;

io::EnsemblePicture two_groups(Count months, Duration month) {
  io::EnsemblePicture picture{.title = "a <b>",
                              .facts = {"two & more"},
                              .window = {0, months * month},
                              .scenarios = 2,
                              .months = months};
  for (std::uint32_t g = 0; g < 2; ++g) {
    io::GroupRow row{"cluster " + std::to_string(g + 1), {}};
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
  EXPECT_EQ(picture.all("path", "line").size(), 2U + 2U) << "and two in the legend";
  EXPECT_NE(picture.all_text().find("months done"), std::string::npos);
}

TEST(EnsembleHtml, EscapesWhatFilesSay) {
  const std::string page = ensemble_html(two_groups(3, kHour));
  EXPECT_EQ(page.find("a <b>"), std::string::npos);
  EXPECT_NE(page.find("a &lt;b&gt;"), std::string::npos);
  EXPECT_NE(page.find("two &amp; more"), std::string::npos);
  EXPECT_EQ(page.find("{{"), std::string::npos);
}

TEST(LineChart, HasALinePerSeriesAndItsNames) {
  const io::LineChart chart{
      .title = "gains",
      .x_name = "processors",
      .y_name = "gain",
      .series = {{"imp1", {{11, 0}, {12, 3}}, {}}, {"imp2", {{11, -1}, {12, 4}}, {}}}};
  const SvgPicture picture(io::lines_svg({chart, chart}));
  ASSERT_TRUE(picture.well_formed());
  EXPECT_EQ(picture.all("path", "line").size(), 8U);
  EXPECT_NE(picture.all_text().find("imp2"), std::string::npos);
  EXPECT_NE(picture.all_text().find("processors"), std::string::npos);
}

TEST(LineChart, OfNothingIsAnEmptyPlot) {
  EXPECT_TRUE(
      SvgPicture(io::lines_svg({{.title = "nothing", .series = {{"a", {}, {}}}}})).well_formed());
}

}  // namespace
}  // namespace dovetail
