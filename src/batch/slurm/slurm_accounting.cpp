#include "batch/slurm/slurm_accounting.hpp"

#include <algorithm>

#include "batch/slurm/slurm_lines.hpp"
#include "batch/slurm/slurm_text.hpp"

namespace dovetail::batch::slurm {

namespace {

// The fields of a line of --parsable2, one after the other; the last is what is left.
class BarredFields {
 public:
  explicit BarredFields(std::string_view line) : line_(line) {}

  bool has(std::ptrdiff_t count) const {
    return std::count(line_.begin(), line_.end(), '|') >= count - 1;
  }
  std::string_view next() { return without_spaces(take_until(line_, '|')); }
  std::string text() { return std::string(next()); }
  JobCaps caps() {
    JobCaps caps;
    caps.running = parse_count(next());
    caps.submitted = parse_count(next());
    return caps;
  }
  std::string_view rest() const { return line_; }

 private:
  std::string_view line_;
};

// "root", or "root(0)" of --completion.
std::string user_in(std::string_view text) { return std::string(text.substr(0, text.find('('))); }

std::optional<Job> parse_past_job(std::string_view line) {
  constexpr std::ptrdiff_t kFields = 12;
  BarredFields fields(line);
  if (!fields.has(kFields)) return {};
  Job job;
  job.id = fields.text();
  if (!whole_number(job.id.substr(0, job.id.find_first_of("_+")))) return {};
  job.state = parse_state(fields.next());
  job.user = user_in(fields.next());
  std::string_view partitions = fields.next();
  job.partitions = split_list(partitions);
  job.nodes = std::max<Count>(1, parse_count(fields.next()).value_or(1));
  job.cpus = std::max<Count>(1, parse_count(fields.next()).value_or(1));
  const std::string_view nodes = fields.next();
  if (nodes != "None assigned") job.node_names = parse_node_list(nodes).value_or(job.node_names);
  job.limit = parse_limit(fields.next()).value_or(kForever);
  job.submitted = parse_moment(fields.next()).value_or(0);
  job.start = parse_moment(fields.next());
  job.end = parse_moment(fields.next());
  job.name = std::string(fields.rest());
  return job;
}

}  // namespace

// The name, which may hold anything, comes last.
const char* const kPastJobFormat =
    "JobID,State,User,Partition,NNodes,NCPUS,NodeList,Timelimit,Submit,Start,End,JobName";
const char* const kAssociationFormat =
    "DefaultAccount,Cluster,Account,Partition,DefaultQOS,QOS,MaxJobs,MaxSubmit";
const char* const kQosFormat =
    "Name,Flags,MaxJobsPU,MaxSubmitPU,MaxJobsPA,MaxSubmitPA,GrpJobs,GrpSubmit";

std::vector<Job> parse_past_jobs(std::string_view text) {
  std::vector<Job> jobs;
  for_each_line(text, [&](std::string_view line) {
    if (std::optional<Job> job = parse_past_job(line)) jobs.push_back(std::move(*job));
  });
  return jobs;
}

std::optional<Job> find_past_job(const std::vector<Job>& jobs, std::string_view name) {
  const auto last =
      std::find_if(jobs.rbegin(), jobs.rend(), [&](const Job& job) { return job.name == name; });
  if (last == jobs.rend() || !is_over(last->state)) return {};
  return *last;
}

AccountingSettings parse_accounting_settings(std::string_view text) {
  AccountingSettings settings;
  for_each_line(text, [&](std::string_view line) {
    const std::string_view name = without_spaces(take_until(line, '='));
    const std::string value = value_or_nothing(without_spaces(line));
    if (name == "ClusterName") settings.cluster = value;
    if (name == "AccountingStorageType") {
      settings.has_database = value.ends_with("slurmdbd") || value.ends_with("mysql");
    }
    if (name == "AccountingStorageEnforce") {
      // "safe" is limits and more; it is printed with them, and "all" was, by old versions.
      const std::vector<std::string> words = split_list(value);
      settings.keeps_limits = std::any_of(words.begin(), words.end(), [](const std::string& word) {
        return word == "limits" || word == "safe" || word == "all";
      });
    }
  });
  return settings;
}

std::vector<Association> parse_associations(std::string_view text) {
  constexpr std::ptrdiff_t kFields = 8;
  std::vector<Association> associations;
  for_each_line(text, [&](std::string_view line) {
    BarredFields fields(line);
    if (!fields.has(kFields)) return;
    Association& made = associations.emplace_back();
    made.default_account = fields.text();
    made.cluster = fields.text();
    made.account = fields.text();
    made.partition = fields.text();
    made.default_qos = fields.text();
    made.qos = split_list(fields.next());
    made.each = fields.caps();
  });
  return associations;
}

std::vector<Qos> parse_qos(std::string_view text) {
  constexpr std::ptrdiff_t kFields = 8;
  std::vector<Qos> all;
  for_each_line(text, [&](std::string_view line) {
    BarredFields fields(line);
    if (!fields.has(kFields)) return;
    Qos& made = all.emplace_back();
    made.name = fields.text();
    const std::vector<std::string> flags = split_list(fields.next());
    made.is_above_partition = std::find(flags.begin(), flags.end(), "OverPartQOS") != flags.end();
    made.user = fields.caps();
    made.account = fields.caps();
    made.group = fields.caps();
  });
  return all;
}

}  // namespace dovetail::batch::slurm
