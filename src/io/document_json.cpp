// Reads JSON into a document by nlohmann's event interface. Its parser keeps no tree and does not
// recurse, so we can limit depth and memory.
#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "dovetail/error.hpp"
#include "io/document.hpp"
#include "io/text.hpp"

namespace dovetail::io {

namespace {

constexpr std::size_t kMaxTokenBytes = std::size_t{16} << 20U;

// How far the parser has read. A newline counts only once the character after it is read: to find
// the end of a number the parser reads one character too many, which may be the newline.
struct JsonProgress {
  const std::string& file;
  std::size_t line = 1;
  std::size_t token_bytes = 0;  // since the last value
  bool newline_was_last = false;

  void consumed(char c) {
    if (newline_was_last) ++line;
    newline_was_last = c == '\n';
    // The parser keeps several copies of each string, which cost memory and time.
    if (++token_bytes > kMaxTokenBytes) {
      throw InputError(file, line, "a value is longer than 16 MiB; not a file of ours");
    }
  }
};

class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, JsonProgress* progress) : at_(at), progress_(progress) {}
  const char& operator*() const { return *at_; }
  CountingIterator& operator++() {
    progress_->consumed(*at_++);
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const CountingIterator& a, const CountingIterator& b) {
    return a.at_ == b.at_;
  }

 private:
  const char* at_;
  JsonProgress* progress_;
};

// The library's message is "[code] parse error at line 1, column 2: what - detail; last read: ..";
// we keep what and detail, on one line and not longer than a line.
std::string short_reason(std::string_view message) {
  constexpr std::size_t kLongest = 160;
  const auto code = message.find("] ");
  if (code != std::string_view::npos) message.remove_prefix(code + 2);
  if (message.starts_with("parse error")) {
    const auto place = message.find(": ");
    if (place != std::string_view::npos) message.remove_prefix(place + 2);
  }
  if (const auto last = message.find("; last read"); last != std::string_view::npos) {
    message = message.substr(0, last);
  }
  std::string reason(message.substr(0, kLongest));
  for (char& c : reason) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  return reason;
}

class JsonEvents {
 public:
  JsonEvents(DocumentBuilder& builder, JsonProgress& progress)
      : builder_(builder), progress_(progress) {}

  bool null() { return plain("null"); }
  bool boolean(bool value) { return plain(value ? "true" : "false"); }
  bool number_integer(std::int64_t value) { return plain(std::to_string(value)); }
  bool number_unsigned(std::uint64_t value) { return plain(std::to_string(value)); }
  bool number_float(double, const std::string& text) { return plain(text); }
  bool string(std::string& text) { return scalar(ValueKind::text, text); }
  bool binary(std::vector<std::uint8_t>&) { return false; }
  bool start_object(std::size_t) { return open(ValueKind::mapping); }
  bool key(std::string& key) {
    builder_.key(key, progress_.line);
    progress_.token_bytes = 0;
    return true;
  }
  bool end_object() { return close(); }
  bool start_array(std::size_t) { return open(ValueKind::sequence); }
  bool end_array() { return close(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) {
    throw InputError(progress_.file, progress_.line,
                     "not valid JSON: " + short_reason(error.what()));
  }

 private:
  bool open(ValueKind kind) {
    builder_.open(kind, progress_.line);
    return true;
  }

  bool close() {
    builder_.close();
    return true;
  }

  bool plain(std::string_view text) { return scalar(ValueKind::plain, text); }

  bool scalar(ValueKind kind, std::string_view text) {
    builder_.scalar(kind, text, progress_.line);
    progress_.token_bytes = 0;
    return true;
  }

  DocumentBuilder& builder_;
  JsonProgress& progress_;
};

}  // namespace

Document parse_json(std::string_view text, const std::string& file) {
  require_utf8(text, file);
  text = skip_bom(text);
  DocumentBuilder builder(file);
  JsonProgress progress{.file = file};
  JsonEvents events(builder, progress);
  const CountingIterator begin(text.data(), &progress);
  const CountingIterator end(text.data() + text.size(), &progress);
  nlohmann::json::sax_parse(begin, end, &events);
  return std::move(builder).finish();
}

}  // namespace dovetail::io
