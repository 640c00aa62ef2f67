// The journal of a run: what was decided and what happened, in order, a line of JSON each. It is
// the only truth of a run, and can be read with jq.
//
//   JournalWriter journal(path);
//   journal.add({{"what", "start"}, {"task", 17}});
//   journal.sync();   // only now may the task be started
//
// A line that was being written when the machine stopped is recognised: it has no end, and counts
// as never written. Not safe to share between threads; one writer at a time sees to that with
// RunLock.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "run/local/descriptor.hpp"

namespace dovetail::run {

using Json = nlohmann::ordered_json;

class JournalWriter {
 public:
  // Opens the journal for adding, and makes it when there is none. A torn last line is cut off.
  // Throws ExecutionError when that cannot be done.
  explicit JournalWriter(std::string path);

  // Puts an entry behind the others; it becomes true with the next sync().
  void add(const Json& entry);

  // Returns when all entries are on disk. Throws ExecutionError, naming the file and why, when they
  // cannot be; then none of those added since the last sync() counts.
  void sync();

 private:
  std::string path_;
  Descriptor file_;
  std::size_t size_ = 0;  // of what is known to be on disk
  std::string pending_;
};

// Puts these entries in the place of all that the journal holds. Whenever the machine stops, one or
// the other is there as a whole. Needs no writer to have it open. Throws ExecutionError.
void replace_journal(const std::string& path, std::span<const Json> entries);

using EntryVisitor = std::function<void(const Json& entry)>;

// Calls `visit` for every entry in order, and answers whether the last line is torn. Throws
// ExecutionError when the file cannot be read, and InputError for a line in the middle that is no
// entry.
bool read_journal(const std::string& path, const EntryVisitor& visit);

}  // namespace dovetail::run
