// Reads the answers of servers, which may be broken or hostile: what does not follow the protocol
// is that server's failure, and never ours.
//
//   const Json reply = caller.post(server, "/v1/held", question, 5.0);
//   const auto months = read_answer(server.url, [&] { return months_of(Fields(reply, "held")); });
#pragma once

#include <string>

#include "federation/net/http_client.hpp"

namespace dovetail::federation {

// The server answered with something that it must not say. Counts as no answer: what it says cannot
// be used.
class BadAnswer : public NoAnswer {
 public:
  using NoAnswer::NoAnswer;
};

// What `read` makes of an answer. Throws BadAnswer, a line that begins with the name of the peer,
// when the answer is not what `read` needs: where Fields refuse, or nlohmann's library throws.
template <typename Read>
auto read_answer(const std::string& peer, Read read) {
  const auto bad = [&](const std::string& why) {
    return BadAnswer(peer + ": the answer cannot be understood: " + one_line(why));
  };
  try {
    return read();
  } catch (const Refusal& refusal) {
    throw bad(refusal.what());
  } catch (const Json::exception& error) {
    throw bad(error.what());
  }
}

// The URL of a server in a message: https://HOST:PORT.
inline std::string url_in(const Fields& fields, const char* key) {
  std::string url = fields.text(key);
  try {
    require_url(url, key);
  } catch (const InputError& error) {
    fields.fail(error.what());
  }
  return url;
}

}  // namespace dovetail::federation
