#include "federation/net/message.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "dovetail/error.hpp"
#include "io/text.hpp"

namespace dovetail::federation {

namespace {

constexpr std::size_t kMaxText = 1000;
constexpr std::size_t kMaxWord = 100;
constexpr std::size_t kMostNested = 50;
constexpr std::size_t kMostFields = 10'000;

// Adds up what a message would take, without building it, and refuses it when that is too much.
// A callback of the parser could do the same, but with one the library looks through a whole list
// again for each object in it.
class ParseGuard final : public nlohmann::json_sax<Json> {
 public:
  explicit ParseGuard(std::size_t most_memory) : memory_left_(most_memory) {}

  bool null() override { return take(0); }
  bool boolean(bool /*value*/) override { return take(0); }
  bool number_integer(number_integer_t /*value*/) override { return take(0); }
  bool number_unsigned(number_unsigned_t /*value*/) override { return take(0); }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return take(0); }
  bool string(string_t& value) override { return take(kTextBytes + value.size()); }
  bool binary(binary_t& /*value*/) override { return false; }
  bool start_object(std::size_t /*size*/) override { return open(); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t /*size*/) override { return open(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    if (++fields_.back() > kMostFields) {
      throw Refusal(400, fmt::format("an object with more than {} fields", kMostFields));
    }
    return take(kTextBytes + name.size());
  }
  bool parse_error(std::size_t /*place*/, const std::string& /*token*/,
                   const Json::exception& /*error*/) override {
    return false;
  }

 private:
  static constexpr std::size_t kListBytes = 48;
  static constexpr std::size_t kTextBytes = 48;

  bool open() {
    fields_.push_back(0);
    if (fields_.size() > kMostNested) {
      throw Refusal(400,
                    fmt::format("more than {} lists and objects within each other", kMostNested));
    }
    return take(kListBytes);
  }
  bool close() {
    fields_.pop_back();
    return true;
  }
  bool take(std::size_t bytes) {
    bytes += sizeof(Json);
    if (bytes > memory_left_) throw Refusal(400, "too many values in one message");
    memory_left_ -= bytes;
    return true;
  }

  std::size_t memory_left_;
  std::vector<std::size_t> fields_;  // of each list and object that is open
};

}  // namespace

bool is_word(std::string_view text) {
  return !text.empty() && text.size() <= kMaxWord && text.front() != '.' && text.front() != '-' &&
         std::ranges::all_of(text, [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' ||
                  c == '.' || c == '@';
         });
}

Fields::Fields(const Json& object, std::string who) : object_(object), who_(std::move(who)) {
  if (!object.is_object()) fail("expected a JSON object");
}

void Fields::fail(const std::string& message) const { throw Refusal(400, who_ + ": " + message); }

void Fields::only(std::initializer_list<std::string_view> known) const {
  for (const auto& [key, value] : object_.items()) {
    if (std::ranges::find(known, key) != known.end()) continue;
    fail("unknown field " + io::quote(key) + io::did_you_mean(key, known));
  }
}

const Json* Fields::find(const char* key) const {
  const auto found = object_.find(key);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

const Json& Fields::need(const char* key) const {
  const Json* found = find(key);
  if (found == nullptr) fail(std::string(key) + " is missing");
  return *found;
}

std::string Fields::text(const char* key) const {
  const Json& value = need(key);
  if (!value.is_string()) fail(std::string(key) + ": expected a text");
  const auto& text = value.get_ref<const std::string&>();
  if (text.size() > kMaxText || has_control_characters(text)) {
    fail(fmt::format("{}: expected up to {} characters in one line", key, kMaxText));
  }
  return text;
}

std::string Fields::word(const char* key) const {
  const std::string word = text(key);
  if (!is_word(word)) {
    fail(fmt::format("{}: expected up to {} letters, digits, '-', '_', '.' and '@', found {}", key,
                     kMaxWord, io::quote(word)));
  }
  return word;
}

std::int64_t Fields::whole(const char* key, std::int64_t low, std::int64_t high) const {
  const Json& value = need(key);
  const bool fits = value.is_number_unsigned()
                        ? value.get<std::uint64_t>() <= static_cast<std::uint64_t>(high)
                        : value.is_number_integer();
  if (!fits || value.get<std::int64_t>() < low || value.get<std::int64_t>() > high) {
    fail(fmt::format("{}: expected a whole number from {} to {}", key, low, high));
  }
  return value.get<std::int64_t>();
}

double Fields::number(const char* key, double low, double high) const {
  const Json& value = need(key);
  if (!value.is_number() || !(value.get<double>() >= low && value.get<double>() <= high)) {
    fail(fmt::format("{}: expected a number from {} to {}", key, low, high));
  }
  return value.get<double>();
}

bool Fields::flag(const char* key) const {
  const Json& value = need(key);
  if (!value.is_boolean()) fail(std::string(key) + ": expected true or false");
  return value.get<bool>();
}

std::string Fields::said(const char* key, std::string_view otherwise) const {
  const Json* value = find(key);
  if (value == nullptr) return std::string(otherwise);
  if (!value->is_string()) fail(std::string(key) + ": expected a text");
  return one_line(shortened(value->get<std::string>(), kMaxText));
}

const Json& Fields::list(const char* key, std::size_t most) const {
  const Json& items = list(key);
  if (items.size() > most) fail(fmt::format("{}: more than {} items", key, most));
  return items;
}

const Json& Fields::list(const char* key) const {
  const Json& value = need(key);
  if (!value.is_array()) fail(std::string(key) + ": expected a list");
  return value;
}

Fields Fields::object(const char* key) const { return {need(key), who_ + ": " + key}; }

std::string one_line(std::string text) {
  std::ranges::replace_if(
      text, [](unsigned char c) { return std::iscntrl(c) != 0; }, ' ');
  return text;
}

std::string shortened(std::string text, std::size_t most) {
  if (text.size() <= most) return text;
  const auto is_inside = [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; };
  while (most > 0 && is_inside(text[most])) --most;
  text.resize(most);
  return text;
}

bool is_nested_deeper(const Json& json, int levels) {
  if (!json.is_structured()) return false;
  return levels == 0 || std::any_of(json.begin(), json.end(), [&](const Json& inner) {
           return is_nested_deeper(inner, levels - 1);
         });
}

MessageLimit answer_limit(std::string_view path) {
  constexpr std::size_t kMegabyte = std::size_t{1} << 20U;
  // The answers of all daemons together; the progress of thousands of scenarios, with reasons.
  if (path == "/v1/find" || path == "/v1/watch" || path == "/v1/cancel") {
    return {16 * kMegabyte, 128 * kMegabyte};
  }
  // Some numbers for each of thousands of scenarios; what thousands of members can do.
  if (path == "/v1/estimate" || path == "/v1/held" || path == "/v1/capabilities") {
    return {4 * kMegabyte, 32 * kMegabyte};
  }
  if (path == "/v1/register") return {kMegabyte, 8 * kMegabyte};
  return {kMegabyte / 16, kMegabyte};
}

// The densest JSON is a list of empty lists: ParseGuard counts 64 bytes for three.
std::size_t most_memory_of(std::size_t text) {
  constexpr std::size_t kDensest = 22;
  return text + std::min(kDensest * text, kRequestLimit.memory);
}

Json parse_message(std::string_view text, std::size_t most_memory) {
  ParseGuard guard(most_memory);
  if (!Json::sax_parse(text, &guard)) return Json(Json::value_t::discarded);
  return Json::parse(text, nullptr, false);
}

}  // namespace dovetail::federation
