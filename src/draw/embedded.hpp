// The files of web/ that the library carries inside itself; cmake/embed.cmake makes the source.
#pragma once

#include <string_view>

namespace dovetail::io {

// The content of web/<name>. Asking for a file that is not embedded is a mistake in the program and
// throws std::logic_error.
std::string_view embedded_file(std::string_view name);

}  // namespace dovetail::io
