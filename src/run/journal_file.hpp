// The journal of a run: what was decided and what happened, in order, a line of JSON each. It is
// the only truth of a run, and can be read with jq.
//
//   JournalWriter journal(path);
//   journal.add({{"what", "start"}, {"task", 17}});
//   journal.sync();   // only now may the task be started
//
// Every line ends with its checksum: {...,"crc":"9ae0daaf"}. Lines that one sync() wrote belong
// together: all but the first have a "+" before the digits. When the machine stops during a sync,
// any part of its lines may be missing or damaged; they count as never written, from the first bad
// line on. Damage before the last sync is an error. Lines without a checksum, which earlier
// versions wrote, are taken as they are until the first that has one.
//
// Not safe to share between threads; RunLock makes sure that there is one writer at a time.
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
  // Opens the journal for adding, and makes it when there is none. What an interrupted sync left
  // behind is cut off. Throws ExecutionError when that cannot be done, and InputError for damage
  // before the last sync.
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

// Calls `visit` for every entry in order, without its checksum, and answers whether something at
// the end was torn, which counts as never written. Throws ExecutionError when the file cannot be
// read, and InputError for a line in the middle that is damaged or no entry.
bool read_journal(const std::string& path, const EntryVisitor& visit);

}  // namespace dovetail::run
