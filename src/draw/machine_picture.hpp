// A picture of a machine over time: busy nodes against capacity above, waiting jobs below. For a
// short piece of a log it also draws the jobs themselves.
//
//   MachinePicture picture{.title = "KTH-SP2: conservative", .nodes = 100, ...};
//   write_file("machine.html", machine_html(picture));
//
// All functions are pure and return self-contained text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dovetail/time.hpp"

namespace dovetail::draw {

// Averages over one time step.
struct MachineMoment {
  Time begin = 0;
  double waiting = 0;  // jobs
  double busy = 0;     // nodes
  friend bool operator==(const MachineMoment&, const MachineMoment&) = default;
};

struct MachineJob {
  std::string name;
  Time submit = 0;
  Time start = 0;
  Time end = 0;
  Count nodes = 0;
};

struct MachinePicture {
  std::string title = {};
  std::vector<std::string> facts = {};  // a summary, in a few words each
  Count nodes = 1;
  std::optional<Time> date =
      {};                // of time 0, in milliseconds since 1970; nothing: times are counted
  Interval window = {};  // not empty
  Duration step = 0;     // between two moments
  std::vector<MachineMoment> moments = {};  // from the window's begin to its end
  std::vector<MachineJob> jobs = {};        // drawn one by one, if any
};

std::string machine_html(const MachinePicture& picture);
std::string machine_svg(const MachinePicture& picture);

// A few lines for a terminal, none wider than `columns`; each begins with two spaces.
std::string machine_text(const MachinePicture& picture, int columns);

}  // namespace dovetail::draw
