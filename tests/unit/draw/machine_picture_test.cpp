// Pictures of a machine over time: their markup, and the page in a real browser.
#include "draw/machine_picture.hpp"

#include <gtest/gtest.h>

#include <pugixml.hpp>

#include "draw/plain_text.hpp"
#include "support/draw/page_test.hpp"

namespace dovetail::draw {
namespace {

// Ten steps of a minute; the last one is half as long.
MachinePicture sample() {
  MachinePicture picture;
  picture.title = "log: easy";
  picture.facts = {"2 jobs", "utilisation 50.0 %"};
  picture.nodes = 8;
  picture.window = {0, 570'000};
  picture.step = 60'000;
  for (int i = 0; i < 10; ++i) {
    picture.moments.push_back({i * 60'000, i < 5 ? 3.0 : 0.0, static_cast<double>(i % 9)});
  }
  return picture;
}

MachinePicture with_jobs() {
  MachinePicture picture = sample();
  picture.jobs = {{"1", 0, 0, 300'000, 5}, {"2", 0, 300'000, 570'000, 8}};
  return picture;
}

std::size_t count(const std::string& text, const std::string& piece) {
  std::size_t found = 0;
  for (auto at = text.find(piece); at != std::string::npos; at = text.find(piece, at + 1)) ++found;
  return found;
}

TEST(MachineSvg, SaysTheValuesOfEveryStep) {
  const std::string svg = machine_svg(sample());
  EXPECT_EQ(count(svg, "class=\"step\""), 10U);
  EXPECT_NE(svg.find("after 2m and 1m on: 2.0 of 8 nodes busy, 3.0 jobs waiting"),
            std::string::npos);
  EXPECT_NE(svg.find("after 9m and 30s on"), std::string::npos) << "the last step is cut";
}

TEST(MachineSvg, SaysDatesWhereTheyAreKnown) {
  MachinePicture picture = sample();
  picture.date = 86'400'000;
  const std::string svg = machine_svg(picture);
  EXPECT_NE(svg.find("1970-01-02 00:02:00Z and 1m on"), std::string::npos);
  EXPECT_NE(svg.find(">1970-01-02 UTC</text>"), std::string::npos);
}

TEST(MachineSvg, DrawsJobsWhenThereAreAny) {
  EXPECT_EQ(count(machine_svg(sample()), "class=\"area busy\""), 1U);
  const std::string svg = machine_svg(with_jobs());
  EXPECT_EQ(count(svg, "class=\"job\""), 2U);
  EXPECT_EQ(count(svg, "class=\"area busy\""), 0U);
  EXPECT_NE(svg.find("job 2: 8 nodes\nsubmitted 0s\nstarts 5m, after 5m\nends 9m30s, after 4m30s"),
            std::string::npos);
}

TEST(MachineSvg, MarksWholeNodesOnly) {
  MachinePicture picture = sample();
  picture.nodes = 2;
  for (auto& moment : picture.moments) moment.busy = 1;
  const std::string svg = machine_svg(picture);
  EXPECT_EQ(svg.find(">0.5</text>"), std::string::npos);
  EXPECT_NE(svg.find(">2</text>"), std::string::npos);
}

TEST(MachineSvg, IsWellFormedWhateverTheNames) {
  MachinePicture picture = with_jobs();
  picture.title = "<script>\x01&\"'</script>\xff";
  picture.jobs[0].name = "<b>&";
  pugi::xml_document document;
  EXPECT_TRUE(document.load_string(machine_svg(picture).c_str()));
}

TEST(MachineText, HasABarForEachPartOfTheTime) {
  EXPECT_EQ(machine_text(sample(), 30),
            "  busy       ▁▁▂▂▃▃▄▄▅▅▆▆▇▇██\n"
            "  waiting  ██████████\n"
            "           0s        5m\n");
}

TEST(MachineText, NoLineIsWiderThanAsked) {
  for (const int columns : {27, 40, 80, 120}) {
    std::istringstream lines(machine_text(sample(), columns));
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(display_width(line), columns) << line;
    }
  }
}

TEST(MachineText, NobodyWaitingDrawsNothing) {
  MachinePicture picture = sample();
  for (auto& moment : picture.moments) moment.waiting = 0;
  EXPECT_NE(machine_text(picture, 60).find("  waiting\n"), std::string::npos);
}

constexpr std::string_view kVisitor = R"js(<script>
const visitor = {
  expect(what, condition) { if (!condition) console.error("visitor: " + what); },
  charts: document.getElementById("charts"),
  readout: () => document.getElementById("readout").textContent,
  chart: () => [...visitor.charts.querySelectorAll("svg")].filter((svg) => getComputedStyle(svg).display !== "none"),
  point(share) {
    const svg = visitor.chart()[0], box = svg.getBoundingClientRect();
    const left = Number(svg.dataset.left), right = Number(svg.dataset.right);
    const x = (left + (right - left) * share) / Number(svg.dataset.width) * box.width + box.left;
    svg.dispatchEvent(new MouseEvent("pointermove", {bubbles: true, clientX: x, clientY: box.top + 50}));
  },
  key: (key) => visitor.charts.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true})),
};
visitor.expect("one chart is on the screen", visitor.chart().length === 1);
visitor.expect("help is shown first", visitor.readout().startsWith("Point at"));
visitor.point(0.22);
visitor.expect("pointing says values", visitor.readout().startsWith("after 2m and 1m on: 2.0 of 8"));
visitor.expect("a line marks the moment", getComputedStyle(visitor.chart()[0].querySelector(".cursor")).visibility === "visible");
visitor.point(-0.02);
visitor.expect("beside the plot there is nothing", visitor.readout().startsWith("Point at"));
visitor.point(0.99);
visitor.expect("the last step", visitor.readout().startsWith("after 9m and 30s on"));
visitor.key("ArrowLeft");
visitor.expect("left goes back", visitor.readout().startsWith("after 8m"));
visitor.key("End");
visitor.key("ArrowRight");
visitor.expect("the last is the last", visitor.readout().startsWith("after 9m"));
visitor.key("Home");
visitor.expect("home", visitor.readout().startsWith("after 0s"));
visitor.key("Escape");
visitor.expect("escape", visitor.readout().startsWith("Point at"));
</script>)js";

class MachinePage : public testing::PageTest {
 protected:
  void expect_fine(int status) {
    if (status == kNoBrowser) GTEST_SKIP() << "no Chromium on PATH";
    EXPECT_EQ(status, 0);
  }
};

TEST_F(MachinePage, PersonCanReadValuesWithPointerAndKeys) {
  expect_fine(check(with_script(machine_html(sample()), kVisitor)));
}

TEST_F(MachinePage, VisitorLooks) {
  const int status =
      check(with_script(machine_html(with_jobs()), "<script>console.error('seen')</script>"));
  EXPECT_TRUE(status == 1 || status == kNoBrowser);
}

TEST_F(MachinePage, HostileNamesLogNothing) {
  MachinePicture picture = with_jobs();
  picture.title = "</title></script><script>console.error('escaped')</script>";
  picture.facts = {"<img src=x onerror=\"console.error('escaped')\">"};
  picture.jobs[0].name = "</title></text><script>console.error('escaped')</script>";
  expect_fine(check(machine_html(picture)));
}

TEST_F(MachinePage, PictureOpensByItself) {
  expect_fine(check(machine_svg(with_jobs()), "", "machine.svg"));
}

}  // namespace
}  // namespace dovetail::draw
