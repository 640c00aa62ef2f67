// A disk image whose every write and flush is recorded in order, so that a power cut at any moment
// can be made of the record (disk_cut.hpp).
//
//   RecordingDisk disk("live.img", "front", "log");   // needs root, /dev/fuse and the file `front`
//   ... a loop device on "front", a file system on it, work ...
//   disk.stop();   // after the loop device has let go of it
//
// The kernel's FUSE interface is spoken directly: the file system has one file, which is its root
// and is mounted over `front`. A process of its own answers, and ends with the mount or with us.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace dovetail::testing {

// How an entry of the record begins; the bytes that were written follow.
struct DiskEvent {
  enum class Kind : std::uint32_t { write, flush };
  Kind kind = Kind::write;
  std::uint32_t size = 0;
  std::uint64_t offset = 0;
  std::int64_t time = 0;  // nanoseconds since 1970
};

class RecordingDisk {
 public:
  // Throws std::runtime_error when the system does not allow it.
  RecordingDisk(const std::string& image, const std::string& front, const std::string& log);
  ~RecordingDisk() { stop(); }
  RecordingDisk(const RecordingDisk&) = delete;
  RecordingDisk& operator=(const RecordingDisk&) = delete;

  // The record is complete afterwards.
  void stop();

 private:
  std::string front_;
  pid_t server_ = 0;
};

}  // namespace dovetail::testing
