// The files of web/ that are embedded in the library; cmake/embed.cmake generates the source.
#pragma once

#include <string_view>

namespace dovetail::io {

// The content of web/<name>. Throws std::logic_error for a file that is not embedded, which is a
// mistake in the program.
std::string_view embedded_file(std::string_view name);

}  // namespace dovetail::io
