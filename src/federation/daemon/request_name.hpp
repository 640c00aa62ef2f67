// What a request is called: the id that its client gave it, and the client. Two clients may give
// the same id; neither can take, see or end what the other has.
//
//   state.find({.id = "flow-1-p1", .client = "alice"});
//
// In the order of their ids, so that those with the same id are neighbours.
#pragma once

#include <compare>
#include <string>

namespace dovetail::federation {

struct RequestName {
  std::string id;
  std::string client;  // the name in its certificate
  friend auto operator<=>(const RequestName&, const RequestName&) = default;
};

}  // namespace dovetail::federation
