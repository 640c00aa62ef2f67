// Makes files outlast a power cut. What a task wrote is in the machine's memory for some time after
// the task has ended; a file, and the folder that names it, are on disk only when both were synced.
#pragma once

#include <string>
#include <vector>

namespace dovetail::run {

// Returns when the files are on disk: their contents, all that is in those that are folders, and
// the folders above them. Files that are not there are passed over. Empty when all went well, else
// what went wrong, in words.
std::string sync_files(const std::vector<std::string>& paths);

// Returns when the folder and the folders above it are on disk. Best effort: some cannot be opened
// by us, and some file systems have nothing to sync.
void sync_folders(const std::string& folder);

}  // namespace dovetail::run
