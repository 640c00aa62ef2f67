// What the fuzz targets share. Each target is a file with one function for one reader. libFuzzer
// calls it through fuzz_main.cpp, and fuzz_replay_test.cpp gives it the inputs of corpus/NAME.
//
//   FUZZ_TARGET(swf) {
//     test::expect_errors([&] { io::parse_swf(input, "log.swf"); });
//   }
//
// A target must not crash, hang or take much memory, whatever the input is. A reader may refuse it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

#include "dovetail/error.hpp"

#define FUZZ_TARGET(name) void fuzz_##name([[maybe_unused]] std::string_view input)

namespace dovetail::test {

// Whether the reader takes the input; it may throw an error that it promises, `Other` among them.
template <typename Other = InputError, typename Read>
bool expect_errors(Read read) {
  try {
    try {
      read();
      return true;
    } catch (const Other&) {
      return false;
    }
  } catch (const InputError&) {
    return false;
  } catch (const ExecutionError&) {
    return false;
  }
}

// A folder of the process's own, for readers that want a file.
class FuzzFolder {
 public:
  FuzzFolder() {
    // In memory where there is such a place: targets write thousands of files a second.
    const std::string base = std::filesystem::exists("/dev/shm") ? "/dev/shm" : "/tmp";
    std::string pattern = base + "/dovetail-fuzz-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) std::abort();
    path_ = pattern;
  }
  FuzzFolder(const FuzzFolder&) = delete;
  FuzzFolder& operator=(const FuzzFolder&) = delete;
  ~FuzzFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::string& path() const { return path_; }

  // Answers the path of the file.
  std::string write(const std::string& name, std::string_view content) const {
    const std::string file = path_ + "/" + name;
    std::ofstream(file, std::ios::binary).write(content.data(), std::ssize(content));
    return file;
  }

 private:
  std::string path_;
};

}  // namespace dovetail::test
