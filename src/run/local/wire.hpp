// How the launcher and its supervisors talk: over one socket for each supervisor, a request down,
// the end of the attempt up, and so on.
//
// With every request travels the lock of the run's nursery (launcher.hpp): it is held as long as
// the request is on its way, and until the supervisor that got it closes it. Behind it may come the
// lease of the task (machine_leases.hpp), which the supervisor keeps open until the task has ended.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "run/local/descriptor.hpp"
#include "run/local/launcher.hpp"

namespace dovetail::run {

struct StartRequest {
  StepCommand command = {};
  Descriptor lock = {};
  Descriptor lease = {};
};

// A command as JSON, and one from it; throws what nlohmann::json throws when it is none.
nlohmann::ordered_json json_of(const StepCommand& command);
StepCommand command_from(const nlohmann::ordered_json& json);

std::string format_request(const StepCommand& command);

// Sends what format_request() made, with the files; -1: without a lease. False when the other end
// is gone.
bool send_request(int socket, const std::string& request, int lock, int lease);

// The next one; nothing when there will be none.
std::optional<StartRequest> receive_request(int socket);

// Sends a line of less than the size of a half of an attempt's file. False when it could not be
// sent as a whole.
bool send_report(int socket, const AttemptEnd& end);

// Sends an open file alone, or gets one; false or not open when the other side is gone.
bool send_file(int socket, int file);
Descriptor receive_file(int socket);

}  // namespace dovetail::run
