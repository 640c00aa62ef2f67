// The page of a frontier in a real browser.
#include <gtest/gtest.h>

#include <string>

#include "dovetail/draw.hpp"
#include "support/draw/page_test.hpp"
#include "support/draw/sample_frontier.hpp"

namespace dovetail::draw {
namespace {

using testing::sample_frontier;

// Uses the page as a person does, and logs what it does not find.
constexpr std::string_view kVisitor = R"js(<script>
const visitor = {
  expect(what, condition) { if (!condition) console.error("visitor: " + what); },
  card: () => [...document.querySelectorAll(".plan")].filter((card) => getComputedStyle(card).display !== "none"),
  chart: () => [...document.querySelectorAll(".charts svg")].filter((svg) => getComputedStyle(svg).display !== "none"),
  row: (number) => document.querySelector(`#points tr[data-point="${number}"]`),
  point: (number) => visitor.chart()[0].querySelector(`.point[data-point="${number}"]`),
  shows: (number) => visitor.card().length === 1 && visitor.card()[0].dataset.point === String(number) &&
    visitor.row(number).classList.contains("shown") && visitor.point(number).classList.contains("shown") &&
    document.querySelectorAll("#points tr.shown").length === 1,
  pointer(type, number, off = 0) {
    const box = visitor.point(number).querySelector(".dot").getBoundingClientRect();
    visitor.point(number).dispatchEvent(new MouseEvent(type, {bubbles: true,
      clientX: box.x + box.width / 2 + off, clientY: box.y + box.height / 2 + off}));
  },
  key: (key, target = document.body) => target.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true})),
};
const first = Number(document.getElementById("charts").dataset.first);
visitor.expect("one chart is on the screen", visitor.chart().length === 1);
visitor.expect("the chosen plan is shown first", visitor.shows(first));
visitor.pointer("pointermove", 3);
visitor.expect("pointing shows", visitor.shows(3));
visitor.pointer("pointermove", 3, 300);
visitor.expect("pointing at nothing goes back", visitor.shows(first));
visitor.pointer("click", 5);
visitor.pointer("pointermove", 9);
document.getElementById("charts").dispatchEvent(new Event("pointerleave"));
visitor.expect("a click pins", visitor.shows(5));
visitor.expect("a pinned point is in the address", location.hash === "#point=5");
visitor.row(2).dispatchEvent(new Event("pointerenter"));
visitor.expect("a row shows its point", visitor.shows(2));
visitor.row(2).dispatchEvent(new Event("pointerleave"));
visitor.expect("leaving the row goes back", visitor.shows(5));
visitor.key("ArrowRight");
visitor.expect("right goes on", visitor.shows(6));
visitor.key("ArrowLeft");
visitor.key("ArrowLeft");
visitor.expect("left goes back", visitor.shows(4));
visitor.key("ArrowDown");
visitor.expect("down is for scrolling", visitor.shows(4));
visitor.point(4).focus();
visitor.key("ArrowDown", visitor.point(4));
visitor.expect("down goes on from a point", visitor.shows(5));
visitor.expect("the focus goes along", document.activeElement === visitor.point(5));
visitor.key("End", visitor.point(5));
visitor.key("ArrowRight", visitor.point(12));
visitor.expect("the last is the last", visitor.shows(12));
visitor.key("Escape");
visitor.expect("Escape forgets the pin", visitor.shows(first));
visitor.row(7).click();
visitor.expect("a row pins", visitor.shows(7) && location.hash === "#point=7");
</script>)js";

constexpr std::string_view kAddressVisitor = R"js(<script>
if (document.querySelector(".plan.shown").dataset.point !== "7") console.error("visitor: not point 7");
</script>)js";

class FrontierPage : public testing::PageTest {
 protected:
  void expect_fine(int status) {
    if (status == kNoBrowser) GTEST_SKIP() << "no Chromium on PATH";
    EXPECT_EQ(status, 0);
  }
};

TEST_F(FrontierPage, PersonCanHoverPinAndUseArrowKeys) {
  expect_fine(check(with_script(frontier_html(sample_frontier()), kVisitor)));
}

TEST_F(FrontierPage, AddressNamesAPoint) {
  const std::string page = with_script(frontier_html(sample_frontier()), kAddressVisitor);
  expect_fine(check(page, "#point=7"));
  const int status = check(page, "#point=8");
  EXPECT_TRUE(status == 1 || status == kNoBrowser) << "the visitor looks";
}

TEST_F(FrontierPage, AddressOfNoPointLogsNothing) {
  expect_fine(check(frontier_html(sample_frontier(), 700.0), "#point=99"));
}

TEST_F(FrontierPage, SixtyPlansWithHostileNamesLogNothing) {
  std::vector<PlanRecord> plans = sample_frontier({.plans = 60});
  for (PlanRecord& plan : plans) {
    plan.workflows[0].name = "</script><script>console.error('escaped')</script>";
    plan.algorithm = "</code><img src=x onerror=\"console.error('escaped')\">";
  }
  expect_fine(check(frontier_html(plans)));
}

TEST_F(FrontierPage, NoPlanAndOnePlanLogNothing) {
  expect_fine(check(frontier_html({})));
  expect_fine(check(frontier_html(sample_frontier({.plans = 1}))));
}

TEST_F(FrontierPage, PictureOpensByItself) {
  expect_fine(check(frontier_svg(sample_frontier()), "", "frontier.svg"));
}

}  // namespace
}  // namespace dovetail::draw
