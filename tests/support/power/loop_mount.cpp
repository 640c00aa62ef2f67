#include "support/power/loop_mount.hpp"

#include <fcntl.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/mount.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "run/local/descriptor.hpp"
#include "support/task_runner.hpp"

namespace dovetail::testing {

namespace {

using run::Descriptor;

[[noreturn]] void fail(const std::string& path, const char* what) {
  throw std::runtime_error(path + ": " + what + ": " + std::strerror(errno));
}

struct LoopDevice {
  std::string path;
  Descriptor open;  // while it is, the device is kept
};

// The device lets go of the file when it is neither open nor mounted any more.
LoopDevice attach(const std::string& image) {
  const Descriptor file(open(image.c_str(), O_RDWR | O_CLOEXEC));
  if (!file.is_open()) fail(image, "cannot be opened");
  const Descriptor control(open("/dev/loop-control", O_RDWR | O_CLOEXEC));
  if (!control.is_open()) fail("/dev/loop-control", "cannot be opened");
  loop_config config{};
  config.fd = static_cast<std::uint32_t>(file.get());
  config.info.lo_flags = LO_FLAGS_AUTOCLEAR;
  std::string path;
  // Another process may take the free device first.
  for (int i = 0; i < 100; ++i) {
    const int number = ioctl(control.get(), LOOP_CTL_GET_FREE);
    if (number < 0) break;
    path = "/dev/loop" + std::to_string(number);
    Descriptor device(open(path.c_str(), O_RDWR | O_CLOEXEC));
    if (!device.is_open()) break;
    if (ioctl(device.get(), LOOP_CONFIGURE, &config) == 0) return {path, std::move(device)};
    if (errno != EBUSY) break;
  }
  fail(image, "no loop device");
}

}  // namespace

LoopMount::LoopMount(const std::string& image, const std::string& folder,
                     const std::string& file_system)
    : folder_(folder) {
  const LoopDevice device = attach(image);
  if (mount(device.path.c_str(), folder.c_str(), file_system.c_str(), MS_NOATIME, nullptr) != 0) {
    fail(image, "cannot be mounted");
  }
}

LoopMount::~LoopMount() {
  // The last processes that worked on it may still be ending.
  if (!comes_true([&] { return umount2(folder_.c_str(), 0) == 0 || errno != EBUSY; })) {
    umount2(folder_.c_str(), MNT_DETACH);
  }
}

}  // namespace dovetail::testing
