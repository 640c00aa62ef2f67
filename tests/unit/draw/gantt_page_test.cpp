// The page of a plan in a real browser.
#include <gtest/gtest.h>

#include <string>

#include "dovetail/draw.hpp"
#include "support/draw/page_test.hpp"
#include "support/sample_plan.hpp"

namespace dovetail::draw {
namespace {

using testing::random_plan;
using testing::small_plan;
using testing::small_plan_with_lost;

// Uses the page as a person does, and logs what it does not find.
constexpr std::string_view kVisitor = R"js(<script>
const visitor = {
  expect(what, condition) { if (!condition) console.error("visitor: " + what); },
  canvas: document.getElementById("canvas"),
  text: (id) => document.getElementById(id).textContent,
  click: (id) => document.getElementById(id).click(),
  pointer(type, x, y, id = 1) {
    const box = this.canvas.getBoundingClientRect();
    this.canvas.dispatchEvent(new PointerEvent(type, {
      pointerId: id, button: 0, bubbles: true, clientX: box.left + x, clientY: box.top + y}));
  },
  wheel(deltaY, x) {
    const box = this.canvas.getBoundingClientRect();
    this.canvas.dispatchEvent(new WheelEvent("wheel", {
      deltaY, bubbles: true, cancelable: true, clientX: box.left + x, clientY: box.top + 120}));
  },
};
// The top left corner of the plot is where the first task of the small plan is.
const corner = {x: 60, y: 70};
visitor.expect("six tasks in the facts", visitor.text("facts").includes("6 tasks"));
visitor.expect("the whole plan is in view", visitor.text("range") === "");
visitor.pointer("pointermove", corner.x, corner.y);
visitor.expect("tooltip names the task", visitor.text("tooltip").startsWith("prepare"));
visitor.pointer("pointerdown", corner.x, corner.y);
visitor.pointer("pointerup", corner.x, corner.y);
visitor.expect("a click pins", visitor.text("details").includes("10m") &&
               visitor.text("details").includes("critical"));
visitor.wheel(-400, 300);
const zoomed = visitor.text("range");
visitor.expect("the wheel zooms", zoomed !== "");
visitor.pointer("pointerdown", 400, 120);
visitor.pointer("pointermove", 300, 120);
visitor.pointer("pointerup", 300, 120);
visitor.expect("dragging pans", visitor.text("range") !== zoomed);
visitor.expect("dragging does not pin", visitor.text("details").startsWith("prepare"));
visitor.click("zoom-fit");
visitor.expect("fit shows everything", visitor.text("range") === "");
visitor.pointer("pointerdown", 300, 120, 1);
visitor.pointer("pointerdown", 400, 120, 2);
visitor.pointer("pointermove", 600, 120, 2);
visitor.pointer("pointerup", 600, 120, 2);
visitor.pointer("pointerup", 300, 120, 1);
visitor.expect("a pinch zooms", visitor.text("range") !== "");
document.getElementById("search").value = "S";
document.getElementById("search").dispatchEvent(new Event("input"));
visitor.expect("search counts", visitor.text("matches") === "4 found");
visitor.click("next");
visitor.expect("next goes to the first match", visitor.text("details").startsWith("mesh"));
visitor.click("previous");
visitor.expect("previous wraps", visitor.text("matches") === "4 of 4");
document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "0", bubbles: true}));
visitor.expect("0 fits", visitor.text("range") === "");
for (const key of ["+", "ArrowRight", "ArrowLeft", "]", "["]) {
  document.body.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
}
visitor.expect("+ zooms", visitor.text("range") !== "");
document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "Escape", bubbles: true}));
visitor.expect("Escape unpins", visitor.text("details").startsWith("Point at"));
document.getElementById("table-section").open = true;
setTimeout(() => {
  visitor.expect("the table has a row for each task",
                 document.querySelectorAll("#table tbody tr").length === 6);
  document.querySelector("#table thead th:nth-child(4) button").click();
  visitor.expect("the table sorts", document.querySelector("#table tbody button").textContent === "publish");
  document.querySelector("#table tbody button").click();
  visitor.expect("the table pins", visitor.text("details").startsWith("publish"));
}, 200);
</script>)js";

// Looks for a run that was cut short: mesh, from minute 2 to 10 just below the first task.
constexpr std::string_view kLostVisitor = R"js(<script>
const canvas = document.getElementById("canvas");
const expect = (what, condition) => { if (!condition) console.error("visitor: " + what); };
const tooltip = document.getElementById("tooltip");
const box = canvas.getBoundingClientRect();
let seen = "";
for (let y = 60; y < box.height; y += 4) {
  canvas.dispatchEvent(new PointerEvent("pointermove", {pointerId: 1, bubbles: true,
    clientX: box.left + 56 + (box.width - 72) * 5 / 200, clientY: box.top + y}));
  seen += tooltip.textContent + "|";
}
expect("the tooltip says that it was lost", seen.includes("mesh, lost after 8m"));
expect("the legend explains it", document.getElementById("legend").textContent.includes("cut short"));
document.getElementById("search").value = "mesh";
document.getElementById("search").dispatchEvent(new Event("input"));
expect("only tasks are found", document.getElementById("matches").textContent === "1 found");
</script>)js";

class GanttPage : public testing::PageTest {};

TEST_F(GanttPage, CheckFailsWhenThePageLogsAnError) {
  const std::string page =
      with_script(gantt_html(small_plan()), "<script>missing_function();</script>");
  const int status = check(page);
  if (status == kNoBrowser) GTEST_SKIP() << "no Chromium on PATH";
  EXPECT_EQ(status, 1);
}

TEST_F(GanttPage, PersonCanHoverZoomPanPinSearchAndSort) {
  const int status = check(with_script(gantt_html(small_plan()), kVisitor));
  if (status == kNoBrowser) GTEST_SKIP() << "no Chromium on PATH";
  EXPECT_EQ(status, 0);
}

TEST_F(GanttPage, LostRunIsShownAndExplained) {
  const int status = check(with_script(gantt_html(small_plan_with_lost()), kLostVisitor));
  if (status == kNoBrowser) GTEST_SKIP() << "no Chromium on PATH";
  EXPECT_EQ(status, 0);
}

TEST_F(GanttPage, TenThousandTasksAndHostileNamesLogNothing) {
  PlanRecord record =
      random_plan(6, {.tasks = 10'000, .processors = 10'000, .reservations = 300, .workflows = 5});
  record.tasks[0].id = "</script><script>console.error('escaped')</script>";
  const int status = check(gantt_html(record));
  if (status == kNoBrowser) GTEST_SKIP() << "no Chromium on PATH";
  EXPECT_EQ(status, 0);
}

TEST_F(GanttPage, PlanWithoutTasksLogsNothing) {
  const int status = check(gantt_html(PlanRecord{}));
  if (status == kNoBrowser) GTEST_SKIP() << "no Chromium on PATH";
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace dovetail::draw
