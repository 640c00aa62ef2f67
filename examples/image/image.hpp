// A picture in memory, and as a file: PPM between the steps, PNG at the end.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace picture {

using Pixel = std::array<std::uint8_t, 3>;  // red, green, blue

struct Image {
  int width = 0;
  int height = 0;
  std::vector<Pixel> pixels;  // row by row

  Image(int columns, int rows)
      : width(columns),
        height(rows),
        pixels(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows)) {}

  Pixel& at(int x, int y) { return pixels[index(x, y)]; }
  const Pixel& at(int x, int y) const { return pixels[index(x, y)]; }

 private:
  std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
           static_cast<std::size_t>(x);
  }
};

// Files are written beside their names and renamed, so that a step that is killed leaves no half
// picture. All three throw std::runtime_error with the file's name.
Image read_ppm(const std::string& path);
void write_ppm(const Image& image, const std::string& path);
void write_png(const Image& image, const std::string& path);

}  // namespace picture
