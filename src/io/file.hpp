// Makes files outlast a power cut. What was written is in the machine's memory for some time; a
// file is on disk only when it and the folder that names it were synced.
//
//   if (const int error = io::sync_to_disk(folder)) fail(folder, error);
#pragma once

#include <string>

namespace dovetail::io {

// Returns when the contents of a file, or the names in a folder, are on disk: 0, or the error
// number that opening or syncing it gave. Pipes and the like, and some file systems, have nothing
// to sync, which is no error. Empty: the current folder.
int sync_to_disk(const std::string& path);

}  // namespace dovetail::io
