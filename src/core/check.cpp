#include "dovetail/check.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

#include "core/check_nodes.hpp"
#include "dovetail/critical.hpp"
#include "dovetail/error.hpp"
#include "dovetail/fairness.hpp"
#include "dovetail/metrics.hpp"

namespace dovetail {

namespace {

std::string processors(Count count) {
  return std::to_string(count) + (count == 1 ? " processor" : " processors");
}

class Judge {
 public:
  Judge(const Problem& problem, const Plan& plan, std::size_t limit)
      : problem_(problem), plan_(plan), limit_(limit) {}

  std::vector<std::string> judge() {
    if (plan_.now != problem_.now()) {
      report("the plan was made at " + moment(plan_.now) + ", but now is " +
             moment(problem_.now()));
    }
    if (!plan_.feasible) {
      if (!plan_.placements.empty()) report("an infeasible plan has tasks");
      return std::move(violations_);
    }
    check_completeness();
    for (const Placement& placement : plan_.placements) check_placement(placement);
    check_deadline(plan_.deadline);
    if (problem_.deadline() != plan_.deadline) check_deadline(problem_.deadline());
    check_order();
    for (std::size_t i = 0; i < problem_.platform().clusters().size(); ++i) check_capacity(i);
    check_nodes(problem_, plan_, [&](std::string violation) { report(std::move(violation)); });
    return std::move(violations_);
  }

 private:
  void report(std::string violation) {
    if (violations_.size() < limit_) violations_.push_back(std::move(violation));
  }

  std::string moment(Time time) const {
    return format_clock(time, problem_.platform().wall_clock());
  }

  std::string name(std::size_t workflow, TaskId task) const {
    const Workflow& flow = problem_.workflows()[workflow];
    const std::string id = "task \"" + std::string(flow.id(task)) + "\"";
    return problem_.workflows().size() == 1 ? id : id + " of \"" + flow.name() + "\"";
  }
  std::string name(const Placement& placement) const {
    return name(placement.workflow, placement.task);
  }

  // Every task appears exactly once. Also records where each is placed.
  void check_completeness() {
    for (const Workflow& workflow : problem_.workflows()) {
      at_.emplace_back(workflow.size(), nullptr);
    }
    for (const Placement& placement : plan_.placements) {
      const Placement*& place = at_[placement.workflow][placement.task];
      if (place != nullptr) report(name(placement) + " is planned twice");
      place = &placement;
    }
    for (std::size_t w = 0; w < at_.size(); ++w) {
      for (TaskId task = 0; task < at_[w].size(); ++task) {
        if (at_[w][task] == nullptr) report(name(w, task) + " is not planned");
      }
    }
  }

  void check_placement(const Placement& placement) {
    if (placement.start < problem_.now()) {
      report(name(placement) + " starts at " + moment(placement.start) + ", before now");
    } else if (placement.start < problem_.ready(placement.workflow)) {
      report(name(placement) + " starts at " + moment(placement.start) +
             ", before its workflow is ready");
    } else if (placement.start < problem_.release(placement.workflow, placement.task)) {
      report(name(placement) + " starts at " + moment(placement.start) +
             ", before what it needs from outside is there");
    }
    const Cluster& cluster = problem_.platform().clusters()[placement.cluster];
    if (!problem_.allows(placement.workflow, placement.task, placement.cluster, placement.procs)) {
      report(name(placement) + " may not run on " + processors(placement.procs) + " of cluster \"" +
             cluster.name + "\"");
      return;
    }
    const Duration needed = problem_.time(placement.workflow, placement.task, placement.cluster)
                                .duration(placement.procs);
    if (placement.end <= placement.start) {
      report(name(placement) + " ends at " + moment(placement.end) + ", before it starts");
    } else if (placement.end - placement.start != needed) {
      report(name(placement) + " needs " + format_seconds(needed) + " s on " +
             processors(placement.procs) + ", but is planned for " +
             format_seconds(placement.end - placement.start) + " s");
    }
  }

  // Reports one sentence, however many tasks are late.
  void check_deadline(std::optional<Time> deadline) {
    if (!deadline) return;
    const Placement* last = nullptr;
    std::size_t late = 0;
    for (const Placement& placement : plan_.placements) {
      if (placement.end <= *deadline) continue;
      ++late;
      if (last == nullptr || placement.end > last->end) last = &placement;
    }
    if (last == nullptr) return;
    std::string sentence =
        name(*last) + " ends at " + moment(last->end) + ", after the deadline " + moment(*deadline);
    if (late > 1) sentence += ", and " + std::to_string(late - 1) + " more end late";
    report(std::move(sentence));
  }

  void check_order() {
    for (const Placement& placement : plan_.placements) {
      const Workflow& workflow = problem_.workflows()[placement.workflow];
      const auto before = workflow.predecessors(placement.task);
      const auto transfers = workflow.transfers_in(placement.task);
      for (std::size_t i = 0; i < before.size(); ++i) {
        const Placement* input = at_[placement.workflow][before[i]];
        if (input == nullptr) continue;
        const bool moved = input->cluster != placement.cluster && !transfers.empty();
        const Time arrives = moved ? sent(*input, placement) + transfers[i] : input->end;
        if (placement.start < arrives) {
          report(name(placement) + " starts at " + moment(placement.start) +
                 ", but its input from " + name(*input) + " is there only at " + moment(arrives));
        }
      }
    }
  }

  // When the output of a task was sent to where another one runs: at the task's end or, if the plan
  // changed on the way, as soon as a version in force wanted it there.
  Time sent(const Placement& input, const Placement& to) const {
    if (plan_.versions.empty()) return input.end;
    const auto number = static_cast<std::size_t>(&to - plan_.placements.data());
    for (std::size_t i = 0; i < plan_.versions.size(); ++i) {
      const PlanVersion& version = plan_.versions[i];
      if (version.clusters[number] != to.cluster) continue;
      const bool is_last = i + 1 == plan_.versions.size();
      const Time leaves = std::max(version.time, input.end);
      if (is_last || leaves <= plan_.versions[i + 1].time) return leaves;
    }
    return kForever;
  }

  // Counts processors at every instant at which something begins or ends.
  void check_capacity(std::size_t number) {
    struct CapacityEvent {
      Time at;
      std::int64_t change;
      const Placement* begins;  // a task of the plan, to name it
    };
    const Cluster& cluster = problem_.platform().clusters()[number];
    std::vector<CapacityEvent> events;
    for (const Reservation& reservation : cluster.reservations) {
      if (reservation.end <= problem_.now()) continue;
      events.push_back({reservation.start, reservation.procs, nullptr});
      events.push_back({reservation.end, -std::int64_t{reservation.procs}, nullptr});
    }
    for (const Placement& placement : plan_.placements) {
      if (placement.cluster != number || placement.end <= placement.start) continue;
      if (placement.start < cluster.joins || placement.end > cluster.leaves) {
        report(name(placement) + " runs while cluster \"" + cluster.name + "\" is not there");
      }
      events.push_back({placement.start, placement.procs, &placement});
      events.push_back({placement.end, -std::int64_t{placement.procs}, nullptr});
    }
    // At the same instant, ends come before starts.
    std::ranges::sort(events, {}, [](const CapacityEvent& event) {
      return std::pair(event.at, event.change > 0);
    });
    std::int64_t taken = 0;
    for (const CapacityEvent& event : events) {
      taken += event.change;
      if (taken > cluster.processors && event.change > 0) {
        report("at " + moment(event.at) + " cluster \"" + cluster.name + "\" needs " +
               std::to_string(taken) + " of " + std::to_string(cluster.processors) + " processors" +
               (event.begins != nullptr ? ", when " + name(*event.begins) + " starts" : ""));
      }
    }
  }

  const Problem& problem_;
  const Plan& plan_;
  std::size_t limit_;
  std::vector<std::string> violations_;
  std::vector<std::vector<const Placement*>> at_;
};

// The points in which the plan's own summary contradicts its tasks.
std::vector<std::string> check_summary(const Problem& problem, const PlanRecord& record,
                                       const Plan& plan) {
  std::vector<std::string> violations;
  for (const auto& [what, value] :
       {std::pair{"makespan", record.makespan}, std::pair{"turn-around", record.turnaround}}) {
    if (value == makespan(plan)) continue;
    violations.push_back("the plan says that its " + std::string(what) + " is " +
                         format_seconds(value) + " s, but its tasks take " +
                         format_seconds(makespan(plan)) + " s");
  }
  const double hours = cpu_hours(plan);
  if (!(std::abs(record.cpu_hours - hours) <= 1e-6 * std::max(1.0, hours))) {
    violations.push_back("the plan says that it uses " + std::to_string(record.cpu_hours) +
                         " CPU-hours, but its tasks use " + std::to_string(hours));
  }
  for (std::size_t i = 0; i < problem.workflows().size(); ++i) {
    const std::string& name = problem.workflows()[i].name();
    const auto summary = std::ranges::find(record.workflows, name, &WorkflowRecord::name);
    if (summary == record.workflows.end()) {
      violations.push_back("the plan's summary does not have workflow \"" + name + "\"");
    } else if (summary->makespan != makespan(problem, plan, i)) {
      violations.push_back("the plan says that workflow \"" + name + "\" takes " +
                           format_seconds(summary->makespan) + " s, but its tasks take " +
                           format_seconds(makespan(problem, plan, i)) + " s");
    }
  }
  return violations;
}

// How the recorded clusters differ from those given, in the time that the plan and the runs that
// were cut short take. A plan need not have any.
std::vector<std::string> check_clusters(const Problem& problem, const PlanRecord& record,
                                        const Plan& plan) {
  if (record.clusters.empty()) return {};
  std::vector<std::string> violations;
  Time until = plan.now + std::max<Duration>(makespan(plan), 1);
  for (const TaskRecord& run : record.lost) until = std::max(until, run.end);
  const auto key = [](const Reservation& r) { return std::tuple(r.start, r.end, r.procs); };
  for (const Cluster& cluster : problem.platform().clusters()) {
    const std::string name = "cluster \"" + cluster.name + "\"";
    const auto told = std::ranges::find(record.clusters, cluster.name, &ClusterRecord::name);
    if (told == record.clusters.end()) {
      violations.push_back("clusters: the plan does not have " + name);
      continue;
    }
    if (told->processors != cluster.processors) {
      violations.push_back("clusters: the plan says that " + name + " has " +
                           processors(told->processors) + ", but it has " +
                           std::to_string(cluster.processors));
    }
    std::vector<Reservation> booked;
    std::ranges::copy_if(cluster.reservations, std::back_inserter(booked),
                         [&](const auto& r) { return r.end > plan.now && r.start < until; });
    auto shown = told->reservations;
    std::ranges::sort(booked, {}, key);
    std::ranges::sort(shown, {}, key);
    if (!std::ranges::equal(booked, shown, {}, key, key)) {
      violations.push_back("clusters: the plan shows other reservations of " + name +
                           " than it has while the plan runs");
    }
  }
  if (record.clusters.size() > problem.platform().clusters().size()) {
    violations.push_back("clusters: the plan shows more clusters than are given");
  }
  return violations;
}

// Whether exactly the tasks of the critical chain are marked. A plan need not mark any.
std::vector<std::string> check_chain(const Problem& problem, const PlanRecord& record,
                                     const Plan& plan) {
  const auto is_marked = [](const TaskRecord& task) { return task.critical; };
  if (std::ranges::none_of(record.tasks, is_marked)) return {};
  std::set<std::pair<std::string_view, std::string_view>> chain;
  for (const CriticalLink& link : critical_chain(problem, plan)) {
    const Placement& placement = plan.placements[link.placement];
    const Workflow& workflow = problem.workflows()[placement.workflow];
    chain.emplace(workflow.name(), workflow.id(placement.task));
  }
  for (const TaskRecord& task : record.tasks) {
    if (task.critical == chain.contains({task.workflow, task.id})) continue;
    return {"critical: the plan says that task \"" + task.id + "\" " +
            (task.critical ? "decides" : "does not decide") + " the end, but it " +
            (task.critical ? "does not" : "does")};
  }
  return {};
}

// Whether the stretches follow from the makespans and from what the plan says about the makespan of
// each workflow alone, which only a planner could verify.
class StretchCheck {
 public:
  StretchCheck(const Problem& problem, const PlanRecord& record, const Plan& plan)
      : problem_(problem), record_(record), plan_(plan) {}

  std::vector<std::string> judge() {
    for (const WorkflowRecord& workflow : record_.workflows) {
      known_ += workflow.dedicated_makespan ? 1 : 0;
    }
    for (std::size_t i = 0; i < problem_.workflows().size(); ++i) add(i);
    if (known_ != 0 && known_ != record_.workflows.size()) {
      say("the plan has the dedicated makespan of some workflows only");
    }
    const auto expected = [&](double value) {
      return known_ == 0 ? std::nullopt : std::optional(value);
    };
    compare("average", record_.average_stretch, expected(lengths_ / std::max(alone_, 1.0)));
    compare("maximum", record_.maximum_stretch, expected(greatest_));
    compare("maximum weighted", record_.maximum_weighted_stretch,
            differ_in_weight(problem_) ? expected(weighted_) : std::nullopt);
    return std::move(violations_);
  }

 private:
  void say(std::string violation) { violations_.push_back("stretch: " + std::move(violation)); }

  static bool is_near(double said, double real) {
    return std::abs(said - real) <= 1e-6 * std::max(1.0, real);
  }

  void add(std::size_t number) {
    const Workflow& workflow = problem_.workflows()[number];
    const auto told = std::ranges::find(record_.workflows, workflow.name(), &WorkflowRecord::name);
    if (told == record_.workflows.end()) return;  // the summary says so
    const auto length = static_cast<double>(makespan(problem_, plan_, number));
    const auto alone =
        static_cast<double>(std::max<Duration>(told->dedicated_makespan.value_or(1), 1));
    const double stretch = told->dedicated_makespan ? length / alone : 1;
    if (!is_near(told->stretch, stretch)) {
      say("the plan says that workflow \"" + workflow.name() + "\" is stretched by " +
          std::to_string(told->stretch) + ", but its makespans give " + std::to_string(stretch));
    }
    double heaviest = 0;
    for (const Workflow& other : problem_.workflows()) {
      heaviest = std::max(heaviest, other.terms().weight);
    }
    lengths_ += length;
    alone_ += alone;
    greatest_ = std::max(greatest_, stretch);
    weighted_ = std::max(weighted_, workflow.terms().weight / heaviest * stretch);
  }

  void compare(const std::string& which, std::optional<double> said, std::optional<double> real) {
    if (!said || (real && is_near(*said, *real))) return;
    say("the plan says that the " + which + " stretch is " + std::to_string(*said) + ", but " +
        (real ? "its workflows give " + std::to_string(*real) : "nothing in it says so"));
  }

  const Problem& problem_;
  const PlanRecord& record_;
  const Plan& plan_;
  std::vector<std::string> violations_ = {};
  std::size_t known_ = 0;
  double lengths_ = 0;
  double alone_ = 0;
  double greatest_ = 0;
  double weighted_ = 0;
};

// The plan's claims about its quality that its certificate does not prove.
std::vector<std::string> check_certificate(const Problem& problem, const PlanRecord& record,
                                           const Plan& plan) {
  if (!plan.search || !plan.search->certificate) {
    if (!record.gap) return {};
    return {"the plan says how far it is from the best, without a certificate"};
  }
  const Certificate& certificate = *plan.search->certificate;
  if (problem.platform().clusters().size() != 1) {
    return {"certificate: is about one cluster, and there are several"};
  }
  if (const std::string wrong = refute(problem, certificate); !wrong.empty()) {
    return {"certificate: " + wrong};
  }
  const Time end = plan.now + makespan(plan);
  if (certificate.budget && consumed(plan) > *certificate.budget) {
    return {"certificate: is about plans that consume less than this one"};
  }
  if (certificate.work > 0 && certificate.end < std::max(end, plan.deadline.value_or(end))) {
    return {"certificate: is about plans that end earlier than this one may"};
  }
  if (certificate.work > 0 ? consumed(plan) < certificate.work : end <= certificate.end) {
    return {"certificate: the plan itself is better than it says is possible"};
  }
  const auto gap = certified_gap(plan);
  if (!gap) return {"certificate: is about plans that end before now"};
  if (!record.gap) return {"the plan has a certificate and does not say what it proves"};
  if (!(std::abs(*record.gap - *gap) <= 1e-6 * std::max(1.0, *gap))) {
    return {"the plan says that it is within " + std::to_string(*record.gap) +
            " of the best, but its certificate proves " + std::to_string(*gap)};
  }
  return {};
}

}  // namespace

std::vector<std::string> check(const Problem& problem, const Plan& plan, std::size_t limit) {
  return Judge(problem, plan, limit).judge();
}

std::vector<std::string> check(const Problem& problem, const PlanRecord& record,
                               std::size_t limit) {
  Plan plan;
  try {
    plan = resolve(record, problem);
  } catch (const InputError& unknown_name) {
    return {unknown_name.what()};
  }
  auto violations = check(problem, plan, limit);
  const auto add = [&](std::vector<std::string> more) {
    std::ranges::move(more, std::back_inserter(violations));
  };
  add(check_summary(problem, record, plan));
  // The chain, the stretches and the certificate of an invalid plan say nothing.
  if (violations.empty() && plan.feasible) {
    add(check_clusters(problem, record, plan));
    add(check_chain(problem, record, plan));
    add(StretchCheck(problem, record, plan).judge());
  }
  if (violations.empty()) violations = check_certificate(problem, record, plan);
  if (violations.size() > limit) violations.resize(limit);
  return violations;
}

}  // namespace dovetail
