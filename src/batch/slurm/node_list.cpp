#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "batch/slurm/slurm_text.hpp"
#include "io/text.hpp"

// Lists of nodes as Slurm writes them: "n[001-003,7]-ib,rack[1-2]n[1-4],login".
namespace dovetail::batch::slurm {

namespace {

constexpr std::size_t kMaxNodes = 1'000'000;  // a few characters can name more than fit in memory
constexpr std::size_t kMaxDigits = 18;

using Names = std::vector<std::string>;

// "7" or "08-12"; false when it is neither.
bool expand_range(std::string_view text, Names& numbers) {
  const std::size_t dash = text.find('-');
  const std::string_view first = text.substr(0, dash);
  const std::string_view last = dash == text.npos ? first : text.substr(dash + 1);
  const auto begin = whole_number(first);
  const auto end = whole_number(last);
  const std::size_t room = kMaxNodes - std::min(kMaxNodes, numbers.size());
  if (!begin || !end || *begin > *end || std::cmp_greater_equal(*end - *begin, room)) return false;
  for (std::int64_t value = *begin; value <= *end; ++value) {
    numbers.push_back(fmt::format("{:0{}}", value, first.size()));
  }
  return true;
}

// "1-3,7", as it stands between brackets.
bool expand_ranges(std::string_view text, Names& numbers) {
  for (;;) {
    const std::size_t comma = text.find(',');
    if (!expand_range(text.substr(0, comma), numbers)) return false;
    if (comma == text.npos) return true;
    text.remove_prefix(comma + 1);
  }
}

// Each beginning with each ending; false when they are too many.
bool append_each(Names& names, const Names& endings) {
  if (names.size() > kMaxNodes / std::max<std::size_t>(1, endings.size())) return false;
  Names all;
  for (const std::string& name : names) {
    for (const std::string& ending : endings) all.push_back(name + ending);
  }
  names = std::move(all);
  return true;
}

// One element of the list, with any number of brackets.
bool expand_element(std::string_view text, Names& names) {
  if (text.empty()) return false;
  Names own{""};
  while (!text.empty()) {
    const std::size_t open = text.find('[');
    const std::string_view plain = text.substr(0, open);
    if (plain.find_first_of("] \t()=") != plain.npos) return false;
    if (!append_each(own, {std::string(plain)})) return false;
    if (open == text.npos) break;
    const std::size_t close = text.find(']', open);
    Names numbers;
    if (close == text.npos || !expand_ranges(text.substr(open + 1, close - open - 1), numbers) ||
        !append_each(own, numbers)) {
      return false;
    }
    text.remove_prefix(close + 1);
  }
  if (own.size() > kMaxNodes - names.size()) return false;
  names.insert(names.end(), own.begin(), own.end());
  return true;
}

// Where the element ends: at a comma outside of brackets.
std::size_t element_end(std::string_view text) {
  bool is_inside = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '[') is_inside = true;
    if (text[at] == ']') is_inside = false;
    if (text[at] == ',' && !is_inside) return at;
  }
  return text.size();
}

// "n017" -> "n" and "017"; the number is empty where there is none, or it is too long to count.
std::pair<std::string_view, std::string_view> split_number(std::string_view name) {
  std::size_t begin = name.size();
  while (begin > 0 && io::is_digit(name[begin - 1])) --begin;
  if (name.size() - begin > kMaxDigits) return {name, {}};
  return {name.substr(0, begin), name.substr(begin)};
}

bool comes_before(const std::string& a, const std::string& b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

// Whether `next` continues the range from `first` to `last`, also as Slurm fills up with zeros.
bool goes_on(const std::string& first, const std::string& last, const std::string& next) {
  if (whole_number(last).value_or(0) + 1 != whole_number(next)) return false;
  return last.size() == next.size() || (first.front() != '0' && next.front() != '0') ||
         (first == "0" && next.front() != '0');
}

// "1-3,7" of sorted numbers.
std::string ranges_of(const std::vector<std::string>& numbers) {
  std::string text;
  for (std::size_t first = 0; first < numbers.size();) {
    std::size_t last = first;
    while (last + 1 < numbers.size() && goes_on(numbers[first], numbers[last], numbers[last + 1])) {
      ++last;
    }
    if (!text.empty()) text += ",";
    text += numbers[first];
    if (last > first) text += "-" + numbers[last];
    first = last + 1;
  }
  return text;
}

std::string group_text(const std::string& prefix, std::vector<std::string> numbers) {
  std::sort(numbers.begin(), numbers.end(), comes_before);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  if (numbers.front().empty()) return prefix;
  if (numbers.size() == 1) return prefix + numbers.front();
  return prefix + "[" + ranges_of(numbers) + "]";
}

}  // namespace

std::optional<std::vector<std::string>> parse_node_list(std::string_view text) {
  Names names;
  if (text.empty() || text == "(null)") return names;
  for (;;) {
    const std::size_t end = element_end(text);
    if (!expand_element(text.substr(0, end), names)) return {};
    if (end == text.size()) return names;
    text.remove_prefix(end + 1);
  }
}

std::string format_node_list(std::vector<std::string> names) {
  // Names without a number are groups of their own, beside a group of the same beginning.
  std::map<std::pair<std::string, bool>, std::size_t> places;
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
  for (const std::string& name : names) {
    const auto [prefix, number] = split_number(name);
    const auto [place, is_new] =
        places.try_emplace({std::string(prefix), number.empty()}, groups.size());
    if (is_new) groups.push_back({std::string(prefix), {}});
    groups[place->second].second.emplace_back(number);
  }
  std::string text;
  for (auto& [prefix, numbers] : groups) {
    if (!text.empty()) text += ",";
    text += group_text(prefix, std::move(numbers));
  }
  return text;
}

}  // namespace dovetail::batch::slurm
