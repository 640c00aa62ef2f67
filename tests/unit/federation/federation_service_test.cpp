// What a client may have run: parameters of a type, put into arguments and nowhere else.
#include <gtest/gtest.h>

#include "federation/daemon/daemon_file.hpp"
#include "federation/daemon/service.hpp"
#include "support/file_checks.hpp"

namespace dovetail::federation {
namespace {

using testing::error_of;

constexpr const char* kFile = R"(
processors: 12
data: /data
disk: {month: 1, margin: 2.5}
services:
  climate:
    parameters:
      physics: {number: [0, 1]}
      steps: {whole: [1, 100], default: 10}
      label: {word: '[a-z]+( [a-z]+)*', default: none}
      model: {choice: [ocean, air]}
    main: [./pcr, '--physics={physics}', '{label}', '{month}', '{{x}}']
    post: [./post, '{folder}']
    times: {4: 8, 11: 1m}
    post_time: 2
)";

std::string with(std::string from, const std::string& to) {
  std::string text = kFile;
  const auto place = text.find(from);
  EXPECT_NE(place, std::string::npos) << from;
  return text.replace(place, from.size(), to);
}

DaemonDescription sample() { return parse_daemon(with("11: 1m", "11: 2"), "d.yaml"); }

std::string refusal_of(const Json& parameters) {
  const DaemonDescription daemon = sample();
  try {
    check_parameters(daemon.services.front(), parameters);
  } catch (const Refusal& refusal) {
    EXPECT_EQ(refusal.status(), 400);
    return refusal.what();
  }
  return "no refusal";
}

TEST(FederationService, IsReadFromTheDaemonsFile) {
  const DaemonDescription daemon = sample();
  EXPECT_EQ(daemon.processors, 12);
  EXPECT_EQ(daemon.data, "/data");
  EXPECT_EQ(*daemon.rules.disk->margin, 2500);
  const Service& service = *daemon.find("climate");
  EXPECT_EQ(service.parameters.size(), 4U);
  EXPECT_EQ(service.times.main.back(), (GroupTime{11, 2000}));
  EXPECT_EQ(service.times.post, 2000);
  EXPECT_EQ(daemon.find("other"), nullptr);
  EXPECT_EQ(daemon.quotas.requests, 100);
  const DaemonDescription strict =
      parse_daemon(with("11: 1m", "11: 2") + "quotas: {months: 500, megabytes: 0.5}\n", "d.yaml");
  EXPECT_EQ(strict.quotas.months, 500);
  EXPECT_EQ(strict.quotas.bytes, 500'000);
  EXPECT_EQ(strict.quotas.requests, 100);
}

TEST(FederationService, MistakesInTheFileAreSaidWithTheirLine) {
  const auto mistake = [](const std::string& from, const std::string& to) {
    return error_of([&] { parse_daemon(with(from, to), "d.yaml"); });
  };
  EXPECT_NE(mistake("'{month}'", "'{mnth}'").find("there is no {mnth}"), std::string::npos);
  EXPECT_NE(mistake("'{month}'", "'{month'").find("not closed"), std::string::npos);
  EXPECT_NE(mistake("physics: {number: [0, 1]}", "physics: {number: [1, 0]}").find("d.yaml:8"),
            std::string::npos);
  EXPECT_NE(mistake("{number: [0, 1]}", "{}").find("expected one of number"), std::string::npos);
  EXPECT_NE(mistake("default: 10", "default: 1000").find("steps"), std::string::npos);
  EXPECT_NE(mistake("'[a-z]+( [a-z]+)*'", "'[a-z'").find("not a regular expression"),
            std::string::npos);
  EXPECT_NE(mistake("11: 1m", "11: 2m").find("times must not rise"), std::string::npos);
  EXPECT_NE(mistake("services:", "quotas: {requests: 0}\nservices:").find("d.yaml:5"),
            std::string::npos);
  EXPECT_NE(mistake("services:", "quotas: {request: 9}\nservices:").find("did you mean"),
            std::string::npos);
  EXPECT_NE(mistake("main: ", "man: ").find("did you mean \"main\""), std::string::npos);
  EXPECT_NE(mistake("processors: 12", "processors: 12\nslurm: {}").find("leave it out"),
            std::string::npos);
}

TEST(FederationService, ParametersAreCheckedByTheirType) {
  const Json good = {{"physics", 0.5}, {"model", "air"}};
  EXPECT_EQ(refusal_of(good), "no refusal");
  const auto wrong = [&](const char* name, const Json& value) {
    Json parameters = good;
    parameters[name] = value;
    const std::string text = refusal_of(parameters);
    EXPECT_NE(text.find(name), std::string::npos) << text;
    return text;
  };
  EXPECT_NE(wrong("physics", 1.5).find("a number from 0 to 1"), std::string::npos);
  EXPECT_NE(wrong("physics", "0.5").find("a number from 0 to 1"), std::string::npos);
  EXPECT_NE(wrong("steps", 2.5).find("whole"), std::string::npos);
  EXPECT_NE(wrong("model", "fire").find("one of ocean, air"), std::string::npos);
  EXPECT_NE(wrong("label", "a\nb").find("label"), std::string::npos);
  EXPECT_NE(wrong("label", "x'; rm -rf \"$HOME\"").find("label"), std::string::npos);
  EXPECT_NE(wrong("label", std::string(1000, 'a')).find("label"), std::string::npos);
  EXPECT_NE(wrong("modl", "air").find("did you mean \"model\""), std::string::npos);
  EXPECT_NE(refusal_of({{"physics", 0.5}}).find("model of service climate is missing"),
            std::string::npos);
  EXPECT_NE(refusal_of(3).find("expected a JSON object"), std::string::npos);
}

TEST(FederationService, ValuesBecomePartsOfSingleArguments) {
  const DaemonDescription daemon = sample();
  const Service& service = daemon.services.front();
  Values values =
      check_parameters(service, {{"physics", 0.25}, {"model", "air"}, {"label", "a b c"}});
  values["month"] = "7";
  EXPECT_EQ(expand(service.main, values),
            (Arguments{"./pcr", "--physics=0.25", "a b c", "7", "{x}"}));
}

}  // namespace
}  // namespace dovetail::federation
