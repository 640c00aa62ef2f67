// Self-contained pages and pictures: the templates of web/ and what all of them begin with.
//
//   fill_page("charts.html", {{"title", escape_markup(name)}, {"charts", drawing}});
//
// All functions are pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace dovetail::draw {

// The content of web/<name>, from the source that cmake/embed.cmake generates. Throws
// std::logic_error for a file that is not embedded, which is a mistake in the program.
std::string_view embedded_file(std::string_view name);

// web/<name> with every {{slot}} filled in one pass: with its value, or else with the file of web/
// that has its name. Inserted text is not searched for slots again.
std::string fill_page(std::string_view name, const std::map<std::string_view, std::string>& values);

// Facts below a title, made plain: as the items of a list in a page, and on one line.
std::string facts_list(const std::vector<std::string>& facts);
std::string facts_line(const std::vector<std::string>& facts);

// The beginning of a picture, up to its background of class "page". The title is escaped.
std::string picture_opening(double width, double height, std::string_view title,
                            std::string_view style);

}  // namespace dovetail::draw
