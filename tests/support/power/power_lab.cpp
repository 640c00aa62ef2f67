#include "support/power/power_lab.hpp"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <stdexcept>

#include "run/local/descriptor.hpp"
#include "support/whole_file.hpp"

namespace dovetail::testing {

namespace {

namespace fs = std::filesystem;

constexpr const char* kCuts = "DOVETAIL_POWER_CUTS";
constexpr const char* kBootId = "/proc/sys/kernel/random/boot_id";

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(what + ": " + std::strerror(errno));
}

struct DiskFormat {
  const char* name;
  const char* size;  // the least that the file system takes, or enough
  const char* make;
};

constexpr DiskFormat kFormats[] = {{"ext4", "64M", "mkfs.ext4 -q -F -b 4096 -E nodiscard"},
                                   {"xfs", "320M", "mkfs.xfs -q -f -K"},
                                   {"btrfs", "256M", "mkfs.btrfs -q -f -K"}};

const DiskFormat& format_called(const std::string& name) {
  for (const DiskFormat& format : kFormats) {
    if (name == format.name) return format;
  }
  throw std::runtime_error("no file system " + name);
}

void run_quietly(const std::string& command) {
  if (std::system((command + " > /dev/null 2>&1").c_str()) != 0) {
    throw std::runtime_error("failed: " + command);
  }
}

// Mounts of this process are not seen by others, and end with it and its children.
bool has_own_mounts() {
  static const bool is_apart =
      unshare(CLONE_NEWNS) == 0 && mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
  return is_apart;
}

// One that was changed last, or any.
std::string file_to_write(const std::string& folder, Dice& dice) {
  std::vector<std::string> files;
  std::pair<fs::file_time_type, std::string> newest;
  std::error_code error;
  fs::recursive_directory_iterator next(folder, error);
  for (const fs::recursive_directory_iterator end; !error && next != end; next.increment(error)) {
    std::error_code gone;
    if (!next->is_regular_file(gone)) continue;
    files.push_back(next->path().string());
    newest = std::max(newest, {next->last_write_time(gone), files.back()});
  }
  if (files.empty() || dice.chance(0.3)) return newest.second;
  const auto which = dice.between(0, static_cast<std::int64_t>(files.size()) - 1);
  return files[static_cast<std::size_t>(which)];
}

}  // namespace

std::int64_t nanoseconds_now() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

int wanted_cuts() {
  constexpr int kSample = 40;
  constexpr int kLeast = 10;
  const char* wanted = std::getenv(kCuts);
  return wanted == nullptr ? kSample : std::max(kLeast, std::atoi(wanted));
}

PowerLab::PowerLab(std::string folder, std::string file_system)
    : folder_(std::move(folder)), file_system_(std::move(file_system)) {}

void PowerLab::close() {
  stop_writing_back();
  mounted_.reset();
  recorder_.reset();
  if (!is_prepared_) return;
  umount2(kBootId, MNT_DETACH);
  umount2(folder_.c_str(), MNT_DETACH);
  is_prepared_ = false;
}

std::string PowerLab::why_not() const {
  if (file_system_ != kFormats[0].name && std::getenv(kCuts) == nullptr) {
    return "a sample is made of ext4 alone; make test-power does all";
  }
  if (geteuid() != 0) return "only root may mount disks";
  for (const char* device : {"/dev/fuse", "/dev/loop-control"}) {
    if (access(device, R_OK | W_OK) != 0) return std::string("there is no ") + device;
  }
  if (text_of("/proc/filesystems").find("\t" + file_system_ + "\n") == std::string::npos) {
    return "the kernel has no " + file_system_;
  }
  if (std::system(("command -v mkfs." + file_system_ + " > /dev/null").c_str()) != 0) {
    return "there is no mkfs." + file_system_;
  }
  return has_own_mounts() ? "" : "no mounts of its own are allowed";
}

// Once: the memory in which all lies, and a boot id that can be changed.
void PowerLab::prepare() {
  if (is_prepared_) return;
  fs::create_directories(folder_);
  if (!has_own_mounts() || mount("power", folder_.c_str(), "tmpfs", 0, "size=4G") != 0) {
    fail(folder_);
  }
  fs::create_directory(disk());
  own_boot_ = text_of(kBootId);
  set_boot(own_boot_);
  if (mount(path("boot").c_str(), kBootId, nullptr, MS_BIND, nullptr) != 0) fail(kBootId);
  is_prepared_ = true;
}

void PowerLab::set_boot(const std::string& id) const { put(path("boot"), id); }

void PowerLab::begin(std::uint64_t seed, bool writes_back) {
  prepare();
  set_boot(own_boot_);
  seed_ = seed;
  const DiskFormat& format = format_called(file_system_);
  const std::string made = path("made.img");
  fs::remove(made);
  run_quietly(std::string("truncate -s ") + format.size + " " + made + " && " + format.make + " " +
              made);
  run_quietly("cp --sparse=always " + made + " " + path("base.img"));
  copy_image(path("base.img"), path("live.img"));
  put(path("front"), "");
  recorder_ = std::make_unique<RecordingDisk>(path("live.img"), path("front"), path("log"));
  mounted_ = std::make_unique<LoopMount>(path("front"), disk(), file_system_);
  if (writes_back) write_back(seed);
  began_ = nanoseconds_now();
}

void PowerLab::write_back(std::uint64_t seed) {
  writer_ = fork();
  if (writer_ != 0) return;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  Dice dice(seed);
  for (;;) {
    const run::Descriptor file(open(file_to_write(disk(), dice).c_str(), O_RDONLY | O_NONBLOCK));
    // Without a flush, the rest of what was written may still overtake it.
    dice.chance(0.5) ? fsync(file.get()) : sync_file_range(file.get(), 0, 0, SYNC_FILE_RANGE_WRITE);
    usleep(static_cast<useconds_t>(dice.between(0, 3000)));
  }
}

void PowerLab::stop_writing_back() {
  if (writer_ <= 0) return;
  kill(writer_, SIGKILL);
  waitpid(writer_, nullptr, 0);
  writer_ = 0;
}

void PowerLab::end() {
  ended_ = nanoseconds_now();
  stop_writing_back();
  mounted_.reset();  // writes all that is left, so there is a flush after the end
  recorder_.reset();
}

void PowerLab::judge_one(DiskRecord& record, const PowerCut& cut,
                         const std::function<void(const PowerCut&)>& judge) const {
  const std::string image = path("cut.img");
  set_boot("00000000-0000-4000-8000-" + std::to_string(100'000'000'000 + cut.number) + "\n");
  std::unique_ptr<LoopMount> mounted;
  // Some file systems need their superblock, of several sectors, to be written as a whole.
  for (const bool tears : {true, false}) {
    record.cut(cut.flush, cut.seed, image, tears);
    try {
      mounted = std::make_unique<LoopMount>(image, disk(), file_system_);
      break;
    } catch (const std::runtime_error& error) {
      if (!tears) throw;
      std::cout << "seed " << cut.seed << " again, without torn writes: " << error.what() << "\n";
    }
  }
  judge(cut);
}

void PowerLab::cut(int count, const std::function<void(const PowerCut&)>& judge) {
  DiskRecord record(path("log"), path("base.img"), path("state.img"));
  const std::size_t first = record.first_after(began_);
  const std::size_t last = record.first_after(ended_);  // all that was to be on disk is there
  if (first >= record.flushes() || last >= record.flushes()) {
    throw std::runtime_error("nothing was flushed to the recorded disk");
  }
  flushes_ = last - first + 1;
  for (int i = 0; i < count; ++i) {
    const std::size_t flush =
        first + (flushes_ - 1) * static_cast<std::size_t>(i) / static_cast<std::size_t>(count - 1);
    const std::uint64_t seed = seed_ * 1'000'003 + static_cast<std::uint64_t>(i);
    judge_one(record, {.number = i, .flush = flush, .seed = seed, .time = record.time_of(flush)},
              judge);
  }
}

void CutFindings::add(const PowerCut& cut, const std::string& kind, const std::string& detail) {
  constexpr std::size_t kShown = 5;
  Finding& finding = kinds_[kind];
  cuts_.insert(cut.seed);
  if (finding.count > 0 && finding.last_cut == cut.seed) return;
  ++finding.count;
  finding.last_cut = cut.seed;
  if (finding.first.size() < kShown) {
    finding.first.push_back("cut " + std::to_string(cut.number) + " behind flush " +
                            std::to_string(cut.flush) + ", seed " + std::to_string(cut.seed) +
                            ": " + detail);
  }
}

std::string CutFindings::text() const {
  std::string text;
  for (const auto& [kind, finding] : kinds_) {
    text += kind + ": " + std::to_string(finding.count) + " cuts\n";
    for (const std::string& line : finding.first) text += "  " + line + "\n";
  }
  return text;
}

}  // namespace dovetail::testing
