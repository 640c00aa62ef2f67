#include "run/mailbox.hpp"

#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "run/clock.hpp"

namespace dovetail::run {

namespace {

namespace fs = std::filesystem;

constexpr const char* kEnding = ".json";

}  // namespace

void post(const RunFolder& folder, const Json& request) {
  std::error_code error;
  fs::create_directories(folder.mail(), error);
  // Names that sort in the order of the requests; write_file renames a whole file to it.
  const std::string name = std::to_string(wall_now()) + "-" + std::to_string(getpid()) + kEnding;
  write_file(folder.mail() + "/" + name, request.dump() + "\n");
}

Mailbox::Mailbox(const RunFolder& folder)
    : folder_(folder.mail()), news_(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (news_.is_open() && inotify_add_watch(news_.get(), folder_.c_str(), IN_MOVED_TO) < 0) {
    news_.reset();
  }
}

std::vector<Json> Mailbox::take() {
  char events[4096];
  while (news_.is_open() && read(news_.get(), events, sizeof events) > 0) {
  }
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_, error)) {
    if (entry.path().extension() == kEnding) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  std::vector<Json> requests;
  for (const fs::path& path : files) {
    std::ifstream file(path);
    Json request = Json::parse(file, nullptr, false);
    if (request.is_object()) requests.push_back(std::move(request));
    taken_.push_back(path.string());
  }
  return requests;
}

void Mailbox::forget() {
  std::error_code error;
  for (const std::string& path : taken_) fs::remove(path, error);
  taken_.clear();
}

}  // namespace dovetail::run
