#include "batch/slurm/slurm_limits.hpp"

#include <algorithm>

namespace dovetail::batch::slurm {

namespace {

// What an association or a QOS says about the jobs of a scope.
struct ScopedCaps {
  const JobCaps* caps = nullptr;
  JobScope scope = {};
};

// What is said first counts.
void add_first(UserLimits& limits, const std::vector<ScopedCaps>& said) {
  const auto add = [&](std::optional<Count> JobCaps::*cap, std::vector<JobLimit>& to) {
    for (const ScopedCaps& one : said) {
      if (const std::optional<Count> most = one.caps->*cap) {
        to.push_back({*most, one.scope});
        return;
      }
    }
  };
  add(&JobCaps::submitted, limits.submitted);
  add(&JobCaps::running, limits.running);
}

// The one by which the job would run: one of its partition's own comes first.
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
  // Slurm's own name for the one of a new cluster, which users get unless they are told otherwise.
  return association->qos.size() == 1 ? association->qos.front() : "normal";
}

const Qos* qos_named(const std::vector<Qos>& all, const std::string& name) {
  const auto found = std::ranges::find(all, name, &Qos::name);
  return found == all.end() || name.empty() ? nullptr : &*found;
}

// A QOS that counts, and which jobs it counts: those that ask for it, or all of its partition.
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

JobScope for_user(JobScope scope, const std::string& user) {
  scope.user = user;
  return scope;
}

JobScope for_account(JobScope scope, const std::string& account) {
  scope.account = account;
  return scope;
}

}  // namespace

UserLimits limits_for(const JobTerms& terms, const std::vector<Association>& associations,
                      const std::vector<Qos>& all_qos) {
  const Association* association = association_for(terms, associations);
  std::vector<ScopedCaps> user;
  std::vector<ScopedCaps> account;
  std::vector<ScopedCaps> group;
  for (const auto& [qos, scope] : qos_for(terms, association, all_qos)) {
    user.push_back({&qos->user, for_user(scope, terms.user)});
    if (association != nullptr) {
      account.push_back({&qos->account, for_account(scope, association->account)});
    }
    group.push_back({&qos->group, scope});
  }
  if (association != nullptr) {
    user.push_back({&association->each,
                    {.user = terms.user,
                     .account = association->account,
                     .partition = association->partition}});
  }
  UserLimits limits;
  for (const auto* said : {&user, &account, &group}) add_first(limits, *said);
  return limits;
}

}  // namespace dovetail::batch::slurm
