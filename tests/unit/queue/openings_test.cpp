// Which waiting jobs are told of a gap: Openings, and the Demand behind it.
#include "queue/policies/openings.hpp"

#include <gtest/gtest.h>

namespace dovetail::queue {
namespace {

TEST(Demand, KnowsTheShortestRequestAfterAMoment) {
  Demand demand(16);
  demand.renew(0, 1000, 100);
  EXPECT_EQ(demand.after(0)[0].here, kForever);
  demand.add({.nodes = 1, .length = 50}, 200);
  demand.add({.nodes = 5, .length = 20}, 800);
  EXPECT_EQ(demand.after(0)[0].here, 50);
  EXPECT_EQ(demand.after(0)[0].upward, 20) << "jobs of 4 to 7 nodes count upward";
  EXPECT_EQ(demand.after(0)[2].here, 20);
  EXPECT_EQ(demand.after(0)[3].upward, kForever);
  EXPECT_EQ(demand.after(500)[0].here, kForever) << "it starts at 200";
  EXPECT_EQ(demand.after(500)[2].here, 20);
  EXPECT_EQ(demand.longest(), 50);
  demand.renew(0, 1000, 100);
  EXPECT_EQ(demand.after(0)[2].here, kForever);
}

TEST(Demand, MomentsBeforeAndBeyondItsTimeAreBounds) {
  Demand demand(4);
  demand.renew(100, 200, 8);
  demand.add({.nodes = 2, .length = 7}, 90);
  demand.add({.nodes = 2, .length = 9}, 100'000);
  EXPECT_EQ(demand.after(0)[1].here, 7);
  EXPECT_EQ(demand.after(99'999)[1].here, 9);
}

// 4 nodes, all taken from 0 to 1000 but for what was given back.
class OpeningsTest : public ::testing::Test {
 protected:
  void open(Interval window, Count nodes) {
    const Ask before{.nodes = nodes, .length = window.begin};
    const Ask gap{.nodes = nodes, .length = window.end - window.begin};
    const Ask after{.nodes = nodes, .length = 1000 - window.end};
    const auto from = [&](Time t) { return Timeline::LineTime{t, plan_.locate(t, 0)}; };
    plan_.take({.nodes = 4 - nodes, .length = 1000}, from(0));
    if (before.length > 0) plan_.take(before, from(0));
    const auto place = plan_.take(gap, from(window.begin));
    plan_.take(after, from(window.end));
    rise_ = plan_.release(gap, place);
  }

  Timeline plan_{4};
  Openings openings_{4};
  Timeline::Rise rise_;
};

TEST_F(OpeningsTest, AJobThatFitsIsTold) {
  open({20, 60}, 2);
  const Ask ask{.nodes = 2, .length = 30};
  openings_.waits(ask, 100);
  openings_.add(rise_, plan_);
  ASSERT_TRUE(openings_.may_fit(ask, 100));
  EXPECT_EQ(openings_.find(ask, 100, plan_)->time, 20);
  EXPECT_FALSE(openings_.may_fit(ask, 50)) << "up to its start it could slide";
  EXPECT_FALSE(openings_.may_fit({.nodes = 4, .length = 30}, 200)) << "nobody of that size waits";
  EXPECT_FALSE(openings_.may_fit({.nodes = 2, .length = 70}, 200)) << "too long";
}

TEST_F(OpeningsTest, GapsThatNobodyWantsAreNotKept) {
  open({20, 60}, 2);
  openings_.waits({.nodes = 2, .length = 41}, 100);
  openings_.add(rise_, plan_);
  EXPECT_FALSE(openings_.may_fit({.nodes = 2, .length = 10}, 100));
}

TEST_F(OpeningsTest, AGapThatHasShrunkDisappointsOnlyOnce) {
  open({0, 100}, 2);
  const Ask ask{.nodes = 2, .length = 30};
  openings_.waits(ask, 500);
  openings_.add(rise_, plan_);
  plan_.take({.nodes = 2, .length = 90}, {0, Timeline::kPresent});
  EXPECT_TRUE(openings_.may_fit(ask, 500)) << "the gap was there when it was noted";
  EXPECT_FALSE(openings_.find(ask, 500, plan_));
  EXPECT_FALSE(openings_.may_fit(ask, 500));
}

TEST_F(OpeningsTest, GapsAreForgottenWhenAllWereTriedTwice) {
  open({0, 100}, 2);
  const Ask ask{.nodes = 2, .length = 30};
  openings_.waits(ask, 500);
  openings_.add(rise_, plan_);
  openings_.all_tried();
  EXPECT_TRUE(openings_.may_fit(ask, 500)) << "those in front were tried before it opened";
  openings_.all_tried();
  EXPECT_FALSE(openings_.may_fit(ask, 500));
}

}  // namespace
}  // namespace dovetail::queue
