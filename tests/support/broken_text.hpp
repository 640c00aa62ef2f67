// A text of Slurm's commands with a few random changes, for tests that readers stand anything.
#pragma once

#include <random>
#include <string>
#include <vector>

namespace dovetail::testing {

inline std::string broken_text(std::string text, std::mt19937& random) {
  static const std::vector<std::string> kPieces{"|",
                                                "\n",
                                                "=",
                                                " ",
                                                "[",
                                                "]",
                                                "-",
                                                ",",
                                                "(null)",
                                                "N/A",
                                                "99999999999999999999",
                                                "K",
                                                "+",
                                                "*",
                                                "job|",
                                                "UNLIMITED",
                                                "T",
                                                ":",
                                                std::string(1, '\0'),
                                                "\xff",
                                                "No ",
                                                "n[1-65536]",
                                                "e308"};
  const unsigned changes = 1 + random() % 6;
  for (unsigned change = 0; change < changes && !text.empty(); ++change) {
    const std::size_t at = random() % text.size();
    switch (random() % 4) {
      case 0:
        text.erase(at, 1 + random() % 20);
        break;
      case 1:
        text.insert(at, kPieces[random() % kPieces.size()]);
        break;
      case 2:
        text[at] = static_cast<char>(random() % 256);
        break;
      default:
        text.insert(at, text.substr(random() % text.size(), random() % 60));
    }
  }
  return text;
}

}  // namespace dovetail::testing
