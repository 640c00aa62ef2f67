// What this process makes outlast a power cut: the paths that are synced while a record lives.
//
//   const RecordedSyncs syncs;
//   folder.claim("r1");
//   EXPECT_TRUE(syncs.has(folder.path()));
//
// A program that uses it calls fsync() through it, in all its tests. One record at a time.
#pragma once

#include <string>

namespace dovetail::testing {

class RecordedSyncs {
 public:
  RecordedSyncs();
  ~RecordedSyncs();
  RecordedSyncs(const RecordedSyncs&) = delete;
  RecordedSyncs& operator=(const RecordedSyncs&) = delete;

  bool has(const std::string& path) const;
  std::string text() const;  // all of them, a line each
};

}  // namespace dovetail::testing
