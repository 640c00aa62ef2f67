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
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "dovetail/error.hpp"
#include "dovetail/nodes.hpp"
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
  void only(std::initializer_list<std::string_view> known) const {
    only(std::span(known.begin(), known.size()));
  }

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
  // Bytes, more than 0, as a number or as a size's text.
  Bytes size(Value field) const;

  // The content of the field under a key; nothing when it is missing or null.
  std::optional<std::string> find_text(std::string_view key) const;
  std::optional<double> find_number(std::string_view key, double low, double high) const;
  std::optional<Count> find_count(std::string_view key, Count low,
                                  Count high = kMaxProcessors) const;

  // Calls use(record) for each item of the list under a key, as a record of that kind; does nothing
  // when the list is missing or null.
  template <typename Use>
  void for_each(std::string_view key, std::string_view kind, Use use) const {
    const auto field = find(key);
    if (!field) return;
    std::size_t number = 0;
    for (const Value item : list(*field)) use(Record(item, kind, number++));
  }

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

// The clock of the times in a file.
struct FileClock {
  bool wall = false;                 // the platform's now is a date; times count from 1970
  std::string_view now = "\"now\"";  // the name of the field that decides this, for messages
};

// Whether the field is a date with its zone.
bool is_date(Value field);

// A time in Dovetail's own files, in seconds on the clock: seconds or a duration of either sign,
// or, on a wall clock, a date. Throws InputError for anything else, and for a duration on a wall
// clock, which has no starting point. The caller rounds, since the direction depends on the
// purpose.
double read_moment(const Record& record, Value field, const FileClock& clock);

// Adds file and line to the InputErrors that `action` throws: the core knows no files.
template <typename Action>
auto at_place(const std::string& file, std::size_t line, Action action) {
  try {
    return action();
  } catch (const InputError& error) {
    throw InputError(file, line, error.what());
  }
}

// What a value is, for messages: the scalar itself, "a list", "a mapping" or "nothing".
std::string describe(Value value);

}  // namespace dovetail::io
