// What is done to a picture once it is there. Whole numbers throughout.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "../parallel.hpp"
#include "steps.hpp"

namespace picture {

namespace {

constexpr std::size_t kChannels = 3;

// Calls row(y) for every row, on all processors.
template <typename Row>
void for_each_row(int height, const Row& row) {
  examples::in_parallel(examples::processors(), [&](int part, int parts) {
    for (int y = part; y < height; y += parts) row(y);
  });
}

std::uint8_t to_byte(int value) { return static_cast<std::uint8_t>(std::clamp(value, 0, 255)); }

// The pixel there, or the nearest one of the picture.
const Pixel& inside(const Image& image, int x, int y) {
  return image.at(std::clamp(x, 0, image.width - 1), std::clamp(y, 0, image.height - 1));
}

// The mean over a window that moves along `count` pixels, of which `get` reads and `set` writes
// one. Pixels beyond the ends are those at the ends.
template <typename Get, typename Set>
void box(int count, int radius, const Get& get, const Set& set) {
  const auto get_inside = [&](int i) -> const Pixel& { return get(std::clamp(i, 0, count - 1)); };
  const int size = 2 * radius + 1;
  std::array<int, kChannels> sum{};
  for (int i = -radius; i <= radius; ++i) {
    for (std::size_t c = 0; c < kChannels; ++c) sum[c] += get_inside(i)[c];
  }
  for (int i = 0; i < count; ++i) {
    Pixel mean;
    for (std::size_t c = 0; c < kChannels; ++c) {
      mean[c] = to_byte((sum[c] + size / 2) / size);
      sum[c] += get_inside(i + radius + 1)[c] - get_inside(i - radius)[c];
    }
    set(i, mean);
  }
}

// Along the rows, with rows and columns of the result exchanged: two calls blur in both directions,
// and both read memory in order.
Image box_and_turn(const Image& image, int radius) {
  Image turned(image.height, image.width);
  for_each_row(image.height, [&](int y) {
    box(
        image.width, radius, [&](int x) -> const Pixel& { return image.at(x, y); },
        [&](int x, const Pixel& mean) { turned.at(y, x) = mean; });
  });
  return turned;
}

int brightness(const Pixel& pixel) {
  return (54 * pixel[0] + 183 * pixel[1] + 19 * pixel[2]) / 256;
}

// What is added to a pixel by the blurred pictures at this place: their light above a threshold.
int glow_at(std::span<const Image> glows, int x, int y, std::size_t channel) {
  constexpr int kThreshold = 70;
  int sum = 0;
  for (const Image& glow : glows) sum += std::max(0, glow.at(x, y)[channel] - kThreshold);
  return glows.empty() ? 0 : sum / static_cast<int>(2 * glows.size());
}

void must_be_as_large(const Image& image, const Image& other) {
  if (image.width != other.width || image.height != other.height) {
    throw std::runtime_error("pictures of different sizes cannot be mixed");
  }
}

}  // namespace

Image join(std::span<const Image> bands) {
  Image whole(bands.front().width, 0);
  for (const Image& band : bands) {
    if (band.width != whole.width) throw std::runtime_error("bands must be equally wide");
    whole.height += band.height;
    whole.pixels.insert(whole.pixels.end(), band.pixels.begin(), band.pixels.end());
  }
  return whole;
}

Image smooth(const Image& image) {
  constexpr int kNeighbours = 9;
  Image result(image.width, image.height);
  for_each_row(image.height, [&](int y) {
    for (int x = 0; x < image.width; ++x) {
      for (std::size_t c = 0; c < kChannels; ++c) {
        std::array<std::uint8_t, kNeighbours> values;
        for (int i = 0; i < kNeighbours; ++i) {
          values[static_cast<std::size_t>(i)] = inside(image, x + i % 3 - 1, y + i / 3 - 1)[c];
        }
        std::nth_element(values.begin(), values.begin() + kNeighbours / 2, values.end());
        result.at(x, y)[c] = values[kNeighbours / 2];
      }
    }
  });
  return result;
}

Image blur(const Image& image, int radius) {
  Image result = image;
  for (int pass = 0; pass < 3; ++pass) {
    result = box_and_turn(box_and_turn(result, radius), radius);
  }
  return result;
}

Image edges(const Image& image) {
  Image result(image.width, image.height);
  for_each_row(image.height, [&](int y) {
    const auto grey = [&](int x, int row) { return brightness(inside(image, x, row)); };
    for (int x = 0; x < image.width; ++x) {
      const int across = grey(x + 1, y - 1) + 2 * grey(x + 1, y) + grey(x + 1, y + 1) -
                         grey(x - 1, y - 1) - 2 * grey(x - 1, y) - grey(x - 1, y + 1);
      const int down = grey(x - 1, y + 1) + 2 * grey(x, y + 1) + grey(x + 1, y + 1) -
                       grey(x - 1, y - 1) - 2 * grey(x, y - 1) - grey(x + 1, y - 1);
      const auto change = to_byte((std::abs(across) + std::abs(down)) / 4);
      result.at(x, y) = {change, change, change};
    }
  });
  return result;
}

Image mix(const Image& scene, const Image& outlines, std::span<const Image> glows) {
  must_be_as_large(scene, outlines);
  for (const Image& glow : glows) must_be_as_large(scene, glow);
  Image result(scene.width, scene.height);
  for_each_row(scene.height, [&](int y) {
    for (int x = 0; x < scene.width; ++x) {
      const int kept = 256 - outlines.at(x, y)[0] / 3;
      for (std::size_t c = 0; c < kChannels; ++c) {
        const int value = scene.at(x, y)[c] * kept / 256;
        const int glow = glow_at(glows, x, y, c);
        // As light adds up on film: never above white.
        result.at(x, y)[c] = to_byte(255 - (255 - value) * (255 - glow) / 255);
      }
    }
  });
  return result;
}

Image shrink(const Image& image, int factor) {
  Image result(std::max(1, image.width / factor), std::max(1, image.height / factor));
  for_each_row(result.height, [&](int y) {
    for (int x = 0; x < result.width; ++x) {
      std::array<int, kChannels> sum{};
      for (int i = 0; i < factor * factor; ++i) {
        const Pixel& from = inside(image, x * factor + i % factor, y * factor + i / factor);
        for (std::size_t c = 0; c < kChannels; ++c) sum[c] += from[c];
      }
      for (std::size_t c = 0; c < kChannels; ++c) {
        result.at(x, y)[c] = to_byte(sum[c] / (factor * factor));
      }
    }
  });
  return result;
}

}  // namespace picture
