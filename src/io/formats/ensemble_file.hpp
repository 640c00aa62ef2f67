// The ensemble file: the numbers of scenarios and months, and how long a month takes on each
// cluster. docs/formats.md describes it field by field.
//
//   const EnsembleFile file = read_ensemble("climate.yaml", platform);
//   const Ensemble ensemble = on_platform(file, platform);
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "dovetail/ensemble.hpp"
#include "dovetail/platform.hpp"
#include "io/schema.hpp"

namespace dovetail::io {

// One cluster of the file.
struct EnsembleTable {
  std::string name;
  std::size_t line = 0;
  MonthTimes times = {};  // empty where a workflow is repeated
  Windows windows = {};
};

struct EnsembleFile {
  std::string file;
  Count scenarios = 0;
  Count months = 0;
  EnsembleRules rules = {};
  std::string repeat = {};              // the workflow that is one month; empty: main and post task
  std::vector<std::string> chain = {};  // its tasks for which the next month waits; empty: all
  std::size_t chain_line = 0;
  std::size_t clusters_line = 0;
  std::vector<EnsembleTable> tables = {};
};

// Throw InputError for anything that is not an ensemble. Windows use the clock of the clusters:
// dates if `wall_clock`.
EnsembleFile read_ensemble(const std::string& path, bool wall_clock = false);
EnsembleFile parse_ensemble(std::string_view text, const std::string& file,
                            bool wall_clock = false);

// The sizes of a disk, in gigabytes: capacity, month, archive and margin.
DiskSpec read_disk(const Record& record, bool needs_capacity);

// "grillon, azur".
std::string table_names(const EnsembleFile& file);

// The clusters with their tables, in the platform's order. Throws InputError for clusters without a
// table, when no group fits anywhere, and for more months than can be counted.
Ensemble on_platform(const EnsembleFile& file, const Platform& platform);

// Writes scenarios, months and tables, without rules and windows.
std::string format_ensemble(const Ensemble& ensemble, bool json);

}  // namespace dovetail::io
