#include "batch/slurm/slurm_text.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <span>

#include "dovetail/error.hpp"
#include "io/text.hpp"

namespace dovetail::batch::slurm {

namespace {

// How Slurm says that it is not there, or too busy to do it now.
constexpr std::array kAwayWords = std::to_array<std::string_view>({
    "Unable to contact slurm controller",
    "Unable to contact the slurm controller",
    "Socket timed out",
    "Connection refused",
    "Connection timed out",
    "Connection reset",
    "connect failure",
    "Communication connection failure",
    "Communication shutdown failure",
    "Message receive failure",
    "Message send failure",
    "Zero Bytes were transmitted or received",
    "Transport endpoint is not connected",
    "No route to host",
    "Network is unreachable",
    "Host is down",
    "Name or service not known",
    "Temporary failure in name resolution",
    "in standby mode",
    "Slurm temporarily unable to accept job",
    "Resource temporarily unavailable",
    "Protocol authentication error",
    "Munge encode failed",
    "Munge decode failed",
    "Unable to connect to munge",
});

[[noreturn]] void fail_at(const char* command, std::string_view line, const std::string& what) {
  throw ExecutionError(std::string(command) + " prints what makes no sense: " + what + " in " +
                       io::quote(line));
}

template <typename Value>
Value required(const std::optional<Value>& value, const char* command, std::string_view line,
               const char* what) {
  if (!value) fail_at(command, line, what);
  return *value;
}

// --- jobs ----------------------------------------------------------------------------------------

// Without the mark.
ClusterJob parse_job(std::string_view line) {
  const std::string_view all = line;
  constexpr std::ptrdiff_t kFields = 16;  // before the name
  if (std::count(line.begin(), line.end(), '|') < kFields) fail_at("squeue", all, "few fields");
  const auto next = [&] { return without_spaces(take_until(line, '|')); };
  const auto next_count = [&](const char* what) {
    return std::max<Count>(1, required(parse_count(next()), "squeue", all, what));
  };
  ClusterJob job;
  job.id = std::string(next());
  if (job.id.empty() || !io::is_digit(job.id.front())) fail_at("squeue", all, "no job id");
  job.state = parse_state(next());
  job.user = std::string(next());
  job.partitions = split_list(next());
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
  job.account = value_or_nothing(next());
  job.qos = value_or_nothing(next());
  job.reason = value_or_nothing(next());
  job.waits_for = parse_reason(job.reason);
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

// "idle", "allocated*", "IDLE+CLOUD+POWERED_DOWN", "mixed-": words and signs. Slurm switches nodes
// on when it needs them, and nodes that restart come back; a star means that a node does not
// answer. Maintenance is a reservation, which says how long it lasts.
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

// "gpu:2", "gpu:a100:4(S:0-1),craynetwork:4": all GPUs, whatever they are.
Count parse_gpus(std::string_view text) {
  Count gpus = 0;
  int depth = 0;  // of brackets, in which there are commas, too
  std::string word;
  const auto count_word = [&] {
    const std::size_t colon = word.rfind(':');
    if (word == "gpu") ++gpus;
    if (word.starts_with("gpu:")) gpus += parse_count(word.substr(colon + 1)).value_or(1);
    word.clear();
  };
  for (const char c : text) {
    depth += c == '(' ? 1 : 0;
    if (depth == 0 && c == ',') {
      count_word();
    } else if (depth == 0) {
      word += c;
    }
    depth -= c == ')' ? 1 : 0;
  }
  count_word();
  return gpus;
}

// A megabyte is what Slurm says of nodes whose memory was never set.
Bytes parse_memory(std::string_view text) {
  const Bytes megabytes = parse_count(text).value_or(0);
  return megabytes > 1 ? std::min(megabytes * kMebibyte, kMaxMemory) : 0;
}

ClusterNode parse_node(std::string_view line) {
  const std::string_view all = line;
  const auto bars = std::count(line.begin(), line.end(), '|');
  if (bars != 2 && bars != 5) fail_at("sinfo", all, "not three or six fields");
  const auto next = [&] { return without_spaces(take_until(line, '|')); };
  ClusterNode node;
  node.name = std::string(next());
  if (node.name.empty()) fail_at("sinfo", all, "no name");
  node.cpus =
      std::max<Count>(1, required(parse_count(next()), "sinfo", all, "no number of processors"));
  node.state = std::string(next());
  node.is_usable = is_usable_state(node.state);
  node.memory = parse_memory(next());
  node.gpus = parse_gpus(value_or_nothing(next()));
  node.features = split_list(value_or_nothing(next()));
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
  partition.qos = fields.value("QoS");
  return partition;
}

// Reservations of some days of the week count as daily.
Duration period_of(const std::string& flags) {
  const auto has = [&](const char* flag) { return flags.find(flag) != std::string::npos; };
  if (has("HOURLY")) return kHour;
  if (has("WEEKLY")) return 7 * kDay;
  return has("DAILY") || has("WEEKDAY") || has("WEEKEND") ? kDay : 0;
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
  reserved.period = period_of(reserved.flags);
  return reserved;
}

// "No reservations in the system".
bool says_none(std::string_view line) { return line.starts_with("No "); }

}  // namespace

// The reason, which may hold spaces and commas, holds no bar.
std::string job_format(std::string_view mark) {
  return std::string(mark) + "|%i|%T|%u|%P|%v|%D|%C|%N|%l|%Q|%V|%S|%e|%a|%q|%r|%j";
}

const char* const kNodeFormat = "%N|%c|%T|%m|%G|%f";

std::vector<ClusterJob> parse_jobs(std::string_view text, std::string_view mark) {
  const std::string beginning = std::string(mark) + "|";
  std::vector<ClusterJob> jobs;
  for_each_line(text, [&](std::string_view line) {
    if (line.starts_with(beginning)) {
      jobs.push_back(parse_job(line.substr(beginning.size())));
    } else if (!jobs.empty()) {
      jobs.back().name += " " + std::string(line);
    } else {
      fail_at("squeue", line, "no job");
    }
  });
  return jobs;
}

std::vector<ClusterNode> parse_nodes(std::string_view text) {
  std::vector<ClusterNode> nodes;
  std::map<std::string, std::size_t> places;
  for_each_line(text, [&](std::string_view line) {
    ClusterNode node = parse_node(line);
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
    // A site's own scripts may print before it.
    if (whole_number(number)) id = std::string(number);
  });
  return id;
}

bool says_away(std::string_view text) {
  return std::ranges::any_of(kAwayWords,
                             [&](std::string_view words) { return text.find(words) != text.npos; });
}

WaitsFor parse_reason(std::string_view reason) {
  const auto begins = [&](std::string_view words) { return reason.starts_with(words); };
  const auto has = [&](std::string_view words) { return reason.find(words) != reason.npos; };
  // After a crash of the controller, Slurm may hold a job that it thinks has run.
  if (has("requeued_held")) return WaitsFor::nothing;
  static constexpr std::array kTurns = std::to_array<std::string_view>(
      {"None", "Priority", "Resources", "ReqNodeNotAvail", "Nodes required"});
  if (reason.empty() || std::ranges::any_of(kTurns, begins)) return WaitsFor::nodes;
  static constexpr std::array kHelp = std::to_array<std::string_view>(
      {"JobHeld", "PartitionNodeLimit", "PartitionTimeLimit", "PartitionDown", "PartitionInactive",
       "BadConstraints", "AccountNotAllowed", "QOSNotAllowed", "InvalidAccount", "InvalidQOS"});
  return std::ranges::any_of(kHelp, has) ? WaitsFor::help : WaitsFor::condition;
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

}  // namespace dovetail::batch::slurm
