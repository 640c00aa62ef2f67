#include "batch/pilot/pilot_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <unordered_map>

#include "batch/pilot/pilot_tasks.hpp"
#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "run/local/descriptor.hpp"
#include "run/local/wire.hpp"

namespace dovetail::batch {

namespace {

namespace fs = std::filesystem;
using run::Json;

std::string folder_path(const run::RunFolder& folder) {
  return fs::path(folder.description()).parent_path().string();
}

std::string pilot_path(const run::RunFolder& folder, std::uint32_t pilot, const char* ending) {
  return folder_path(folder) + "/pilots/" + std::to_string(pilot) + ending;
}

std::string done_folder(const run::RunFolder& folder) { return folder_path(folder) + "/done"; }

void make_parent(const std::string& file) {
  std::error_code error;
  const fs::path parent = fs::path(file).parent_path();
  if (!parent.empty()) fs::create_directories(parent, error);
  if (error) {
    throw ExecutionError(parent.string() + ": cannot be written: " + error.message());
  }
}

// How the line of a task begins, by which it is found.
std::string head_of(std::uint32_t task) { return "{\"task\":" + std::to_string(task) + ","; }

Json json_of_demand(const NodeDemand& demand) {
  Json json = {{"nodes", demand.nodes}, {"cores", demand.cores}};
  if (demand.memory > 0) json["memory"] = demand.memory;
  if (demand.gpus > 0) json["gpus"] = demand.gpus;
  if (demand.is_whole) json["whole"] = true;
  return json;
}

NodeDemand demand_of_json(const Json& json) {
  return {.nodes = json.at("nodes"),
          .cores = json.at("cores"),
          .memory = json.value("memory", Bytes{0}),
          .gpus = json.value("gpus", Count{0}),
          .is_whole = json.value("whole", false)};
}

// The number comes first, as in the head of its line.
Json json_of_task(const PilotTask& task) {
  Json json = run::json_of(task.command);
  json["name"] = task.command.name;
  json["processors"] = task.command.processors;
  json["expected"] = task.command.expected;
  json["demand"] = json_of_demand(task.demand);
  json["after"] = task.after;
  json["inputs"] = task.inputs;
  return json;
}

// `node`: what a task without a demand takes, of an order that an earlier Dovetail wrote.
PilotTask task_of_json(const Json& json, const NodeType& node) {
  PilotTask task;
  task.command = run::command_from(json);
  json.at("name").get_to(task.command.name);
  json.at("processors").get_to(task.command.processors);
  json.at("expected").get_to(task.command.expected);
  json.at("after").get_to(task.after);
  json.at("inputs").get_to(task.inputs);
  task.demand = json.contains("demand") ? demand_of_json(json.at("demand")) : whole_node(node);
  return task;
}

Json head_json(const PilotOrder& order) {
  Json json = {{"job_name", order.job_name}, {"pilot", order.pilot},
               {"nodes", order.nodes},       {"cores_per_node", order.node.cores},
               {"request", order.request},   {"picks_longest", order.picks_longest},
               {"spreads", order.spreads}};
  if (order.node.memory > 0) json["memory_per_node"] = order.node.memory;
  if (order.node.gpus > 0) json["gpus_per_node"] = order.node.gpus;
  if (order.until) json["until"] = *order.until;
  return json;
}

PilotOrder order_of_head(const Json& json) {
  PilotOrder order;
  json.at("job_name").get_to(order.job_name);
  json.at("pilot").get_to(order.pilot);
  json.at("nodes").get_to(order.nodes);
  json.at("cores_per_node").get_to(order.node.cores);
  order.node.memory = json.value("memory_per_node", Bytes{0});
  order.node.gpus = json.value("gpus_per_node", Count{0});
  json.at("request").get_to(order.request);
  json.at("picks_longest").get_to(order.picks_longest);
  json.at("spreads").get_to(order.spreads);
  if (json.contains("until")) order.until = json.at("until").get<WallTime>();
  return order;
}

std::string text_of_order(const std::string& file) {
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  if (stream) text << stream.rdbuf();
  if (!stream || stream.bad()) {
    throw ExecutionError(file + ": cannot be read: " + std::strerror(errno));
  }
  return text.str();
}

// What can be made of the text of an order by `parse`.
template <typename Parse>
PilotOrder parse_order(const std::string& file, Parse parse) {
  try {
    return parse();
  } catch (const Json::exception& error) {
    throw InputError(file, 0, std::string("is not an order for a job: ") + error.what());
  }
}

bool fits(const NodeDemand& demand, const NodeType& node) {
  const bool takes_sense = demand.nodes >= 1 && demand.cores >= 1 && demand.memory >= 0 &&
                           demand.gpus >= 0 && node.memory >= 0;
  const bool has_memory = node.memory == 0 || demand.memory <= node.memory;
  return takes_sense && demand.cores <= node.cores && has_memory && demand.gpus <= node.gpus;
}

void require_sense(const std::string& file, const PilotOrder& order) {
  std::set<std::uint32_t> seen;
  for (const PilotTask& task : order.tasks) {
    const std::string name = "task " + std::to_string(task.command.task);
    if (!seen.insert(task.command.task).second) throw InputError(file, 0, name + " is in it twice");
    if (!fits(task.demand, order.node)) {
      throw InputError(file, 0, name + " takes more than a node has, or nothing");
    }
  }
  if (has_circle(order)) {
    throw InputError(file, 0, "tasks come after one another in a circle");
  }
}

// What the step wrote on its node about an attempt that has begun.
std::optional<PilotReport::EndedTask> end_on_node(const PilotTask& task) {
  const auto attempt = run::read_attempt(task.command.attempt_file);
  if (!attempt.end) return std::nullopt;
  PilotReport::EndedTask end{
      .task = task.command.task, .attempt = task.command.attempt, .end = *attempt.end};
  if (end.end.is_success()) end.missing = missing_output(task);
  return end;
}

// Adds ends that the pilot did not write down, and corrects those that it took for not started
// because the step's file came late.
void add_known_ends(const PilotOrder& order, PilotReport& report) {
  std::unordered_map<std::uint32_t, const PilotTask*> tasks;
  for (const PilotTask& task : order.tasks) tasks.emplace(task.command.task, &task);
  report.ends.reserve(report.ends.size() + report.starts.size());  // pointers stay valid
  std::unordered_map<std::uint32_t, PilotReport::EndedTask*> ends;
  for (PilotReport::EndedTask& end : report.ends) ends.emplace(end.task, &end);
  for (const PilotReport::BegunTask& start : report.starts) {
    const auto task = tasks.find(start.task);
    const auto known = ends.find(start.task);
    const bool is_sure =
        known != ends.end() && known->second->end.cause != run::AttemptEnd::Cause::not_started;
    if (task == tasks.end() || is_sure) continue;
    auto end = end_on_node(*task->second);
    if (!end) continue;
    if (known != ends.end()) {
      *known->second = std::move(*end);
    } else {
      report.ends.push_back(std::move(*end));
    }
  }
}

// Lists beside each other: nodes, and the numbers that the task has on each. Of an earlier Dovetail
// one node.
std::vector<NodeShare> shares_of_json(const Json& entry) {
  if (entry.contains("node")) return {{.node = entry.at("node").get<std::string>()}};
  using Numbers = std::vector<std::vector<int>>;
  const auto cores = entry.value("cores", Numbers());
  const auto gpus = entry.value("gpus", Numbers());
  std::vector<NodeShare> shares;
  for (const Json& node : entry.at("nodes")) {
    const std::size_t i = shares.size();
    NodeShare& share = shares.emplace_back(NodeShare{.node = node.get<std::string>()});
    if (i < cores.size()) share.cores = cores[i];
    if (i < gpus.size()) share.gpus = gpus[i];
  }
  return shares;
}

void add_entry(const Json& entry, PilotReport& report) {
  const std::string what = entry.at("what").get<std::string>();
  if (what == "begin") {
    entry.at("job").get_to(report.job_id);
    entry.at("nodes").get_to(report.nodes);
    report.began = entry.at("time").get<WallTime>();
  } else if (what == "start") {
    report.starts.push_back({.task = entry.at("task").get<std::uint32_t>(),
                             .attempt = entry.at("attempt").get<std::uint32_t>(),
                             .on = shares_of_json(entry),
                             .time = entry.at("time").get<WallTime>()});
  } else if (what == "end") {
    const auto end = run::end_of(entry);
    if (!end) return;  // the attempt's own file may have it
    report.ends.push_back({.task = entry.at("task").get<std::uint32_t>(),
                           .attempt = entry.at("attempt").get<std::uint32_t>(),
                           .end = *end,
                           .missing = entry.value("missing", "")});
  } else if (what == "over") {
    entry.at("why").get_to(report.over);
  }
}

}  // namespace

const PilotTask* PilotOrder::find(std::uint32_t task) const {
  const auto found =
      std::ranges::find(tasks, task, [](const PilotTask& other) { return other.command.task; });
  return found == tasks.end() ? nullptr : &*found;
}

NodeDemand whole_node(const NodeType& node) {
  return {.cores = node.cores, .memory = node.memory, .gpus = node.gpus, .is_whole = true};
}

void write_order(const std::string& file, const PilotOrder& order) {
  make_parent(file);
  try {
    std::string text = head_json(order).dump();
    text.pop_back();
    text += ",\"tasks\":[\n";
    for (const PilotTask& task : order.tasks) {
      if (&task != &order.tasks.front()) text += ",\n";
      text += json_of_task(task).dump();
    }
    write_file(file, text + "\n]}\n");
  } catch (const Json::exception& error) {
    throw ExecutionError(file + ": cannot be written: " + error.what());
  }
}

PilotOrder read_order(const std::string& file) {
  const std::string text = text_of_order(file);
  PilotOrder order = parse_order(file, [&] {
    const Json json = Json::parse(text);
    PilotOrder read = order_of_head(json);
    for (const Json& task : json.at("tasks")) {
      read.tasks.push_back(task_of_json(task, read.node));
    }
    return read;
  });
  require_sense(file, order);
  return order;
}

PilotOrder read_order(const std::string& file, std::uint32_t only) {
  const std::string text = text_of_order(file);
  const auto begin = text.find("\n" + head_of(only));
  if (begin == std::string::npos) {
    PilotOrder whole = read_order(file);  // not one of our lines: says what is wrong, or finds it
    std::erase_if(whole.tasks, [&](const PilotTask& task) { return task.command.task != only; });
    if (!whole.tasks.empty()) return whole;
    throw InputError(file, 0, "there is no task " + std::to_string(only) + " in it");
  }
  return parse_order(file, [&] {
    std::string head = text.substr(0, text.find('\n'));
    std::string line = text.substr(begin + 1, text.find('\n', begin + 1) - begin - 1);
    if (line.back() == ',') line.pop_back();
    PilotOrder order = order_of_head(Json::parse(head + "]}"));
    order.tasks.push_back(task_of_json(Json::parse(line), order.node));
    return order;
  });
}

run::RunFolder folder_of_order(const std::string& file) {
  std::error_code error;
  const fs::path run = fs::weakly_canonical(fs::absolute(file), error).parent_path().parent_path();
  if (error || run.parent_path().filename() != "runs") {
    throw InputError(file, 0, "is not in the folder of a run");
  }
  return run::RunFolder::open(run.parent_path().parent_path().string(), run.filename().string());
}

std::string order_file(const run::RunFolder& folder, std::uint32_t pilot) {
  return pilot_path(folder, pilot, ".json");
}

std::string script_file(const run::RunFolder& folder, std::uint32_t pilot) {
  return pilot_path(folder, pilot, ".sbatch");
}

std::string report_file(const run::RunFolder& folder, std::uint32_t pilot) {
  return pilot_path(folder, pilot, ".ndjson");
}

std::string output_file(const run::RunFolder& folder, std::uint32_t pilot) {
  return pilot_path(folder, pilot, ".out");
}

std::string done_file(const run::RunFolder& folder, std::uint32_t task) {
  return done_folder(folder) + "/" + std::to_string(task);
}

bool claim_order(const run::RunFolder& folder, std::uint32_t pilot) {
  const std::string file = report_file(folder, pilot);
  const run::Descriptor claimed(open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (claimed.is_open()) return true;
  if (errno == EEXIST) return false;
  throw ExecutionError(file + ": cannot be written: " + std::strerror(errno));
}

std::string inputs_file(const std::string& attempt_file) { return attempt_file + ".inputs"; }

void mark_done(const run::RunFolder& folder, std::uint32_t task) {
  const std::string path = done_file(folder, task);
  const auto create = [&] {
    return run::Descriptor(open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600)).is_open();
  };
  if (create()) return;
  if (errno == ENOENT) make_parent(path);
  if (!create()) throw ExecutionError(path + ": cannot be written: " + std::strerror(errno));
}

std::vector<std::uint32_t> marked_done(const run::RunFolder& folder,
                                       const std::vector<std::uint32_t>& tasks) {
  // Opening the folder makes a network file system look for what is new in it.
  const run::Descriptor done(open(done_folder(folder).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  std::vector<std::uint32_t> found;
  if (!done.is_open()) return found;
  for (const std::uint32_t task : tasks) {
    if (faccessat(done.get(), std::to_string(task).c_str(), F_OK, 0) == 0) found.push_back(task);
  }
  return found;
}

std::string missing_output(const PilotTask& task) {
  for (const std::string& output : task.command.outputs) {
    std::error_code error;
    const bool is_there = fs::exists(fs::path(task.command.folder) / output, error);
    if (!is_there && !error) return output;  // what cannot be looked at is not called missing
  }
  return {};
}

Json begin_entry(const std::string& job_id, const std::vector<std::string>& nodes) {
  return {{"what", "begin"}, {"time", run::wall_now()}, {"job", job_id}, {"nodes", nodes}};
}

Json entry_of(const PilotReport::BegunTask& start) {
  Json entry = {
      {"what", "start"}, {"time", start.time}, {"task", start.task}, {"attempt", start.attempt}};
  bool has_gpus = false;
  for (const NodeShare& share : start.on) {
    entry["nodes"].push_back(share.node);
    entry["cores"].push_back(share.cores);
    has_gpus = has_gpus || !share.gpus.empty();
  }
  for (const NodeShare& share : start.on) {
    if (has_gpus) entry["gpus"].push_back(share.gpus);
  }
  return entry;
}

Json entry_of(const PilotReport::EndedTask& end) {
  Json entry = {
      {"what", "end"}, {"time", run::wall_now()}, {"task", end.task}, {"attempt", end.attempt}};
  entry.update(run::json_of(end.end));
  if (!end.missing.empty()) entry["missing"] = end.missing;
  return entry;
}

Json over_entry(const std::string& why) {
  return {{"what", "over"}, {"time", run::wall_now()}, {"why", why}};
}

PilotReport read_report(const run::RunFolder& folder, const PilotOrder& order) {
  const std::string file = report_file(folder, order.pilot);
  PilotReport report;
  std::error_code error;
  if (!fs::exists(file, error)) return report;
  try {
    run::read_journal(file, [&](const Json& entry) { add_entry(entry, report); });
  } catch (const InputError&) {
    // A network file system may show the length of a line before its content. The rest is there
    // the next time, and what counts most is in the attempt files.
  }
  add_known_ends(order, report);
  return report;
}

}  // namespace dovetail::batch
