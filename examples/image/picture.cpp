// One step of the image workflow: reads pictures, writes one. The file that is written comes last.
//
// PICTURE_WIDTH sets the size of what is rendered (default 1920 pixels, 16:9).
#include <cstdio>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "../parallel.hpp"
#include "steps.hpp"

namespace picture {

namespace {

constexpr char kUsage[] =
    "usage: picture render PART/PARTS OUT\n"
    "       picture join IN... OUT\n"
    "       picture smooth IN OUT\n"
    "       picture blur RADIUS IN OUT\n"
    "       picture edges IN OUT\n"
    "       picture mix SCENE EDGES GLOW... OUT\n"
    "       picture shrink FACTOR IN OUT\n"
    "       picture png IN OUT\n";

using Words = std::vector<std::string>;

int number(const std::string& text, int most) {
  std::size_t used = 0;
  int value = 0;
  try {
    value = std::stoi(text, &used);
  } catch (const std::logic_error&) {
    used = 0;
  }
  if (used == 0 || used != text.size() || value < 1 || value > most) {
    throw std::runtime_error("expected a number from 1 to " + std::to_string(most) + ", found \"" +
                             text + "\"");
  }
  return value;
}

Band band(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) {
    throw std::runtime_error("expected PART/PARTS such as 3/8, found \"" + text + "\"");
  }
  const int parts = number(text.substr(slash + 1), 1000);
  return {.part = number(text.substr(0, slash), parts), .parts = parts};
}

std::vector<Image> read_all(std::span<const std::string> paths) {
  std::vector<Image> images;
  for (const std::string& path : paths) images.push_back(read_ppm(path));
  return images;
}

Image compute(const std::string& step, std::span<const std::string> from) {
  constexpr int kMostPixels = 1000;
  if (step == "render") {
    return render(band(from[0]), examples::number_from_environment("PICTURE_WIDTH", 1920));
  }
  if (step == "join") return join(read_all(from));
  if (step == "smooth") return smooth(read_ppm(from[0]));
  if (step == "blur") return blur(read_ppm(from[1]), number(from[0], kMostPixels));
  if (step == "edges") return edges(read_ppm(from[0]));
  if (step == "shrink") return shrink(read_ppm(from[1]), number(from[0], kMostPixels));
  return mix(read_ppm(from[0]), read_ppm(from[1]), read_all(from.subspan(2)));
}

bool is_right_use(const std::string& step, std::size_t inputs) {
  if (step == "render" || step == "smooth" || step == "edges" || step == "png") return inputs == 1;
  if (step == "blur" || step == "shrink") return inputs == 2;
  if (step == "join") return inputs >= 1;
  return step == "mix" && inputs >= 2;
}

int run(const Words& words) {
  if (words.size() < 3 || !is_right_use(words[0], words.size() - 2)) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  const std::string& step = words.front();
  const std::string& to = words.back();
  const auto from = std::span(words).subspan(1, words.size() - 2);
  if (step == "png") {
    write_png(read_ppm(from[0]), to);
  } else {
    write_ppm(compute(step, from), to);
  }
  std::printf("%s is written (%s, processors: %d)\n", to.c_str(), step.c_str(),
              examples::processors());
  return 0;
}

}  // namespace

}  // namespace picture

int main(int count, char** words) {
  try {
    return picture::run({words + 1, words + count});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "picture: %s\n", error.what());
    return 1;
  }
}
