#include "io/document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "dovetail/error.hpp"
#include "io/text.hpp"

namespace dovetail::io {

Value Document::root() const { return {*this, 0}; }

std::string_view Value::key() const {
  const std::uint32_t key = node().key;
  return key == Document::kNone ? std::string_view() : document_->keys_[key];
}

std::string_view Value::text() const {
  const Document::Node& scalar = node();
  return std::string_view(document_->pool_).substr(scalar.first, scalar.count);
}

bool Value::is_null() const {
  if (kind() != ValueKind::plain) return false;
  const std::string_view value = text();
  return value.empty() || value == "~" || value == "null" || value == "Null" || value == "NULL";
}

ItemRange Value::items() const {
  return {{*document_, node().first}, {*document_, Document::kNone}};
}

std::optional<Value> Value::find(std::string_view key) const {
  for (Value item : items()) {
    if (item.key() == key) return item;
  }
  return std::nullopt;
}

DocumentBuilder::DocumentBuilder(const std::string& file) { document_.file_ = file; }

void DocumentBuilder::fail(std::size_t line, const std::string& message) const {
  throw InputError(document_.file_, line, message);
}

void DocumentBuilder::key(std::string_view key, std::size_t line) {
  auto found = key_numbers_.find(key);
  if (found == key_numbers_.end()) {
    if (document_.keys_.size() >= kMaxNodes) fail(line, "the file has too many different keys");
    const auto number = static_cast<std::uint32_t>(document_.keys_.size());
    // The map's keys view the stored strings, which a deque never moves.
    found = key_numbers_.emplace(document_.keys_.emplace_back(key), number).first;
  }
  pending_key_ = found->second;
  pending_line_ = static_cast<std::uint32_t>(line);
}

void DocumentBuilder::scalar(ValueKind kind, std::string_view text, std::size_t line) {
  if (document_.pool_.size() + text.size() >= Document::kNone) {
    fail(line, "the file holds more than 4 GiB of text");
  }
  const auto first = static_cast<std::uint32_t>(document_.pool_.size());
  document_.pool_ += text;
  add({.line = static_cast<std::uint32_t>(line),
       .first = first,
       .count = static_cast<std::uint32_t>(text.size()),
       .kind = kind});
}

std::uint32_t DocumentBuilder::open(ValueKind kind, std::size_t line) {
  if (open_.size() >= kMaxDepth) {
    fail(line, fmt::format("nested more than {} levels deep", kMaxDepth));
  }
  const std::uint32_t number = add({.line = static_cast<std::uint32_t>(line), .kind = kind});
  open_.push_back({number, Document::kNone});
  return number;
}

void DocumentBuilder::close() {
  const Node& closed = document_.nodes_[open_.back().node];
  if (closed.kind == ValueKind::mapping) reject_repeated_keys(closed);
  open_.pop_back();
}

bool DocumentBuilder::in_mapping() const {
  return !open_.empty() && document_.nodes_[open_.back().node].kind == ValueKind::mapping;
}

bool DocumentBuilder::expects_key() const {
  return in_mapping() && pending_key_ == Document::kNone;
}

std::uint32_t DocumentBuilder::next_number() const {
  return static_cast<std::uint32_t>(document_.nodes_.size());
}

std::uint32_t DocumentBuilder::add(Node node) {
  if (document_.nodes_.size() >= kMaxNodes) {
    fail(node.line, fmt::format("more than {} values; the file is too large", kMaxNodes));
  }
  if (pending_key_ != Document::kNone) {
    node.key = std::exchange(pending_key_, Document::kNone);
    node.line = pending_line_;
  }
  const std::uint32_t number = next_number();
  document_.nodes_.push_back(node);
  if (!open_.empty()) {
    Open& parent = open_.back();
    if (parent.last_item == Document::kNone) {
      document_.nodes_[parent.node].first = number;
    } else {
      document_.nodes_[parent.last_item].next = number;
    }
    ++document_.nodes_[parent.node].count;
    parent.last_item = number;
  }
  return number;
}

void DocumentBuilder::reject_repeated_keys(const Node& mapping) {
  key_lines_.clear();
  for (std::uint32_t item = mapping.first; item != Document::kNone;) {
    const Node& node = document_.nodes_[item];
    key_lines_.emplace_back(node.key, node.line);
    item = node.next;
  }
  std::ranges::sort(key_lines_);
  const auto repeated = std::ranges::adjacent_find(
      key_lines_, {}, [](const auto& key_and_line) { return key_and_line.first; });
  if (repeated == key_lines_.end()) return;
  fail(std::next(repeated)->second,
       fmt::format("key {} is given twice, first on line {}",
                   quote(document_.keys_[repeated->first]), repeated->second));
}

void DocumentBuilder::repeat(std::uint32_t number, std::size_t line) {
  for (const Open& open : open_) {
    if (open.node == number) fail(line, "an alias refers to a value that contains it");
  }
  copy(number, line);
}

void DocumentBuilder::copy(std::uint32_t from, std::size_t line) {
  if (++aliased_ > kMaxAliasedNodes) {
    fail(line, fmt::format("aliases expand to more than {} values; write them out or use fewer",
                           kMaxAliasedNodes));
  }
  const Node original = document_.nodes_[from];
  if (original.kind == ValueKind::plain || original.kind == ValueKind::text) {
    aliased_bytes_ += original.count;
    if (aliased_bytes_ > kMaxAliasedBytes) {
      fail(line, fmt::format("aliases expand to more than {} MiB of text; use fewer",
                             kMaxAliasedBytes >> 20U));
    }
    add({.line = static_cast<std::uint32_t>(line),
         .first = original.first,
         .count = original.count,
         .kind = original.kind});
    return;
  }
  open(original.kind, line);
  for (std::uint32_t item = original.first; item != Document::kNone;) {
    pending_key_ = document_.nodes_[item].key;
    pending_line_ = static_cast<std::uint32_t>(line);
    copy(item, line);
    item = document_.nodes_[item].next;
  }
  open_.pop_back();
}

Document DocumentBuilder::finish() && { return std::move(document_); }

bool looks_like_json(std::string_view text) {
  text = skip_bom(text);
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return false;
  if (text[first] != '{') return text[first] == '[' && text.find('"') != std::string_view::npos;
  // YAML has mappings in braces too, but without quotes around the keys.
  const auto second = text.find_first_not_of(" \t\r\n", first + 1);
  return second == std::string_view::npos || text[second] == '"' || text[second] == '}';
}

Document parse_document(std::string_view text, const std::string& file) {
  return looks_like_json(text) ? parse_json(text, file) : parse_yaml(text, file);
}

}  // namespace dovetail::io
