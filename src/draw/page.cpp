#include "draw/page.hpp"

#include <fmt/format.h>

#include "draw/plain_text.hpp"

namespace dovetail::draw {

std::string fill_page(std::string_view name,
                      const std::map<std::string_view, std::string>& values) {
  const std::string_view page = embedded_file(name);
  std::string filled;
  std::size_t at = 0;
  for (std::size_t open = page.find("{{"); open != std::string_view::npos;
       open = page.find("{{", at)) {
    const std::size_t close = page.find("}}", open);
    const std::string_view slot = page.substr(open + 2, close - open - 2);
    const auto value = values.find(slot);
    filled += page.substr(at, open - at);
    filled += value == values.end() ? embedded_file(slot) : std::string_view(value->second);
    at = close + 2;
  }
  return filled += page.substr(at);
}

std::string facts_list(const std::vector<std::string>& facts) {
  std::string items;
  for (const std::string& fact : facts) {
    items += "<li>" + escape_markup(plain_text(fact)) + "</li>";
  }
  return items;
}

std::string facts_line(const std::vector<std::string>& facts) {
  return plain_text(fmt::format("{}", fmt::join(facts, "  \u00b7  ")));
}

std::string picture_opening(double width, double height, std::string_view title,
                            std::string_view style) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\">\n<title>{2}</title>\n<style>{3}</style>\n"
      "<path class=\"page\" d=\"M0 0H{0}V{1}H0Z\"/>\n",
      width, height, escape_markup(title), style);
}

}  // namespace dovetail::draw
