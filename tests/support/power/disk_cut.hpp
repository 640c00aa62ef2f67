// Disks as they could be found after a power cut, made of the record of a RecordingDisk.
//
//   DiskRecord record("log", "base.img", "state.img");
//   record.cut(17, seed, "cut.img");
//
// What was written before a flush is on disk. Of what was written after it, any part may be, in
// any order, as there was no other flush: whole writes, none of them, or some sectors of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/power/recording_disk.hpp"
#include "support/random_problem.hpp"

namespace dovetail::testing {

// Copies only what is not a hole. Throws std::runtime_error.
void copy_image(const std::string& from, const std::string& to);

class DiskRecord {
 public:
  // `base`: the disk before the first write; `state`: a file of its own to work on.
  DiskRecord(const std::string& log, const std::string& base, const std::string& state);

  std::size_t flushes() const { return flushes_.size(); }

  // When it was, in nanoseconds since 1970. What was told to be on disk before is there.
  std::int64_t time_of(std::size_t flush) const { return events_[flushes_[flush]].head.time; }

  // The first flush after a moment; flushes() when there is none.
  std::size_t first_after(std::int64_t time) const;

  // How many writes lie between this flush and the next.
  std::size_t writes_after(std::size_t flush) const;

  // Writes the disk of a cut behind the flush to a file. The same seed gives the same disk. Quick
  // when the flushes of successive calls ascend. Without `tears` writes are there as a whole or
  // not at all.
  void cut(std::size_t flush, std::uint64_t seed, const std::string& image, bool tears = true);

 private:
  struct Entry {
    DiskEvent head;
    std::size_t data = 0;  // where its bytes are in the text of the log
  };

  void apply(const Entry& entry, int file, std::size_t begin, std::size_t end) const;
  void apply_some(const Entry& entry, int file, Dice& dice) const;
  void advance(std::size_t flush);
  std::size_t end_of(std::size_t flush) const;

  std::string text_;
  std::string base_;
  std::string state_;
  std::vector<Entry> events_;
  std::vector<std::size_t> flushes_;  // places in events_
  std::size_t applied_ = 0;           // events that the state has
};

}  // namespace dovetail::testing
