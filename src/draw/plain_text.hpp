// Makes text from outside safe to print: task names may hold control characters, terminal escape
// sequences, or bytes that are not UTF-8.
//
//   plain_text("a\x1b[31mb");   // "a\uFFFD[31mb"
//   fit("preprocessing", 8);    // "preproc…"
//
// All functions are pure.
#pragma once

#include <string>
#include <string_view>

namespace dovetail::draw {

// Valid UTF-8 without control characters; each offender becomes U+FFFD.
std::string plain_text(std::string_view text);

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
