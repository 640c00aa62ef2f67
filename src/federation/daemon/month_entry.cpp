#include "federation/daemon/month_entry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "run/clock.hpp"

namespace dovetail::federation {

namespace {

constexpr std::array<std::string_view, 4> kStates = {"active", "done", "failed", "cancelled"};
constexpr std::array<std::string_view, 6> kOutcomes = {"done",     "failed",  "lost",
                                                       "given up", "stopped", "taken"};
constexpr std::int64_t kLargestVersion = std::int64_t{1} << 53;
constexpr std::int64_t kMostFailures = 1'000'000;

Fields fields_of(const Json& entry) {
  const auto what = entry.is_object() ? entry.find("what") : entry.end();
  const bool is_named = what != entry.end() && what->is_string();
  return {entry, is_named ? what->get<std::string>() : "an item"};
}

Count count_of(const Fields& fields, const char* key, std::int64_t low, std::int64_t high) {
  return static_cast<Count>(fields.whole(key, low, high));
}

// Of any length: what failed programs said may be long.
std::string long_text(const Fields& fields, const char* key) {
  const Json& text = fields.need(key);
  if (!text.is_string()) fields.fail(std::string(key) + ": expected a text");
  return text.get<std::string>();
}

bool flag_of(const Fields& fields, const char* key) {
  const Json& flag = fields.need(key);
  if (!flag.is_boolean()) fields.fail(std::string(key) + ": expected true or false");
  return flag.get<bool>();
}

template <typename Names>
std::size_t place_of(const Fields& fields, const char* key, const Names& names) {
  const auto found = std::ranges::find(names, long_text(fields, key));
  if (found == names.end()) {
    fields.fail(fmt::format("{}: expected one of {}", key, fmt::join(names, ", ")));
  }
  return static_cast<std::size_t>(found - names.begin());
}

// How many of the first items are the same but for their numbers, which are consecutive.
template <typename Item>
std::size_t equal_part(std::span<const Item> items) {
  Item next = items.front();
  std::size_t length = 1;
  for (; length < items.size(); ++length) {
    ++next.number;
    if (!(items[length] == next)) break;
  }
  return length;
}

template <typename Item, typename Write>
Json list_of(const std::vector<Item>& items, const Write& write) {
  Json list = Json::array();
  for (std::span<const Item> left = items; !left.empty();) {
    const std::size_t length = equal_part(left);
    Json item = write(left.front());
    if (length > 1) item["count"] = length;
    list.push_back(std::move(item));
    left = left.subspan(length);
  }
  return list;
}

// The inverse.
template <typename Item, typename Read>
std::vector<Item> read_list(const Fields& entry, const Read& read) {
  std::vector<Item> items;
  for (const Json& one : entry.list("scenarios")) {
    const Fields fields(one, "scenario");
    Item item = read(fields);
    item.number = count_of(fields, "scenario", 1, kMostMonths);
    const bool is_single = fields.find("count") == nullptr;
    const Count count = is_single ? 1 : count_of(fields, "count", 1, kMostScenarios);
    if (items.size() + static_cast<std::size_t>(count) > kMostScenarios) {
      entry.fail(fmt::format("more than {} scenarios", kMostScenarios));
    }
    for (Count i = 0; i < count; ++i, ++item.number) items.push_back(item);
  }
  if (items.empty()) entry.fail("no scenarios");
  return items;
}

Values values_of(const Fields& entry) {
  const Json& given = entry.need("values");
  if (!given.is_object()) entry.fail("values: expected a JSON object");
  Values values;
  for (const auto& [name, value] : given.items()) {
    if (!value.is_string()) entry.fail("values: expected texts by name");
    values[name] = value.get<std::string>();
  }
  return values;
}

Json entry_about(const MonthRequest& request, const char* what) {
  Json entry = {{"what", what},
                {"time", run::wall_now()},
                {"request", request.id},
                {"experiment", request.experiment},
                {"client", request.client},
                {"service", request.service},
                {"parameters", request.parameters},
                {"values", request.values},
                {"months", request.months},
                {"scenarios", Json::array()}};
  if (!request.workflow.empty()) entry["workflow"] = request.workflow;
  return entry;
}

Scenario read_scenario(const Fields& fields, Count months) {
  Scenario scenario{.first = count_of(fields, "first", 1, months),
                    .done = count_of(fields, "done", 0, months),
                    .posts_left = count_of(fields, "posts_left", 0, kMostMonths),
                    .failures = count_of(fields, "failures", 0, kMostFailures),
                    .is_cancelled = flag_of(fields, "cancelled"),
                    .why = long_text(fields, "why"),
                    .state = static_cast<Scenario::State>(place_of(fields, "state", kStates))};
  const bool is_complete = scenario.done == months;
  if (is_complete && scenario.state == Scenario::State::active && !scenario.is_cancelled) {
    fields.fail("active, and all its months are done");
  }
  return scenario;
}

}  // namespace

std::string_view name_of(Scenario::State state) {
  return kStates.at(static_cast<std::size_t>(state));
}

Json request_entry(const MonthRequest& request, const std::vector<FoundScenario>& found) {
  Json entry = entry_about(request, "request");
  entry["scenarios"] = list_of(found, [](const FoundScenario& scenario) {
    return Json{{"scenario", scenario.number},
                {"first", scenario.first},
                {"done", scenario.done},
                {"open_posts", scenario.open_posts}};
  });
  return entry;
}

Json kept_entry(const MonthRequest& request) {
  Json entry = entry_about(request, "kept");
  entry["version"] = request.version;
  entry["scenarios"] = list_of(request.scenarios, [](const Scenario& scenario) {
    return Json{{"scenario", scenario.number},   {"first", scenario.first},
                {"done", scenario.done},         {"posts_left", scenario.posts_left},
                {"failures", scenario.failures}, {"cancelled", scenario.is_cancelled},
                {"why", scenario.why},           {"state", name_of(scenario.state)}};
  });
  return entry;
}

Json start_entry(const MonthStep& step) {
  return {{"what", "start"},
          {"time", run::wall_now()},
          {"number", step.number},
          {"kind", step.kind == StepKind::post ? "post" : "main"},
          {"request", step.request.id},
          {"client", step.request.client},
          {"scenario", step.scenario},
          {"month", step.month},
          {"processors", step.processors}};
}

Json end_entry(const MonthStep& step, Outcome outcome, double seconds, const std::string& why) {
  Json entry = start_entry(step);
  entry["what"] = "end";
  entry["outcome"] = kOutcomes.at(static_cast<std::size_t>(outcome));
  entry["seconds"] = seconds;
  entry["why"] = why;
  entry["has_post"] = false;
  return entry;
}

Json cancel_entry(const RequestName& request, const std::vector<Count>& scenarios,
                  const std::string& why) {
  return {{"what", "cancel"},         {"time", run::wall_now()}, {"request", request.id},
          {"client", request.client}, {"scenarios", scenarios},  {"why", why}};
}

Json post_entry(const PostTask& post) {
  return {{"request", post.request.id},
          {"client", post.request.client},
          {"scenario", post.scenario},
          {"month", post.month}};
}

MonthRequest read_request(const Json& entry) {
  const Fields fields = fields_of(entry);
  const Json& parameters = fields.need("parameters");
  if (!parameters.is_object()) fields.fail("parameters: expected a JSON object");
  // They are parts of paths.
  return {.id = fields.word("request"),
          .experiment = fields.word("experiment"),
          .client = fields.word("client"),
          .service = fields.word("service"),
          .parameters = parameters,
          .values = values_of(fields),
          .workflow = fields.find("workflow") == nullptr ? "" : long_text(fields, "workflow"),
          .months = count_of(fields, "months", 1, kMostMonths),
          .version = 1};
}

std::vector<FoundScenario> read_found(const Json& entry, Count months) {
  return read_list<FoundScenario>(fields_of(entry), [&](const Fields& fields) {
    FoundScenario found{.first = count_of(fields, "first", 1, months),
                        .done = count_of(fields, "done", 0, months)};
    Count last = 0;
    for (const Json& month : fields.list("open_posts")) {
      const bool is_later = month.is_number_integer() && month.get<std::int64_t>() > last &&
                            month.get<std::int64_t>() <= found.done;
      if (!is_later) fields.fail("open_posts: expected months that are done, in order");
      found.open_posts.push_back(last = month.get<Count>());
    }
    return found;
  });
}

MonthRequest read_kept(const Json& entry) {
  const Fields fields = fields_of(entry);
  MonthRequest request = read_request(entry);
  request.version = static_cast<std::uint64_t>(fields.whole("version", 0, kLargestVersion));
  request.scenarios = read_list<Scenario>(
      fields, [&](const Fields& one) { return read_scenario(one, request.months); });
  return request;
}

RequestName read_name(const Json& entry) {
  const Fields fields = fields_of(entry);
  const bool is_old = fields.find("client") == nullptr;
  return {.id = fields.word("request"), .client = is_old ? "" : fields.word("client")};
}

MonthStep read_step(const Json& entry) {
  const Fields fields = fields_of(entry);
  constexpr std::array<std::string_view, 2> kKinds = {"main", "post"};
  // The next number must fit, too.
  constexpr std::int64_t kMostSteps = std::numeric_limits<std::uint32_t>::max() - 1;
  return {.number = static_cast<std::uint32_t>(fields.whole("number", 1, kMostSteps)),
          .kind = static_cast<StepKind>(place_of(fields, "kind", kKinds)),
          .request = read_name(entry),
          .scenario = count_of(fields, "scenario", 1, kMostMonths),
          .month = count_of(fields, "month", 1, kMostMonths),
          .processors = count_of(fields, "processors", 1, kMaxProcessors)};
}

PostTask read_post(const Json& entry) {
  const Fields fields = fields_of(entry);
  return {.request = read_name(entry),
          .scenario = count_of(fields, "scenario", 1, kMostMonths),
          .month = count_of(fields, "month", 1, kMostMonths)};
}

Outcome read_outcome(const Json& entry) {
  return static_cast<Outcome>(place_of(fields_of(entry), "outcome", kOutcomes));
}

std::string read_why(const Json& entry) { return long_text(fields_of(entry), "why"); }

}  // namespace dovetail::federation
