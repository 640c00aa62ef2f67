// Who is there: members of an agent, each for as long as it says again that it is. Pure: the clock
// is the caller's.
//
//   leases.renew({"grillon", Role::daemon, url, capabilities}, 3000, now);
//   for (const Member& member : leases.live(now)) ...
#pragma once

#include <map>
#include <string>
#include <vector>

#include "federation/keys.hpp"
#include "federation/message.hpp"

namespace dovetail::federation {

struct Member {
  std::string name;
  Role role = Role::daemon;
  std::string url;
  Json capabilities = {};
};

class Leases {
 public:
  enum class Renewal { joined, renewed, conflict };

  // Until now + length. A name that somebody else has at another place is not given away.
  Renewal renew(const Member& member, Duration length, Time now);

  // False when it was not there.
  bool leave(const std::string& name);

  // By name. Those that are over are forgotten; `gone` gets their names.
  std::vector<Member> live(Time now, std::vector<std::string>* gone = nullptr);

 private:
  struct Lease {
    Member member;
    Time until = 0;
  };
  std::map<std::string, Lease> leases_;
};

}  // namespace dovetail::federation
