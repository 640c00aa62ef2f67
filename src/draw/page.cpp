#include "draw/page.hpp"

namespace dovetail::io {

std::string fill_page(std::string_view page,
                      const std::function<std::string(std::string_view slot)>& value_of) {
  std::string filled;
  std::size_t at = 0;
  for (std::size_t open = page.find("{{"); open != std::string_view::npos;
       open = page.find("{{", at)) {
    const std::size_t close = page.find("}}", open);
    filled += page.substr(at, open - at);
    filled += value_of(page.substr(open + 2, close - open - 2));
    at = close + 2;
  }
  filled += page.substr(at);
  return filled;
}

}  // namespace dovetail::io
