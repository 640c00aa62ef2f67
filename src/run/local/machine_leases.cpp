#include "run/local/machine_leases.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <vector>

namespace dovetail::run {

namespace {

// Where in the file what is locked. Memory is counted in mebibytes, of which no task has more than
// a lane is wide: each lease of memory has a lane of its own, and begins where that begins.
constexpr std::int64_t kDoor = 0;  // held while memory is counted and taken
constexpr std::int64_t kCores = std::int64_t{1} << 20;
constexpr std::int64_t kGpus = std::int64_t{1} << 24;
constexpr std::int64_t kGpusEnd = std::int64_t{1} << 28;
constexpr std::int64_t kLane = std::int64_t{1} << 41;
constexpr std::int64_t kLanes = std::int64_t{1} << 20;
static_assert(kMaxMemory / kMebibyte < kLane);

struct LockedRange {
  std::int64_t start = 0;
  std::int64_t end = 0;
};

struct flock request(short type, std::int64_t start, std::int64_t length) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = start;
  lock.l_len = length;
  return lock;
}

bool set(int file, int how, short type, std::int64_t start, std::int64_t length) {
  struct flock lock = request(type, start, length);
  int answer = 0;
  while ((answer = fcntl(file, how, &lock)) != 0 && errno == EINTR) {
  }
  return answer == 0;
}

// The first range within this one that another open file has locked, cut to it.
std::optional<LockedRange> held_within(int file, const LockedRange& range) {
  if (range.start >= range.end) return std::nullopt;
  struct flock lock = request(F_WRLCK, range.start, range.end - range.start);
  if (fcntl(file, F_OFD_GETLK, &lock) != 0 || lock.l_type == F_UNLCK) return std::nullopt;
  const std::int64_t end = lock.l_len == 0 ? range.end : lock.l_start + lock.l_len;
  return LockedRange{std::max<std::int64_t>(lock.l_start, range.start), std::min(end, range.end)};
}

// All of them, in order. The system names any one of several.
std::vector<LockedRange> all_within(int file, const LockedRange& range) {
  std::vector<LockedRange> found;
  std::vector<LockedRange> open{range};
  while (!open.empty()) {
    const LockedRange next = open.back();
    open.pop_back();
    const auto held = held_within(file, next);
    if (!held) continue;
    found.push_back(*held);
    open.push_back({next.start, held->start});
    open.push_back({held->end, next.end});
  }
  std::ranges::sort(found, {}, &LockedRange::start);
  return found;
}

std::vector<LockedRange> lanes_within(int file) {
  return all_within(file, {kLane, (kLanes + 1) * kLane});
}

std::int64_t mebibytes(Bytes size) { return (size + kMebibyte - 1) / kMebibyte; }

std::int64_t sum_of(const std::vector<LockedRange>& ranges) {
  std::int64_t sum = 0;
  for (const LockedRange& range : ranges) sum += range.end - range.start;
  return sum;
}

// The beginning of the first lane that nothing is in.
std::int64_t free_lane(const std::vector<LockedRange>& taken) {
  std::int64_t lane = kLane;
  for (const LockedRange& range : taken) {
    if (range.start == lane) lane += kLane;
  }
  return lane;
}

}  // namespace

bool TaskLease::lock(std::int64_t start, std::int64_t length) {
  if (set(file_->get(), F_OFD_SETLK, F_WRLCK, start, length)) return true;
  if (errno == EAGAIN || errno == EACCES) return false;
  *trouble_ = std::strerror(errno);
  file_.reset();
  return true;
}

bool TaskLease::take_core(int core) { return !file_ || lock(kCores + core, 1); }

void TaskLease::give_back_cores() {
  if (file_) set(file_->get(), F_OFD_SETLK, F_UNLCK, kCores, kGpus - kCores);
}

bool TaskLease::take_gpu(int gpu) { return !file_ || lock(kGpus + gpu, 1); }

// Between counting and taking no other process may take some.
bool TaskLease::take_memory(Bytes size, Bytes limit) {
  if (!file_) return true;
  if (!set(file_->get(), F_OFD_SETLKW, F_WRLCK, kDoor, 1)) {
    *trouble_ = std::strerror(errno);
    file_.reset();
    return true;
  }
  const std::vector<LockedRange> taken = lanes_within(file_->get());
  const bool fits = sum_of(taken) + mebibytes(size) <= std::max(mebibytes(limit), mebibytes(size));
  const bool is_taken = fits && (size == 0 || lock(free_lane(taken), mebibytes(size)));
  if (file_) set(file_->get(), F_OFD_SETLK, F_UNLCK, kDoor, 1);
  return is_taken;
}

std::shared_ptr<const Descriptor> MachineLeases::open() {
  if (!trouble_.empty()) return nullptr;
  const auto try_it = [&] { return ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600); };
  int number = try_it();
  if (number < 0 && errno == ENOENT) {
    const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
    mkdir(folder.c_str(), 0700);
    number = try_it();
  }
  if (number >= 0) return std::make_shared<const Descriptor>(Descriptor(number));
  trouble_ = std::strerror(errno);
  return nullptr;
}

TaskLease MachineLeases::begin() { return {open(), trouble_}; }

Bytes MachineLeases::memory_held() {
  if (!looking_) looking_ = open();
  return looking_ ? sum_of(lanes_within(looking_->get())) * kMebibyte : 0;
}

std::set<int> MachineLeases::gpus_held() {
  if (!looking_) looking_ = open();
  std::set<int> gpus;
  if (!looking_) return gpus;
  for (const LockedRange& range : all_within(looking_->get(), {kGpus, kGpusEnd})) {
    for (std::int64_t byte = range.start; byte < range.end; ++byte) {
      gpus.insert(static_cast<int>(byte - kGpus));
    }
  }
  return gpus;
}

std::string lease_file(const std::string& state) {
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  std::string name = host[0] == '\0' ? "localhost" : host;
  std::ranges::replace(name, '/', '-');
  return state + "/leases/" + name;
}

}  // namespace dovetail::run
