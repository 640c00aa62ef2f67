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
  const auto use_all = [&](auto&... field) { (use(field), ...); };
  use_all(job.number, job.submit, job.wait, job.run, job.allocated_processors, job.cpu_time,
          job.used_memory, job.requested_processors, job.requested_time, job.requested_memory,
          job.status, job.user, job.group, job.executable, job.queue, job.partition,
          job.preceding_job, job.think_time);
}

}  // namespace

SwfReader::SwfReader(const std::string& path)
    : file_(display_name(path)), source_(std::make_unique<GzipSource>(path)) {}

SwfReader::SwfReader(std::string_view text, std::string file)
    : file_(std::move(file)), buffer_(text) {}

std::optional<SwfJob> SwfReader::next() {
  for (std::string_view text; next_line(text);) {
    text = trim(++line_ == 1 ? skip_bom(text) : text);
    if (text.empty()) continue;
    if (text.front() != ';') return job(text);
    add_header(text);
  }
  return std::nullopt;
}

void SwfReader::fail(const std::string& message) const { throw InputError(file_, line_, message); }

void SwfReader::require_all_fields(const SwfJob& job) const {
  if (job.fields == kFields) return;
  fail(fmt::format("expected {} fields, found {}", kFields, job.fields));
}

// Reads "; Key: value". Keys are single words; other comments are ignored.
void SwfReader::add_header(std::string_view text) {
  text = trim(text.substr(std::min(text.find_first_not_of(';'), text.size())));
  const auto colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0) return;
  const std::string_view key = trim(text.substr(0, colon));
  // A continuation line may be an address: http://...
  if (std::ranges::any_of(key, is_space) || text.substr(colon).starts_with("://")) return;
  header_.add(std::string(key), std::string(trim(text.substr(colon + 1))));
}

SwfJob SwfReader::job(std::string_view text) const {
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
  if (job.fields > kFields) require_all_fields(job);
  std::size_t next = 0;
  for_each_field(job, [&](auto& field) {
    field = static_cast<std::remove_reference_t<decltype(field)>>(values[next++]);
  });
  return job;
}

// Reads the number at `at`, and moves `at` past it.
double SwfReader::number(const char*& at, const char* end) const {
  const char* const begin = at;
  double value = 0;
  const auto result = std::from_chars(*at == '+' ? at + 1 : at, end, value);
  at = result.ptr;
  const bool ends = at == end || is_space(*at);
  if (result.ec != std::errc{} || !ends || !(std::abs(value) <= kLargest)) {
    fail("expected a number, found " + quote({begin, std::find_if(begin, end, is_space)}));
  }
  return value;
}

// The next line without its end, valid until the next call; false at the end of the file.
bool SwfReader::next_line(std::string_view& line) {
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
bool SwfReader::fill() {
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
