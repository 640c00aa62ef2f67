// Lays out text that is safe to print: task names may hold control characters, terminal escape
// sequences, or bytes that are not UTF-8, which plain_text of io/text.hpp removes.
//
//   plain_text("a\x1b[31mb");   // "a\uFFFD[31mb"
//   fit("preprocessing", 8);    // "preproc…"
//
// All functions are pure.
#pragma once

#include <string>
#include <string_view>

#include "io/text.hpp"

namespace dovetail::draw {

using io::plain_text;

// Text with & < > " as entities, for XML and HTML.
std::string escape_markup(std::string_view text);

// The terminal columns that plain text takes: wide letters count twice, combining marks nothing.
int display_width(std::string_view plain);

// Plain text cut to at most `columns` columns, with an ellipsis where it was cut.
std::string fit(std::string_view plain, int columns);

// The same, filled with spaces to exactly `columns`.
std::string pad_right(std::string_view plain, int columns);
std::string pad_left(std::string_view plain, int columns);

}  // namespace dovetail::draw
