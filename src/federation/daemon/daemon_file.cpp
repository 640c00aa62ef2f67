#include "federation/daemon/daemon_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

#include "batch/table.hpp"
#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "io/formats/ensemble_file.hpp"
#include "io/text.hpp"

namespace dovetail::federation {

namespace {

namespace fs = std::filesystem;
using io::Record;
using io::Value;

// Beside the names of batch systems.
constexpr std::array<std::string_view, 11> kDaemonKeys = {
    "processors",      "cores_per_node", "data", "folder", "node_multiples", "extra_size",
    "post_processors", "posts_at_once",  "disk", "quotas", "services"};
constexpr std::array<std::string_view, 8> kServiceKeys = {
    "parameters", "main", "post", "command", "times", "post_time", "tries", "watchdog"};
constexpr std::array<std::string_view, 5> kParameterKeys = {"number", "whole", "word", "choice",
                                                            "default"};

Json json_of_scalar(Value value) {
  const auto number = io::parse_number(value.text());
  return number ? Json(*number) : Json(std::string(value.text()));
}

class DaemonReader {
 public:
  explicit DaemonReader(const io::Document& document) : top_(document.root()) {}

  DaemonDescription read() {
    std::vector<std::string_view> keys(kDaemonKeys.begin(), kDaemonKeys.end());
    for (const batch::SystemInfo& system : batch::systems()) keys.push_back(system.name);
    top_.only(keys);
    read_cluster();
    read_rules();
    read_quotas();
    made_.data = fs::absolute(std::string(top_.text(top_.need("data")))).string();
    made_.folder = fs::absolute(top_.find_text("folder").value_or(".")).string();
    for (const Value service : mapping(top_, top_.need("services"))) {
      made_.services.push_back(read_service(service));
    }
    return std::move(made_);
  }

 private:
  static io::ItemRange mapping(const Record& record, Value field) {
    if (field.kind() != io::ValueKind::mapping)
      record.fail(field, "expected names and what they mean");
    return field.items();
  }

  void read_cluster() {
    for (const batch::SystemInfo& system : batch::systems()) {
      const auto found = top_.find(system.name);
      if (!found) continue;
      const Record record(*found, top_);
      record.only({"partition"});
      made_.system = system.name;
      made_.partition = record.find_text("partition").value_or("");
      if (const auto both = top_.find("processors")) {
        top_.fail(*both, fmt::format("{} says how many there are; leave it out beside {}",
                                     system.title, system.name));
      }
      return;
    }
    made_.processors = top_.count(top_.need("processors"), 1);
    made_.cores_per_node = top_.find_count("cores_per_node", 1).value_or(1);
  }

  void read_rules() {
    EnsembleRules& rules = made_.rules;
    if (const auto field = top_.find("node_multiples")) rules.node_multiples = top_.boolean(*field);
    rules.extra_size = top_.find_count("extra_size", 1).value_or(0);
    rules.post_processors = top_.find_count("post_processors", 0).value_or(0);
    made_.posts_at_once = top_.find_count("posts_at_once", 1).value_or(made_.posts_at_once);
    if (const auto field = top_.find("disk")) {
      rules.disk = io::read_disk(Record(*field, top_), false);
    }
  }

  void read_quotas() {
    const auto field = top_.find("quotas");
    if (!field) return;
    const Record record(*field, top_);
    record.only({"requests", "months", "megabytes"});
    ClientQuotas& quotas = made_.quotas;
    constexpr Count kMostQuota = 1'000'000'000;
    if (const auto requests = record.find_count("requests", 1, kMostQuota)) {
      quotas.requests = *requests;
    }
    if (const auto months = record.find_count("months", 1, kMostQuota)) quotas.months = *months;
    if (const auto megabytes = record.find_number("megabytes", 0.001, 1e6)) {
      quotas.bytes = static_cast<std::int64_t>(*megabytes * 1e6);
    }
  }

  Service read_service(Value value) {
    Record record(value, "service", made_.services.size());
    record.set_name(value.key());
    record.only(kServiceKeys);
    Service service{.name = std::string(value.key())};
    if (!is_word(service.name)) record.fail_at(record.line(), "not a name for a service");
    if (const auto parameters = record.find("parameters")) {
      for (const Value parameter : mapping(record, *parameters)) {
        service.parameters.push_back(read_parameter(record, parameter));
      }
    }
    read_templates(record, service);
    service.tries = record.find_count("tries", 1, 100).value_or(service.tries);
    service.watchdog = record.find_number("watchdog", 1, 1000).value_or(service.watchdog);
    if (!service.main.empty()) read_times(record, service);
    return service;
  }

  void read_templates(const Record& record, Service& service) {
    const auto read = [&](const char* key, Arguments& words, auto& built_in) {
      const auto field = record.find(key);
      if (!field) return;
      for (const Value word : record.list(*field)) words.emplace_back(record.text(word));
      if (words.empty()) record.fail(*field, "expected a program and its arguments");
      check_template(record, *field, service, words, built_in);
    };
    read("main", service.main, kMonthWords);
    read("post", service.post, kMonthWords);
    read("command", service.command, kTaskWords);
    if (service.main.empty() == service.command.empty()) {
      record.fail_at(record.line(),
                     "expected either main, for the months of ensembles, or command, for tasks");
    }
  }

  template <typename Words>
  static void check_template(const Record& record, Value field, const Service& service,
                             const Arguments& words, const Words& built_in) {
    std::set<std::string, std::less<>> known(std::begin(built_in), std::end(built_in));
    for (const Parameter& parameter : service.parameters) known.insert(parameter.name);
    for (const std::string& word : words) {
      std::vector<std::string> used;
      try {
        used = placeholders(word);
      } catch (const InputError& error) {
        record.fail(field, error.what());
      }
      for (const std::string& name : used) {
        if (known.contains(name)) continue;
        record.fail(field,
                    fmt::format("there is no {{{}}}; there are {}", name, fmt::join(known, ", ")));
      }
    }
  }

  static Parameter read_parameter(const Record& service, Value value) {
    const Record record(value, service);
    record.only(kParameterKeys);
    Parameter parameter{.name = std::string(value.key())};
    int kinds = 0;
    for (const bool is_whole : {false, true}) {
      const auto field = record.find(is_whole ? "whole" : "number");
      if (!field) continue;
      ++kinds;
      parameter.kind = is_whole ? Parameter::Kind::whole : Parameter::Kind::number;
      std::vector<double> bounds;
      for (const Value bound : record.list(*field)) {
        bounds.push_back(record.number(bound, -1e15, 1e15));
      }
      if (bounds.size() != 2 || bounds[0] > bounds[1]) {
        record.fail(*field, "expected the least and the largest, such as [0, 1]");
      }
      parameter.low = bounds[0];
      parameter.high = bounds[1];
    }
    if (const auto word = record.find("word")) {
      ++kinds;
      parameter.kind = Parameter::Kind::word;
      parameter.pattern = record.text(*word);
      try {
        const std::regex pattern(parameter.pattern);
      } catch (const std::regex_error&) {
        record.fail(*word, "not a regular expression");
      }
    }
    if (const auto choice = record.find("choice")) {
      ++kinds;
      parameter.kind = Parameter::Kind::choice;
      for (const Value one : record.list(*choice)) parameter.choices.emplace_back(record.text(one));
    }
    if (kinds != 1) {
      record.fail_at(value.line(), fmt::format("parameter {}: expected one of number, whole, word "
                                               "and choice",
                                               parameter.name));
    }
    if (const auto otherwise = record.find("default")) {
      try {
        parameter.otherwise = check_parameter(parameter, json_of_scalar(*otherwise));
      } catch (const Refusal& refusal) {
        record.fail(*otherwise, refusal.what());
      }
    }
    return parameter;
  }

  void read_times(const Record& record, Service& service) {
    const Value times = record.need("times");
    for (const Value time : mapping(record, times)) {
      const auto procs = io::parse_processors(time.key());
      if (!procs) record.fail(times, "expected processors and seconds, such as 4: 80");
      service.times.main.push_back({*procs, io::milliseconds_up(record.duration(time))});
    }
    std::ranges::sort(service.times.main, {}, &GroupTime::procs);
    service.times.post = 0;
    if (!service.post.empty()) {
      service.times.post = io::milliseconds_up(record.duration(record.need("post_time")));
    }
    const std::string fault = find_fault(service.times);
    if (!fault.empty()) record.fail(times, fault);
  }

  Record top_;
  DaemonDescription made_;
};

void require_data_folder(const std::string& data) {
  std::error_code error;
  fs::create_directories(data, error);
  if (error) throw InputError(fmt::format("data: {}: cannot be made: {}", data, error.message()));
  // Rights are not all: the file system may be read-only.
  std::string probe = data + "/.dovetail-XXXXXX";
  const int file = mkstemp(probe.data());
  if (file < 0) {
    throw InputError(fmt::format("data: {}: cannot be written: {}", data, std::strerror(errno)));
  }
  close(file);
  unlink(probe.c_str());
}

bool is_program(const std::string& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

bool is_in_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (is_program(folder + "/" + program)) return true;
  }
  return false;
}

// Empty when there is nothing to say.
std::string doubt_of(const Arguments& words) {
  if (words.empty() || words.front().find('{') != std::string::npos) return {};
  const std::string& program = words.front();
  if (program.find('/') == std::string::npos) {
    return is_in_path(program) ? "" : program + ": not found in PATH";
  }
  if (program.front() != '/') {
    return program + ": begins in the folder of each month; name it by its full path";
  }
  return is_program(program) ? "" : program + ": no such program";
}

}  // namespace

const Service* DaemonDescription::find(std::string_view service) const {
  const auto found = std::ranges::find(services, service, &Service::name);
  return found == services.end() ? nullptr : &*found;
}

std::string DaemonDescription::ensemble_services() const {
  std::vector<std::string> names;
  for (const Service& service : services) {
    if (!service.main.empty()) names.push_back(service.name);
  }
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

DaemonDescription parse_daemon(std::string_view text, const std::string& file) {
  const io::Document document = io::parse_document(text, file);
  return DaemonReader(document).read();
}

DaemonDescription read_daemon(const std::string& path) {
  return parse_daemon(read_file(path), path);
}

void require_usable(const DaemonDescription& description) {
  require_data_folder(description.data);
  for (const Service& service : description.services) {
    if (service.main.empty() || service.times.main.front().procs <= description.processors) {
      continue;
    }
    throw InputError(
        fmt::format("service {}: times: the smallest group has {} processors, and the cluster {}",
                    service.name, service.times.main.front().procs, description.processors));
  }
}

std::vector<std::string> doubts_of(const DaemonDescription& description) {
  std::vector<std::string> doubts;
  for (const Service& service : description.services) {
    const auto add = [&](const std::string& doubt) {
      if (!doubt.empty()) doubts.push_back(fmt::format("service {}: {}", service.name, doubt));
    };
    add(doubt_of(service.main));
    add(doubt_of(service.post));
    if (!service.command.empty() && service.command.front().front() != '.') {
      add(doubt_of(service.command));
    }
    if (service.main.empty()) continue;
    const Count largest = service.times.main.back().procs;
    if (largest > description.processors) {
      add(fmt::format("times: a group of {} processors never fits into {}", largest,
                      description.processors));
    }
  }
  return doubts;
}

}  // namespace dovetail::federation
