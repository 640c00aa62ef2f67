// What the programs of the examples share: work on rows, on as many threads as Dovetail gives.
//
//   in_parallel(processors(), [&](int part, int parts) {
//     for (int y = part; y < height; y += parts) draw_row(y);
//   });
#pragma once

#include <algorithm>
#include <cstdlib>
#include <thread>
#include <vector>

namespace examples {

// What DOVETAIL_PROCESSORS says, 1 without it.
inline int processors() {
  const char* text = std::getenv("DOVETAIL_PROCESSORS");
  return text == nullptr ? 1 : std::clamp(std::atoi(text), 1, 1024);
}

// Calls work(part, parts) for every part, each on a thread of its own, and waits for them. The work
// must not throw.
template <typename Work>
void in_parallel(int parts, const Work& work) {
  std::vector<std::jthread> threads;
  for (int part = 1; part < parts; ++part) threads.emplace_back(work, part, parts);
  work(0, parts);
}

// A whole number above 0 from the environment, for sizes; `otherwise` where there is none.
inline int number_from_environment(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  const int number = text == nullptr ? 0 : std::atoi(text);
  return number > 0 ? number : otherwise;
}

}  // namespace examples
