// For tests of pages in a real browser: scripts/check-page fails on anything the page logs, so a
// script that is added to the page only has to log what it does not find.
//
//   const int status = check(with_script(page, "<script>...</script>"));
//   if (status == kNoBrowser) GTEST_SKIP() << "no Chromium on PATH";
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "test_places.hpp"

namespace dovetail::testing {

class PageTest : public ::testing::Test {
 protected:
  static constexpr int kNoBrowser = 77;

  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() / ("dovetail-page-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }

  void TearDown() override { std::filesystem::remove_all(folder_); }

  // The exit status of scripts/check-page on this page; the fragment is what follows its address.
  int check(const std::string& page, const std::string& fragment = "",
            const std::string& name = "page.html") {
    const std::filesystem::path file = folder_ / name;
    std::ofstream(file) << page;
    const std::string command =
        fmt::format("FRAGMENT='{}' '{}' '{}'", fragment, DOVETAIL_SOURCE_DIR "/scripts/check-page",
                    file.string());
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  static std::string with_script(std::string page, std::string_view script) {
    return page.insert(page.rfind("</body>"), script);
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace dovetail::testing
