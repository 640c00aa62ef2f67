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
constexpr int kMostNested = 50;

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

Json parse_message(std::string_view text) {
  const auto check = [](int depth, Json::parse_event_t /*event*/, const Json& /*parsed*/) {
    if (depth > kMostNested) {
      throw Refusal(400,
                    fmt::format("more than {} lists and objects within each other", kMostNested));
    }
    return true;
  };
  return Json::parse(text, check, false);
}

}  // namespace dovetail::federation
