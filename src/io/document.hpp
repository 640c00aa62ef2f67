// A YAML or JSON file as one compact tree in which every value knows its line.
//
// Both languages give the same tree, so that a schema is read by one piece of code. A scalar is
// kept as its text: the caller decides whether 17 is a number or a name (an id may be 17).
//
//   Document document = parse_yaml(text, "flow.yaml");
//   for (Value task : document.root().find("tasks")->items()) use(task.line(), task.find("id"));
//
// A node takes 24 bytes and keys are stored once, so that a workflow of a million tasks fits into
// a few hundred megabytes. A Document may be read from any number of threads; values view it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace dovetail::io {

// The limits keep a hostile file from taking the machine's memory, stack or time.
inline constexpr std::size_t kMaxDepth = 64;
inline constexpr std::size_t kMaxYamlBytes = std::size_t{64} << 20U;
inline constexpr std::size_t kMaxNodes = 50'000'000;
inline constexpr std::size_t kMaxAliasedNodes = 10'000;
// Of the texts that aliases repeat: a reader may keep a copy of each.
inline constexpr std::size_t kMaxAliasedBytes = std::size_t{16} << 20U;

// plain: an unquoted YAML scalar, or a JSON number, true, false or null; text: a quoted one.
enum class ValueKind : std::uint8_t { plain, text, sequence, mapping };

class Value;

class Document {
 public:
  const std::string& file() const { return file_; }
  Value root() const;

 private:
  friend class Value;
  friend class ItemIterator;
  friend class DocumentBuilder;

  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;

  // For scalars `first` and `count` are a piece of the pool, for collections the first item and
  // the number of items; items are chained through `next`.
  struct Node {
    std::uint32_t line = 0;
    std::uint32_t key = kNone;
    std::uint32_t next = kNone;
    std::uint32_t first = kNone;
    std::uint32_t count = 0;
    ValueKind kind = ValueKind::plain;
  };

  std::string file_;
  std::deque<Node> nodes_;  // the root first; a deque grows without copying
  std::string pool_;
  std::deque<std::string> keys_;
};

struct ItemRange;

// One value of a document. A small view: pass it by value.
class Value {
 public:
  ValueKind kind() const { return node().kind; }
  bool is_scalar() const { return kind() == ValueKind::plain || kind() == ValueKind::text; }
  // The line of the value's key, or of the value itself where it has none.
  std::size_t line() const { return node().line; }
  const std::string& file() const { return document_->file_; }

  // The key under which the value stands in its mapping; empty in a sequence.
  std::string_view key() const;

  // The text of a scalar; needs a scalar.
  std::string_view text() const;

  // An unquoted null: null, ~ or empty.
  bool is_null() const;

  // How many items a sequence or mapping has, and the items in order.
  std::size_t size() const { return node().count; }
  ItemRange items() const;

  // The item of a mapping under a key.
  std::optional<Value> find(std::string_view key) const;

 private:
  friend class Document;
  friend class ItemIterator;
  Value(const Document& document, std::uint32_t index) : document_(&document), index_(index) {}
  const Document::Node& node() const { return document_->nodes_[index_]; }

  const Document* document_;
  std::uint32_t index_;
};

class ItemIterator {
 public:
  ItemIterator(const Document& document, std::uint32_t index)
      : document_(&document), index_(index) {}
  Value operator*() const { return {*document_, index_}; }
  ItemIterator& operator++() {
    index_ = document_->nodes_[index_].next;
    return *this;
  }
  friend bool operator==(const ItemIterator& a, const ItemIterator& b) {
    return a.index_ == b.index_;
  }

 private:
  const Document* document_;
  std::uint32_t index_;
};

struct ItemRange {
  ItemIterator first;
  ItemIterator last;
  ItemIterator begin() const { return first; }
  ItemIterator end() const { return last; }
};

// Builds a document from the events of a parser, in order. Throws InputError for repeated keys, too
// deep nesting and too many values; the parser checks the syntax.
class DocumentBuilder {
 public:
  explicit DocumentBuilder(const std::string& file);

  void key(std::string_view key, std::size_t line);
  void scalar(ValueKind kind, std::string_view text, std::size_t line);
  // Opens a sequence or mapping and returns its number, for repeat().
  std::uint32_t open(ValueKind kind, std::size_t line);
  void close();

  // Whether the open collection is a mapping that expects a key.
  bool expects_key() const;
  bool in_mapping() const;
  // The number that the next value will get.
  std::uint32_t next_number() const;

  // Adds a copy of an earlier, closed value. Throws InputError when that value is still open, or
  // when the copies become too many.
  void repeat(std::uint32_t number, std::size_t line);

  // Whether the document is a complete value.
  bool complete() const { return !document_.nodes_.empty() && open_.empty(); }
  Document finish() &&;

 private:
  using Node = Document::Node;
  struct Open {
    std::uint32_t node;
    std::uint32_t last_item;
  };

  [[noreturn]] void fail(std::size_t line, const std::string& message) const;
  std::uint32_t add(Node node);
  void copy(std::uint32_t from, std::size_t line);
  void reject_repeated_keys(const Node& mapping);

  Document document_;
  std::vector<Open> open_;
  std::uint32_t pending_key_ = Document::kNone;  // of the next value, which gets the key's line
  std::uint32_t pending_line_ = 0;
  std::unordered_map<std::string_view, std::uint32_t> key_numbers_;
  std::size_t aliased_ = 0;
  std::size_t aliased_bytes_ = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> key_lines_;  // scratch: key, line
};

// Throw InputError with file and line for anything that is not one document in that language.
Document parse_json(std::string_view text, const std::string& file);
Document parse_yaml(std::string_view text, const std::string& file);

// Whether the text begins like a JSON object or array; otherwise it is YAML.
bool looks_like_json(std::string_view text);
Document parse_document(std::string_view text, const std::string& file);

}  // namespace dovetail::io
