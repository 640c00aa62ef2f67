#include "federation/experiment_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <random>
#include <set>

#include "exec/journal.hpp"
#include "federation/part_watcher.hpp"
#include "federation/registrar.hpp"

namespace dovetail::federation {

namespace {

constexpr auto kTick = std::chrono::milliseconds(200);
constexpr Duration kRetry = 1'000;

std::string random_token() {
  std::random_device random;
  return fmt::format("{:08x}", random());
}

std::string words_of(const std::vector<Count>& numbers) {
  return fmt::format("{} {}", numbers.size() == 1 ? "scenario" : "scenarios",
                     fmt::join(numbers, ", "));
}

class ExperimentRun {
 public:
  ExperimentRun(const exec::RunFolder& folder, const ExperimentFile& file, const Caller& caller,
                const ExperimentOptions& options)
      : caller_(caller),
        options_(options),
        state_(read_experiment_state(folder, file)),
        journal_(folder.journal()) {
    if (state_.id().empty()) write({begin_entry(folder.id() + "." + random_token())});
    for (std::size_t part = 0; part < state_.parts().size(); ++part) watch(part);
  }

  ~ExperimentRun() {
    for (auto& watcher : watchers_) watcher->end();
  }

  ExperimentEnd run() {
    options_.progress(state_);
    while (!state_.is_over()) {
      if (options_.interrupted()) return ExperimentEnd::interrupted;
      take_news();
      give_up_lost_ones();
      if (!state_.unassigned().empty()) {
        assign();
      } else {
        consider_moving();
      }
    }
    write({over_entry()});
    const bool has_failed = std::ranges::any_of(
        state_.scenarios(), [](const auto& entry) { return !entry.second.failure.empty(); });
    return has_failed ? ExperimentEnd::failed : ExperimentEnd::done;
  }

 private:
  void write(const std::vector<Json>& entries) {
    for (const Json& entry : entries) journal_.add(entry);
    journal_.sync();
    for (const Json& entry : entries) state_.apply(entry);
  }

  void watch(std::size_t number) {
    const Part& part = state_.parts()[number];
    Json order = {{"request_id", part.request},       {"experiment", state_.id()},
                  {"service", state_.file().service}, {"parameters", state_.file().parameters},
                  {"months", state_.file().months},   {"scenarios", part_entry(part)["scenarios"]}};
    if (!state_.file().workflow.is_null()) order["workflow"] = state_.file().workflow;
    heard_.push_back(exec::steady_now());
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
    const Part& part = state_.parts()[news.part];
    if (news.kind == PartNews::Kind::silence) {
      if (silent_.insert(news.part).second) {
        options_.say(fmt::format("{} does not answer: {}", part.daemon, news.why));
      }
      return false;
    }
    if (silent_.erase(news.part) > 0) options_.say(part.daemon + " answers again");
    heard_[news.part] = exec::steady_now();
    if (news.kind == PartNews::Kind::refused) {
      refuse(news);
      return true;
    }
    try {
      return state_.hear(news.part, news.progress);
    } catch (const std::exception& error) {
      options_.say(fmt::format("{}: an answer without sense: {}", part.daemon, error.what()));
      return false;
    }
  }

  // What is out of a cluster's reach goes to another one; all else is a mistake of the request.
  void refuse(const PartNews& news) {
    const Part& part = state_.parts()[news.part];
    constexpr int kConflict = 409;
    if (news.status != kConflict) throw InputError(news.why);
    options_.say(
        fmt::format("{} cannot go on with a scenario of others: {}", part.daemon, news.why));
    const std::vector<Count> scenarios = state_.of_part(news.part);
    for (const Count scenario : scenarios) out_of_reach_[scenario].insert(part.daemon);
    write({leave_entry(news.part, scenarios, true, state_.scenarios())});
  }

  void give_up_lost_ones() {
    for (const std::size_t part : std::set(silent_)) {
      const std::vector<Count> scenarios = unfinished_of(part);
      if (scenarios.empty() || exec::steady_now() - heard_[part] < options_.lost_after) continue;
      options_.say(fmt::format("{} is lost: {} go to others", state_.parts()[part].daemon,
                               words_of(scenarios)));
      write({leave_entry(part, scenarios, true, state_.scenarios())});
      watchers_[part]->abandon();
      silent_.erase(part);
    }
  }

  std::vector<Count> unfinished_of(std::size_t part) const {
    std::vector<Count> scenarios = state_.of_part(part);
    std::erase_if(scenarios, [&](Count number) {
      const Place& place = state_.scenarios().at(number);
      return place.is_over || !place.failure.empty();
    });
    return scenarios;
  }

  Count months_left(const std::vector<Count>& scenarios) const {
    Count most = 1;
    for (const Count number : scenarios) {
      most = std::max(most, state_.file().months - state_.scenarios().at(number).done);
    }
    return most;
  }

  OfferQuestion question_of(Count scenarios, Count months,
                            const std::vector<std::string>& without) const {
    return {.service = state_.file().service,
            .scenarios = scenarios,
            .months = months,
            .without = without,
            .parameters = state_.file().parameters,
            .workflow = state_.file().workflow};
  }

  // Nothing when the agent does not answer, and it has before.
  std::optional<Offers> ask(const OfferQuestion& question) {
    try {
      Offers offers = ask_for_offers(caller_, options_.agent, question, options_.deadline);
      std::erase_if(offers.offers, [&](const Offer& offer) { return is_lost(offer.daemon); });
      has_asked_ = true;
      return offers;
    } catch (const ExecutionError& error) {
      if (!has_asked_ && state_.parts().empty()) throw;
      options_.say(fmt::format("no offers: {}", error.what()));
      return std::nullopt;
    }
  }

  // One that answers the agent and not us gets nothing new.
  bool is_lost(const std::string& daemon) const {
    return std::ranges::any_of(
        silent_, [&](std::size_t part) { return state_.parts()[part].daemon == daemon; });
  }

  void assign() {
    if (exec::steady_now() < next_try_) return;
    next_try_ = exec::steady_now() + kRetry;
    const std::vector<Count> scenarios = state_.unassigned();
    const auto count = static_cast<Count>(scenarios.size());
    const Count months = months_left(scenarios);
    options_.say(fmt::format("step 1: asks {} for {}: {} scenarios of {} months", options_.agent,
                             state_.file().service, count, months));
    auto offers = ask(question_of(count, months, {}));
    if (!offers) return;
    say_offers(*offers);
    const bool begins_anew = drop_out_of_reach(scenarios, offers->offers);
    if (offers->offers.empty()) return complain(*offers);
    const std::vector<Count> counts = share_out(offers->offers, count, options_.repartition);
    say_repartition(offers->offers, counts, count);
    submit(scenarios, offers->offers, counts, begins_anew);
  }

  void say_offers(const Offers& offers) const {
    options_.say(fmt::format("step 5: {} vectors received", offers.offers.size()));
    for (const auto& refused : offers.others.refused) {
      options_.say(fmt::format("  {} does not: {}", refused.name, refused.error));
    }
    for (const std::string& late : offers.others.late) {
      options_.say(fmt::format("  {} did not answer in time", late));
    }
  }

  void say_repartition(const std::vector<Offer>& offers, const std::vector<Count>& counts,
                       Count count) const {
    std::string line = "step 6: repartition:";
    for (std::size_t i = 0; i < offers.size(); ++i) {
      line += fmt::format(" {} {}", offers[i].daemon, counts[i]);
    }
    options_.say(fmt::format("{}; {:.1f} s, round robin {:.1f} s", line,
                             makespan_of(offers, counts),
                             makespan_of(offers, share_out(offers, count, "round-robin"))));
  }

  // Clusters that cannot see what is done of a scenario are no help, unless there are no others:
  // then it begins anew.
  bool drop_out_of_reach(const std::vector<Count>& scenarios, std::vector<Offer>& offers) {
    const auto cannot = [&](const Offer& offer) {
      return std::ranges::any_of(scenarios, [&](Count number) {
        const auto found = out_of_reach_.find(number);
        return found != out_of_reach_.end() && found->second.contains(offer.daemon);
      });
    };
    if (offers.empty()) return false;
    if (std::ranges::all_of(offers, cannot)) {
      options_.say(fmt::format("what is done of {} is out of reach: from the beginning",
                               words_of(scenarios)));
      return true;
    }
    std::erase_if(offers, cannot);
    return false;
  }

  void complain(const Offers& offers) {
    // An agent that has just begun hears of its daemons within a lease.
    const bool is_wrong =
        std::ranges::find(offers.others.refused, 400, &Answers::Refused::status) !=
        offers.others.refused.end();
    const bool may_come = !is_wrong && exec::steady_now() - began_ < kLease;
    if (!state_.parts().empty() || may_come) {
      options_.say("no daemon offers the service now; asks again");
      return;
    }
    std::string why;
    for (const auto& refused : offers.others.refused) {
      why += "; " + refused.name + ": " + refused.error;
    }
    throw InputError(fmt::format("no daemon that {} knows offers the service {}{}", options_.agent,
                                 state_.file().service, why));
  }

  void submit(const std::vector<Count>& scenarios, const std::vector<Offer>& offers,
              const std::vector<Count>& counts, bool begins_anew) {
    std::vector<Json> entries;
    std::size_t next = 0;
    const std::size_t before = state_.parts().size();
    for (std::size_t i = 0; i < offers.size(); ++i) {
      if (counts[i] == 0) continue;
      Part part{.request = fmt::format("{}-p{}", state_.id(), before + entries.size() + 1),
                .daemon = offers[i].daemon,
                .url = offers[i].url,
                .estimate = offers[i].makespans.at(static_cast<std::size_t>(counts[i] - 1))};
      for (Count k = 0; k < counts[i]; ++k, ++next) {
        const Place& place = state_.scenarios().at(scenarios[next]);
        part.scenarios.emplace_back(
            scenarios[next], begins_anew ? 1 : std::min(place.done + 1, state_.file().months));
      }
      options_.say(fmt::format("step 7: request {} to {}: {} scenarios, {:.1f} s", part.request,
                               part.daemon, part.scenarios.size(), part.estimate));
      entries.push_back(part_entry(part));
    }
    write(entries);
    for (std::size_t part = before; part < state_.parts().size(); ++part) watch(part);
  }

  void consider_moving() {
    if (exec::steady_now() < next_look_) return;
    next_look_ = exec::steady_now() + options_.look_again;
    if (!silent_.empty()) return;
    std::vector<Count> scenarios;
    std::vector<std::string> requests;
    std::map<std::string, Count> now;
    for (const auto& [number, place] : state_.scenarios()) {
      if (place.is_leaving) return;
      if (place.is_over || !place.failure.empty()) continue;
      scenarios.push_back(number);
      ++now[state_.parts()[*place.part].daemon];
    }
    for (const Part& part : state_.parts()) requests.push_back(part.request);
    const auto count = static_cast<Count>(scenarios.size());
    if (count == 0 || months_left(scenarios) < 2) return;
    const auto offers = ask(question_of(count, months_left(scenarios), requests));
    if (offers) move_if_shorter(*offers, count, months_left(scenarios), now);
  }

  // Clusters estimate by what they measure meanwhile: one that is much slower or faster than it
  // said, or that has come since, changes who should have what. A move costs a month that is begun.
  void move_if_shorter(const Offers& offers, Count count, Count months,
                       const std::map<std::string, Count>& now) {
    std::vector<Count> current;
    Count known = 0;
    for (const Offer& offer : offers.offers) {
      const auto found = now.find(offer.daemon);
      current.push_back(found == now.end() ? 0 : found->second);
      known += current.back();
    }
    if (known != count) return;  // somebody who has work did not answer
    const std::vector<Count> better = share_out(offers.offers, count, options_.repartition);
    const double stays = makespan_of(offers.offers, current);
    const double moves = makespan_of(offers.offers, better);
    if (moves >= options_.worth * stays || moves + stays / months >= stays) return;
    for (std::size_t i = 0; i < offers.offers.size(); ++i) {
      if (current[i] > better[i]) take_from(offers.offers[i].daemon, current[i] - better[i]);
    }
    options_.say(fmt::format("moves: the rest takes {:.1f} s instead of {:.1f} s", moves, stays));
  }

  // Those with most left to do.
  void take_from(const std::string& daemon, Count count) {
    std::vector<Count> scenarios;
    for (const auto& [number, place] : state_.scenarios()) {
      const bool is_there = place.part && state_.parts()[*place.part].daemon == daemon;
      const bool is_near_its_end = place.done + 1 >= state_.file().months;
      const bool may_go = !out_of_reach_.contains(number);
      if (is_there && !place.is_over && !is_near_its_end && may_go) scenarios.push_back(number);
    }
    std::ranges::stable_sort(scenarios, {},
                             [&](Count number) { return state_.scenarios().at(number).done; });
    scenarios.resize(std::min(scenarios.size(), static_cast<std::size_t>(count)));
    for (const Count number : scenarios) {
      const std::size_t part = *state_.scenarios().at(number).part;
      write({leave_entry(part, {number}, false, state_.scenarios())});
      watchers_[part]->leave({number});
      options_.say(fmt::format("scenario {} leaves {} after month {}", number, daemon,
                               state_.scenarios().at(number).done));
    }
  }

  const Caller& caller_;
  const ExperimentOptions& options_;
  ExperimentState state_;
  exec::JournalWriter journal_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<PartNews> news_;
  std::vector<Time> heard_;       // by part: when it last answered
  std::set<std::size_t> silent_;  // parts whose daemons do not answer
  std::map<Count, std::set<std::string>> out_of_reach_;
  Time began_ = exec::steady_now();
  Time next_try_ = 0;
  Time next_look_ = began_ + options_.look_again;
  bool has_asked_ = false;
  std::vector<std::unique_ptr<PartWatcher>> watchers_;  // last: they end first
};

}  // namespace

ExperimentState read_experiment_state(const exec::RunFolder& folder, const ExperimentFile& file) {
  ExperimentState state(file);
  if (std::filesystem::exists(folder.journal())) {
    exec::read_journal(folder.journal(), [&](const Json& entry) { state.apply(entry); });
  }
  return state;
}

ExperimentEnd run_experiment(const exec::RunFolder& folder, const ExperimentFile& file,
                             const Caller& caller, const ExperimentOptions& options) {
  try {
    return ExperimentRun(folder, file, caller, options).run();
  } catch (const InputError&) {
    // Others may have begun with what cannot be finished.
    cancel_experiment(folder, file, caller);
    exec::JournalWriter journal(folder.journal());
    journal.add(over_entry());
    journal.sync();
    throw;
  }
}

std::vector<std::string> cancel_experiment(const exec::RunFolder& folder,
                                           const ExperimentFile& file, const Caller& caller) {
  const ExperimentState state = read_experiment_state(folder, file);
  std::vector<std::string> untold;
  constexpr double kSeconds = 10;
  for (const Part& part : state.parts()) {
    try {
      caller.post({part.url, Role::daemon, part.daemon}, "/v1/cancel",
                  {{"request_id", part.request}}, kSeconds);
    } catch (const NoAnswer&) {
      untold.push_back(part.daemon);
    } catch (const Denied&) {
      // It never had it.
    }
  }
  return untold;
}

}  // namespace dovetail::federation
