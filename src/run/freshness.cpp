#include "run/freshness.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <vector>

#include "dovetail/error.hpp"

namespace dovetail::run {

namespace {

namespace fs = std::filesystem;

class Digest {
 public:
  Digest() : context_(EVP_MD_CTX_new(), &EVP_MD_CTX_free) {
    if (!context_ || EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) != 1) {
      throw ExecutionError("SHA-256 is not available");
    }
  }

  void add(const char* data, std::size_t size) { EVP_DigestUpdate(context_.get(), data, size); }

  // With its length, so that what follows cannot be taken for a part of it.
  void add_text(const std::string& text) {
    const std::string size = std::to_string(text.size()) + ":";
    add(size.data(), size.size());
    add(text.data(), text.size());
  }

  std::string hex() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
    unsigned int size = 0;
    EVP_DigestFinal_ex(context_.get(), bytes.data(), &size);
    std::string text;
    for (unsigned int i = 0; i < size; ++i) {
      constexpr const char* kDigits = "0123456789abcdef";
      text += kDigits[bytes[i] >> 4U];
      text += kDigits[bytes[i] & 15U];
    }
    return text;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

// An input that a task cannot have read as it is now.
class InputGone : public ExecutionError {
 public:
  InputGone(const fs::path& path, const std::string& why)
      : ExecutionError("input " + path.string() + ": " + why) {}
};

[[noreturn]] void fail(const fs::path& path, const std::string& why) {
  throw ExecutionError("input " + path.string() + ": " + why);
}

void add_file(Digest& digest, const fs::path& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(path, std::strerror(errno));
  std::vector<char> piece(std::size_t{1} << 18U);
  std::uintmax_t size = 0;
  while (file.read(piece.data(), static_cast<std::streamsize>(piece.size())), file.gcount() > 0) {
    digest.add(piece.data(), static_cast<std::size_t>(file.gcount()));
    size += static_cast<std::uintmax_t>(file.gcount());
  }
  if (file.bad()) fail(path, std::strerror(errno));
  digest.add_text(std::to_string(size));
}

// What a path stands for: a letter for its kind, what a link points to, what is in a file, and all
// names in a folder with what they stand for. A folder that is met again, by way of links, is not
// looked at once more.
void add_path(Digest& digest, const fs::path& path, std::set<fs::path>& seen) {
  std::error_code error;
  const fs::file_status link = fs::symlink_status(path, error);
  if (fs::is_symlink(link)) digest.add_text("l" + fs::read_symlink(path, error).string());
  const fs::file_status status = fs::status(path, error);
  if (!fs::status_known(link) || !fs::status_known(status)) fail(path, error.message());
  if (fs::is_regular_file(status)) {
    digest.add_text("f");
    return add_file(digest, path);
  }
  digest.add_text(fs::is_directory(status) ? "d" : fs::exists(status) ? "o" : "-");
  if (!fs::is_directory(status) || !seen.insert(fs::canonical(path, error)).second) return;
  std::vector<fs::path> names;
  fs::directory_iterator next(path, error);
  for (const fs::directory_iterator end; !error && next != end; next.increment(error)) {
    names.push_back(next->path().filename());
  }
  if (error) fail(path, error.message());
  std::ranges::sort(names);
  digest.add_text(std::to_string(names.size()));
  for (const fs::path& name : names) {
    digest.add_text(name.string());
    add_path(digest, path / name, seen);
  }
}

}  // namespace

std::string directory_of(const TaskExecution& execution, const std::string& run_folder) {
  if (execution.directory.empty()) return run_folder;
  return (fs::path(run_folder) / execution.directory).string();
}

std::string definition_of(const Workflow& workflow, TaskId task) {
  constexpr std::size_t kLength = 15;  // no memory of its own in a string
  const TaskExecution& how = workflow.execution(task);
  Digest digest;
  digest.add_text(std::string(workflow.run(task)));
  digest.add_text(how.directory);
  for (const auto& [name, value] : how.environment) digest.add_text(name + "=" + value);
  for (const auto* names : {&how.inputs, &how.outputs}) {
    digest.add_text(std::to_string(names->size()));
    for (const std::string& name : *names) digest.add_text(name);
  }
  for (const TaskId before : workflow.predecessors(task)) {
    digest.add_text(std::string(workflow.id(before)));
  }
  return digest.hex().substr(0, kLength);
}

std::string digest_of(const std::string& text) {
  Digest digest;
  digest.add(text.data(), text.size());
  return digest.hex();
}

std::string digest_of_inputs(const TaskExecution& execution, const std::string& directory) {
  if (execution.inputs.empty()) return {};
  Digest digest;
  for (const std::string& name : execution.inputs) {
    const fs::path path = fs::path(directory) / name;
    std::error_code error;
    digest.add_text(name);
    const fs::file_status status = fs::status(path, error);
    if (!fs::status_known(status)) fail(path, error.message());
    if (!fs::exists(status)) throw InputGone(path, "No such file or directory");
    if (!fs::is_directory(status) && !fs::is_regular_file(status)) {
      throw InputGone(path, "neither a file nor a folder");  // reading it might never end
    }
    std::set<fs::path> seen;
    add_path(digest, path, seen);
  }
  return digest.hex();
}

std::optional<std::string> missing_output(const TaskExecution& execution,
                                          const std::string& directory) {
  for (const std::string& name : execution.outputs) {
    std::error_code error;
    const fs::path path = fs::path(directory) / name;
    const bool is_there = fs::exists(path, error);
    // Whether it is there is not known; to run the task again would be wrong.
    if (error) throw ExecutionError("output " + path.string() + ": " + error.message());
    if (!is_there) return name;
  }
  return std::nullopt;
}

bool is_up_to_date(const TaskExecution& execution, const std::string& directory,
                   const std::string& inputs) {
  if (missing_output(execution, directory)) return false;
  try {
    return digest_of_inputs(execution, directory) == inputs;
  } catch (const InputGone&) {
    return false;  // running it will say what is wrong
  }
}

}  // namespace dovetail::run
