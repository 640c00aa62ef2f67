#include "batch/slurm/slurm_accounting.hpp"

#include <algorithm>

#include "batch/slurm/slurm_text.hpp"

namespace dovetail::batch::slurm {

namespace {

// The fields of a line of --parsable2, one after the other.
class BarredFields {
 public:
  explicit BarredFields(std::string_view line) : line_(line) {}

  std::ptrdiff_t count() const { return std::count(line_.begin(), line_.end(), '|') + 1; }
  std::string_view next() { return without_spaces(take_until(line_, '|')); }
  std::string text() { return std::string(next()); }
  JobCap cap() { return parse_count(next()); }
  std::string_view rest() const { return line_; }

 private:
  std::string_view line_;
};

// "root", or "root(0)" of --completion.
std::string user_in(std::string_view text) { return std::string(text.substr(0, text.find('('))); }

std::optional<ClusterJob> parse_past_job(std::string_view line) {
  constexpr std::ptrdiff_t kFields = 12;
  BarredFields fields(line);
  if (fields.count() < kFields) return {};
  ClusterJob job;
  job.id = fields.text();
  if (!whole_number(job.id.substr(0, job.id.find_first_of("_+")))) return {};
  job.state = parse_state(fields.next());
  job.user = user_in(fields.next());
  job.partitions = split_list(fields.next());
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

// The association of the job: the one for its partition comes first.
const Association* association_for(const JobTerms& terms,
                                   const std::vector<Association>& associations) {
  const Association* found = nullptr;
  for (const Association& one : associations) {
    const std::string& account = terms.account.empty() ? one.default_account : terms.account;
    if (one.account != account) continue;
    if (one.partition == terms.partition && !one.partition.empty()) return &one;
    if (one.partition.empty()) found = &one;
  }
  return found;
}

std::string qos_name_for(const JobTerms& terms, const Association* association) {
  if (!terms.qos.empty() || association == nullptr) return terms.qos;
  if (!association->default_qos.empty()) return association->default_qos;
  // Slurm's name for the QOS of a new cluster, which users have by default.
  return association->qos.size() == 1 ? association->qos.front() : "normal";
}

const Qos* qos_named(const std::vector<Qos>& all, const std::string& name) {
  const auto found = std::ranges::find(all, name, &Qos::name);
  return found == all.end() || name.empty() ? nullptr : &*found;
}

// A QOS, and the jobs that it counts: those that ask for it, or all of its partition.
struct CountingQos {
  const Qos* qos = nullptr;
  JobScope scope = {};
};

std::vector<CountingQos> qos_for(const JobTerms& terms, const Association* association,
                                 const std::vector<Qos>& all) {
  std::vector<CountingQos> found;
  if (const Qos* of_partition = qos_named(all, terms.partition_qos)) {
    found.push_back({of_partition, {.partition = terms.partition}});
  }
  if (const Qos* of_job = qos_named(all, qos_name_for(terms, association))) {
    const auto place = of_job->is_above_partition ? found.begin() : found.end();
    found.insert(place, {of_job, {.qos = of_job->name}});
  }
  return found;
}

}  // namespace

// The name, which may hold anything, comes last.
const char* const kPastJobFormat =
    "JobID,State,User,Partition,NNodes,NCPUS,NodeList,Timelimit,Submit,Start,End,JobName";
const char* const kAssociationFormat =
    "DefaultAccount,Cluster,Account,Partition,DefaultQOS,QOS,MaxSubmit";
const char* const kQosFormat = "Name,Flags,MaxSubmitPU,MaxSubmitPA,GrpSubmit";

std::vector<ClusterJob> parse_past_jobs(std::string_view text) {
  std::vector<ClusterJob> jobs;
  for_each_line(text, [&](std::string_view line) {
    if (std::optional<ClusterJob> job = parse_past_job(line)) jobs.push_back(std::move(*job));
  });
  return jobs;
}

std::optional<ClusterJob> find_past_job(const std::vector<ClusterJob>& jobs,
                                        std::string_view name) {
  const auto last = std::find_if(jobs.rbegin(), jobs.rend(),
                                 [&](const ClusterJob& job) { return job.name == name; });
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
      // "safe" means limits and more; old versions print "all".
      const std::vector<std::string> words = split_list(value);
      settings.keeps_limits = std::ranges::any_of(words, [](const std::string& word) {
        return word == "limits" || word == "safe" || word == "all";
      });
    }
  });
  return settings;
}

std::vector<Association> parse_associations(std::string_view text) {
  constexpr std::ptrdiff_t kFields = 7;
  std::vector<Association> associations;
  for_each_line(text, [&](std::string_view line) {
    BarredFields fields(line);
    if (fields.count() != kFields) return;
    Association& made = associations.emplace_back();
    made.default_account = fields.text();
    made.cluster = fields.text();
    made.account = fields.text();
    made.partition = fields.text();
    made.default_qos = fields.text();
    made.qos = split_list(fields.next());
    made.cap = fields.cap();
  });
  return associations;
}

std::vector<Qos> parse_qos(std::string_view text) {
  constexpr std::ptrdiff_t kFields = 5;
  std::vector<Qos> all;
  for_each_line(text, [&](std::string_view line) {
    BarredFields fields(line);
    if (fields.count() != kFields) return;
    Qos& made = all.emplace_back();
    made.name = fields.text();
    const std::vector<std::string> flags = split_list(fields.next());
    made.is_above_partition = std::ranges::find(flags, "OverPartQOS") != flags.end();
    made.user = fields.cap();
    made.account = fields.cap();
    made.group = fields.cap();
  });
  return all;
}

UserLimits limits_for(const JobTerms& terms, const std::vector<Association>& associations,
                      const std::vector<Qos>& all_qos) {
  const Association* association = association_for(terms, associations);
  // The first that is set counts.
  std::optional<JobLimit> user;
  std::optional<JobLimit> account;
  std::optional<JobLimit> group;
  const auto say = [](std::optional<JobLimit>& limit, const JobCap& cap, const JobScope& scope) {
    if (cap && !limit) limit = JobLimit{*cap, scope};
  };
  for (auto [qos, scope] : qos_for(terms, association, all_qos)) {
    say(group, qos->group, scope);
    scope.user = terms.user;
    say(user, qos->user, scope);
    if (association == nullptr) continue;
    scope.user.clear();
    scope.account = association->account;
    say(account, qos->account, scope);
  }
  if (association != nullptr) {
    say(user, association->cap, {terms.user, association->account, "", association->partition});
  }
  UserLimits limits;
  for (const auto& limit : {user, account, group}) {
    if (limit) limits.submitted.push_back(*limit);
  }
  return limits;
}

}  // namespace dovetail::batch::slurm
