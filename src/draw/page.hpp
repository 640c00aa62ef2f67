// Self-contained pages: a template of web/ whose {{slots}} are filled with files of web/ and with
// the page's content.
//
//   fill_page("<h1>{{title}}</h1>", [](std::string_view slot) { return escape_markup(name); });
//
// Pure.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace dovetail::io {

// Fills every {{slot}} in one pass: inserted text is not searched for slots again.
std::string fill_page(std::string_view page,
                      const std::function<std::string(std::string_view slot)>& value_of);

}  // namespace dovetail::io
