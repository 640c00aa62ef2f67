#include "federation/daemon/month_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "federation/daemon/month_entry.hpp"
#include "run/clock.hpp"

namespace dovetail::federation {

namespace {

// Of a scenario in what a client sends and in what is written about it.
constexpr std::int64_t kBytesOfScenario = 50;

[[noreturn]] void refuse_entry(const std::string& why) { throw Refusal(400, why); }

// The scenario that the entry is about, which must have such a month.
Scenario& scenario_with(MonthRequest& request, Count number, Count month) {
  Scenario* scenario = request.find(number);
  if (scenario == nullptr || month > request.months) {
    refuse_entry(
        fmt::format("request {} has no month {} of scenario {}", request.id, month, number));
  }
  return *scenario;
}

std::string text_of(const RequestName& name) {
  return one_line(name.id) + (name.client.empty() ? "" : " of " + one_line(name.client));
}

// Mostly the numbers are consecutive; but clients may send any, in any order.
template <typename Request>
auto find_scenario(Request& request, Count number) -> decltype(request.scenarios.data()) {
  auto& all = request.scenarios;
  if (all.empty()) return nullptr;
  const auto place = std::int64_t{number} - all.front().number;
  if (place >= 0 && place < std::ssize(all)) {
    auto& guess = all[static_cast<std::size_t>(place)];
    if (guess.number == number) return &guess;
  }
  const auto found = std::ranges::find(all, number, &Scenario::number);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

const Scenario* MonthRequest::find(Count number) const { return find_scenario(*this, number); }

Scenario* MonthRequest::find(Count number) { return find_scenario(*this, number); }

bool MonthRequest::is_over() const { return std::ranges::none_of(scenarios, &Scenario::has_more); }

RequestAmount& RequestAmount::operator+=(const RequestAmount& other) {
  requests += other.requests;
  months += other.months;
  bytes += other.bytes;
  return *this;
}

RequestAmount amount_of(const MonthRequest& request) {
  RequestAmount amount{.requests = 1};
  for (const Scenario& scenario : request.scenarios) {
    amount.months += request.months - scenario.first + 1;
  }
  amount.bytes =
      static_cast<std::int64_t>(request.parameters.dump().size() + request.workflow.size()) +
      kBytesOfScenario * std::ssize(request.scenarios);
  return amount;
}

const MonthRequest* MonthState::find(const RequestName& name) const {
  const auto found = places_.find(name);
  return found == places_.end() ? nullptr : &requests_[found->second];
}

// Earlier journals name no client; in them every id is there once.
MonthRequest& MonthState::at(const RequestName& name) {
  const auto found = places_.lower_bound(name);
  const bool is_there = found != places_.end() && found->first.id == name.id &&
                        (name.client.empty() || found->first.client == name.client);
  if (!is_there) refuse_entry(fmt::format("there is no request {}", text_of(name)));
  return requests_[found->second];
}

std::vector<const MonthRequest*> MonthState::unfinished() const {
  std::vector<const MonthRequest*> requests;
  for (const auto& [place, amount] : unfinished_) requests.push_back(&requests_[place]);
  return requests;
}

RequestAmount MonthState::held_by(const std::string& client) const {
  RequestAmount held;
  for (const auto& [place, amount] : unfinished_) {
    if (requests_[place].client == client) held += amount;
  }
  return held;
}

Count MonthState::active_scenarios(const std::string& service,
                                   const std::set<RequestName>& without) const {
  Count count = 0;
  for (const MonthRequest* request : unfinished()) {
    const bool is_left_out =
        without.contains(request->name()) || without.contains({.id = request->id, .client = ""});
    if (request->service != service || is_left_out) continue;
    count += static_cast<Count>(
        std::ranges::count(request->scenarios, Scenario::State::active, &Scenario::state));
  }
  return count;
}

Count MonthState::months_left(const std::string& service) const {
  Count most = 1;
  for (const MonthRequest* request : unfinished()) {
    if (request->service != service) continue;
    for (const Scenario& scenario : request->scenarios) {
      if (scenario.state != Scenario::State::active) continue;
      most = std::max(most, request->months - scenario.done);
    }
  }
  return most;
}

void MonthState::apply(const Json& entry) {
  const std::string what = Fields(entry, "an entry").text("what");
  if (what == "request") return apply_request(entry);
  if (what == "start") return apply_start(entry);
  if (what == "end") return apply_end(entry);
  if (what == "cancel") return apply_cancel(entry);
  if (what == "kept") return apply_kept(entry);
  if (what == "rest") return apply_rest(entry);
  refuse_entry("there is no entry " + one_line(what));
}

void MonthState::add(MonthRequest request) {
  std::vector<Count> numbers;
  for (const Scenario& scenario : request.scenarios) numbers.push_back(scenario.number);
  std::ranges::sort(numbers);
  const bool is_twice = std::ranges::adjacent_find(numbers) != numbers.end();
  if (is_twice) refuse_entry(fmt::format("request {} has a scenario twice", request.id));
  if (!places_.emplace(request.name(), requests_.size()).second) {
    refuse_entry(fmt::format("there are two requests {}", text_of(request.name())));
  }
  if (request.is_over()) {
    finished_.push_back(requests_.size());
  } else {
    unfinished_[requests_.size()] = amount_of(request);
  }
  requests_.push_back(std::move(request));
}

void MonthState::apply_request(const Json& entry) {
  MonthRequest request = read_request(entry);
  for (const FoundScenario& found : read_found(entry, request.months)) {
    Scenario scenario{.number = found.number,
                      .first = found.first,
                      .done = found.done,
                      .posts_left = static_cast<Count>(found.open_posts.size())};
    for (const Count month : found.open_posts)
      posts_.push_back({request.name(), found.number, month});
    if (scenario.done >= request.months) scenario.state = Scenario::State::done;
    request.scenarios.push_back(std::move(scenario));
  }
  add(std::move(request));
}

void MonthState::apply_kept(const Json& entry) { add(read_kept(entry)); }

void MonthState::add_running(MonthStep step) {
  MonthRequest& request = at(step.request);
  step.request = request.name();
  scenario_with(request, step.scenario, step.month);
  if (!running_.emplace(step.number, step).second) {
    refuse_entry(fmt::format("step {} runs twice", step.number));
  }
  next_number_ = std::max(next_number_, step.number + 1);
}

void MonthState::apply_start(const Json& entry) {
  const MonthStep step = read_step(entry);
  if (step.number < next_number_) {
    refuse_entry(fmt::format("step {} starts after step {}", step.number, next_number_ - 1));
  }
  add_running(step);
  MonthRequest& request = at(step.request);
  ++request.version;
  if (step.kind == StepKind::main) return;
  // Mostly the first one.
  const auto post = std::ranges::find_if(posts_, [&](const PostTask& one) {
    return one.request == request.name() && one.scenario == step.scenario &&
           one.month == step.month;
  });
  if (post == posts_.end())
    refuse_entry(fmt::format("no post task waits for step {}", step.number));
  posts_.erase(post);
}

void MonthState::apply_end(const Json& entry) {
  const MonthStep ended = read_step(entry);
  const Outcome outcome = read_outcome(entry);
  const auto found = running_.find(ended.number);
  if (found == running_.end()) return;  // a back end may report a step twice
  const MonthStep step = found->second;
  MonthRequest& request = at(step.request);
  if (&at(ended.request) != &request || step.scenario != ended.scenario) {
    refuse_entry(fmt::format("step {} ends as another one", step.number));
  }
  running_.erase(found);
  ++request.version;
  if (outcome == Outcome::done) {
    const auto has_post = entry.find("has_post");
    take_success(step, request, has_post != entry.end() && has_post->get<bool>());
  } else {
    take_failure(step, request, entry);
  }
  settle(request);
}

void MonthState::take_success(const MonthStep& step, MonthRequest& request, bool has_post) {
  Scenario& scenario = scenario_with(request, step.scenario, step.month);
  scenario.failures = 0;
  if (step.kind == StepKind::post) {
    if (scenario.posts_left == 0) {
      refuse_entry(fmt::format("step {} is no post task that was left", step.number));
    }
    --scenario.posts_left;
    ++archived_;
    return;
  }
  scenario.done = std::max(scenario.done, step.month);
  if (has_post) {
    posts_.push_back({request.name(), scenario.number, step.month});
    ++scenario.posts_left;
  }
  if (scenario.done >= request.months && !scenario.is_cancelled) {
    scenario.state = Scenario::State::done;
  }
}

void MonthState::take_failure(const MonthStep& step, MonthRequest& request, const Json& entry) {
  Scenario& scenario = scenario_with(request, step.scenario, step.month);
  const Outcome outcome = read_outcome(entry);
  if (outcome == Outcome::failed) ++scenario.failures;
  if (outcome == Outcome::given_up) scenario.state = Scenario::State::failed;
  if (outcome == Outcome::given_up || outcome == Outcome::taken) {
    scenario.is_cancelled = true;
    scenario.why = read_why(entry);
  }
  // To be done once more.
  if (step.kind == StepKind::post) {
    posts_.push_front({step.request, step.scenario, step.month});
  }
}

void MonthState::apply_cancel(const Json& entry) {
  const Fields fields(entry, "cancel");
  MonthRequest& request = at(read_name(entry));
  const std::string why = read_why(entry);
  fields.list("scenarios");
  std::vector<Count> numbers = fields.items<Count>("scenarios", "numbers");
  std::ranges::sort(numbers);
  for (Scenario& scenario : request.scenarios) {
    const bool is_meant = numbers.empty() || std::ranges::binary_search(numbers, scenario.number);
    if (!is_meant || !scenario.has_more()) continue;
    scenario.is_cancelled = true;
    scenario.why = why;
  }
  ++request.version;
  settle(request);
}

// What is cancelled has come to its end when nothing of it runs.
void MonthState::settle(MonthRequest& request) {
  std::set<Count> ending;
  for (const Scenario& scenario : request.scenarios) {
    const bool is_settled = !scenario.has_more() && scenario.posts_left == 0;
    if (scenario.is_cancelled && !is_settled) ending.insert(scenario.number);
  }
  if (!ending.empty()) {
    std::erase_if(posts_, [&](const PostTask& post) {
      return post.request == request.name() && ending.contains(post.scenario);
    });
    for (const auto& [number, step] : running_) {
      if (step.request == request.name()) ending.erase(step.scenario);
    }
  }
  for (const Count number : ending) {
    Scenario& scenario = *request.find(number);
    scenario.posts_left = 0;
    if (scenario.state != Scenario::State::failed) scenario.state = Scenario::State::cancelled;
  }
  const std::size_t place = places_.at(request.name());
  if (request.is_over() && unfinished_.erase(place) > 0) finished_.push_back(place);
}

void MonthState::apply_rest(const Json& entry) {
  const Fields fields(entry, "rest");
  constexpr std::int64_t kMostNumbers = std::numeric_limits<std::uint32_t>::max();
  constexpr std::int64_t kMostArchived = std::int64_t{1} << 53;
  const auto next = static_cast<std::uint32_t>(fields.whole("next_number", 1, kMostNumbers));
  next_number_ = std::max(next_number_, next);
  archived_ = fields.whole("archived", 0, kMostArchived);
  for (const Json& step : fields.list("running")) add_running(read_step(step));
  for (const Json& item : fields.list("posts")) {
    PostTask post = read_post(item);
    MonthRequest& request = at(post.request);
    scenario_with(request, post.scenario, post.month);
    post.request = request.name();
    posts_.push_back(std::move(post));
  }
}

std::vector<Json> MonthState::entries() const {
  std::vector<Json> entries;
  for (const MonthRequest& request : requests_) entries.push_back(kept_entry(request));
  Json rest = {{"what", "rest"},        {"time", run::wall_now()},  {"next_number", next_number_},
               {"archived", archived_}, {"running", Json::array()}, {"posts", Json::array()}};
  for (const auto& [number, step] : running_) rest["running"].push_back(start_entry(step));
  for (const PostTask& post : posts_) rest["posts"].push_back(post_entry(post));
  entries.push_back(std::move(rest));
  return entries;
}

void MonthState::forget_finished(std::int64_t most, std::int64_t bytes) {
  std::set<RequestName> needed;  // the end of what runs is still to be written down
  for (const auto& [number, step] : running_) needed.insert(step.request);
  std::map<std::string, RequestAmount> of_client;
  std::deque<MonthRequest> kept;
  for (auto place = finished_.rbegin(); place != finished_.rend(); ++place) {
    MonthRequest& request = requests_[*place];
    const RequestAmount& known = of_client[request.client] += amount_of(request);
    const bool is_forgotten = known.requests > most || known.bytes > bytes;
    if (!is_forgotten || needed.contains(request.name())) kept.push_front(std::move(request));
  }
  for (const auto& [place, amount] : unfinished_) kept.push_back(std::move(requests_[place]));
  requests_.clear();
  places_.clear();
  finished_.clear();
  unfinished_.clear();
  for (MonthRequest& request : kept) add(std::move(request));
}

}  // namespace dovetail::federation
