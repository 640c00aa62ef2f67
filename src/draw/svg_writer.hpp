// What the classes that draw a chart share: the SVG that they add to, piece by piece.
#pragma once

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "draw/plain_text.hpp"

namespace dovetail::draw {

class SvgWriter {
 protected:
  template <typename... Values>
  void put(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Values>(values)...);
  }

  std::string out_;
};

// Words at a point; `anchor` says which end of them: "start", "middle" or "end".
inline std::string svg_words(std::string_view style, double x, double y, std::string_view anchor,
                             std::string_view words) {
  return fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n",
                     style, x, y, anchor, escape_markup(words));
}

}  // namespace dovetail::draw
