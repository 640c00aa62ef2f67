#include "io/swf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>

#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "io/gzip_source.hpp"
#include "io/text.hpp"

namespace dovetail {

namespace {

constexpr std::size_t kFields = 18;
constexpr std::size_t kLongestLine = std::size_t{1} << 20U;
// Beyond any real value; keeps sums and conversions to whole numbers safe.
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

// Takes a log line by line.
class Parser {
 public:
  explicit Parser(const std::string& file) : file_(file) {}

  void line(std::string_view text) {
    ++line_;
    text = trim(text);
    if (text.empty()) return;
    if (text.front() == ';') {
      add_header(text);
    } else {
      add_job(text);
    }
  }

  SwfLog finish() && { return std::move(log_); }

  [[noreturn]] void fail(const std::string& message) const {
    throw InputError(file_, line_, message);
  }

 private:
  // "; Key: value". Keys are single words; other comments are remarks.
  void add_header(std::string_view text) {
    text = trim(text.substr(text.find_first_not_of(';') == std::string_view::npos
                                ? text.size()
                                : text.find_first_not_of(';')));
    const auto colon = text.find(':');
    if (colon == std::string_view::npos || colon == 0) return;
    const std::string_view key = trim(text.substr(0, colon));
    const bool is_word = std::none_of(key.begin(), key.end(), is_space);
    // A continuation line may be an address: http://...
    if (!is_word || text.substr(colon).starts_with("://")) return;
    log_.header.add(std::string(key), std::string(trim(text.substr(colon + 1))));
  }

  void add_job(std::string_view text) {
    std::array<double, kFields> values{};
    std::size_t count = 0;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at != end) {
      if (is_space(*at)) {
        ++at;
        continue;
      }
      const double value = number(at, end);
      if (count < kFields) values[count] = value;
      ++count;
    }
    if (count != kFields) {
      fail(fmt::format("expected {} fields, found {}", kFields, count));
    }
    SwfJob job;
    std::size_t next = 0;
    for_each_field(job, [&](auto& field) {
      field = static_cast<std::remove_reference_t<decltype(field)>>(values[next++]);
    });
    log_.jobs.push_back(job);
  }

  // The number at the front, which moves past it.
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

  const std::string& file_;
  std::size_t line_ = 0;
  SwfLog log_;
};

// Hands the lines that end within the text to the parser; answers what is left.
std::string_view take_lines(std::string_view text, Parser& parser) {
  for (;;) {
    const auto end = text.find('\n');
    if (end == std::string_view::npos) return text;
    parser.line(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
}

}  // namespace

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

SwfLog parse_swf(std::string_view text, const std::string& file) {
  Parser parser(file);
  const std::string_view rest = take_lines(io::skip_bom(text), parser);
  if (!rest.empty()) parser.line(rest);
  return std::move(parser).finish();
}

SwfLog read_swf(const std::string& path) {
  const std::string file = io::display_name(path);
  io::GzipSource source(path);
  Parser parser(file);
  std::string buffer;
  std::size_t filled = 0;
  for (;;) {
    buffer.resize(filled + kLongestLine);
    const std::size_t got = source.read(buffer.data() + filled, kLongestLine);
    if (got == 0) break;
    const std::string_view rest =
        take_lines(std::string_view(buffer).substr(0, filled + got), parser);
    if (rest.size() > kLongestLine) parser.fail("a line is longer than 1 MiB; not a log in SWF");
    // What is left of a line moves to the front, before the next piece.
    buffer.erase(0, static_cast<std::size_t>(rest.data() - buffer.data()));
    filled = rest.size();
  }
  if (filled > 0) parser.line(std::string_view(buffer).substr(0, filled));
  return std::move(parser).finish();
}

std::vector<SwfJob> sorted_by_submit(std::vector<SwfJob> jobs) {
  std::stable_sort(jobs.begin(), jobs.end(),
                   [](const SwfJob& a, const SwfJob& b) { return a.submit < b.submit; });
  return jobs;
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

void write_swf(const std::string& path, const SwfLog& log) { write_file(path, format_swf(log)); }

}  // namespace dovetail
