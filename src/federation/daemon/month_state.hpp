// What a daemon knows of the work it was given: requests, their scenarios month by month, and what
// runs. It is what the entries of its journal say, one after the other; nothing else.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "federation/daemon/service.hpp"
#include "federation/net/message.hpp"

namespace dovetail::federation {

enum class StepKind : std::uint8_t { main, post };

// One attempt to compute a month, or to do what comes after it.
struct MonthStep {
  std::uint32_t number = 0;  // its own for ever
  StepKind kind = StepKind::main;
  std::string request;
  Count scenario = 0;
  Count month = 0;
  Count processors = 1;
};

struct Scenario {
  enum class State : std::uint8_t { active, done, failed, cancelled };

  Count number = 0;
  Count first = 1;            // the month from which we compute
  Count done = 0;             // the last month that is done, by us or before us
  Count posts_left = 0;       // months that are done, and whose post task is not
  int failures = 0;           // in a row, of its main or post tasks
  bool is_cancelled = false;  // nothing more is started
  std::string why = {};       // failed, cancelled
  State state = State::active;
};

std::string_view name_of(Scenario::State state);

struct MonthRequest {
  std::string id;
  std::string experiment;
  std::string client;
  std::string service;
  Json parameters = Json::object();
  Values values = {};
  std::string workflow = {};  // instead of months: a workflow with commands
  Count months = 0;
  std::vector<Scenario> scenarios = {};
  std::uint64_t version = 0;  // grows with everything that happens to it

  Scenario& scenario(Count number);
  // Whether nothing of it is left to be done.
  bool is_over() const;
};

struct PostTask {
  std::string request;
  Count scenario = 0;
  Count month = 0;
};

class MonthState {
 public:
  void apply(const Json& entry);

  // Those that make this state of an empty one, as few as there can be.
  std::vector<Json> entries() const;

  // In the order in which they came.
  const std::deque<MonthRequest>& requests() const { return requests_; }
  // Null when there is none of that name.
  const MonthRequest* find(const std::string& id) const;

  // What runs, as far as the journal knows, by number.
  const std::map<std::uint32_t, MonthStep>& running() const { return running_; }

  // Post tasks that have not been started, in the order in which their months ended.
  const std::deque<PostTask>& posts() const { return posts_; }

  // Scenarios of the service that are not done, without those of some requests.
  Count active_scenarios(const std::string& service,
                         const std::set<std::string>& without = {}) const;

  // The most months that one of them has left.
  Count months_left(const std::string& service) const;

  std::uint32_t next_number() const { return next_number_; }
  std::int64_t archived() const { return archived_; }

 private:
  MonthRequest& at(const Json& entry);
  void apply_request(const Json& entry);
  void apply_kept(const Json& entry);
  void apply_rest(const Json& entry);
  void apply_start(const Json& entry);
  void apply_end(const Json& entry);
  void apply_cancel(const Json& entry);
  void add_post(const MonthRequest& request, Scenario& scenario, Count month);
  void settle(MonthRequest& request);

  std::deque<MonthRequest> requests_;
  std::map<std::string, std::size_t> places_;
  std::map<std::uint32_t, MonthStep> running_;
  std::deque<PostTask> posts_;
  std::uint32_t next_number_ = 1;
  std::int64_t archived_ = 0;  // months whose post task is done
};

// The entries. A request says, for each scenario, what was there before: months that are done, and
// those of them whose post task is not.
struct FoundScenario {
  Count number = 0;
  Count first = 1;
  Count done = 0;
  std::vector<Count> open_posts = {};
};
Json request_entry(const MonthRequest& request, const std::vector<FoundScenario>& found);
Json start_entry(const MonthStep& step);
enum class Outcome : std::uint8_t { done, failed, lost, given_up, stopped, taken };
Json end_entry(const MonthStep& step, Outcome outcome, double seconds, const std::string& why);
// Nothing more is started for these, or for all when there are none.
Json cancel_entry(const std::string& request, const std::vector<Count>& scenarios,
                  const std::string& why);

}  // namespace dovetail::federation
