// The workflows in examples/ run for real, in small: what their READMEs show is typed, and what
// they compute is compared with what is known.
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>

#include "support/console.hpp"
#include "support/documents.hpp"
#include "support/whole_file.hpp"
#include "test_places.hpp"

namespace dovetail::test {
namespace {

namespace fs = std::filesystem;

// Sizes, and where the programs of the examples are. Commands inherit it.
void prepare_environment() {
  static const std::string path =
      fs::path(DOVETAIL_PROGRAM).parent_path().string() + ":" + std::getenv("PATH");
  for (const auto& [name, value] : {std::pair{"PATH", path.c_str()},

                                    {"PICTURE_WIDTH", "160"},
                                    {"HEAT_CELLS", "40"},
                                    {"HEAT_SWEEPS", "9"}}) {
    setenv(name, value, 1);
  }
}

// What the README of an example shows, typed in a folder that holds the example's other files.
Script readme_of(const std::string& example) {
  prepare_environment();
  const std::string folder = "examples/" + example + "/";
  Script script;
  for (const char* ending : {".yaml", ".sh"}) {
    for (const std::string& file : documents({folder}, ending)) {
      script.actions.emplace_back(GivenFile{file.substr(folder.size()), read_document(file)});
    }
  }
  Script readme = parse_markdown(read_document(folder + "README.md"));
  std::ranges::move(readme.actions, std::back_inserter(script.actions));
  script.problems = std::move(readme.problems);
  return script;
}

Command typed(std::string text, std::vector<std::string> expected, int exit = 0) {
  return {.line = 0, .text = std::move(text), .expected = std::move(expected), .exit = exit};
}

void expect_as_said(const Script& script, const std::string& name) {
  for (const std::string& difference : differences(script, name, DOVETAIL_PROGRAM)) {
    ADD_FAILURE() << difference;
  }
}

// As cksum prints them: a sum, and the size in bytes.
constexpr char kMixed[] = "1180549711 43214";
constexpr char kSmall[] = "1579940648 673";

TEST(ImageExample, MakesTheSamePictureOnAnyNumberOfThreads) {
  Script script = readme_of("image");
  for (const char* processors : {"1", "2", "7"}) {
    script.actions.emplace_back(
        typed(std::string("dovetail run workflow.yaml -j ") + processors + " 2> progress",
              {"...", "image-[...]: all 19 tasks done", "..."}));
    script.actions.emplace_back(typed("cksum < out/mixed.ppm", {kMixed}));
    script.actions.emplace_back(typed("cksum < out/small.ppm", {kSmall}));
    script.actions.emplace_back(typed("rm -r out", {}));
  }
  expect_as_said(script, "examples/image");
}

// A reader of what write_png writes, and of nothing else.
class PngReader {
 public:
  explicit PngReader(std::string bytes) : bytes_(std::move(bytes)) {}

  // The picture as the PPM file from which it was made.
  std::string as_ppm() {
    EXPECT_EQ(take(8), "\x89PNG\r\n\x1a\n");
    const std::string header = chunk("IHDR");
    const std::string packed = chunk("IDAT");
    EXPECT_EQ(chunk("IEND"), "");
    EXPECT_EQ(at_, bytes_.size());
    const std::size_t width = number(header), height = number(header.substr(4));
    std::string rows(height * (3 * width + 1), '\0');
    uLongf size = rows.size();
    EXPECT_EQ(
        uncompress(reinterpret_cast<Bytef*>(rows.data()), &size, as_bytes(packed), packed.size()),
        Z_OK);
    EXPECT_EQ(size, rows.size());
    return "P6\n" + std::to_string(width) + " " + std::to_string(height) + "\n255\n" +
           pixels(rows, 3 * width);
  }

 private:
  static const Bytef* as_bytes(const std::string& text) {
    return reinterpret_cast<const Bytef*>(text.data());
  }

  static std::size_t number(const std::string& bytes) {
    std::size_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<std::uint8_t>(bytes[i]);
    return value;
  }

  // Undoes the differences to the row above.
  static std::string pixels(const std::string& rows, std::size_t row_size) {
    std::string result;
    std::string above(row_size, '\0');
    for (std::size_t at = 0; at < rows.size(); at += row_size + 1) {
      EXPECT_EQ(rows[at], '\2');
      for (std::size_t i = 0; i < row_size; ++i) {
        above[i] = static_cast<char>(above[i] + rows[at + 1 + i]);
      }
      result += above;
    }
    return result;
  }

  std::string take(std::size_t count) {
    const std::string taken = bytes_.substr(at_, count);
    EXPECT_EQ(taken.size(), count) << "the file ends too early";
    at_ += count;
    return taken;
  }

  std::string chunk(const std::string& type) {
    const std::string body = take(number(take(4)) + 4);
    EXPECT_EQ(body.substr(0, 4), type);
    EXPECT_EQ(number(take(4)), crc32(0, as_bytes(body), static_cast<uInt>(body.size())));
    return body.substr(4);
  }

  std::string bytes_;
  std::size_t at_ = 0;
};

TEST(ImageExample, LeavesAPngOfThePicture) {
  prepare_environment();
  const Console console(DOVETAIL_PROGRAM);
  const Outcome made = console.run("picture render 1/3 it.ppm && picture png it.ppm it.png");
  ASSERT_EQ(made.exit, 0) << made.output;
  const std::string ppm = dovetail::testing::text_of(console.directory() / "it.ppm");
  EXPECT_EQ(ppm.substr(0, 14), "P6\n160 30\n255\n");
  EXPECT_TRUE(PngReader(dovetail::testing::text_of(console.directory() / "it.png")).as_ppm() ==
              ppm);
}

TEST(ChainExample, ConservesHeatAndIsResumedFromTheLastState) {
  Script script = readme_of("chain");
  // A folder in the place of its state makes the fifth step fail.
  for (const Command& command :
       {typed("cksum < out/state_8", {"221298558 12812"}),
        typed("rm -r out && mkdir -p out/state_5", {}),
        typed("dovetail run workflow.yaml -j 2 2> progress",
              {"...",
               "chain-2: failed; after a fix run it again, or as it was: dovetail resume chain-2",
               "..."},
              1),
        typed("dovetail logs chain-2 step_5", {"heat: [...]out/state_5[...]"}),
        typed("stat -c %y out/state_4 > before; rmdir out/state_5", {}),
        typed("dovetail resume chain-2 2> progress", {"...", "chain-2: all 10 tasks done", "..."}),
        typed("stat -c %y out/state_4 | cmp - before", {}),
        typed("cksum < out/state_8", {"221298558 12812"})}) {
    script.actions.emplace_back(command);
  }
  expect_as_said(script, "examples/chain");
}

TEST(FanOutExample, FailsInOneMemberAndIsCompletedByResume) {
  expect_as_said(readme_of("fan-out"), "examples/fan-out");
}

TEST(Demo, RunsAgainAndAgain) {
  prepare_environment();
  const Console console(DOVETAIL_PROGRAM);
  const std::string demo = "'" DOVETAIL_SOURCE_DIR "/scripts/demo' '" DOVETAIL_PROGRAM "' demo";
  for (const char* run : {"image-1", "image-2"}) {
    const Outcome outcome = console.run(demo);
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_NE(outcome.output.find(run + std::string(": done, 19 of 19 tasks done")),
              std::string::npos)
        << outcome.output;
    EXPECT_TRUE(fs::exists(console.directory() / "demo/out/picture.png"));
    fs::remove_all(console.directory() / "demo/out");
  }
}

}  // namespace
}  // namespace dovetail::test
