// Small helpers for text from files and for text in files and messages.
//
//   quote("a\nb")                  // "\"a\\nb\"", shortened when long: safe in an error line
//   did_you_mean("alhpa", known)   // "; did you mean \"alpha\"?"
//
// All functions but last_lines are pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dovetail/time.hpp"

namespace dovetail::io {

// The text in double quotes, with unsafe characters escaped and long text shortened, so that an
// error message stays one readable line whatever the file holds.
std::string quote(std::string_view text);

// A character of UTF-8.
struct Letter {
  char32_t code = 0;
  std::size_t bytes = 1;
  bool is_valid = false;
};

// The letter at the front of a non-empty text; one invalid byte when there is none.
Letter first_letter(std::string_view text);

// What must not reach a terminal or a page as it is: controls (also those beyond ASCII, such as
// U+009B, which begins an escape sequence), marks that reorder text, and what XML does not allow.
bool is_unsafe(char32_t code);

// Text that is safe to print: valid UTF-8 on one line. Each unsafe character, and each byte that is
// not UTF-8, becomes U+FFFD.
std::string plain_text(std::string_view text);
// The same for several lines: ends of lines and tabs stay.
std::string plain_lines(std::string_view text);

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Changes ASCII letters only.
std::string upper_case(std::string_view text);

// "1 task", "50 tasks".
std::string counted(std::int64_t count, std::string_view noun);

// "a", "a and b", "a, b and c"; `last` stands before the last word.
std::string listed(std::span<const std::string> words, std::string_view last);

// The text as a JSON string literal, which is a YAML double-quoted scalar as well.
std::string json_string(std::string_view text);

// A JSON list of the items, each as `format` writes it.
template <typename Items, typename Format>
std::string json_list(const Items& items, Format format) {
  std::string out = "[";
  for (const auto& item : items) {
    if (out.size() > 1) out += ',';
    out += format(item);
  }
  return out += ']';
}

// The shortest text that reads back as the same number: 60 -> "60", 0.1 -> "0.1".
std::string number_text(double value);

// CPU-hours for people, rounded up so that a copied number is always a sufficient budget: 10.61 ->
// "10.7". Values below a tenth keep two significant digits: 0.00411 -> "0.0042".
std::string hours_text(double hours);

// A number as JSON and YAML write it: optional sign, digits, fraction, exponent. Nothing for
// anything else, for not-a-number, and for numbers beyond the range of a double.
std::optional<double> parse_number(std::string_view text);

// A number of processors: a whole number from 1 to kMaxProcessors. Nothing for anything else.
std::optional<Count> parse_processors(std::string_view text);

// Keeps the best candidate offered: the one with the fewest edits from the word, ignoring case; the
// first wins ties. Words that differ in more than a third of their length are no candidates.
class NearestWord {
 public:
  explicit NearestWord(std::string_view word);
  void offer(std::string_view candidate);

  // "; did you mean \"...\"?", or nothing when no candidate is near.
  std::string suggestion() const;

 private:
  std::string word_;  // in upper case
  std::string best_;
  std::size_t best_distance_;
};

// That suggestion for the nearest of `known`, each named by `name`.
template <typename Known, typename Name = std::identity>
std::string did_you_mean(std::string_view word, const Known& known, Name name = {}) {
  NearestWord nearest(word);
  for (const auto& candidate : known) nearest.offer(std::invoke(name, candidate));
  return nearest.suggestion();
}

// The 1-based line of a byte position.
std::size_t line_at(std::string_view text, std::size_t offset);

// The text without a UTF-8 byte order mark.
std::string_view skip_bom(std::string_view text);

// The text without leading white space.
std::string_view skip_space(std::string_view text);

// The length of the valid UTF-8 sequence at the front of a non-empty text; 0 when there is none.
// Overlong forms, surrogates and values beyond Unicode are not valid.
std::size_t utf8_length(std::string_view text);

// Throws InputError if the text holds NUL bytes ("not a text file").
void require_text(std::string_view text, const std::string& file);

// The same, and throws if the text is not valid UTF-8.
void require_utf8(std::string_view text, const std::string& file);

// The last lines of a file such as a log, without blank ones behind them, as far as they are within
// its last bytes; of a single long line, its end. Nothing when the file cannot be read.
std::vector<std::string> last_lines(const std::string& path, std::size_t most = 3,
                                    std::size_t bytes = 300);

}  // namespace dovetail::io
