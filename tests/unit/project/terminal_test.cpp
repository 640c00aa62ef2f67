// Everything that the program prints goes through cli/output.hpp, which keeps names, messages and
// logs of others from steering the terminal.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/documents.hpp"
#include "support/source_code.hpp"

namespace dovetail {
namespace {

TEST(Terminal, IsWrittenToInOnePlace) {
  const std::vector<std::string> ways = {"fmt::print", "std::cerr", "std::cout <<", "fwrite",
                                         "fputs",      "printf(",   "std::puts",    "std::clog"};
  std::size_t seen = 0;
  for (const std::string& file : test::source_files()) {
    if (!file.starts_with("cli/") || file == "cli/output.cpp") continue;
    ++seen;
    const std::string code = test::bare_code(test::read_document(file));
    for (const std::string& way : ways) {
      EXPECT_EQ(code.find(way), std::string::npos)
          << file << " uses " << way << "; use say() or tell() of cli/output.hpp";
    }
  }
  EXPECT_GT(seen, 50U);
}

}  // namespace
}  // namespace dovetail
