// Messages of peers: what a daemon or an agent is asked, and what it answers.
#include "federation/agent/gather.hpp"
#include "federation/daemon/service.hpp"
#include "federation/net/message.hpp"
#include "fuzz/fuzz_target.hpp"

FUZZ_TARGET(message) {
  using namespace dovetail;
  using namespace dovetail::federation;
  static const Service service{
      .name = "climate",
      .parameters = {{.name = "physics", .kind = Parameter::Kind::number, .low = 0, .high = 1},
                     {.name = "size", .kind = Parameter::Kind::whole, .low = 1, .high = 9},
                     {.name = "label", .kind = Parameter::Kind::word, .pattern = "[a-z]+"},
                     {.name = "model",
                      .kind = Parameter::Kind::choice,
                      .choices = {"a", "b"},
                      .otherwise = "a"}}};
  Json json;
  if (!test::expect_errors<Refusal>([&] { json = parse_message(input); })) return;
  if (json.is_discarded()) return;
  const auto read = [&](auto use) {
    test::expect_errors<Refusal>([&] { use(Fields(json, "test")); });
  };
  read([](const Fields& fields) { fields.only({"experiment", "scenarios", "months"}); });
  read([](const Fields& fields) { one_line(fields.text("name")); });
  read([](const Fields& fields) { fields.word("experiment"); });
  read([](const Fields& fields) { fields.whole("months", 1, kMostMonths); });
  read([](const Fields& fields) { fields.number("deadline_ms", 0, 1e6); });
  read([](const Fields& fields) { fields.items<std::string>("through", "names"); });
  read([](const Fields& fields) { fields.items<Count>("scenarios", "numbers"); });
  read([](const Fields& fields) { check_parameters(service, fields.need("parameters")); });
  test::expect_errors<Refusal>(
      [&] { test::expect_errors<Json::exception>([&] { json_of(answers_of(json)); }); });
}
