// What other processes ask of a run while one works on it and alone writes its journal: more or
// fewer processors, to be cancelled. A request is a small file in the run's folder; one that was
// not read in time is read when the run is resumed.
//
//   post(folder, {{"what", "resources"}, {"processors", 8}});
//   Mailbox mailbox(folder); poll(mailbox.descriptor()); for (const Json& request : mailbox.take())
//   ...
#pragma once

#include <string>
#include <vector>

#include "run/journal_file.hpp"
#include "run/local/descriptor.hpp"
#include "run/run_folder.hpp"

namespace dovetail::run {

// Throws ExecutionError when it cannot be written.
void post(const RunFolder& folder, const Json& request);

class Mailbox {
 public:
  // Where the system cannot tell of new files, take() is the only way to hear of them.
  explicit Mailbox(const RunFolder& folder);

  // Readable when there may be something new.
  int descriptor() const { return news_.get(); }

  // What has come in, in order. It stays until forget(): the caller writes it down first.
  std::vector<Json> take();
  void forget();

 private:
  std::string folder_;
  std::vector<std::string> taken_;
  Descriptor news_;
};

}  // namespace dovetail::run
