// A place to cut the power: a disk that is recorded while programs work on it, and then found again
// as each of many cuts could have left it.
//
//   PowerLab lab(file("lab"), "ext4");
//   if (const std::string why = lab.why_not(); !why.empty()) GTEST_SKIP() << why;
//   lab.begin();
//   ... programs work in lab.disk() ...
//   lab.end();
//   lab.cut(1000, [&](const PowerCut& cut) { ... look at lab.disk() ... });
//
// All of it lies in memory, in a mount namespace of the test process: mounts, loop devices and
// images go away with the process, however that ends. After each cut the machine has another boot
// id, as after a restart.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "support/power/disk_cut.hpp"
#include "support/power/loop_mount.hpp"

namespace dovetail::testing {

struct PowerCut {
  int number = 0;          // from 0 on
  std::size_t flush = 0;   // the last one that was complete
  std::uint64_t seed = 0;  // of what came after it
  std::int64_t time = 0;   // of the flush; what was told before has to be true
};

// Nanoseconds since 1970.
std::int64_t nanoseconds_now();

// How many cuts a test makes: DOVETAIL_POWER_CUTS, else a small sample, on ext4 alone.
int wanted_cuts();

class PowerLab {
 public:
  PowerLab(std::string folder, std::string file_system);
  ~PowerLab() { close(); }
  PowerLab(const PowerLab&) = delete;
  PowerLab& operator=(const PowerLab&) = delete;

  // What is missing on this machine; empty: nothing.
  std::string why_not() const;

  const std::string& file_system() const { return file_system_; }
  std::string disk() const { return folder_ + "/disk"; }

  // Makes an empty disk, mounts it and records what happens to it. With `writes_back` a process
  // syncs files at random, as the kernel may at any moment: then files reach the disk in another
  // order than that in which they were written.
  void begin(std::uint64_t seed, bool writes_back);
  void end();

  // That many cuts, at least two, spread evenly over all flushes between begin() and end(). `judge`
  // finds the disk mounted as the cut left it, after the file system's own recovery, and may go on
  // with it.
  void cut(int count, const std::function<void(const PowerCut&)>& judge);

  // Ends its processes and mounts.
  void close();

  // Of the last record, between begin() and end().
  std::size_t flushes() const { return flushes_; }

 private:
  void prepare();
  void write_back(std::uint64_t seed);
  void stop_writing_back();
  void judge_one(DiskRecord& record, const PowerCut& cut,
                 const std::function<void(const PowerCut&)>& judge) const;
  void set_boot(const std::string& id) const;
  std::string path(const std::string& name) const { return folder_ + "/" + name; }

  std::string folder_;
  std::string file_system_;
  std::string own_boot_;
  bool is_prepared_ = false;
  std::uint64_t seed_ = 0;
  std::int64_t began_ = 0;
  std::int64_t ended_ = 0;
  std::size_t flushes_ = 0;
  pid_t writer_ = 0;
  std::unique_ptr<RecordingDisk> recorder_;
  std::unique_ptr<LoopMount> mounted_;
};

// What was wrong after how many cuts.
class CutFindings {
 public:
  // At most one of a kind is counted for a cut; the first few are kept in words.
  void add(const PowerCut& cut, const std::string& kind, const std::string& detail);

  int cuts_with_a_finding() const { return static_cast<int>(cuts_.size()); }
  std::string text() const;

 private:
  struct Finding {
    int count = 0;
    std::uint64_t last_cut = 0;  // its seed
    std::vector<std::string> first = {};
  };
  std::map<std::string, Finding> kinds_;
  std::set<std::uint64_t> cuts_;  // their seeds
};

}  // namespace dovetail::testing
