#include "federation/daemon/daemon.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>

#include <chrono>
#include <set>

#include "dovetail/error.hpp"
#include "federation/agent/agent.hpp"
#include "federation/daemon/sent_workflow.hpp"

namespace dovetail::federation {

namespace {

// How often to look for ends that no file tells of.
constexpr int kLookMilliseconds = 200;
// Months of all scenarios of all answers of one estimate: some seconds.
constexpr double kMostSimulated = 2e7;
// Estimates that are computed at the same time, and that may wait for that.
constexpr std::size_t kEstimatesAtOnce = 2;
constexpr std::size_t kEstimatesWaiting = 16;
// Answers about that many scenarios, of a megabyte each, that are made at the same time.
constexpr std::size_t kManyScenarios = 1000;
constexpr std::size_t kLongAnswersAtOnce = 4;

void require_size(const Fields& fields, std::size_t scenarios, Count months) {
  if (static_cast<std::int64_t>(scenarios) * months <= kMostMonthsInAll) return;
  fields.fail(
      fmt::format("more than {} months in all; ask for fewer scenarios at once", kMostMonthsInAll));
}

// Every number of scenarios is simulated month by month.
void require_effort(Count active, Count scenarios, Count months) {
  const auto most = static_cast<double>(active + scenarios);
  if (most * static_cast<double>(scenarios) * static_cast<double>(months) <= kMostSimulated) return;
  throw Refusal(
      413,
      fmt::format("an estimate for 1 to {} scenarios of {} months beside {} that are here "
                  "would take too long",
                  scenarios, months, active),
      "ask for fewer scenarios at once");
}

// The requests that an estimate leaves out. A client means its own. An agent passes on the ids of a
// client as CLIENT/ID; one of an earlier version passes on what it got.
std::set<RequestName> left_out(const Fields& estimate, const Peer& caller) {
  std::set<RequestName> names;
  for (const std::string& given : estimate.items<std::string>("without", "ids of requests")) {
    const auto slash = given.find('/');
    if (caller.role == Role::client) {
      names.insert({.id = given, .client = caller.name});
    } else if (slash == std::string::npos) {
      names.insert({.id = given, .client = ""});
    } else {
      names.insert({.id = given.substr(slash + 1), .client = given.substr(0, slash)});
    }
  }
  return names;
}

MonthRequest request_of(const Call& call, const DaemonDescription& description) {
  const Fields fields(call.body, "submit");
  fields.only(
      {"request_id", "experiment", "service", "parameters", "months", "scenarios", "workflow"});
  MonthRequest request{.id = fields.word("request_id"),
                       .experiment = fields.word("experiment"),
                       .client = call.peer.name,
                       .service = fields.word("service"),
                       .months = static_cast<Count>(fields.whole("months", 1, kMostMonths))};
  if (const Json* parameters = fields.find("parameters")) request.parameters = *parameters;
  if (const Json* workflow = fields.find("workflow")) {
    if (request.service != kWorkflowService || request.months != 1) {
      fields.fail("a workflow is one month of the service \"workflow\"");
    }
    request.workflow = prepare_workflow(description, *workflow).text;
  }
  const Json& scenarios = fields.list("scenarios");
  if (scenarios.empty() || scenarios.size() > kMostScenarios) {
    fields.fail(fmt::format("scenarios: expected 1 to {} of them", kMostScenarios));
  }
  require_size(fields, scenarios.size(), request.months);
  std::set<Count> known;
  for (const Json& one : scenarios) {
    const Fields scenario(one, "submit: scenario");
    scenario.only({"scenario", "first_month"});
    const auto number = static_cast<Count>(scenario.whole("scenario", 1, kMostMonths));
    const auto first = static_cast<Count>(scenario.whole("first_month", 1, request.months));
    if (!known.insert(number).second) {
      fields.fail(fmt::format("scenario {} is there twice", number));
    }
    request.scenarios.push_back({.number = number, .first = first});
  }
  return request;
}

}  // namespace

Daemon::Daemon(DaemonOptions options, const Identity& self, run::RunFolder folder,
               DaemonBackends backends, Log log)
    : options_(std::move(options)),
      name_(self.self.name),
      log_(std::move(log)),
      caller_(self),
      history_(options_.history, name_),
      backends_(std::move(backends)),
      runner_({.name = name_,
               .description = options_.description,
               .times = [this](const Service& service) { return history_.times(service); },
               .measured =
                   [this](const MonthStep& step, const Service& service, double seconds) {
                     try {
                       history_.add(step, service, seconds);
                     } catch (const ExecutionError& error) {
                       log_(std::string("not remembered: ") + error.what());
                     }
                   },
               .log = log_},
              std::move(folder), {.months = *backends_.months, .workflows = *backends_.workflows}),
      estimating_(kEstimatesAtOnce, kEstimatesWaiting),
      telling_(kLongAnswersAtOnce, options_.limits.connections),
      failed_(eventfd(0, EFD_CLOEXEC)),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  server_ =
      std::make_unique<HttpServer>(options_.address, self, operations(), options_.limits, log_);
  url_ = own_url(options_.public_url, options_.address, server_->port());
  if (!options_.agent.empty()) {
    registrar_.emplace(caller_,
                       Registration{.agent = options_.agent,
                                    .own_url = url_,
                                    .lease = options_.lease,
                                    .capabilities = [this] { return capabilities(); },
                                    .is_taken = [this](const std::string& why) { fail(why); }},
                       log_);
  }
  worker_ = std::thread([this] { work(); });  // last: nothing after it may throw
}

Daemon::~Daemon() {
  registrar_.reset();
  is_over_ = true;
  runner_.record().announce();
  eventfd_write(wake_.get(), 1);
  worker_.join();
  server_.reset();
}

std::string Daemon::failure() const {
  const std::lock_guard lock(failing_);
  return failure_;
}

void Daemon::fail(const std::string& why) {
  const std::lock_guard lock(failing_);
  failure_ = why;
  log_("cannot go on: " + failure_);
  eventfd_write(failed_.get(), 1);
}

// False when there is nothing more to be done now. What takes long is done without the lock: the
// disk that results have to reach, and the choice of groups. Those are for what was to be done a
// moment ago; if that has changed since, they still work, and the next look asks for better ones.
bool Daemon::look() {
  const auto locked = [this](const auto& change) {
    const std::lock_guard lock(changing_);
    return change();
  };
  auto ended = locked([&] { return runner_.ended(); });
  MonthRunner::settle(ended);
  bool has_changed = false;
  const auto question = locked([&] {
    has_changed = runner_.take(ended);
    return runner_.question();
  });
  if (has_changed) runner_.record().announce();
  std::optional<MonthGroups> groups;
  if (question) groups = runner_.answer(*question);
  locked([&] {
    if (groups) runner_.use(*question, std::move(*groups));
    has_changed = runner_.start_steps() || has_changed;
  });
  if (has_changed) runner_.record().announce();
  return has_changed && !is_over_;
}

void Daemon::work() {
  while (!is_over_) {
    try {
      while (look()) {
      }
    } catch (const std::exception& error) {
      // What is not written down did not happen: the next daemon goes on from the journal.
      fail(error.what());
      return;
    }
    pollfd files[] = {{.fd = wake_.get(), .events = POLLIN, .revents = 0},
                      {.fd = backends_.months->descriptor(), .events = POLLIN, .revents = 0},
                      {.fd = backends_.workflows->descriptor(), .events = POLLIN, .revents = 0}};
    poll(files, std::size(files), kLookMilliseconds);
    eventfd_t ignored = 0;
    eventfd_read(wake_.get(), &ignored);
  }
}

std::vector<Operation> Daemon::operations() {
  const std::vector<Role> asking = {Role::client, Role::agent};
  const std::vector<Role> clients = {Role::client};
  return {{"GET", "/v1/capabilities", asking, [this](const Call&) { return capabilities(); }},
          {"POST", "/v1/estimate", asking, [this](const Call& call) { return estimate(call); }},
          {"POST", "/v1/predict", asking, [this](const Call& call) { return predict(call); }},
          {"POST", "/v1/submit", clients, [this](const Call& call) { return submit(call); }},
          {"POST", "/v1/watch", clients, [this](const Call& call) { return watch(call); }},
          {"POST", "/v1/cancel", clients, [this](const Call& call) { return cancel(call); }},
          {"POST", "/v1/held", clients, [this](const Call& call) { return held(call); }}};
}

Json Daemon::capabilities() const {
  const DaemonDescription& description = options_.description;
  Json json = {{"protocol", 1},
               {"name", name_},
               {"processors", description.processors},
               {"cores_per_node", description.cores_per_node},
               {"executor", description.system.empty() ? "local" : description.system},
               {"services", Json::array()}};
  for (const Service& service : description.services) json["services"].push_back(json_of(service));
  return json;
}

Json Daemon::estimate(const Call& call) {
  const Fields fields(call.body, "estimate");
  fields.only({"service", "parameters", "scenarios", "months", "without"});
  const std::string wanted = fields.word("service");
  const Service* service = options_.description.find(wanted);
  if (service == nullptr || service->main.empty()) {
    throw Refusal(404, fmt::format("there is no service {} for ensembles here", wanted),
                  "there is " + options_.description.ensemble_services());
  }
  // A cluster that could not run it does not offer it.
  if (const Json* parameters = fields.find("parameters")) check_parameters(*service, *parameters);
  const auto scenarios = static_cast<Count>(fields.whole("scenarios", 1, kMostScenarios));
  const auto months = static_cast<Count>(fields.whole("months", 1, kMostMonths));
  require_size(fields, static_cast<std::size_t>(scenarios), months);
  const std::set<RequestName> others = left_out(fields, call.peer);
  const Count active = runner_.record().read(
      [&](const MonthState& state) { return state.active_scenarios(wanted, others); });
  require_effort(active, scenarios, months);
  const EffortLimit::Turn turn(estimating_);
  const EnsembleSite site = site_for(*service);
  MonthEstimate made = estimate_months(site, options_.description.rules, active, scenarios, months);
  const double wait = wait_in_queue(made, site);
  for (double& makespan : made.makespans) makespan += wait;
  log_(fmt::format("step 3: {} scenarios of {} months of {} for {}: from {} to {} s", scenarios,
                   months, wanted, call.peer.name, made.makespans.front(), made.makespans.back()));
  return answer_of(wanted, made, active, wait);
}

Json Daemon::answer_of(const std::string& service, const MonthEstimate& made, Count busy,
                       double wait) const {
  return {{"daemon", name_},
          {"service", service},
          {"makespans", made.makespans},
          {"groups", made.groups},
          {"at_no_cost", made.at_no_cost},
          {"busy_scenarios", busy},
          {"queue_wait", wait},
          {"valid_until", run::wall_now() + kEstimateValid}};
}

// Of the first job of the largest group, in seconds.
double Daemon::wait_in_queue(const MonthEstimate& made, const EnsembleSite& site) const {
  Count largest = 0;
  for (const auto& groups : made.groups) {
    for (const Count group : groups) largest = std::max(largest, group);
  }
  return largest == 0 ? 0 : wait_in_queue(largest, main_time(site.times, largest));
}

double Daemon::wait_in_queue(Count processors, Duration length) const {
  if (!options_.queue_wait) return 0;
  try {
    const Duration wait = options_.queue_wait(processors, length);
    return wait >= kForever ? kNeverSeconds : to_seconds(wait);
  } catch (const ExecutionError& error) {
    throw Refusal(503, error.what(), "ask again later");
  }
}

EnsembleSite Daemon::site_for(const Service& service) const {
  return {.name = name_,
          .processors = options_.description.processors,
          .cores_per_node = options_.description.cores_per_node,
          .times = history_.times(service)};
}

// As an estimate, of one scenario: when the workflow would end, after what is there already.
Json Daemon::predict(const Call& call) {
  const Fields fields(call.body, "predict");
  fields.only({"workflow"});
  const EffortLimit::Turn turn(estimating_);
  const SentWorkflow sent = prepare_workflow(options_.description, fields.need("workflow"));
  const Count procs = options_.description.processors;
  struct Load {
    const Service* service;
    Count scenarios;
    Count months;
  };
  std::vector<Load> loads;
  Count workflows = 0;
  runner_.record().read([&](const MonthState& state) {
    for (const Service& service : options_.description.services) {
      const Count active = state.active_scenarios(service.name);
      if (active > 0) loads.push_back({&service, active, state.months_left(service.name)});
    }
    workflows = state.active_scenarios(kWorkflowService);
  });
  double wait = to_seconds(sent.makespan) * workflows;
  Count busy = workflows;
  for (const auto& [service, scenarios, months] : loads) {
    wait += seconds_of_load(site_for(*service), options_.description.rules, scenarios, months);
    busy += scenarios;
  }
  wait += wait_in_queue(1, sent.makespan);
  const double ends = wait + to_seconds(sent.makespan);
  log_(fmt::format("step 3: a workflow for {}: ends after {:.1f} s, {:.1f} of them waiting",
                   call.peer.name, ends, wait));
  return answer_of(kWorkflowService, {.makespans = {ends}, .groups = {{procs}}}, busy, wait);
}

Json Daemon::submit(const Call& call) {
  MonthRequest request = request_of(call, options_.description);
  const std::string id = request.id;
  if (const auto arrival = runner_.receive(std::move(request))) {
    const std::lock_guard lock(changing_);
    runner_.accept(*arrival);
  }
  eventfd_write(wake_.get(), 1);
  return {{"request_id", id}, {"accepted", true}};
}

Json Daemon::watch(const Call& call) {
  const Fields fields(call.body, "watch");
  fields.only({"request_id", "cursor", "wait_seconds"});
  const RequestName name{.id = fields.word("request_id"), .client = call.peer.name};
  constexpr std::int64_t kMostVersions = std::int64_t{1} << 53;
  const auto cursor = static_cast<std::uint64_t>(fields.whole("cursor", 0, kMostVersions));
  const double seconds = fields.number("wait_seconds", 0, kLongestWatch);
  const auto until = std::chrono::steady_clock::now() +
                     std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
  // When half of all connections wait for news, the next client gets the present state at once.
  const std::size_t most = options_.limits.connections / 2;
  if (waiting_++ < most) {
    runner_.record().wait(until, [&](const MonthState& state) {
      const MonthRequest* request = state.find(name);
      return is_over_ || request == nullptr || request->version > cursor;
    });
  }
  --waiting_;
  return progress_of(name);
}

// How far a request is, as it is told to clients.
Json Daemon::progress_of(const RequestName& name) const {
  const bool is_long = runner_.record().read([&](const MonthState& state) {
    const MonthRequest* request = state.find(name);
    return request != nullptr && request->scenarios.size() > kManyScenarios;
  });
  std::optional<EffortLimit::Turn> turn;
  if (is_long) turn.emplace(telling_);
  std::string experiment;
  std::uint64_t version = 0;
  bool is_over = false;
  // Copied first: while JSON is made of ten thousand of them, others may read.
  std::vector<Scenario> scenarios;
  runner_.record().read([&](const MonthState& state) {
    const MonthRequest* request = state.find(name);
    if (request == nullptr) {
      throw Refusal(404, fmt::format("there is no request {} of {}", name.id, name.client),
                    "submit it");
    }
    experiment = request->experiment;
    version = request->version;
    is_over = request->is_over();
    scenarios = request->scenarios;
  });
  const std::string& data = options_.description.data;
  Json json = {{"request_id", name.id},
               {"cursor", version},
               {"over", is_over},
               {"folder", fmt::format("{}/{}/{}", data, name.client, experiment)},
               {"scenarios", Json::array()}};
  for (const Scenario& scenario : scenarios) {
    Json one = {{"scenario", scenario.number},
                {"last_completed_month", scenario.done},
                {"posts_left", scenario.posts_left},
                {"state", name_of(scenario.state)}};
    if (!scenario.why.empty()) one["why"] = scenario.why;
    json["scenarios"].push_back(std::move(one));
  }
  return json;
}

// Which months of a client's experiment are here: a cluster that goes on with a scenario needs the
// month before.
Json Daemon::held(const Call& call) const {
  const Fields fields(call.body, "held");
  fields.only({"experiment", "scenarios"});
  const MonthRequest request{
      .id = "", .experiment = fields.word("experiment"), .client = call.peer.name, .service = ""};
  const Json& scenarios = fields.list("scenarios");
  if (scenarios.size() > kMostScenarios) {
    fields.fail(fmt::format("scenarios: more than {} of them", kMostScenarios));
  }
  Json found = Json::array();
  for (const Json& number : scenarios) {
    if (!number.is_number_integer()) fields.fail("scenarios: expected numbers");
    const MonthFolder folder(options_.description.data, request, number.get<Count>());
    const Count months = folder.last_done();
    if (months > 0) found.push_back({{"scenario", number}, {"months", months}});
  }
  return {{"daemon", name_}, {"scenarios", found}};
}

Json Daemon::cancel(const Call& call) {
  const Fields fields(call.body, "cancel");
  fields.only({"request_id", "scenarios"});
  const RequestName name{.id = fields.word("request_id"), .client = call.peer.name};
  const auto scenarios = fields.items<Count>("scenarios", "numbers");
  if (scenarios.empty() && fields.find("scenarios") != nullptr) {
    fields.fail("scenarios: expected some; leave it out to cancel all");
  }
  {
    const std::lock_guard lock(changing_);
    runner_.cancel(name, scenarios);
  }
  runner_.record().announce();
  eventfd_write(wake_.get(), 1);
  return progress_of(name);
}

}  // namespace dovetail::federation
