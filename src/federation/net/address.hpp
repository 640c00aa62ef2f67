// Where a server listens, and what a URL of a server names.
#pragma once

#include <string>

namespace dovetail::federation {

struct Address {
  std::string host = "127.0.0.1";
  int port = 0;  // 0: any free port
};

// Parses "127.0.0.1:7700", ":7700" or "7700". Throws InputError, beginning with `what`.
Address parse_address(const std::string& text, const std::string& what);

// Parses "https://127.0.0.1:7700". Throws InputError, beginning with `what`, for anything else.
Address parse_url(const std::string& url, const std::string& what);

// Whether a server could listen at the address now.
bool is_free(const Address& address);

}  // namespace dovetail::federation
