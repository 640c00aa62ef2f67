#include "support/power/disk_cut.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "run/local/descriptor.hpp"
#include "support/whole_file.hpp"

namespace dovetail::testing {

namespace {

using run::Descriptor;

constexpr std::size_t kSector = 512;

Descriptor opened(const std::string& path, int flags) {
  Descriptor file(open(path.c_str(), flags | O_CLOEXEC, 0600));
  if (!file.is_open()) throw std::runtime_error(path + ": " + std::strerror(errno));
  return file;
}

void write_at(int file, const char* data, std::size_t size, std::uint64_t place) {
  if (pwrite(file, data, size, static_cast<off_t>(place)) != static_cast<ssize_t>(size)) {
    throw std::runtime_error(std::string("a disk image: ") + std::strerror(errno));
  }
}

}  // namespace

void copy_image(const std::string& from, const std::string& to) {
  unlink(to.c_str());  // a loop device may not have let go of the last one
  const Descriptor in = opened(from, O_RDONLY);
  const Descriptor out = opened(to, O_RDWR | O_CREAT | O_EXCL);
  struct stat status {};
  if (fstat(in.get(), &status) != 0 || ftruncate(out.get(), status.st_size) != 0) {
    throw std::runtime_error(to + ": " + std::strerror(errno));
  }
  std::vector<char> piece(std::size_t{1} << 20U);
  for (off_t place = 0; (place = lseek(in.get(), place, SEEK_DATA)) >= 0;) {
    const off_t end = lseek(in.get(), place, SEEK_HOLE);
    while (place < end) {
      const auto size = std::min(piece.size(), static_cast<std::size_t>(end - place));
      if (pread(in.get(), piece.data(), size, place) != static_cast<ssize_t>(size)) {
        throw std::runtime_error(from + ": " + std::strerror(errno));
      }
      write_at(out.get(), piece.data(), size, static_cast<std::uint64_t>(place));
      place += static_cast<off_t>(size);
    }
  }
}

DiskRecord::DiskRecord(const std::string& log, const std::string& base, const std::string& state)
    : text_(text_of(log)), base_(base), state_(state) {
  for (std::size_t place = 0; place + sizeof(DiskEvent) <= text_.size();) {
    Entry entry;
    std::memcpy(&entry.head, text_.data() + place, sizeof entry.head);
    entry.data = place + sizeof entry.head;
    if (entry.head.kind == DiskEvent::Kind::flush) flushes_.push_back(events_.size());
    events_.push_back(entry);
    place = entry.data + entry.head.size;
  }
  copy_image(base_, state_);
}

std::size_t DiskRecord::first_after(std::int64_t time) const {
  std::size_t flush = 0;
  while (flush < flushes() && time_of(flush) < time) ++flush;
  return flush;
}

std::size_t DiskRecord::end_of(std::size_t flush) const {
  return flush + 1 < flushes() ? flushes_[flush + 1] : events_.size();
}

std::size_t DiskRecord::writes_after(std::size_t flush) const {
  return end_of(flush) - flushes_[flush] - 1;
}

void DiskRecord::apply(const Entry& entry, int file, std::size_t begin, std::size_t end) const {
  write_at(file, text_.data() + entry.data + begin, end - begin, entry.head.offset + begin);
}

void DiskRecord::advance(std::size_t flush) {
  if (flushes_[flush] < applied_) {
    copy_image(base_, state_);
    applied_ = 0;
  }
  const Descriptor file = opened(state_, O_RDWR);
  for (; applied_ < flushes_[flush]; ++applied_) {
    const Entry& entry = events_[applied_];
    if (entry.head.size > 0) apply(entry, file.get(), 0, entry.head.size);
  }
}

// Sectors are written whole or not at all.
void DiskRecord::apply_some(const Entry& entry, int file, Dice& dice) const {
  for (std::size_t begin = 0; begin < entry.head.size; begin += kSector) {
    const std::size_t end = std::min<std::size_t>(begin + kSector, entry.head.size);
    if (dice.chance(0.5)) apply(entry, file, begin, end);
  }
}

void DiskRecord::cut(std::size_t flush, std::uint64_t seed, const std::string& image, bool tears) {
  advance(flush);
  copy_image(state_, image);
  const Descriptor file = opened(image, O_RDWR);
  Dice dice(seed);
  constexpr double kShares[] = {0, 0.1, 0.5, 0.9, 1};
  const double share = kShares[dice.between(0, 4)];
  const double torn = tears && dice.chance(0.5) ? 0.3 : 0;
  for (std::size_t i = flushes_[flush] + 1; i < end_of(flush); ++i) {
    if (!dice.chance(share)) continue;
    dice.chance(torn) ? apply_some(events_[i], file.get(), dice)
                      : apply(events_[i], file.get(), 0, events_[i].head.size);
  }
}

}  // namespace dovetail::testing
