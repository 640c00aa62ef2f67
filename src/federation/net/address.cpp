#include "federation/net/address.hpp"

#include <netdb.h>
#include <sys/socket.h>

#include <charconv>
#include <string_view>

#include "dovetail/error.hpp"
#include "io/text.hpp"
#include "run/local/descriptor.hpp"

namespace dovetail::federation {

Address parse_address(const std::string& text, const std::string& what) {
  Address address;
  const auto colon = text.rfind(':');
  const std::string port = colon == std::string::npos ? text : text.substr(colon + 1);
  if (colon != std::string::npos && colon > 0) address.host = text.substr(0, colon);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  const bool is_port = error == std::errc() && end == port.data() + port.size() && !port.empty() &&
                       address.port >= 0 && address.port <= 65535;
  if (!is_port) {
    throw InputError(what + ": expected HOST:PORT with a port up to 65535, found " +
                     io::quote(text));
  }
  return address;
}

Address parse_url(const std::string& url, const std::string& what) {
  constexpr std::string_view kScheme = "https://";
  if (!url.starts_with(kScheme) || has_control_characters(url)) {
    throw InputError(what + ": expected https://HOST:PORT, found " + io::quote(url));
  }
  std::string rest = url.substr(kScheme.size());
  while (!rest.empty() && rest.back() == '/') rest.pop_back();
  const Address address = parse_address(rest, what);
  if (address.port == 0) throw InputError(what + ": has no port: " + io::quote(url));
  return address;
}

bool is_free(const Address& address) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const std::string port = std::to_string(address.port);
  if (getaddrinfo(address.host.c_str(), port.c_str(), &hints, &found) != 0) return false;
  const run::Descriptor socket(::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int yes = 1;
  setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  const bool is_bound = bind(socket.get(), found->ai_addr, found->ai_addrlen) == 0;
  freeaddrinfo(found);
  return is_bound;
}

}  // namespace dovetail::federation
