#include "support/power/recording_disk.hpp"

#include <fcntl.h>
#include <linux/fuse.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "run/local/descriptor.hpp"
#include "support/task_runner.hpp"

namespace dovetail::testing {

namespace {

constexpr std::uint32_t kMostBytes = 1U << 20U;  // of one write
constexpr std::uint32_t kPage = 4096;
// As a disk takes, or less. Programs go on meanwhile, so more happens between two flushes.
constexpr useconds_t kFlushMicroseconds = 1000;

// Answers the kernel's questions about the one file. It never touches the disk that it serves,
// and takes one question at a time: the record has the order in which the answers were given.
class DiskServer {
 public:
  DiskServer(int fuse, int image, int log)
      : fuse_(fuse), image_(image), log_(log), request_(kMostBytes + kPage), data_(kMostBytes) {
    struct stat status {};
    fstat(image_, &status);
    size_ = static_cast<std::uint64_t>(status.st_size);
  }

  // Until the file is unmounted.
  void serve() {
    for (;;) {
      const ssize_t got = read(fuse_, request_.data(), request_.size());
      if (got < 0 && (errno == EINTR || errno == ENOENT)) continue;
      if (got < 0) return;
      answer();
    }
  }

 private:
  template <typename Body>
  const Body& body() const {
    return *reinterpret_cast<const Body*>(request_.data() + sizeof(fuse_in_header));
  }
  const fuse_in_header& header() const {
    return *reinterpret_cast<const fuse_in_header*>(request_.data());
  }

  void reply(const void* data, std::size_t size) {
    fuse_out_header out{.len = static_cast<std::uint32_t>(sizeof out + size),
                        .error = 0,
                        .unique = header().unique};
    const iovec parts[] = {{&out, sizeof out}, {const_cast<void*>(data), size}};
    // A question that was withdrawn needs no answer.
    [[maybe_unused]] const ssize_t wrote = writev(fuse_, parts, size == 0 ? 1 : 2);
  }

  void refuse(int error) {
    const fuse_out_header out{.len = sizeof out, .error = -error, .unique = header().unique};
    [[maybe_unused]] const ssize_t wrote = write(fuse_, &out, sizeof out);
  }

  void answer() {
    switch (header().opcode) {
      case FUSE_INIT:
        return begin();
      case FUSE_GETATTR:
      case FUSE_SETATTR:
        return tell_size();
      case FUSE_OPEN: {
        const fuse_open_out out{};
        return reply(&out, sizeof out);
      }
      case FUSE_READ:
        return read_data();
      case FUSE_WRITE:
        return write_data();
      case FUSE_FSYNC:
        record({.kind = DiskEvent::Kind::flush}, nullptr);
        usleep(kFlushMicroseconds);
        return reply(nullptr, 0);
      case FUSE_RELEASE:
        return reply(nullptr, 0);
      case FUSE_STATFS: {
        fuse_statfs_out out{};
        out.st.bsize = out.st.frsize = kPage;
        out.st.namelen = 255;
        return reply(&out, sizeof out);
      }
      case FUSE_FORGET:
      case FUSE_BATCH_FORGET:
      case FUSE_INTERRUPT:
      case FUSE_DESTROY:
        return;
      default:
        return refuse(ENOSYS);
    }
  }

  void begin() {
    const auto& in = body<fuse_init_in>();
    fuse_init_out out{};
    out.major = FUSE_KERNEL_VERSION;
    out.minor = std::min<std::uint32_t>(in.minor, FUSE_KERNEL_MINOR_VERSION);
    out.max_readahead = in.max_readahead;
    out.flags = in.flags & (FUSE_BIG_WRITES | FUSE_MAX_PAGES);
    out.max_background = 16;
    out.congestion_threshold = 12;
    out.max_write = kMostBytes;
    out.max_pages = kMostBytes / kPage;
    out.time_gran = 1;
    reply(&out, sizeof out);
  }

  void tell_size() {
    fuse_attr_out out{};
    out.attr_valid = 1'000'000;
    out.attr.ino = FUSE_ROOT_ID;
    out.attr.size = size_;
    out.attr.blocks = size_ / 512;
    out.attr.mode = S_IFREG | 0600;
    out.attr.nlink = 1;
    out.attr.blksize = kPage;
    reply(&out, sizeof out);
  }

  void read_data() {
    const auto& in = body<fuse_read_in>();
    const ssize_t got = pread(image_, data_.data(), std::min<std::size_t>(in.size, data_.size()),
                              static_cast<off_t>(in.offset));
    got < 0 ? refuse(errno) : reply(data_.data(), static_cast<std::size_t>(got));
  }

  void write_data() {
    const auto& in = body<fuse_write_in>();
    const char* data = request_.data() + sizeof(fuse_in_header) + sizeof in;
    record({.kind = DiskEvent::Kind::write, .size = in.size, .offset = in.offset}, data);
    if (pwrite(image_, data, in.size, static_cast<off_t>(in.offset)) != in.size) {
      return refuse(ENOSPC);
    }
    const fuse_write_out out{.size = in.size, .padding = 0};
    reply(&out, sizeof out);
  }

  void record(DiskEvent event, const char* data) const {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    event.time = now.tv_sec * 1'000'000'000LL + now.tv_nsec;
    const iovec parts[] = {{&event, sizeof event}, {const_cast<char*>(data), event.size}};
    const auto whole = static_cast<ssize_t>(sizeof event + event.size);
    if (writev(log_, parts, event.size == 0 ? 1 : 2) != whole) _exit(1);
  }

  int fuse_;
  int image_;
  int log_;
  std::uint64_t size_ = 0;
  std::vector<char> request_;
  std::vector<char> data_;
};

run::Descriptor opened(const std::string& path, int flags) {
  run::Descriptor file(open(path.c_str(), flags | O_CLOEXEC, 0600));
  if (!file.is_open()) throw std::runtime_error(path + ": " + std::strerror(errno));
  return file;
}

}  // namespace

RecordingDisk::RecordingDisk(const std::string& image, const std::string& front,
                             const std::string& log)
    : front_(front) {
  const run::Descriptor data = opened(image, O_RDWR);
  const run::Descriptor record = opened(log, O_WRONLY | O_CREAT | O_TRUNC);
  const run::Descriptor fuse = opened("/dev/fuse", O_RDWR);
  const std::string options =
      "fd=" + std::to_string(fuse.get()) + ",rootmode=100600,user_id=0,group_id=0";
  if (mount("recording", front.c_str(), "fuse", MS_NOSUID | MS_NODEV, options.c_str()) != 0) {
    throw std::runtime_error(front + ": cannot be mounted over: " + std::strerror(errno));
  }
  server_ = fork();
  if (server_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    DiskServer(fuse.get(), data.get(), record.get()).serve();
    _exit(0);
  }
}

void RecordingDisk::stop() {
  if (server_ <= 0) return;
  umount2(front_.c_str(), MNT_DETACH);
  // It ends by itself, unless something still has the file open.
  if (!comes_true([&] { return waitpid(server_, nullptr, WNOHANG) != 0; })) {
    kill(server_, SIGKILL);
    waitpid(server_, nullptr, 0);
  }
  server_ = 0;
}

}  // namespace dovetail::testing
