// The entries of a daemon's journal. Those that are read are checked field by field: a damaged
// journal is refused, whatever its bytes are.
//
//   record.write(request_entry(request, found));
//   const MonthStep step = read_step(entry);   // or Refusal
#pragma once

#include <string>
#include <vector>

#include "federation/daemon/month_state.hpp"

namespace dovetail::federation {

// What was there of a scenario before its request: months that are done, and those of them whose
// post task is not.
struct FoundScenario {
  Count number = 0;
  Count first = 1;
  Count done = 0;
  std::vector<Count> open_posts = {};
  friend bool operator==(const FoundScenario&, const FoundScenario&) = default;
};

enum class Outcome : std::uint8_t { done, failed, lost, given_up, stopped, taken };

// Scenarios with consecutive numbers that are equal otherwise are one item with a count.
Json request_entry(const MonthRequest& request, const std::vector<FoundScenario>& found);
// A request as it is now, with all that has become of it.
Json kept_entry(const MonthRequest& request);
Json start_entry(const MonthStep& step);
Json end_entry(const MonthStep& step, Outcome outcome, double seconds, const std::string& why);
// Nothing more is started for these, or for all when there are none.
Json cancel_entry(const RequestName& request, const std::vector<Count>& scenarios,
                  const std::string& why);
Json post_entry(const PostTask& post);

// All throw Refusal for a field that is missing or cannot be true. What concerns another entry,
// such as whether there is that request, they cannot know.

// Of a request entry, without its scenarios.
MonthRequest read_request(const Json& entry);
std::vector<FoundScenario> read_found(const Json& entry, Count months);
// Of a kept one, with all that has become of it.
MonthRequest read_kept(const Json& entry);
// What an entry is about. Without a client in entries that earlier versions wrote.
RequestName read_name(const Json& entry);
MonthStep read_step(const Json& entry);
PostTask read_post(const Json& entry);
Outcome read_outcome(const Json& entry);
std::string read_why(const Json& entry);

}  // namespace dovetail::federation
