// What a daemon knows of the work it was given: requests, their scenarios month by month, and what
// runs. It is what the entries of its journal say, one after the other; nothing else.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "federation/daemon/request_name.hpp"
#include "federation/daemon/service.hpp"
#include "federation/net/message.hpp"

namespace dovetail::federation {

enum class StepKind : std::uint8_t { main, post };

// One attempt to compute a month, or to do what comes after it.
struct MonthStep {
  std::uint32_t number = 0;  // its own for ever
  StepKind kind = StepKind::main;
  RequestName request;
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

  // Whether something of it is left to be done.
  bool has_more() const {
    return state == State::active || (state == State::done && posts_left > 0);
  }
  friend bool operator==(const Scenario&, const Scenario&) = default;
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

  RequestName name() const { return {id, client}; }

  // Null when there is none of that number. Fast when the numbers are consecutive.
  const Scenario* find(Count number) const;
  Scenario* find(Count number);
  // Whether nothing of it is left to be done.
  bool is_over() const;
};

// What requests ask for, for quotas.
struct RequestAmount {
  std::int64_t requests = 0;
  std::int64_t months = 0;
  std::int64_t bytes = 0;  // of parameters, workflows and lists of scenarios

  RequestAmount& operator+=(const RequestAmount& other);
};

RequestAmount amount_of(const MonthRequest& request);

struct PostTask {
  RequestName request;
  Count scenario = 0;
  Count month = 0;
};

class MonthState {
 public:
  // Throws Refusal, which says why, for an entry that makes no sense after those before; the state
  // is not to be used any more then.
  void apply(const Json& entry);

  // Those that make this state of an empty one, as few as there can be.
  std::vector<Json> entries() const;

  const std::deque<MonthRequest>& requests() const { return requests_; }
  // Those that are not over, in the order in which they came.
  std::vector<const MonthRequest*> unfinished() const;
  // What the client has of those.
  RequestAmount held_by(const std::string& client) const;
  // Null when there is none of that name.
  const MonthRequest* find(const RequestName& name) const;

  // What runs, as far as the journal knows, by number.
  const std::map<std::uint32_t, MonthStep>& running() const { return running_; }

  // Post tasks that have not been started, in the order in which their months ended.
  const std::deque<PostTask>& posts() const { return posts_; }

  // Scenarios of the service that are not done, without those of some requests. Without a client,
  // such a name means the requests of all clients with that id.
  Count active_scenarios(const std::string& service,
                         const std::set<RequestName>& without = {}) const;

  // The most months that one of them has left.
  Count months_left(const std::string& service) const;

  std::uint32_t next_number() const { return next_number_; }
  std::int64_t archived() const { return archived_; }

  // Of each client, only the requests that were over last stay known: at most this number of them,
  // of at most this many bytes together. Moves requests: pointers to them are not valid any more.
  void forget_finished(std::int64_t most, std::int64_t bytes);

 private:
  MonthRequest& at(const RequestName& name);
  void add(MonthRequest request);
  void apply_request(const Json& entry);
  void apply_kept(const Json& entry);
  void apply_rest(const Json& entry);
  void apply_start(const Json& entry);
  void apply_end(const Json& entry);
  void apply_cancel(const Json& entry);
  void take_success(const MonthStep& step, MonthRequest& request, bool has_post);
  void take_failure(const MonthStep& step, MonthRequest& request, const Json& entry);
  void add_running(MonthStep step);
  void settle(MonthRequest& request);

  std::deque<MonthRequest> requests_;
  std::map<RequestName, std::size_t> places_;
  // Places: of those that are not over, and of the others in the order in which they ended.
  std::map<std::size_t, RequestAmount> unfinished_;
  std::vector<std::size_t> finished_;
  std::map<std::uint32_t, MonthStep> running_;
  std::deque<PostTask> posts_;
  std::uint32_t next_number_ = 1;
  std::int64_t archived_ = 0;  // months whose post task is done
};

}  // namespace dovetail::federation
