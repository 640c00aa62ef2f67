// One step of the chain: how heat spreads in a plate whose border lets nothing through.
//
//   heat start OUT        a cold plate with two hot squares
//   heat step IN OUT      the state some time later
//   heat show IN          the state in letters, from cold to hot, and in numbers
//
// HEAT_CELLS is the number of cells along a side (default 400), HEAT_SWEEPS how many small steps of
// time one step makes (default 900). The heat in the plate stays the same; `show` prints it.
#include <algorithm>
#include <barrier>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../parallel.hpp"

namespace {

struct Plate {
  int side = 0;
  int sweeps = 0;  // made since the start
  std::vector<double> cells;

  explicit Plate(int cells_along_a_side)
      : side(cells_along_a_side),
        cells(static_cast<std::size_t>(side) * static_cast<std::size_t>(side)) {}

  double& at(int x, int y) { return cells[index(x, y)]; }
  double at(int x, int y) const { return cells[index(x, y)]; }

 private:
  std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(side) +
           static_cast<std::size_t>(x);
  }
};

Plate start() {
  Plate plate(examples::number_from_environment("HEAT_CELLS", 400));
  const int s = plate.side;
  for (int y = 0; y < s; ++y) {
    for (int x = 0; x < s; ++x) {
      const bool small = x >= s * 2 / 10 && x < s * 4 / 10 && y >= s * 2 / 10 && y < s * 4 / 10;
      const bool large = x >= s * 5 / 10 && x < s * 9 / 10 && y >= s * 5 / 10 && y < s * 9 / 10;
      plate.at(x, y) = small || large ? 100 : 0;
    }
  }
  return plate;
}

// What flows into a cell from its four neighbours; nothing from beyond the border.
double inflow(const Plate& plate, int x, int y) {
  const double here = plate.at(x, y);
  double sum = 0;
  if (x > 0) sum += plate.at(x - 1, y) - here;
  if (x + 1 < plate.side) sum += plate.at(x + 1, y) - here;
  if (y > 0) sum += plate.at(x, y - 1) - here;
  if (y + 1 < plate.side) sum += plate.at(x, y + 1) - here;
  return sum;
}

void sweep_rows(const Plate& from, Plate& to, int first, int last) {
  constexpr double kConduction = 0.24;  // of a difference flows in one sweep; stable below 1/4
  for (int y = first; y < last; ++y) {
    for (int x = 0; x < from.side; ++x) {
      to.at(x, y) = from.at(x, y) + kConduction * inflow(from, x, y);
    }
  }
}

// Every thread has its rows and waits for the others after each sweep. A cell depends on the sweep
// before only, so that the result is the same on any number of threads.
Plate step(Plate plate) {
  const int sweeps = examples::number_from_environment("HEAT_SWEEPS", 900);
  const int threads = std::min(examples::processors(), plate.side);
  Plate other(plate.side);
  std::barrier all_done(threads);
  examples::in_parallel(threads, [&](int part, int parts) {
    const int first = plate.side * part / parts;
    const int last = plate.side * (part + 1) / parts;
    for (int i = 0; i < sweeps; ++i) {
      const bool is_even = i % 2 == 0;
      sweep_rows(is_even ? plate : other, is_even ? other : plate, first, last);
      all_done.arrive_and_wait();
    }
  });
  Plate& result = sweeps % 2 == 0 ? plate : other;
  result.sweeps = plate.sweeps + sweeps;
  return std::move(result);
}

// The mean of a part of the plate, for one letter of the picture.
double mean(const Plate& plate, int column, int row, int columns, int rows) {
  double sum = 0;
  int count = 0;
  for (int y = plate.side * row / rows; y < plate.side * (row + 1) / rows; ++y) {
    for (int x = plate.side * column / columns; x < plate.side * (column + 1) / columns; ++x) {
      sum += plate.at(x, y);
      ++count;
    }
  }
  return count == 0 ? 0 : sum / count;
}

void show(const Plate& plate) {
  static constexpr char kLetters[] = " .:-=+*#%@";
  constexpr int kColumns = 40, kRows = 20;
  for (int row = 0; row < kRows; ++row) {
    std::string line;
    for (int column = 0; column < kColumns; ++column) {
      const double warmth = mean(plate, column, row, kColumns, kRows);
      line += kLetters[std::clamp(static_cast<int>(warmth / 10), 0, 9)];
    }
    std::printf("|%s|\n", line.c_str());
  }
  const auto [coldest, hottest] = std::minmax_element(plate.cells.begin(), plate.cells.end());
  std::printf("after %d sweeps: mean %.3f, coldest %.3f, hottest %.3f\n", plate.sweeps,
              mean(plate, 0, 0, 1, 1), *coldest, *hottest);
}

struct Header {
  std::int32_t magic = 0x74616568;  // "heat"
  std::int32_t side = 0;
  std::int32_t sweeps = 0;
};

std::streamsize byte_count(const Plate& plate) {
  return static_cast<std::streamsize>(plate.cells.size() * sizeof(double));
}

// Beside its name and renamed: a step that is killed leaves no half checkpoint.
void write(const Plate& plate, const std::string& path) {
  const std::string part = path + ".part";
  std::ofstream file(part, std::ios::binary);
  const Header header{.side = plate.side, .sweeps = plate.sweeps};
  file.write(reinterpret_cast<const char*>(&header), sizeof header);
  file.write(reinterpret_cast<const char*>(plate.cells.data()), byte_count(plate));
  file.close();
  if (!file) throw std::runtime_error(path + ": cannot be written");
  std::filesystem::rename(part, path);
}

Plate read(const std::string& path) {
  constexpr int kLargest = 1 << 14;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  Header header;
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  if (!file || header.magic != Header{}.magic || header.side < 1 || header.side > kLargest) {
    throw std::runtime_error(path + ": is not a state of this program");
  }
  Plate plate(header.side);
  plate.sweeps = header.sweeps;
  file.read(reinterpret_cast<char*>(plate.cells.data()), byte_count(plate));
  if (!file) throw std::runtime_error(path + ": ends too early");
  return plate;
}

int run(const std::vector<std::string>& words) {
  if (words.size() == 2 && words[0] == "start") {
    write(start(), words[1]);
  } else if (words.size() == 3 && words[0] == "step") {
    write(step(read(words[1])), words[2]);
  } else if (words.size() == 2 && words[0] == "show") {
    show(read(words[1]));
  } else {
    std::fputs("usage: heat start OUT | heat step IN OUT | heat show IN\n", stderr);
    return 2;
  }
  return 0;
}

}  // namespace

int main(int count, char** words) {
  try {
    return run({words + 1, words + count});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "heat: %s\n", error.what());
    return 1;
  }
}
