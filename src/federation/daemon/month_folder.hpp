// Where the months of an experiment leave their results: a folder each, which appears as a whole
// when the month is done. Clusters that share the folder go on where others ended.
//
//   DATA/CLIENT/EXPERIMENT/s3/claim       the request that the scenario belongs to
//                             month-00007/       done; `post-done` in it: and what comes after
//                             work-00008.r.42/   being computed by step 42 of request r
//
// A request that takes over a scenario writes its claim over the one that is there. A cluster that
// finds another claim, before it starts a step or reports its end, gives up: of two clusters, one
// of them believed to be lost, only one goes on.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "federation/daemon/month_entry.hpp"

namespace dovetail::federation {

class MonthFolder {
 public:
  MonthFolder(const std::string& data, const MonthRequest& request, Count scenario);

  // As claim_all, of this scenario alone.
  void claim(const std::string& request) const;
  // The request that it belongs to now; empty: none. Throws ExecutionError when that cannot be
  // read.
  std::string owner() const;

  const std::string& path() const { return path_; }
  std::string month(Count month) const;
  bool is_done(Count month) const;
  bool is_post_done(Count month) const;
  // The last month that is done; 0 when none is.
  Count last_done() const;

  // The state of a scenario to be computed from that month on: later months that
  // are already done, and post tasks that are still open. Nothing when the month before is missing.
  std::optional<FoundScenario> find(Count number, Count first, Count months, bool has_posts) const;

  // Where a step computes its month.
  std::string work(const MonthStep& step) const;

  // Makes that folder, empty. Throws ExecutionError.
  void begin(const MonthStep& step) const;
  // Returns when all that it left is on disk, which may take long.
  void settle(const MonthStep& step) const;
  // What it left, and what is settled, becomes the month, unless that is done already; returns when
  // that is on disk.
  void publish(const MonthStep& step) const;
  void mark_post_done(Count month) const;
  void discard(const MonthStep& step) const;

 private:
  std::string path_;
};

// The scenarios of these folders belong to the request; on disk when it returns. Many of them cost
// little more than one. Throws ExecutionError when a claim cannot be written; others may be by
// then.
void claim_all(std::span<const MonthFolder> folders, const std::string& request);

}  // namespace dovetail::federation
