// Reads a mapping of a document field by field. Errors name the file, the line, the owner of the
// field, what was found and what was expected.
//
//   Record task(value, "task", 3);
//   task.name_by("id");     // from here on messages say: task "solve"
//   task.only(kTaskKeys);   // flow.yaml:7: task "solve": unknown key "alhpa"; did you ...
//   double alpha = task.number(task.need("alpha"), 0, 1);
//
// A Record is a view of the document: cheap to make, since names are assembled only for errors.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "dovetail/time.hpp"
#include "io/document.hpp"

namespace dovetail::io {

class Record {
 public:
  // The top of a file. Throws InputError, as the others do, when the value is not a mapping.
  explicit Record(Value mapping);

  // The item `number` (from 0) of a list of records; `kind` must be a literal.
  Record(Value mapping, std::string_view kind, std::size_t number);

  // A mapping inside another one, which must outlive it.
  Record(Value mapping, const Record& parent);

  // Sets how messages name the record: kind "name" instead of kind and number.
  void set_name(std::string_view name) { name_ = name; }

  // The same with the name from a field, if it exists. A missing field is no error here: only()
  // gets to report a misspelt key before need() reports the missing one.
  void name_by(std::string_view key);

  Value value() const { return value_; }
  std::size_t line() const { return value_.line(); }

  // Throws InputError for the first key that is not among the known ones.
  void only(std::span<const std::string_view> known) const;

  // The field, if present and not null.
  std::optional<Value> find(std::string_view key) const;

  // The field; throws InputError when it is missing or null.
  Value need(std::string_view key) const;

  // The content of a field. Each throws InputError when the field holds something else.
  std::string_view text(Value field) const;
  double number(Value field, double low, double high) const;
  Count count(Value field, Count low, Count high = kMaxProcessors) const;
  bool boolean(Value field) const;
  ItemRange list(Value field) const;
  // Seconds, not negative, as a number or as a duration's text.
  double duration(Value field) const;

  // Throws InputError at the field's line: "file:line: task "solve": alpha: message".
  [[noreturn]] void fail(Value field, const std::string& message) const;

  // The same without a field's name.
  [[noreturn]] void fail_at(std::size_t line, const std::string& message) const;

  // "task \"solve\": " and the like; empty for the top of a file.
  std::string prefix() const;

 private:
  Value value_;
  const Record* parent_ = nullptr;
  std::string_view kind_;
  std::string_view name_;
  std::size_t number_ = 0;
};

// Seconds as whole milliseconds, rounded up or down. A number that is a whole count of milliseconds
// to the precision of a double stays that count, even for times since 1970.
Time milliseconds_up(double seconds);
Time milliseconds_down(double seconds);

// What a value is, for messages: the scalar itself, "a list", "a mapping" or "nothing".
std::string describe(Value value);

}  // namespace dovetail::io
