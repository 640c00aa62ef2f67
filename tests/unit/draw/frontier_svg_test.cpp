#include <gtest/gtest.h>

#include <cmath>
#include <pugixml.hpp>
#include <string>
#include <vector>

#include "dovetail/draw.hpp"
#include "draw/frontier/frontier_chart.hpp"
#include "draw/frontier/frontier_scene.hpp"
#include "support/draw/sample_frontier.hpp"

namespace dovetail::draw {
namespace {

using testing::FrontierShape;
using testing::sample_frontier;

class Picture {
 public:
  explicit Picture(const std::vector<PlanRecord>& plans, std::optional<double> budget = {})
      : Picture(frontier_svg(plans, budget)) {}
  explicit Picture(const std::string& text) : text_(text) {
    result_ = document_.load_string(text_.c_str());
  }

  bool well_formed() const { return result_; }
  const std::string& text() const { return text_; }

  std::vector<pugi::xml_node> find(const std::string& xpath) const {
    std::vector<pugi::xml_node> found;
    for (const pugi::xpath_node& node : document_.select_nodes(xpath.c_str())) {
      found.push_back(node.node());
    }
    return found;
  }

  std::size_t count(const std::string& xpath) const { return find(xpath).size(); }

  // The group of the point with this number, counted from 1.
  pugi::xml_node point(int number) const {
    return find("//g[@data-point='" + std::to_string(number) + "']").at(0);
  }

  // Everything written in the elements of this class.
  std::string words(const std::string& css_class) const {
    std::string words;
    for (const pugi::xml_node& node : find("//*[@class='" + css_class + "']")) {
      words += std::string(node.text().get()) + "\n";
    }
    return words;
  }

 private:
  std::string text_;
  pugi::xml_document document_;
  pugi::xml_parse_result result_;
};

double number(const pugi::xml_node& node, const char* attribute) {
  return node.attribute(attribute).as_double();
}

pugi::xml_node dot_of(const Picture& picture, int point) {
  return picture.point(point).find_child_by_attribute("circle", "class", "dot");
}

struct Box {
  double left, top, right, bottom;
  bool meets(const Box& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

// Where the letters of a text are, in a wide font.
Box box_of(const pugi::xml_node& text) {
  const bool bold = std::string(text.attribute("class").value()) != "numbers";
  const double width = (bold ? 7.8 : 6.7) * double(std::string(text.text().get()).size());
  const double x = number(text, "x");
  const bool ends = std::string(text.attribute("text-anchor").value()) == "end";
  return {ends ? x - width : x, number(text, "y") - 9, ends ? x : x + width, number(text, "y") + 2};
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(FrontierSvg, EveryPlanIsADotWithATitleFurtherRightAndLower) {
  const Picture picture(sample_frontier({.plans = 20}));
  ASSERT_TRUE(picture.well_formed());
  ASSERT_EQ(picture.count("//g[@data-point]"), 20u);
  for (int i = 1; i <= 20; ++i) {
    EXPECT_TRUE(
        has(picture.point(i).child("title").text().get(), "plan " + std::to_string(i) + " of 20"));
    if (i == 1) continue;
    EXPECT_GT(number(dot_of(picture, i), "cx"), number(dot_of(picture, i - 1), "cx"));
    EXPECT_GT(number(dot_of(picture, i), "cy"), number(dot_of(picture, i - 1), "cy"));
  }
}

TEST(FrontierSvg, EveryPlanHasACardThatPointingShows) {
  const Picture picture(sample_frontier({.plans = 10}));
  EXPECT_EQ(picture.count("//g[@data-point]//g[@class='card']"), 9u);
  EXPECT_EQ(picture.count("/svg/g[@class='card']"), 1u) << "the chosen one is always there";
  EXPECT_TRUE(has(picture.text(), ".point .card{visibility:hidden}"));
  EXPECT_TRUE(has(picture.text(), ".point:hover .card,.point:focus .card{visibility:visible}"));
}

TEST(FrontierSvg, EndsAndKneeAreLabelled) {
  const Picture picture(sample_frontier({.plans = 10}));
  EXPECT_EQ(picture.words("role"), "earliest\ngood compromise\ncheapest\n");
  EXPECT_TRUE(has(picture.words("numbers"), ", 2000 h\n"));
  EXPECT_TRUE(has(picture.words("numbers"), ", 500 h\n"));
}

// Boxes of all labels in a chart, each of which must be clear of those before.
std::vector<Box> separate_labels(const Picture& picture) {
  std::vector<Box> taken;
  for (const char* css_class : {"role", "numbers", "budget-text"}) {
    for (const auto& text : picture.find(std::string("//text[@class='") + css_class + "']")) {
      const Box box = box_of(text);
      for (const Box& other : taken) EXPECT_FALSE(box.meets(other)) << text.text().get();
      taken.push_back(box);
    }
  }
  return taken;
}

TEST(FrontierSvg, LabelsCoverNeitherDotsNorEachOtherInAnyWidth) {
  for (const FrontierShape& shape :
       {FrontierShape{.plans = 60},
        FrontierShape{.plans = 60, .last_over_first = 40, .cheapest = 9}, FrontierShape{.plans = 4},
        FrontierShape{.plans = 25, .last_over_first = 1.1}}) {
    for (const std::optional<double> budget : {std::optional<double>{}, std::optional(900.0)}) {
      for (const double width : {340.0, 540.0, 980.0}) {
        SCOPED_TRACE(::testing::Message() << shape.plans << " plans, width " << width);
        const FrontierScene scene = make_scene(sample_frontier(shape), budget);
        const Picture picture("<svg>" + draw_chart(scene, {width, 250 + width / 3}) + "</svg>");
        ASSERT_TRUE(picture.well_formed());
        const std::vector<Box> labels = separate_labels(picture);
        ASSERT_GE(labels.size(), budget ? 7u : 6u);
        for (int i = 1; i <= shape.plans; ++i) {
          const double x = number(dot_of(picture, i), "cx");
          const double y = number(dot_of(picture, i), "cy");
          for (const Box& label : labels) {
            EXPECT_FALSE(label.meets({x - 4, y - 4, x + 4, y + 4})) << i;
            EXPECT_TRUE(label.left > 0 && label.right < width);
          }
        }
      }
    }
  }
}

TEST(FrontierSvg, AxesBecomeLogarithmicBeyondAFactorOfEightAndSaySo) {
  EXPECT_EQ(Picture(sample_frontier({.last_over_first = 7.9, .cheapest = 251})).words("axis-name"),
            "CPU-hours\nturn-around\n");
  EXPECT_EQ(Picture(sample_frontier({.last_over_first = 8.1, .cheapest = 251})).words("axis-name"),
            "CPU-hours\nturn-around (log scale)\n");
  EXPECT_EQ(Picture(sample_frontier({.last_over_first = 7.9, .cheapest = 249})).words("axis-name"),
            "CPU-hours (log scale)\nturn-around\n");
}

TEST(FrontierSvg, LogarithmicAxisHasEqualRatiosAtEqualDistances) {
  const Picture picture(sample_frontier({.plans = 3, .last_over_first = 100}));
  EXPECT_NEAR(number(dot_of(picture, 3), "cx") - number(dot_of(picture, 2), "cx"),
              number(dot_of(picture, 2), "cx") - number(dot_of(picture, 1), "cx"), 0.3);
}

TEST(FrontierSvg, BudgetIsALineAndTheFastestPlanWithinItStandsOut) {
  const std::vector<PlanRecord> plans = sample_frontier({.plans = 10});
  const Picture picture(plans, 900.0);
  const auto within = picture.find("//g[contains(@class,' within')]");
  ASSERT_EQ(within.size(), 1u);
  const int chosen = within[0].attribute("data-point").as_int();
  EXPECT_LE(plans[static_cast<std::size_t>(chosen - 1)].cpu_hours, 900);
  EXPECT_GT(plans[static_cast<std::size_t>(chosen - 2)].cpu_hours, 900);
  EXPECT_TRUE(has(picture.words("role"), "fastest within 900 h"));
  EXPECT_EQ(picture.count("//path[@class='budget']"), 1u);
  EXPECT_TRUE(picture.words("note").empty());
}

TEST(FrontierSvg, BudgetThatNothingKeepsToIsInThePictureWithANote) {
  const Picture picture(sample_frontier(), 100.0);
  EXPECT_EQ(picture.count("//path[@class='budget']"), 1u);
  EXPECT_EQ(picture.count("//g[contains(@class,' within')]"), 0u);
  EXPECT_EQ(picture.words("note"), "No known plan keeps to 100 h; the cheapest takes 500 h.\n");
  EXPECT_EQ(Picture(sample_frontier(), INFINITY).count("//path[@class='budget']"), 0u);
}

TEST(FrontierSvg, CardTellsWhatToType) {
  std::vector<PlanRecord> plans = sample_frontier({.plans = 5});
  plans[1].deadline = plans[1].now + 95'531'250;
  plans[0].algorithm = "it's; rm *";
  const std::string commands = Picture(plans).words("value command");
  EXPECT_TRUE(has(commands, "--deadline 1d2h32m11.25s\n")) << commands;
  EXPECT_TRUE(has(commands, "--algorithm 'it'\\''s; rm *'\n")) << commands;
}

TEST(FrontierSvg, CardsShowEveryTaskOnACommonTimeAxis) {
  const std::vector<PlanRecord> plans = sample_frontier({.plans = 4, .last_over_first = 2});
  const Picture picture(plans);
  const auto ends = picture.find("//path[@class='end']");
  ASSERT_EQ(ends.size(), 4u);
  // The chosen card comes first in the file; the last point's card ends at the right edge.
  const auto end_of = [&](int point) {
    return std::stod(picture.point(point)
                         .select_node(".//path[@class='end']")
                         .node()
                         .attribute("d")
                         .as_string() +
                     1);
  };
  EXPECT_NEAR(end_of(4) - 34, 2 * (end_of(1) - 34), 0.3);
  EXPECT_GE(picture.count("//path[@class='task']"), 4u);
  EXPECT_EQ(picture.count("//path[@class='used']"), 0u);
}

TEST(FrontierSvg, ManyTasksBecomeProfilesAndTheFileStaysSmall) {
  const std::vector<PlanRecord> plans = sample_frontier({.plans = 50, .tasks = 10'000});
  const Picture picture(plans);
  ASSERT_TRUE(picture.well_formed());
  EXPECT_EQ(picture.count("//path[@class='task']"), 0u);
  EXPECT_EQ(picture.count("//path[@class='used']"), 50u);
  EXPECT_LT(picture.text().size(), 2'000'000u);
}

TEST(FrontierSvg, ManyPlansOfManyRectanglesStaySmallToo) {
  const std::vector<PlanRecord> plans = sample_frontier({.plans = 300, .tasks = 400});
  EXPECT_LT(frontier_svg(plans).size(), 5'000'000u);
}

TEST(FrontierSvg, HostileNamesAreEscaped) {
  std::vector<PlanRecord> plans = sample_frontier({.plans = 3});
  for (PlanRecord& plan : plans) {
    plan.workflows[0].name = "</style><script>alert(1)</script>\x01\xff";
    plan.algorithm = "<b>&\"";
  }
  const Picture picture(plans);
  ASSERT_TRUE(picture.well_formed());
  EXPECT_FALSE(has(picture.text(), "<script"));
  EXPECT_FALSE(has(picture.text(), "<b>"));
  EXPECT_TRUE(has(picture.words("title"), "</style><script>alert(1)</script>\uFFFD\uFFFD"));
}

TEST(FrontierSvg, OddFrontiersArePicturesInsideThePage) {
  std::vector<PlanRecord> same = sample_frontier({.plans = 3, .last_over_first = 1});
  for (PlanRecord& plan : same) plan.cpu_hours = 5;
  const std::vector<std::vector<PlanRecord>> frontiers = {
      sample_frontier({.plans = 1}),
      sample_frontier({.plans = 2}),
      same,
      sample_frontier({.plans = 5, .dearest = 3e-7, .cheapest = 1e-7}),
      sample_frontier({.plans = 5, .last_over_first = 1e6, .dearest = 1e9, .cheapest = 1e-7}),
      std::vector<PlanRecord>(2)};
  for (const auto& plans : frontiers) {
    for (const std::optional<double> budget : {std::optional<double>{}, std::optional(0.0)}) {
      const Picture picture(plans, budget);
      ASSERT_TRUE(picture.well_formed());
      EXPECT_FALSE(has(picture.text(), "nan"));
      EXPECT_FALSE(has(picture.text(), "inf"));
      for (const pugi::xml_node& dot : picture.find("//g[@data-point]/circle[@class='dot']")) {
        EXPECT_GT(number(dot, "cx"), 0);
        EXPECT_LT(number(dot, "cx"), 760);
        EXPECT_GT(number(dot, "cy"), 0);
        EXPECT_LT(number(dot, "cy"), 500);
      }
    }
  }
}

TEST(FrontierSvg, OnePlanIsTheOnlyOneAndTwoHaveNoCompromise) {
  EXPECT_EQ(Picture(sample_frontier({.plans = 1})).words("role"), "the only plan\n");
  EXPECT_EQ(Picture(sample_frontier({.plans = 2})).words("role"), "earliest\ncheapest\n");
}

TEST(FrontierSvg, NoPlanSaysSo) {
  const Picture picture(std::vector<PlanRecord>{});
  ASSERT_TRUE(picture.well_formed());
  EXPECT_EQ(picture.words("title"), "no plan\n");
}

TEST(FrontierSvg, WallClockPutsTheDateOnTheCard) {
  std::vector<PlanRecord> plans = sample_frontier({.plans = 3});
  const std::string before = Picture(plans).words("term");
  EXPECT_FALSE(has(before, "end\n"));
  const Time shift = 1'794'729'600'000;  // 2026-11-15 08:00:00Z
  for (PlanRecord& plan : plans) {
    plan.wall_clock = true;
    plan.now += shift;
    for (TaskRecord& task : plan.tasks) {
      task.start += shift;
      task.end += shift;
    }
  }
  const Picture picture(plans);
  EXPECT_TRUE(has(picture.words("term"), "end\n"));
  EXPECT_TRUE(has(picture.words("value"), "2026-11-16 "));
}

}  // namespace
}  // namespace dovetail::draw
