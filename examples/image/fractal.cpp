// The Mandelbrot set with smooth colours, lit as if the distance to the set were a height.
//
// Only additions, multiplications, divisions and square roots are used. These are exact to the last
// bit everywhere, so that the picture is the same on every machine (logarithms and sines of the
// system's library are not).
#include <algorithm>
#include <cmath>

#include "../parallel.hpp"
#include "steps.hpp"

namespace picture {

namespace {

struct Colour {
  double red = 0, green = 0, blue = 0;

  Colour operator+(const Colour& o) const { return {red + o.red, green + o.green, blue + o.blue}; }
  Colour operator*(double f) const { return {red * f, green * f, blue * f}; }
};

struct Point {
  double x = 0, y = 0;
};

// Where the picture lies: a spiral in the valley of the seahorses.
constexpr Point kCentre{-0.743643887037, 0.131825904205};
constexpr double kWidth = 0.0017;
constexpr double kAspect = 9.0 / 16.0;
constexpr int kIterations = 1500;
constexpr double kEscape = 1e6;       // |z|^2; large, so that colours have no bands
constexpr int kSamples = 2;           // per pixel in each direction
constexpr double kColourCycle = 200;  // iterations until the colours come again
constexpr double kFirstColour = 0.78;

double log2_of(double value) {
  int exponent = 0;
  const double s0 = std::frexp(value, &exponent);
  const double s = (s0 - 1) / (s0 + 1);
  double sum = 0;
  double power = s;
  for (int n = 1; n < 20; n += 2, power *= s * s) sum += power / n;
  return exponent + 2 * sum * 1.4426950408889634;
}

Colour gradient(double position) {
  static constexpr Colour kStops[] = {{0.03, 0.05, 0.20}, {0.06, 0.24, 0.52}, {0.35, 0.68, 0.86},
                                      {0.98, 0.95, 0.82}, {0.98, 0.66, 0.18}, {0.66, 0.20, 0.10},
                                      {0.22, 0.04, 0.16}};
  constexpr int kCount = sizeof kStops / sizeof kStops[0];
  const double turn = position - std::floor(position);
  const double place = turn * kCount;
  const int first = std::min(static_cast<int>(place), kCount - 1);
  const double share = place - first;
  const double smooth = share * share * (3 - 2 * share);
  return kStops[first] * (1 - smooth) + kStops[(first + 1) % kCount] * smooth;
}

// How bright a slope is: 1 where it faces the light.
double light(Point slope) {
  constexpr Point kTowards{-0.7071067811865476, 0.7071067811865476};
  constexpr double kHeight = 1.4;
  const double length = std::sqrt(slope.x * slope.x + slope.y * slope.y);
  if (length == 0) return 1;
  const double facing = (slope.x * kTowards.x + slope.y * kTowards.y) / length + kHeight;
  return std::max(0.0, facing) / (1 + kHeight);
}

Colour colour_at(Point c) {
  double x = 0, y = 0;    // z
  double dx = 0, dy = 0;  // its derivative by c
  for (int n = 0; n < kIterations; ++n) {
    const double size = x * x + y * y;
    if (size > kEscape) {
      // The direction in which the distance to the set grows: z divided by its derivative.
      const Point slope{x * dx + y * dy, y * dx - x * dy};
      const double steps = n + 1 - log2_of(log2_of(size) / 2);
      return gradient(steps / kColourCycle + kFirstColour) * (0.25 + 0.85 * light(slope));
    }
    const double next_dx = 2 * (x * dx - y * dy) + 1;
    dy = 2 * (x * dy + y * dx);
    dx = next_dx;
    const double next_x = x * x - y * y + c.x;
    y = 2 * x * y + c.y;
    x = next_x;
  }
  return {0.01, 0.01, 0.03};
}

std::uint8_t to_byte(double value) {
  return static_cast<std::uint8_t>(std::clamp(value, 0.0, 1.0) * 255 + 0.5);
}

Pixel pixel_at(int x, int y, int width, int height) {
  const double step = kWidth / width;
  Colour sum;
  for (int sample = 0; sample < kSamples * kSamples; ++sample) {
    const double across = x + (sample % kSamples + 0.5) / kSamples - width / 2.0;
    const double down = y + (sample / kSamples + 0.5) / kSamples - height / 2.0;
    sum = sum + colour_at({kCentre.x + across * step, kCentre.y - down * step});
  }
  const Colour mean = sum * (1.0 / (kSamples * kSamples));
  return {to_byte(mean.red), to_byte(mean.green), to_byte(mean.blue)};
}

}  // namespace

Image render(Band band, int whole_width) {
  const int whole_height = static_cast<int>(whole_width * kAspect);
  const int first = whole_height * (band.part - 1) / band.parts;
  const int last = whole_height * band.part / band.parts;
  Image image(whole_width, last - first);
  examples::in_parallel(examples::processors(), [&](int part, int parts) {
    for (int y = part; y < image.height; y += parts) {
      for (int x = 0; x < image.width; ++x) {
        image.at(x, y) = pixel_at(x, first + y, whole_width, whole_height);
      }
    }
  });
  return image;
}

}  // namespace picture
