// A still picture as tests look at it: its parts by class, and its words.
//
//   const SvgPicture picture(gantt_svg(record));
//   for (const pugi::xml_node& rect : picture.all("rect", "task")) ...
#pragma once

#include <pugixml.hpp>
#include <string>
#include <utility>
#include <vector>

namespace dovetail::testing {

class SvgPicture {
 public:
  explicit SvgPicture(std::string text) : text_(std::move(text)) {
    result_ = document_.load_string(text_.c_str());
  }

  bool well_formed() const { return result_; }
  const std::string& text() const { return text_; }
  pugi::xml_node root() const { return document_.child("svg"); }

  // The elements of this name and class, wherever they are, in the order of the file.
  std::vector<pugi::xml_node> all(const std::string& element, const std::string& kind) const {
    std::vector<pugi::xml_node> found;
    for (const pugi::xpath_node& node : document_.select_nodes(("//" + element).c_str())) {
      const std::string classes = node.node().attribute("class").value();
      if ((" " + classes + " ").find(" " + kind + " ") != std::string::npos) {
        found.push_back(node.node());
      }
    }
    return found;
  }

  std::vector<pugi::xml_node> rects(const std::string& kind) const { return all("rect", kind); }

  // Every text, one on a line.
  std::string all_text() const {
    std::string words;
    for (const pugi::xpath_node& node : document_.select_nodes("//text")) {
      words += std::string(node.node().text().get()) + "\n";
      for (const pugi::xml_node& span : node.node().children("tspan")) {
        words += std::string(span.text().get()) + "\n";
      }
    }
    return words;
  }

 private:
  std::string text_;
  pugi::xml_document document_;
  pugi::xml_parse_result result_;
};

}  // namespace dovetail::testing
