#include "image.hpp"

#include <zlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace picture {

namespace {

constexpr int kLargest = 1 << 15;  // pixels in a row or column

std::streamsize byte_count(const Image& image) {
  return static_cast<std::streamsize>(image.pixels.size() * sizeof(Pixel));
}

void write_file(const std::string& path, const std::string& bytes) {
  const std::string part = path + ".part";
  std::ofstream file(part, std::ios::binary);
  file << bytes;
  file.close();
  if (!file) throw std::runtime_error(path + ": cannot be written");
  std::filesystem::rename(part, path);
}

std::string big_endian(std::uint32_t number) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) {
    bytes += static_cast<char>(static_cast<unsigned char>(number >> shift));
  }
  return bytes;
}

const Bytef* as_bytes(const std::string& text) {
  return reinterpret_cast<const Bytef*>(text.data());
}

std::string chunk(const std::string& type, const std::string& data) {
  const std::string body = type + data;
  const auto sum = crc32(0, as_bytes(body), static_cast<uInt>(body.size()));
  return big_endian(static_cast<std::uint32_t>(data.size())) + body +
         big_endian(static_cast<std::uint32_t>(sum));
}

std::string deflated(const std::string& bytes, const std::string& path) {
  uLongf size = compressBound(bytes.size());
  std::string packed(size, '\0');
  if (compress(reinterpret_cast<Bytef*>(packed.data()), &size, as_bytes(bytes), bytes.size()) !=
      Z_OK) {
    throw std::runtime_error(path + ": cannot be compressed");
  }
  packed.resize(size);
  return packed;
}

// Each row as the differences to the row above (PNG's filter 2), which pack better.
std::string filtered_rows(const Image& image) {
  std::string rows;
  for (int y = 0; y < image.height; ++y) {
    rows += '\2';
    for (int x = 0; x < image.width; ++x) {
      const Pixel above = y > 0 ? image.at(x, y - 1) : Pixel{};
      for (std::size_t c = 0; c < 3; ++c) {
        rows += static_cast<char>(static_cast<std::uint8_t>(image.at(x, y)[c] - above[c]));
      }
    }
  }
  return rows;
}

}  // namespace

Image read_ppm(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  std::string magic;
  int width = 0, height = 0, depth = 0;
  file >> magic >> width >> height >> depth;
  file.get();
  if (!file || magic != "P6" || depth != 255 || width < 1 || width > kLargest || height < 1 ||
      height > kLargest) {
    throw std::runtime_error(path + ": is not a PPM picture that this program wrote");
  }
  Image image(width, height);
  file.read(reinterpret_cast<char*>(image.pixels.data()), byte_count(image));
  if (!file) throw std::runtime_error(path + ": ends too early");
  return image;
}

void write_ppm(const Image& image, const std::string& path) {
  std::string bytes =
      "P6\n" + std::to_string(image.width) + " " + std::to_string(image.height) + "\n255\n";
  bytes.append(reinterpret_cast<const char*>(image.pixels.data()),
               static_cast<std::size_t>(byte_count(image)));
  write_file(path, bytes);
}

void write_png(const Image& image, const std::string& path) {
  const std::string header = big_endian(static_cast<std::uint32_t>(image.width)) +
                             big_endian(static_cast<std::uint32_t>(image.height)) +
                             std::string("\x08\x02\0\0\0", 5);  // 8 bits, RGB, nothing special
  write_file(path, "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) +
                       chunk("IDAT", deflated(filtered_rows(image), path)) + chunk("IEND", ""));
}

}  // namespace picture
