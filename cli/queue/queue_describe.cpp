#include "cli/queue/queue_describe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/command.hpp"
#include "cli/queue/queue_options.hpp"
#include "draw/plain_text.hpp"

namespace dovetail::cli {

using namespace queue;

namespace {

constexpr std::size_t kShownJobs = 20;

std::string nodes_text(Count nodes) { return counted(static_cast<std::size_t>(nodes), "node"); }

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

// As format_duration, with minutes up to a hundred hours: what strategies differ by.
std::string long_text(Duration length) {
  if (length < 1440 * kMinute || length >= 6000 * kMinute) return format_duration(length);
  const Duration minutes = (length + kMinute / 2) / kMinute;
  return fmt::format("{}h{:02}m", minutes / 60, minutes % 60);
}

double share_of(Duration part, Duration whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string levels_text(const PilotRecord& job) {
  return job.first_level == job.last_level ? std::to_string(job.first_level)
                                           : fmt::format("{}-{}", job.first_level, job.last_level);
}

std::vector<std::string> job_row(const Site& site, Time submitted, std::size_t number,
                                 const PilotRecord& job) {
  const bool ran = job.start.has_value();
  return {fmt::format("  {}", number),
          levels_text(job),
          std::to_string(job.tasks.size()),
          std::to_string(job.nodes),
          format_duration(job.request),
          "+" + format_duration(job.submit - submitted),
          format_duration(job.start.value_or(job.end) - job.submit),
          ran ? clock_text(site, *job.start) : "",
          ran ? format_duration(job.end - *job.start) : "",
          name_of(job.outcome)};
}

std::string job_table(const Site& site, const WorkflowResult& result) {
  Table table({"  job", "levels", "tasks", "nodes", "asked", "submitted", "waited", "start", "ran",
               "outcome"});
  const std::size_t shown = result.jobs.size() > kShownJobs + 1 ? kShownJobs : result.jobs.size();
  for (std::size_t i = 0; i < shown; ++i) {
    table.add(job_row(site, result.submitted, i + 1, result.jobs[i]));
  }
  std::string text = table.text();
  if (shown < result.jobs.size()) {
    text += fmt::format("  and {} more; --json has them all\n", result.jobs.size() - shown);
  }
  return text;
}

// "at most 16 jobs submitted", or nothing.
std::string cap_text(const Site& site) {
  if (site.cap == 0) return {};
  return fmt::format(", at most {} {}", counted(static_cast<std::size_t>(site.cap), "job"),
                     site.cap_mode == CapMode::submitted ? "in the queue and running" : "running");
}

Duration time_with_a_job(const WorkflowResult& result) {
  return result.makespan - time_without_a_job(result);
}

// The next best that ends clearly later; null when all end at about the same time.
const QueueRun* rival_of(std::span<const QueueRun> runs, const QueueRun& best) {
  const QueueRun* rival = nullptr;
  for (const QueueRun& run : runs) {
    const bool is_later = 100 * run.result.makespan > 101 * best.result.makespan;
    if (is_later && (rival == nullptr || run.result.makespan < rival->result.makespan)) {
      rival = &run;
    }
  }
  return rival;
}

// "GLUME+ ends within 1 % of it"; empty when none does.
std::string equals_text(std::span<const QueueRun> runs, const QueueRun& best) {
  std::vector<std::string> names;
  for (const QueueRun& run : runs) {
    const bool is_close = 100 * run.result.makespan <= 101 * best.result.makespan;
    if (&run != &best && is_close) names.push_back(run.strategy);
  }
  if (names.empty()) return {};
  return fmt::format("{} end{} within 1 % of it", fmt::join(names, ", "),
                     names.size() == 1 ? "s" : "");
}

// Why the best ends before the rival: less time without a job, or more done while jobs run.
std::string reason_text(const QueueRun& best, const QueueRun& rival) {
  const Duration idle = time_without_a_job(best.result);
  const Duration rival_idle = time_without_a_job(rival.result);
  const Duration gain = rival.result.makespan - best.result.makespan;
  if (2 * (rival_idle - idle) >= gain) {
    return fmt::format("because it waits less: {} pass without a running job, {} with {}",
                       format_duration(idle), format_duration(rival_idle), rival.strategy);
  }
  return fmt::format("because its jobs are through sooner once they run: after {}, {} with {}",
                     format_duration(time_with_a_job(best.result)),
                     format_duration(time_with_a_job(rival.result)), rival.strategy);
}

// A run that ends little later and holds much less; null when there is none.
const QueueRun* thrifty_run(std::span<const QueueRun> runs, const QueueRun& best) {
  const QueueRun* found = nullptr;
  for (const QueueRun& run : runs) {
    const bool is_close = 20 * run.result.makespan <= 21 * best.result.makespan;
    const bool is_thrifty = 5 * run.result.held <= 4 * best.result.held;
    const bool is_better = found == nullptr || run.result.held < found->result.held;
    if (is_close && is_thrifty && is_better) found = &run;
  }
  return found;
}

// Which strategy to use, and why.
std::string advice(std::span<const QueueRun> runs) {
  const QueueRun& best = runs[best_run(runs)];
  const std::string equals = equals_text(runs, best);
  const QueueRun* rival = rival_of(runs, best);
  if (rival == nullptr) {
    const auto held = [](const QueueRun& run) { return run.result.held; };
    return fmt::format(
        "All strategies end within 1 % of each other; use {}, which holds the fewest node-hours.\n",
        std::ranges::min_element(runs, {}, held)->strategy);
  }
  const Duration gain = rival->result.makespan - best.result.makespan;
  std::string text = fmt::format("Use {}{}: it ends {} ({}) earlier than {}, {}.\n", best.strategy,
                                 equals.empty() ? "" : " (" + equals + ")", format_duration(gain),
                                 percent(share_of(gain, rival->result.makespan)), rival->strategy,
                                 reason_text(best, *rival));
  if (const QueueRun* thrifty = thrifty_run(runs, best)) {
    const Duration later = thrifty->result.makespan - best.result.makespan;
    text += fmt::format("{} ends {} and holds {} fewer node-hours.\n", thrifty->strategy,
                        later == 0 ? "as early" : "only " + format_duration(later) + " later",
                        percent(1 - share_of(thrifty->result.held, best.result.held)));
  }
  return text;
}

}  // namespace

std::string clock_text(const Site& site, Time time) {
  return site.date_of_0 ? format_date(*site.date_of_0 + time) : format_seconds(time) + " s";
}

std::string describe_site(const Site& site) {
  std::string text = fmt::format("{}: {}, {}", site.cluster.name, nodes_text(site.nodes()),
                                 rules_text(site.rules));
  if (site.is_snapshot) return text + ", other jobs as they are now";
  if (!site.log) return text + ", no other jobs";
  return text +
         fmt::format(", log {}, {}", draw::plain_text(site.log->name), requests_text(site.trace));
}

std::string describe_tasks(const LeveledTasks& tasks) {
  const double hours = node_hours(tasks.work());
  return fmt::format("{}: {} on {}, {}", tasks.workflow().name(), counted(tasks.size(), "task"),
                     counted(tasks.level_count(), "level"),
                     hours < 1 ? format_duration(tasks.work()) + " on one node"
                               : fmt::format("{:.1f} node-hours", hours));
}

std::string describe_moment(const Site& site, Time at, const QueueState& state) {
  if (site.is_snapshot) {
    return fmt::format("at {}: {} of {} free, {} held by others", clock_text(site, at), state.free,
                       nodes_text(site.nodes()), state.reserved);
  }
  std::string text = fmt::format(
      "at {}{}: {} running, {} waiting, {} of {} free", clock_text(site, at),
      site.date_of_0 && site.log ? " (" + format_seconds(at) + " s of the log)" : "",
      counted(state.running, "job"), state.waiting, state.free, nodes_text(site.nodes()));
  if (state.reserved > 0) text += fmt::format(", {} reserved", state.reserved);
  return text;
}

std::string describe_run(const QueueReport& report, const QueueRun& run) {
  const WorkflowResult& result = run.result;
  const Duration idle = time_without_a_job(result);
  std::string text = row("strategy", run.strategy + cap_text(report.site));
  text += "\n" + job_table(report.site, result) + "\n";
  text += row("ends", fmt::format("in {}, at {}", format_duration(result.makespan),
                                  clock_text(report.site, result.submitted + result.makespan)));
  text += row("waits", fmt::format("{} ({}) of that without a running job", format_duration(idle),
                                   percent(share_of(idle, result.makespan))));
  text += row("holds", fmt::format("{:.1f} node-hours, {} of them used by tasks",
                                   node_hours(result.held), percent(result.utilisation())));
  if (const std::size_t expired = result.count(PilotOutcome::expired); expired > 0) {
    text += row("expired", counted(expired, "job") + " killed before all tasks were done");
  }
  if (result.single_mode && result.jobs.size() > 1) {
    text += row("single mode", "tasks were submitted one by one in the end");
  }
  return text;
}

std::string describe_comparison(std::span<const QueueRun> runs) {
  const QueueRun& best = runs[best_run(runs)];
  Table table({"  strategy", "makespan", "", "waits", "jobs", "node-hours", "used", "expired", ""});
  for (const QueueRun& run : runs) {
    const WorkflowResult& result = run.result;
    const double above = share_of(result.makespan - best.result.makespan, best.result.makespan);
    table.add({"  " + run.strategy, long_text(result.makespan),
               fmt::format("+{:.1f}%", 100 * above), long_text(time_without_a_job(result)),
               std::to_string(result.jobs.size()), fmt::format("{:.1f}", node_hours(result.held)),
               percent(result.utilisation()), std::to_string(result.count(PilotOutcome::expired)),
               &run == &best ? "<- earliest" : ""});
  }
  return table.text() + "\n" + advice(runs);
}

std::string describe_waits(const Site& site, Time at, std::span<const WaitAnswer> answers) {
  Table table({"  nodes", "asked", "waits", "starts at"});
  for (const WaitAnswer& answer : answers) {
    table.add({fmt::format("  {}", answer.question.nodes), format_duration(answer.question.request),
               format_duration(answer.wait), clock_text(site, at + answer.wait)});
  }
  return table.text();
}

std::string describe_instants(std::span<const InstantRuns> strategies) {
  const auto best = std::ranges::min_element(strategies, {}, &InstantRuns::mean);
  const auto length = [](double milliseconds) {
    return long_text(std::llround(milliseconds / 1000) * 1000);
  };
  Table table({"  strategy", "mean makespan", "median", "worst", "earliest", ""});
  for (auto runs = strategies.begin(); runs != strategies.end(); ++runs) {
    std::size_t firsts = 0;
    for (std::size_t i = 0; i < runs->makespans.size(); ++i) {
      firsts += std::ranges::all_of(strategies, [&](const InstantRuns& other) {
        return runs->makespans[i] <= other.makespans[i];
      });
    }
    table.add({"  " + runs->strategy, length(runs->mean()), length(runs->median()),
               long_text(runs->worst()),
               percent(static_cast<double>(firsts) / static_cast<double>(runs->makespans.size())),
               strategies.size() > 1 && runs == best ? "<- lowest mean" : ""});
  }
  return table.text();
}

}  // namespace dovetail::cli
