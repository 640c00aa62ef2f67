// Writes the same fields as YAML or JSON. The two differ only in quotes and separators, so a writer
// lists the fields and an Emitter formats them.
//
//   Emitter yaml(false);
//   yaml.mapping({{"task", yaml.text("a b")}, {"transfer", "18"}})   // {task: a b, transfer: 18}
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dovetail/nodes.hpp"
#include "dovetail/time.hpp"

namespace dovetail::io {

class Emitter {
 public:
  // Keys with values that are already formatted. In YAML the value of a record may be a block,
  // which begins with a newline.
  using Fields = std::vector<std::pair<std::string, std::string>>;

  explicit Emitter(bool json) : json_(json) {}
  bool json() const { return json_; }

  // A text, quoted if necessary. Reads back as the same text.
  std::string text(std::string_view text) const;

  // A size in bytes, such as 4G. Reads back as the same size.
  std::string size(Bytes bytes) const;

  // A time: seconds, or, if it counts from 1970, a date such as 2026-11-15T08:00:00.250Z.
  std::string moment(Time moment, bool is_date) const;

  // On one line, in brackets or braces.
  std::string list(const std::vector<std::string>& items) const;
  std::string mapping(const Fields& fields) const;

  // The head of a file: the fields, each on its own line; then the records under `key`, a line
  // each in JSON and a short block each in YAML.
  std::string file(const Fields& head, std::string_view key,
                   const std::vector<Fields>& records) const;

 private:
  bool json_;
};

}  // namespace dovetail::io
