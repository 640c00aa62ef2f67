#include "federation/client/experiment_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <set>

#include "federation/agent/registrar.hpp"
#include "federation/client/lost_daemons.hpp"
#include "federation/client/part_watcher.hpp"
#include "federation/client/scenario_moves.hpp"
#include "io/text.hpp"
#include "run/journal_file.hpp"
#include "run/mailbox.hpp"
#include "run/token.hpp"

namespace dovetail::federation {

namespace {

constexpr auto kTick = std::chrono::milliseconds(200);
constexpr Duration kRetry = 1'000;

std::string words_of(const std::vector<Count>& numbers) {
  return fmt::format("{} {}", numbers.size() == 1 ? "scenario" : "scenarios",
                     fmt::join(numbers, ", "));
}

std::string words_of_size(const OfferQuestion& question) {
  if (!question.workflow.is_null()) return "a workflow";
  return fmt::format("{} of {}", io::counted(question.scenarios, "scenario"),
                     io::counted(question.months, "month"));
}

class ExperimentRun {
 public:
  ExperimentRun(const run::RunFolder& folder, const ExperimentFile& file, const Caller& caller,
                const ExperimentOptions& options)
      : caller_(caller),
        options_(options),
        state_(read_experiment_state(folder, file)),
        journal_(folder.journal()),
        mailbox_(folder) {
    if (state_.id().empty()) {
      write({journal_entry("begin", {{"experiment", folder.id() + "." + run::random_token()}})});
    }
    if (!state_.outcome().empty() || !state_.failed().empty()) write({journal_entry("again")});
    for (std::size_t part = 0; part < state_.parts().size(); ++part) watch(part);
  }

  ~ExperimentRun() {
    for (auto& watcher : watchers_) {
      if (watcher) watcher->end();
    }
  }

  ExperimentEnd run() {
    options_.progress(state_);
    while (!state_.is_over()) {
      if (options_.interrupted()) return ExperimentEnd::interrupted;
      if (is_cancelled()) return ExperimentEnd::cancelled;
      take_news();
      give_up_lost_ones();
      if (!state_.unassigned().empty()) {
        assign();
      } else {
        consider_moving();
      }
    }
    const bool has_failed = !state_.failed().empty();
    write({journal_entry("over", {{"outcome", has_failed ? "failed" : "done"}})});
    for (const std::size_t part : state_.untold()) {
      options_.say(
          fmt::format("{} was lost and does not know that other clusters have done its part; when "
                      "it is back, run the same command with --cancel to tell it",
                      state_.parts()[part].daemon));
    }
    return has_failed ? ExperimentEnd::failed : ExperimentEnd::done;
  }

 private:
  void write(const std::vector<Json>& entries) {
    for (const Json& entry : entries) journal_.add(entry);
    journal_.sync();
    for (const Json& entry : entries) state_.apply(entry);
  }

  // Whether a cancel message is in the mailbox.
  bool is_cancelled() {
    const std::vector<Json> letters = mailbox_.take();
    return std::ranges::any_of(
        letters, [](const Json& letter) { return letter.value("what", "") == "cancel"; });
  }

  // Prints a line once, for conditions that are checked repeatedly.
  void say_once(const std::string& line) {
    if (said_.insert(line).second) options_.say(line);
  }

  void watch(std::size_t number) {
    const ExperimentPart& part = state_.parts()[number];
    const bool is_wanted = part.abandoned.empty() && !unfinished_of(number).empty();
    const bool has_to_hear = part.abandoned == "lost" && !part.is_told;
    if (!is_wanted && !has_to_hear) {
      watchers_.push_back(nullptr);
      return;
    }
    Json order = {{"experiment", state_.id()},
                  {"service", state_.file().service},
                  {"parameters", state_.file().parameters},
                  {"months", state_.file().months},
                  {"scenarios", part_entry(part)["scenarios"]}};
    if (!state_.file().workflow.is_null()) order["workflow"] = state_.file().workflow;
    watchers_.push_back(std::make_unique<PartWatcher>(
        caller_, number, part, order, [this](PartNews news) { receive(std::move(news)); }));
    std::vector<Count> leaving;
    for (const Count scenario : state_.of_part(number)) {
      if (state_.scenarios().at(scenario).is_leaving) leaving.push_back(scenario);
    }
    if (!leaving.empty()) watchers_.back()->leave(leaving);
  }

  void receive(PartNews news) {
    const std::lock_guard lock(mutex_);
    news_.push_back(std::move(news));
    arrived_.notify_all();
  }

  void take_news() {
    std::deque<PartNews> news;
    {
      std::unique_lock lock(mutex_);
      arrived_.wait_for(lock, kTick, [&] { return !news_.empty(); });
      news.swap(news_);
    }
    bool is_new = false;
    for (const PartNews& one : news) is_new |= take(one);
    if (is_new) options_.progress(state_);
  }

  bool take(const PartNews& news) {
    const ExperimentPart& part = state_.parts()[news.part];
    switch (news.kind) {
      case PartNews::Kind::silence:
      case PartNews::Kind::trouble:
        miss(news);
        return false;
      case PartNews::Kind::told:
        write({journal_entry("told", {{"part", news.part}})});
        return false;
      case PartNews::Kind::refused:
        daemons_.hear(news.part);
        refuse(news);
        return true;
      case PartNews::Kind::progress:
        break;
    }
    if (daemons_.hear(news.part)) options_.say(part.daemon + " answers again");
    const Heard heard = state_.hear(news.part, news.progress);
    if (!heard.entries.empty()) write(heard.entries);
    for (const Count number : heard.returned) {
      refusals_.add(number, part.daemon, kConflict, "gives it back");
    }
    return heard.is_new;
  }

  // Notes a question that got no answer, or an error.
  void miss(const PartNews& news) {
    if (unfinished_of(news.part).empty()) return;  // given up in the meantime
    const std::string& daemon = state_.parts()[news.part].daemon;
    if (!daemons_.miss(news.part, daemon, run::steady_now())) return;
    const bool answers = news.kind == PartNews::Kind::trouble;
    options_.say(fmt::format("{} {}: {}", daemon,
                             answers ? "answers with an error" : "does not answer", news.why));
  }

  // Other clusters get the scenarios of a part that a daemon refuses.
  void refuse(const PartNews& news) {
    const ExperimentPart& part = state_.parts()[news.part];
    const std::vector<Count> scenarios = unfinished_of(news.part);
    options_.say(
        news.status == kConflict
            ? fmt::format("{} cannot continue a scenario of another cluster: {}", part.daemon,
                          news.why)
            : fmt::format("{} refuses {}: {}", part.daemon, words_of(scenarios), news.why));
    for (const Count scenario : scenarios) {
      refusals_.add(scenario, part.daemon, news.status, news.why);
    }
    write({leave_entry(news.part, scenarios, "refused", state_.scenarios())});
  }

  void give_up_lost_ones() {
    for (const std::size_t part : daemons_.lost(run::steady_now())) {
      const std::vector<Count> scenarios = unfinished_of(part);
      if (scenarios.empty()) continue;
      options_.say(fmt::format("{} is lost: {} {} to other clusters", state_.parts()[part].daemon,
                               words_of(scenarios), scenarios.size() == 1 ? "moves" : "move"));
      write({leave_entry(part, scenarios, "lost", state_.scenarios())});
      watchers_[part]->abandon();
      daemons_.give_up(part, run::steady_now());
    }
  }

  std::vector<Count> unfinished_of(std::size_t part) const {
    std::vector<Count> scenarios = state_.of_part(part);
    std::erase_if(scenarios,
                  [&](Count number) { return !state_.scenarios().at(number).is_unfinished(); });
    return scenarios;
  }

  OfferQuestion question_of(const std::vector<Count>& scenarios,
                            const std::vector<std::string>& without) const {
    return {.service = state_.file().service,
            .scenarios = static_cast<Count>(scenarios.size()),
            .months = state_.months_left(scenarios),
            .without = without,
            .parameters = state_.file().parameters,
            .workflow = state_.file().workflow};
  }

  // Nothing when the agent does not answer but has answered before.
  std::optional<Offers> ask(const OfferQuestion& question) {
    try {
      Offers offers = ask_for_offers(caller_, options_.agent, question, options_.deadline);
      has_avoided_ = std::erase_if(offers.offers, [&](const Offer& offer) {
                       return daemons_.is_avoided(offer.daemon, run::steady_now());
                     }) > 0;
      has_asked_ = true;
      return offers;
    } catch (const ExecutionError& error) {
      if (!has_asked_ && state_.parts().empty()) throw;
      say_once(fmt::format("no offers yet: {}", error.what()));
      return std::nullopt;
    }
  }

  void assign() {
    if (run::steady_now() < next_try_) return;
    next_try_ = run::steady_now() + kRetry;
    const std::vector<Count> wanted = state_.unassigned();
    const OfferQuestion question = question_of(wanted, {});
    say_once(fmt::format("step 1: asking {} for {}: {}", options_.agent, question.service,
                         words_of_size(question)));
    const auto offers = ask(question);
    if (!offers) return;
    if (offers->offers.empty() && state_.parts().empty()) return complain(question, *offers);
    say_offers(*offers);
    const std::vector<Count> scenarios = without_refused(wanted, *offers);
    if (scenarios.empty()) return say_once("no cluster can run it now; asking again");
    const ScenarioHolders holders = holders_of(offers->offers, scenarios);
    if (waits_for_months(scenarios, holders)) return;
    const auto places =
        share_out_among(offers->offers, holders.who_may_begin(scenarios), options_.repartition);
    options_.say("step 6: " + repartition_text(offers->offers, places));
    submit(scenarios, offers->offers, holders, places);
  }

  // The scenarios that one of the offering clusters may still take. The others fail when no cluster
  // is left that may offer to take them later.
  std::vector<Count> without_refused(const std::vector<Count>& scenarios, const Offers& offers) {
    std::vector<Count> left;
    std::vector<Count> refused;
    for (const Count number : scenarios) {
      const auto takes = [&](const Offer& offer) {
        return !refusals_.is_final(number, offer.daemon);
      };
      (std::ranges::any_of(offers.offers, takes) ? left : refused).push_back(number);
    }
    std::erase_if(refused, [&](Count number) { return refusals_.reasons(number).empty(); });
    const Time now = run::steady_now();
    if (refused.empty()) refused_since_.reset();
    if (!refused.empty() && !refused_since_) refused_since_ = now;
    const bool may_wait =
        may_offer_later(offers.others) && now - refused_since_.value_or(now) < options_.lost_after;
    if (!refused.empty() && !has_avoided_ && !may_wait) fail_refused(refused);
    return left;
  }

  void fail_refused(const std::vector<Count>& scenarios) {
    if (scenarios.size() == state_.scenarios().size() && state_.months_done() == 0) {
      throw InputError("no cluster takes the experiment; " + refusals_.reasons(scenarios.front()));
    }
    std::vector<Json> entries;
    for (const Count number : scenarios) {
      entries.push_back(
          journal_entry("failed", {{"scenario", number},
                                   {"done", state_.scenarios().at(number).done},
                                   {"folder", ""},
                                   {"why", "no cluster takes it; " + refusals_.reasons(number)}}));
    }
    options_.say(fmt::format("no cluster takes {}; {}", words_of(scenarios),
                             refusals_.reasons(scenarios.front())));
    write(entries);
  }

  // Before the first part there are no results, so no daemon is asked.
  ScenarioHolders holders_of(const std::vector<Offer>& offers,
                             const std::vector<Count>& scenarios) {
    if (state_.parts().empty()) {
      return {offers, {.last = std::vector<std::map<Count, Count>>(offers.size())}, refusals_};
    }
    HeldMonths held = ask_who_has(
        caller_, offers,
        {.experiment = state_.id(), .scenarios = scenarios, .months = state_.file().months},
        options_.deadline);
    for (const std::string& line : held.troubles) say_once(line);
    return {offers, std::move(held), refusals_};
  }

  // Whether finished months are out of reach for now. Just after the start, the daemon that holds
  // them may not have registered yet; later, the scenario resumes from the months that others hold.
  bool waits_for_months(const std::vector<Count>& scenarios, const ScenarioHolders& holders) {
    std::vector<Count> missing;
    for (const Count number : scenarios) {
      if (holders.most_months(number) < state_.scenarios().at(number).done)
        missing.push_back(number);
    }
    if (missing.empty()) return false;
    if (run::steady_now() - began_ < kLease) {
      say_once(fmt::format("the clusters that hold the months of {} have not answered yet",
                           words_of(missing)));
      return true;
    }
    options_.say(fmt::format("the finished months of {} cannot be reached and are computed again",
                             words_of(missing)));
    return false;
  }

  void say_offers(const Offers& offers) {
    say_once(fmt::format("step 5: {} answered with estimates",
                         io::counted(std::ssize(offers.offers), "cluster")));
    for (const std::string& line : missing_offers(offers.others)) say_once("  " + line);
  }

  void complain(const OfferQuestion& question, const Offers& offers) {
    // The daemons of an agent that has just started register within a lease.
    const bool may_come = run::steady_now() - began_ < kLease;
    if (state_.parts().empty() && (is_final(offers.others) || !may_come)) {
      fail_without_offers(options_.agent, question, offers.others);
    }
    say_offers(offers);
    say_once("no cluster can run it now; asking again");
  }

  void submit(const std::vector<Count>& scenarios, const std::vector<Offer>& offers,
              const ScenarioHolders& holders, const std::vector<std::size_t>& places) {
    said_.clear();
    std::vector<Json> entries;
    const std::size_t before = state_.parts().size();
    for (std::size_t i = 0; i < offers.size(); ++i) {
      ExperimentPart part{
          .request = fmt::format("{}-p{}", state_.id(), before + entries.size() + 1),
          .daemon = offers[i].daemon,
          .url = offers[i].url};
      for (std::size_t s = 0; s < scenarios.size(); ++s) {
        if (places[s] != i) continue;
        const Count next = holders.months_at(i, scenarios[s]) + 1;
        part.scenarios.emplace_back(scenarios[s], std::min(next, state_.file().months));
        // A daemon that gets back a scenario it released keeps it, so that scenarios do not move
        // back and forth.
        const auto left = left_.find(scenarios[s]);
        if (left != left_.end() && left->second == part.daemon) stays_.insert(scenarios[s]);
      }
      if (part.scenarios.empty()) continue;
      part.estimate = offers[i].makespans.at(part.scenarios.size() - 1);
      options_.say(fmt::format("step 7: sending request {} to {}: {}, {:.1f} s", part.request,
                               part.daemon, io::counted(std::ssize(part.scenarios), "scenario"),
                               part.estimate));
      entries.push_back(part_entry(part));
    }
    write(entries);
    for (std::size_t part = before; part < state_.parts().size(); ++part) watch(part);
  }

  void consider_moving() {
    if (run::steady_now() < next_look_) return;
    next_look_ = run::steady_now() + options_.look_again;
    if (daemons_.is_any_silent() || state_.is_moving()) return;
    const std::vector<Count> scenarios = state_.unfinished();
    if (scenarios.empty() || state_.months_left(scenarios) < 2) return;
    std::vector<std::string> requests;
    for (const ExperimentPart& part : state_.parts()) requests.push_back(part.request);
    const auto asked = ask(question_of(scenarios, requests));
    if (!asked) return;
    const std::vector<Offer>& offers = asked->offers;
    const ScenarioMoves moves =
        find_moves(state_, scenarios, offers, [&] { return holders_of(offers, scenarios); },
                   {.repartition = options_.repartition, .worth = options_.worth, .fixed = stays_});
    for (const Count number : moves.scenarios) release(number);
    if (moves.scenarios.empty()) return;
    options_.say(fmt::format("moving scenarios: the rest takes {:.1f} s instead of {:.1f} s",
                             moves.seconds_after, moves.seconds_before));
  }

  // Asks the scenario's daemon to release it.
  void release(Count number) {
    const std::size_t part = *state_.scenarios().at(number).part;
    write({leave_entry(part, {number}, "", state_.scenarios())});
    watchers_[part]->leave({number});
    left_[number] = state_.daemon_of(number);
    options_.say(fmt::format("scenario {} leaves {} after month {}", number, left_[number],
                             state_.scenarios().at(number).done));
  }

  const Caller& caller_;
  const ExperimentOptions& options_;
  ExperimentState state_;
  run::JournalWriter journal_;
  run::Mailbox mailbox_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<PartNews> news_;
  LostDaemons daemons_{options_.lost_after};
  Refusals refusals_;
  std::optional<Time> refused_since_;  // scenarios wait for a cluster that takes them
  std::map<Count, std::string> left_;  // moved scenarios, and where each came from
  std::set<Count> stays_;
  std::set<std::string> said_;
  Time began_ = run::steady_now();
  Time next_try_ = 0;
  Time next_look_ = began_ + options_.look_again;
  bool has_asked_ = false;
  bool has_avoided_ = false;                            // daemons among the last that offered
  std::vector<std::unique_ptr<PartWatcher>> watchers_;  // last: they end first
};

}  // namespace

ExperimentEnd run_experiment(const run::RunFolder& folder, const ExperimentFile& file,
                             const Caller& caller, const ExperimentOptions& options) {
  try {
    const ExperimentEnd end = ExperimentRun(folder, file, caller, options).run();
    if (end == ExperimentEnd::cancelled) cancel_experiment(folder, file, caller);
    return end;
  } catch (const InputError&) {
    // Other daemons may already compute parts of an experiment that cannot be finished.
    cancel_experiment(folder, file, caller);
    throw;
  }
}

}  // namespace dovetail::federation
