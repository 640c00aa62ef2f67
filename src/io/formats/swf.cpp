#include "io/formats/swf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>

#include "dovetail/error.hpp"
#include "io/gzip_source.hpp"
#include "io/text.hpp"

namespace dovetail::io {

namespace {

constexpr std::size_t kFields = SwfJob::kFields;
constexpr std::size_t kLongestLine = std::size_t{1} << 20U;
// Larger than any real value; keeps sums and conversions to whole numbers safe.
constexpr double kLargest = 1e15;

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

// Calls use(member) for the 18 fields of a job in the order of the format.
template <typename Job, typename Use>
void for_each_field(Job& job, Use use) {
  use(job.number);
  use(job.submit);
  use(job.wait);
  use(job.run);
  use(job.allocated_processors);
  use(job.cpu_time);
  use(job.used_memory);
  use(job.requested_processors);
  use(job.requested_time);
  use(job.requested_memory);
  use(job.status);
  use(job.user);
  use(job.group);
  use(job.executable);
  use(job.queue);
  use(job.partition);
  use(job.preceding_job);
  use(job.think_time);
}

}  // namespace

class SwfReader::Impl {
 public:
  explicit Impl(const std::string& path)
      : file_(io::display_name(path)), source_(std::make_unique<io::GzipSource>(path)) {}
  Impl(std::string_view text, std::string file) : file_(std::move(file)), buffer_(text) {}

  std::optional<SwfJob> next() {
    for (std::string_view text; next_line(text);) {
      text = trim(++line_ == 1 ? io::skip_bom(text) : text);
      if (text.empty()) continue;
      if (text.front() != ';') return job(text);
      add_header(text);
    }
    return std::nullopt;
  }

  const SwfHeader& header() const { return header_; }

  [[noreturn]] void fail(const std::string& message) const {
    throw InputError(file_, line_, message);
  }

 private:
  // Reads "; Key: value". Keys are single words; other comments are ignored.
  void add_header(std::string_view text) {
    text = trim(text.substr(std::min(text.find_first_not_of(';'), text.size())));
    const auto colon = text.find(':');
    if (colon == std::string_view::npos || colon == 0) return;
    const std::string_view key = trim(text.substr(0, colon));
    const bool is_word = std::none_of(key.begin(), key.end(), is_space);
    // A continuation line may be an address: http://...
    if (!is_word || text.substr(colon).starts_with("://")) return;
    header_.add(std::string(key), std::string(trim(text.substr(colon + 1))));
  }

  SwfJob job(std::string_view text) const {
    SwfJob job;
    job.fields = 0;
    std::array<double, kFields> values{};
    values.fill(-1);
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at != end) {
      if (is_space(*at)) {
        ++at;
        continue;
      }
      const double value = number(at, end);
      if (job.fields < kFields) values[job.fields] = value;
      ++job.fields;
    }
    if (job.fields > kFields)
      fail(fmt::format("expected {} fields, found {}", kFields, job.fields));
    std::size_t next = 0;
    for_each_field(job, [&](auto& field) {
      field = static_cast<std::remove_reference_t<decltype(field)>>(values[next++]);
    });
    return job;
  }

  // Reads the number at `at`, and moves `at` past it.
  double number(const char*& at, const char* end) const {
    const char* const begin = at;
    double value = 0;
    const auto result = std::from_chars(*at == '+' ? at + 1 : at, end, value);
    at = result.ptr;
    const bool ends = at == end || is_space(*at);
    if (result.ec != std::errc{} || !ends || !(std::abs(value) <= kLargest)) {
      fail("expected a number, found " + io::quote(first_word(begin, end)));
    }
    return value;
  }

  static std::string_view first_word(const char* begin, const char* end) {
    return {begin, static_cast<std::size_t>(std::find_if(begin, end, is_space) - begin)};
  }

  // The next line without its end, valid until the next call; false at the end of the file.
  bool next_line(std::string_view& line) {
    for (;;) {
      const auto end = std::string_view(buffer_).find('\n', seen_);
      if (end != std::string_view::npos) {
        line = std::string_view(buffer_).substr(begin_, end - begin_);
        begin_ = seen_ = end + 1;
        return true;
      }
      if (buffer_.size() - begin_ > kLongestLine) {
        fail("a line is longer than 1 MiB; not a log in SWF");
      }
      if (!fill()) break;
    }
    line = std::string_view(buffer_).substr(begin_);
    begin_ = seen_ = buffer_.size();
    return !line.empty();
  }

  // Moves the rest of a line to the front of the buffer, and reads the next piece behind it.
  bool fill() {
    if (!source_) return false;
    constexpr std::size_t kPiece = std::size_t{1} << 16U;
    buffer_.erase(0, begin_);
    begin_ = 0;
    seen_ = buffer_.size();
    buffer_.resize(seen_ + kPiece);
    const std::size_t got = source_->read(buffer_.data() + seen_, kPiece);
    buffer_.resize(seen_ + got);
    return got > 0;
  }

  std::string file_;
  std::size_t line_ = 0;
  SwfHeader header_;
  std::unique_ptr<io::GzipSource> source_;  // null: the whole text is in the buffer
  std::string buffer_;
  std::size_t begin_ = 0;  // of the next line
  std::size_t seen_ = 0;   // no line ends before this
};

void SwfHeader::add(std::string key, std::string value) {
  entries_.emplace_back(std::move(key), std::move(value));
}

std::optional<std::string_view> SwfHeader::find(std::string_view key) const {
  for (const auto& [name, value] : entries_) {
    if (name == key) return value;
  }
  return std::nullopt;
}

std::optional<std::int64_t> SwfHeader::integer(std::string_view key) const {
  const auto value = find(key);
  if (!value) return std::nullopt;
  const auto digit = value->find_first_of("0123456789");
  if (digit == std::string_view::npos) return std::nullopt;
  std::int64_t number = 0;
  const auto result = std::from_chars(value->data() + digit, value->data() + value->size(), number);
  if (result.ec != std::errc{}) return std::nullopt;
  return digit > 0 && (*value)[digit - 1] == '-' ? -number : number;
}

SwfReader::SwfReader(const std::string& path) : impl_(std::make_unique<Impl>(path)) {}

SwfReader::SwfReader(std::string_view text, const std::string& file)
    : impl_(std::make_unique<Impl>(text, file)) {}

SwfReader::SwfReader(SwfReader&&) noexcept = default;
SwfReader::~SwfReader() = default;

std::optional<SwfJob> SwfReader::next() { return impl_->next(); }

const SwfHeader& SwfReader::header() const { return impl_->header(); }

void SwfReader::require_all_fields(const SwfJob& job) const {
  if (job.fields != kFields) {
    impl_->fail(fmt::format("expected {} fields, found {}", kFields, job.fields));
  }
}

namespace {

SwfLog read_all(SwfReader reader) {
  SwfLog log;
  while (const auto job = reader.next()) {
    reader.require_all_fields(*job);
    log.jobs.push_back(*job);
  }
  log.header = reader.header();
  return log;
}

}  // namespace

SwfLog read_swf(const std::string& path) { return read_all(SwfReader(path)); }

SwfLog parse_swf(std::string_view text, const std::string& file) {
  return read_all(SwfReader(text, file));
}

std::string format_swf(const SwfLog& log) {
  std::string out;
  for (const auto& [key, value] : log.header.entries()) {
    fmt::format_to(std::back_inserter(out), "; {}: {}\n", key, value);
  }
  for (const SwfJob& job : log.jobs) {
    const std::size_t begin = out.size();
    for_each_field(job, [&](const auto& field) {
      fmt::format_to(std::back_inserter(out), "{}{}", out.size() == begin ? "" : " ", field);
    });
    out += '\n';
  }
  return out;
}

}  // namespace dovetail::io
