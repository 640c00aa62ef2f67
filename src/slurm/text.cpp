#include "slurm/text.hpp"

#include <time.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <map>

#include "dovetail/error.hpp"
#include "io/text.hpp"

namespace dovetail::slurm {

namespace {

// Every line of a job begins with it, so that a name with an end of line in it does no harm.
constexpr std::string_view kJobMark = "job|";

[[noreturn]] void fail_at(const char* command, std::string_view line, const std::string& what) {
  throw InputError(std::string(command) + " prints what makes no sense: " + what + " in " +
                   io::quote(line));
}

// Takes the text up to the separator away from the front.
std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return taken;
}

std::string_view without_spaces(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

// Calls `read` with every line that is not empty. With several clusters Slurm writes their names
// above their lines.
template <typename Read>
void for_each_line(std::string_view text, Read read) {
  while (!text.empty()) {
    std::string_view line = take_until(text, '\n');
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!without_spaces(line).empty() && !line.starts_with("CLUSTER: ")) read(line);
  }
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return {};
  return value;
}

// "12", "2K" for 2048, "16+" for at least 16, "1-4" for 1 to 4: the least.
std::optional<Count> parse_count(std::string_view text) {
  text = text.substr(0, text.find('-'));
  if (text.ends_with('+')) text.remove_suffix(1);
  double unit = 1;
  for (const char letter : {'K', 'M'}) {
    unit *= 1024;
    if (!text.ends_with(letter)) continue;
    const std::optional<double> value = io::parse_number(text.substr(0, text.size() - 1));
    if (!value || *value < 0 || *value * unit > kMaxProcessors) return {};
    return static_cast<Count>(*value * unit);
  }
  const std::optional<std::int64_t> value = whole_number(text);
  if (!value || *value > kMaxProcessors) return {};
  return static_cast<Count>(*value);
}

// Slurm's words for nothing.
std::string value_or_nothing(std::string_view text) {
  const bool is_nothing = text == "(null)" || text == "N/A" || text == "n/a" || text == "None";
  return is_nothing ? "" : std::string(text);
}

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::string_view word = take_until(text, ',');
    if (!word.empty()) words.emplace_back(word);
  }
  return words;
}

template <typename Value>
Value required(const std::optional<Value>& value, const char* command, std::string_view line,
               const char* what) {
  if (!value) fail_at(command, line, what);
  return *value;
}

// --- jobs ----------------------------------------------------------------------------------------

Job parse_job(std::string_view line) {
  const std::string_view all = line;
  line.remove_prefix(kJobMark.size());
  constexpr std::ptrdiff_t kFields = 14;  // before the name
  if (std::count(line.begin(), line.end(), '|') < kFields) fail_at("squeue", all, "few fields");
  const auto next = [&] { return without_spaces(take_until(line, '|')); };
  const auto next_count = [&](const char* what) {
    return std::max<Count>(1, required(parse_count(next()), "squeue", all, what));
  };
  Job job;
  job.id = std::string(next());
  if (job.id.empty() || !io::is_digit(job.id.front())) fail_at("squeue", all, "no job id");
  job.state = parse_state(next());
  job.user = std::string(next());
  std::string_view partitions = next();
  job.partition = std::string(take_until(partitions, ','));
  job.reservation = value_or_nothing(next());
  job.nodes = next_count("no number of nodes");
  job.cpus = next_count("no number of processors");
  job.node_names = required(parse_node_list(next()), "squeue", all, "no list of nodes");
  // A limit that is not set is the partition's.
  job.limit = parse_limit(next()).value_or(kForever);
  job.priority = whole_number(next()).value_or(0);
  job.submitted = parse_moment(next()).value_or(0);
  job.start = parse_moment(next());
  job.end = parse_moment(next());
  job.reason = value_or_nothing(next());
  job.name = std::string(line);
  return job;
}

// --- nodes ---------------------------------------------------------------------------------------

constexpr std::array kGoodNodeWords = std::to_array<std::string_view>(
    {"IDLE",     "ALLOCATED", "ALLOC",        "MIXED",         "MIX",           "COMPLETING",
     "COMP",     "RESERVED",  "RESV",         "PLANNED",       "PLND",          "MAINT",
     "BLOCKED",  "BLOCK",     "POWERED_DOWN", "POWERING_DOWN", "POWERING_UP",   "POWER_DOWN",
     "POWER_UP", "POW_DN",    "POW_UP",       "REBOOT",        "REBOOT_ISSUED", "REBOOT_REQUESTED",
     "BOOT",     "PERFCTRS",  "NPC"});

constexpr std::array kBadNodeWords = std::to_array<std::string_view>(
    {"DOWN", "DRAIN", "DRAINED", "DRAINING", "DRNG", "FAIL", "FAILED", "FAILING", "FAILG", "ERROR",
     "FUTURE", "FUTR", "UNKNOWN", "UNK", "INVAL", "INVALID", "INVALID_REG", "NO_RESPOND",
     "NOT_RESPONDING"});

bool is_among(std::string_view word, std::span<const std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// "idle", "allocated*", "IDLE+CLOUD+POWERED_DOWN", "mixed-": words and signs. Switched off nodes
// are switched on when needed, and those that restart come back; a star is no answer. Maintenance
// is a reservation, which says how long it lasts.
bool is_usable_state(std::string_view state) {
  const std::size_t end = state.find_last_not_of("*~#!%$@^-");
  const std::string_view signs = end == state.npos ? state : state.substr(end + 1);
  if (signs.find('*') != signs.npos) return false;
  const std::string words = io::upper_case(state.substr(0, state.size() - signs.size()));
  std::string_view left = words;
  bool is_good = false;
  while (!left.empty()) {
    const std::string_view word = take_until(left, '+');
    if (is_among(word, kBadNodeWords)) return false;
    is_good = is_good || is_among(word, kGoodNodeWords);
  }
  return is_good;
}

Node parse_node(std::string_view line) {
  const std::string_view all = line;
  if (std::count(line.begin(), line.end(), '|') != 2) fail_at("sinfo", all, "not three fields");
  Node node;
  node.name = std::string(without_spaces(take_until(line, '|')));
  if (node.name.empty()) fail_at("sinfo", all, "no name");
  node.cpus = std::max<Count>(1, required(parse_count(without_spaces(take_until(line, '|'))),
                                          "sinfo", all, "no number of processors"));
  node.state = std::string(without_spaces(line));
  node.is_usable = is_usable_state(node.state);
  return node;
}

// --- partitions and reservations -----------------------------------------------------------------

// "Name=a b Nodes=n[1-2] TRES=cpu=4": a word without "=" belongs to the value before it. Of a name
// that comes twice the first counts: later ones can only be part of a comment.
class NamedFields {
 public:
  explicit NamedFields(std::string_view line) : line_(line) {
    std::string* value = nullptr;
    while (!line.empty()) {
      std::string_view word = take_until(line, ' ');
      if (word.find('=') != word.npos) {
        const std::string name(take_until(word, '='));
        const auto [field, is_new] = fields_.try_emplace(name, word);
        value = is_new ? &field->second : nullptr;
      } else if (value != nullptr && !word.empty()) {
        *value += (value->empty() ? "" : " ") + std::string(word);
      }
    }
  }

  // Empty when it is not there.
  std::string value(const char* name) const {
    const auto found = fields_.find(name);
    return found == fields_.end() ? "" : value_or_nothing(found->second);
  }

  std::string name(const char* field) const {
    std::string text = value(field);
    if (text.empty()) fail_at("scontrol", line_, std::string("no ") + field);
    return text;
  }

  std::vector<std::string> nodes() const {
    return required(parse_node_list(value("Nodes")), "scontrol", line_, "no list of nodes");
  }

  WallTime moment(const char* field) const {
    const std::optional<WallTime> moment = parse_moment(value(field));
    if (!moment) fail_at("scontrol", line_, std::string("no ") + field);
    return *moment;
  }

 private:
  std::string_view line_;
  std::map<std::string, std::string> fields_;
};

Partition parse_partition(std::string_view line) {
  const NamedFields fields(line);
  Partition partition;
  partition.name = fields.name("PartitionName");
  partition.is_default = fields.value("Default") == "YES";
  const std::string state = fields.value("State");
  partition.is_up = state.empty() || state == "UP";
  partition.node_names = fields.nodes();
  partition.max_time = parse_limit(fields.value("MaxTime")).value_or(kForever);
  partition.min_nodes = std::max<Count>(1, parse_count(fields.value("MinNodes")).value_or(1));
  partition.max_nodes = parse_count(fields.value("MaxNodes"));  // "UNLIMITED" is none
  return partition;
}

ReservedNodes parse_reservation(std::string_view line) {
  const NamedFields fields(line);
  ReservedNodes reserved;
  reserved.name = fields.name("ReservationName");
  reserved.start = fields.moment("StartTime");
  reserved.end = fields.moment("EndTime");
  reserved.node_names = fields.nodes();
  reserved.users = split_list(fields.value("Users"));
  reserved.flags = fields.value("Flags");
  return reserved;
}

// "No reservations in the system".
bool says_none(std::string_view line) { return line.starts_with("No "); }

// --- times ---------------------------------------------------------------------------------------

// Whole numbers between the separators; nothing when there is anything else.
std::optional<std::vector<std::int64_t>> numbers_between(std::string_view text, char separator) {
  std::vector<std::int64_t> numbers;
  for (;;) {
    const std::size_t end = text.find(separator);
    const std::optional<std::int64_t> number = whole_number(text.substr(0, end));
    constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
    if (!number || *number > kMost) return {};
    numbers.push_back(*number);
    if (end == text.npos) return numbers;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

// The reason, which may hold spaces and commas, holds no bar.
const char* const kJobFormat = "job|%i|%T|%u|%P|%v|%D|%C|%N|%l|%Q|%V|%S|%e|%r|%j";
const char* const kNodeFormat = "%N|%c|%T";

std::vector<Job> parse_jobs(std::string_view text) {
  std::vector<Job> jobs;
  for_each_line(text, [&](std::string_view line) {
    if (line.starts_with(kJobMark)) {
      jobs.push_back(parse_job(line));
    } else if (!jobs.empty()) {
      jobs.back().name += " " + std::string(line);
    } else {
      fail_at("squeue", line, "no job");
    }
  });
  return jobs;
}

std::vector<Node> parse_nodes(std::string_view text) {
  std::vector<Node> nodes;
  std::map<std::string, std::size_t> places;
  for_each_line(text, [&](std::string_view line) {
    Node node = parse_node(line);
    if (places.try_emplace(node.name, nodes.size()).second) nodes.push_back(std::move(node));
  });
  return nodes;
}

std::vector<Partition> parse_partitions(std::string_view text) {
  std::vector<Partition> partitions;
  for_each_line(text, [&](std::string_view line) {
    if (!says_none(line)) partitions.push_back(parse_partition(line));
  });
  return partitions;
}

std::vector<ReservedNodes> parse_reservations(std::string_view text) {
  std::vector<ReservedNodes> reservations;
  for_each_line(text, [&](std::string_view line) {
    if (!says_none(line)) reservations.push_back(parse_reservation(line));
  });
  return reservations;
}

std::optional<std::string> parse_job_id(std::string_view text) {
  std::optional<std::string> id;
  for_each_line(text, [&](std::string_view line) {
    line = without_spaces(line);
    const std::string_view number = take_until(line, ';');
    // What a site's own scripts print may come before.
    if (whole_number(number)) id = std::string(number);
  });
  return id;
}

std::optional<WallTime> parse_test_start(std::string_view text) {
  constexpr std::string_view kBefore = " to start at ";
  const std::size_t at = text.find(kBefore);
  if (at == text.npos) return {};
  text.remove_prefix(at + kBefore.size());
  return parse_moment(text.substr(0, text.find_first_of(" \n\r")));
}

JobState parse_state(std::string_view word) {
  static constexpr std::array kStates = std::to_array<std::pair<std::string_view, JobState>>({
      {"PENDING", JobState::pending},
      {"REQUEUED", JobState::pending},
      {"REQUEUE_FED", JobState::pending},
      {"REQUEUE_HOLD", JobState::pending},
      {"RESV_DEL_HOLD", JobState::pending},
      {"SPECIAL_EXIT", JobState::pending},  // queued again, held
      {"LAUNCH_FAILED", JobState::pending},
      {"EXPEDITING", JobState::pending},
      {"RUNNING", JobState::running},
      {"COMPLETING", JobState::running},
      {"CONFIGURING", JobState::running},
      {"POWER_UP_NODE", JobState::running},
      {"RESIZING", JobState::running},
      {"SIGNALING", JobState::running},
      {"STAGE_OUT", JobState::running},
      {"STOPPED", JobState::running},
      {"SUSPENDED", JobState::running},
      {"COMPLETED", JobState::completed},
      {"FAILED", JobState::failed},
      {"TIMEOUT", JobState::timeout},
      {"DEADLINE", JobState::timeout},
      {"OUT_OF_MEMORY", JobState::out_of_memory},
      {"NODE_FAIL", JobState::node_fail},
      {"BOOT_FAIL", JobState::node_fail},
      {"RECONFIG_FAIL", JobState::node_fail},
      {"CANCELLED", JobState::cancelled},
      {"REVOKED", JobState::cancelled},
      {"PREEMPTED", JobState::preempted},
  });
  std::string text = io::upper_case(without_spaces(word));
  text.resize(std::min(text.find_first_of(" +"), text.size()));  // "CANCELLED by 0"
  const auto found = std::find_if(kStates.begin(), kStates.end(),
                                  [&](const auto& state) { return state.first == text; });
  return found == kStates.end() ? JobState::unknown : found->second;
}

std::optional<Duration> parse_limit(std::string_view text) {
  const std::string upper = io::upper_case(without_spaces(text));
  if (upper == "UNLIMITED" || upper == "INFINITE") return kForever;
  std::string_view clock = upper;
  std::int64_t days = 0;
  const bool has_days = clock.find('-') != clock.npos;
  if (has_days) {
    const auto before = numbers_between(take_until(clock, '-'), ':');
    if (!before || before->size() != 1) return {};
    days = before->front();
  }
  const auto parts = numbers_between(clock, ':');
  if (!parts || parts->size() > 3) return {};
  // After days the first part is hours; else it is minutes, and hours only of three parts.
  const std::size_t skipped = has_days || parts->size() == 3 ? 0 : 1;
  constexpr std::array kUnits{kHour, kMinute, kSecond};
  Duration length = days * kDay;
  for (std::size_t part = 0; part < parts->size(); ++part) {
    if (part + skipped >= kUnits.size()) return {};
    length += (*parts)[part] * kUnits[part + skipped];
  }
  return length;
}

std::string format_limit(Duration length) {
  constexpr Duration kMost = std::numeric_limits<std::int32_t>::max() * kMinute;
  if (length > kMost) return "UNLIMITED";
  const std::int64_t minutes = std::max<std::int64_t>(1, (length + kMinute - 1) / kMinute);
  const auto two = [](std::int64_t value) {
    return (value < 10 ? "0" : "") + std::to_string(value);
  };
  const std::int64_t days = minutes / (24 * 60);
  return (days > 0 ? std::to_string(days) + "-" : "") + two(minutes / 60 % 24) + ":" +
         two(minutes % 60) + ":00";
}

std::optional<WallTime> parse_moment(std::string_view text) {
  text = without_spaces(text);
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 4 / kSecond;
  if (const std::optional<std::int64_t> seconds = whole_number(text)) {
    if (*seconds > kMost) return {};
    return *seconds * kSecond;
  }
  const auto day = numbers_between(take_until(text, 'T'), '-');
  const auto clock = numbers_between(text, ':');
  if (!day || !clock || day->size() != 3 || clock->size() != 3) return {};
  constexpr std::int64_t kLastYear = 9999;
  if ((*day)[0] > kLastYear || (*day)[1] < 1 || (*day)[1] > 12 || (*day)[2] > 31 ||
      (*clock)[0] > 24 || (*clock)[1] > 59 || (*clock)[2] > 60) {
    return {};
  }
  struct tm local {};
  local.tm_year = static_cast<int>((*day)[0]) - 1900;
  local.tm_mon = static_cast<int>((*day)[1]) - 1;
  local.tm_mday = static_cast<int>((*day)[2]);
  local.tm_hour = static_cast<int>((*clock)[0]);
  local.tm_min = static_cast<int>((*clock)[1]);
  local.tm_sec = static_cast<int>((*clock)[2]);
  local.tm_isdst = -1;
  return static_cast<WallTime>(mktime(&local)) * kSecond;
}

std::string format_moment(WallTime moment) {
  const time_t seconds = moment / kSecond;
  struct tm local {};
  localtime_r(&seconds, &local);
  std::array<char, 32> text;
  return {text.data(), strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &local)};
}

}  // namespace dovetail::slurm
