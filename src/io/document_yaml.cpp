// Reads YAML into a document by yaml-cpp's event interface. The library's own tree expands aliases
// without limit and has no lines for unknown keys.
#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <istream>
#include <streambuf>
#include <string>
#include <unordered_map>

#include "dovetail/error.hpp"
#include "io/document.hpp"
#include "io/text.hpp"

namespace dovetail::io {

namespace {

// The library's marks count from 0.
std::size_t line_of(const YAML::Mark& mark) { return static_cast<std::size_t>(mark.line) + 1; }

// Lets the library's stream read the text without a copy.
class ViewBuffer : public std::streambuf {
 public:
  explicit ViewBuffer(std::string_view text) {
    char* begin = const_cast<char*>(text.data());  // never written: there is no put area
    setg(begin, begin, begin + text.size());
  }
};

class YamlEvents : public YAML::EventHandler {
 public:
  YamlEvents(DocumentBuilder& builder, const std::string& file) : builder_(builder), file_(file) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) {
      fail(mark, "a second YAML document begins here; a file holds one");
    }
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    scalar(mark, ValueKind::plain, anchor, "");
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    // The library marks unquoted scalars with the tag "?" and quoted ones with "!".
    reject_tag(mark, tag);
    scalar(mark, tag == "!" ? ValueKind::text : ValueKind::plain, anchor, text);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (builder_.expects_key()) fail(mark, "an alias cannot be a key; write the key out");
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) fail(mark, "this alias refers to no value");
    builder_.repeat(found->second, line_of(mark));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, ValueKind::sequence);
  }
  void OnSequenceEnd() override { builder_.close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, ValueKind::mapping);
  }
  void OnMapEnd() override { builder_.close(); }

 private:
  [[noreturn]] void fail(const YAML::Mark& mark, const std::string& message) const {
    throw InputError(file_, line_of(mark), message);
  }

  void reject_tag(const YAML::Mark& mark, const std::string& tag) const {
    if (tag.empty() || tag == "?" || tag == "!") return;
    fail(mark, "YAML tags are not supported, found " + quote(tag) + "; leave it out");
  }

  void scalar(const YAML::Mark& mark, ValueKind kind, YAML::anchor_t anchor,
              const std::string& text) {
    if (builder_.expects_key()) {
      if (anchor != YAML::NullAnchor) fail(mark, "a key cannot have an anchor");
      if (kind == ValueKind::plain && text == "<<") {
        fail(mark, "merge keys (<<) are not supported; write the fields out");
      }
      builder_.key(text, line_of(mark));
      return;
    }
    if (anchor != YAML::NullAnchor) anchors_[anchor] = builder_.next_number();
    builder_.scalar(kind, text, line_of(mark));
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, ValueKind kind) {
    reject_tag(mark, tag);
    if (builder_.expects_key()) fail(mark, "a key must be a single word or text");
    const std::uint32_t number = builder_.open(kind, line_of(mark));
    if (anchor != YAML::NullAnchor) anchors_[anchor] = number;
  }

  DocumentBuilder& builder_;
  const std::string& file_;
  std::unordered_map<YAML::anchor_t, std::uint32_t> anchors_;
  int documents_ = 0;
};

// A hint for two common mistakes; empty for others.
std::string hint_for(const YAML::Exception& error, std::string_view text) {
  if (error.msg == "illegal map value") return "; put a text with \": \" in it between quotes";
  for (int i = 0; i < error.mark.line && !text.empty(); ++i) {
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  }
  const std::string_view indent = text.substr(0, text.find_first_not_of(" \t"));
  return indent.find('\t') == std::string_view::npos ? "" : "; indent by spaces instead of tabs";
}

}  // namespace

Document parse_yaml(std::string_view text, const std::string& file) {
  require_utf8(text, file);
  if (text.size() > kMaxYamlBytes) {
    throw InputError(fmt::format("{}: YAML files may have up to {} MiB; convert it to JSON", file,
                                 kMaxYamlBytes >> 20U));
  }
  DocumentBuilder builder(file);
  YamlEvents events(builder, file);
  try {
    ViewBuffer buffer(skip_bom(text));
    std::istream stream(&buffer);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(events)) {
    }
  } catch (const YAML::Exception& error) {
    throw InputError(file, line_of(error.mark),
                     "not valid YAML: " + error.msg + hint_for(error, text));
  }
  if (!builder.complete()) throw InputError(file + ": the file is empty");
  return std::move(builder).finish();
}

}  // namespace dovetail::io
