// Messages over the network: JSON, refusals, and the reading of fields from untrusted senders.
#pragma once

#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "dovetail/time.hpp"
#include "run/journal_file.hpp"

namespace dovetail::federation {

using Json = run::Json;

// The most scenarios of one request.
inline constexpr Count kMostScenarios = 10'000;
inline constexpr Count kMostMonths = 1'000'000;
// The limit for all scenarios together, since estimates and groups are simulated month by month.
inline constexpr std::int64_t kMostMonthsInAll = 200'000;

// The largest message of an operation: its text, and roughly what it takes in memory once it is
// parsed, in bytes. Lists of lists and objects take many times their text.
struct MessageLimit {
  std::size_t text;
  std::size_t memory;
};
inline constexpr MessageLimit kRequestLimit = {std::size_t{1} << 20U, std::size_t{16} << 20U};
// The most that a message of that many bytes takes in memory, with its text. Needs at most
// kRequestLimit.text of them.
std::size_t most_memory_of(std::size_t text);

// Of the answer of an operation, such as "/v1/find". A server does not send more, and a caller does
// not read more.
MessageLimit answer_limit(std::string_view path);

// The status of a refusal because another has the name or the request already.
inline constexpr int kConflict = 409;

// A refusal: the answer is {"error": what(), "what_to_do": ...} with that status.
class Refusal : public std::runtime_error {
 public:
  Refusal(int status, const std::string& error, std::string what_to_do = {})
      : std::runtime_error(error), status_(status), what_to_do_(std::move(what_to_do)) {}

  int status() const { return status_; }
  const std::string& what_to_do() const { return what_to_do_; }

 private:
  int status_;
  std::string what_to_do_;
};

// An object whose fields are read one by one; each reader throws a Refusal(400) that names the
// field.
class Fields {
 public:
  // Messages begin with `who`, such as "estimate".
  Fields(const Json& object, std::string who);

  void only(std::initializer_list<std::string_view> known) const;
  const Json* find(const char* key) const;
  const Json& need(const char* key) const;

  // At most 1000 characters, none of them a control character.
  std::string text(const char* key) const;
  // Letters, digits, '-', '_', '.' and '@', at most 100: safe in names of files and of jobs.
  std::string word(const char* key) const;
  std::int64_t whole(const char* key, std::int64_t low, std::int64_t high) const;
  double number(const char* key, double low, double high) const;
  bool flag(const char* key) const;
  // Free text of the sender for a log or a person: one line, cut after 1000 bytes; `otherwise` when
  // it is missing.
  std::string said(const char* key, std::string_view otherwise) const;
  const Json& list(const char* key) const;
  // The same; more than that many items are refused.
  const Json& list(const char* key, std::size_t most) const;
  // The items of a list of texts or whole numbers; none when it is missing. `expected` says in the
  // refusal what they are.
  template <typename Item>
  std::vector<Item> items(const char* key, const std::string& expected) const {
    std::vector<Item> items;
    if (find(key) == nullptr) return items;
    for (const Json& item : list(key)) {
      bool fits = false;
      if constexpr (std::is_same_v<Item, std::string>) {
        fits = item.is_string();
      } else {
        // A number that does not fit would become another one.
        fits = item.is_number_unsigned()
                   ? std::in_range<Item>(item.get<std::uint64_t>())
                   : item.is_number_integer() && std::in_range<Item>(item.get<std::int64_t>());
      }
      if (!fits) fail(std::string(key) + ": expected " + expected);
      items.push_back(item.get<Item>());
    }
    return items;
  }
  Fields object(const char* key) const;

  [[noreturn]] void fail(const std::string& message) const;

 private:
  const Json& object_;
  std::string who_;
};

// The text with a space for every control character, so that no sender can forge lines in a log.
std::string one_line(std::string text);

// The text cut after that many bytes, but not within a character.
std::string shortened(std::string text, std::size_t most);

// Whether lists and objects are nested deeper than that many levels.
bool is_nested_deeper(const Json& json, int levels);

// Whether the text is such a word.
bool is_word(std::string_view text);

// Parses a received message. Discarded (is_discarded) when it is not JSON. Throws Refusal(400) when
// it would take more than `most_memory` bytes, or an object has too many fields, since each costs a
// search among those before it, or when lists and objects are nested too deeply, since copying and
// writing them uses stack space per level.
Json parse_message(std::string_view text, std::size_t most_memory = kRequestLimit.memory);

}  // namespace dovetail::federation
