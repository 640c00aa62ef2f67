// The journal of a daemon, damaged in thousands of ways: it is read, or refused in one line.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <sstream>

#include "federation/daemon/month_runner.hpp"
#include "support/file_checks.hpp"
#include "support/random_problem.hpp"
#include "support/remembering_backend.hpp"
#include "support/whole_file.hpp"

namespace dovetail::federation {
namespace {

using testing::Dice;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream all(text);
  for (std::string line; std::getline(all, line);) lines.push_back(line);
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// As earlier versions wrote it: damage is found by the fields themselves.
std::string without_checksums(const std::string& journal) {
  std::vector<std::string> lines = lines_of(journal);
  for (std::string& line : lines) line = line.substr(0, line.rfind(",\"crc\":\"")) + "}";
  return joined(lines);
}

class DamagedMonthJournal : public ::testing::Test {
 protected:
  DamagedMonthJournal() {
    description_.processors = 4;
    description_.data = files_.file("data");
    description_.services = {{.name = "sum",
                              .parameters = {{.name = "label", .pattern = ".*"}},
                              .main = {"sum", "{label}", "{folder}"},
                              .post = {"post", "{folder}"},
                              .times = {.main = {{1, 1000}, {2, 600}}, .post = 100},
                              .tries = 2}};
  }

  MonthRunner runner(testing::RememberingBackend& backend) const {
    return {{.name = "azur",
             .description = description_,
             .times = [](const Service& service) { return service.times; }},
            folder_,
            {.months = backend, .workflows = backend}};
  }

  static MonthRequest request(const std::string& id, Count scenarios) {
    MonthRequest made{.id = id,
                      .experiment = "e" + id,
                      .client = "alice",
                      .service = "sum",
                      .parameters = {{"label", "x"}},
                      .months = 3};
    for (Count i = 1; i <= scenarios; ++i) made.scenarios.push_back({.number = i});
    return made;
  }

  // Two requests of which months are done, have failed and are cancelled, and one that is over.
  std::string real_journal(std::uint64_t seed) {
    std::filesystem::remove(folder_.journal());
    Dice dice(seed);
    testing::RememberingBackend backend;
    MonthRunner months = runner(backend);
    months.submit(request("r0", 1));
    months.cancel({"r0", "alice"}, {});
    months.submit(request("r1", 3));
    months.submit(request("r2", 2));
    for (int round = 0; round < 12; ++round) {
      for (const run::StepCommand& command : std::exchange(backend.started, {})) {
        backend.ends.push_back({.task = command.task,
                                .attempt = 1,
                                .end = {.exit_code = dice.chance(0.2) ? 1 : 0, .seconds = 1}});
      }
      auto ended = months.ended();
      MonthRunner::settle(ended);
      months.step(ended);
      if (round == 6) months.cancel({"r2", "alice"}, {2});
    }
    return without_checksums(testing::text_of(folder_.journal()));
  }

  // The same in its short form.
  std::string short_form(const std::string& journal) const {
    testing::put(folder_.journal(), journal);
    const MonthRecord record(folder_.journal());
    run::replace_journal(folder_.journal(), record.state().entries());
    return without_checksums(testing::text_of(folder_.journal()));
  }

  // False when it is refused. What can be read can also be gone on with.
  bool reads(const std::string& journal) const {
    testing::put(folder_.journal(), journal);
    const std::string error = testing::error_of([&] {
      testing::RememberingBackend backend;
      MonthRunner months = runner(backend);
      for (int round = 0; round < 3; ++round) {
        for (const run::StepCommand& command : std::exchange(backend.started, {})) {
          backend.ends.push_back({.task = command.task, .attempt = 1, .end = {.seconds = 1}});
        }
        months.step(months.ended());
      }
    });
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
    EXPECT_LT(error.size(), 1000U) << error;
    if (error == "no error") return true;
    EXPECT_NE(error.find("journal.ndjson:"), std::string::npos) << error;
    return false;
  }

  testing::TemporaryFolder files_;
  DaemonDescription description_;
  run::RunFolder folder_ = run::RunFolder::create(files_.file("state"), "azur");
};

std::size_t below(Dice& dice, std::size_t size) {
  return static_cast<std::size_t>(dice.between(0, static_cast<std::int64_t>(size) - 1));
}

void replace_a_number(std::string& line, Dice& dice) {
  static constexpr std::array<const char*, 12> kNumbers = {
      "0",          "-1",         "2",    "7",           "99999999999999999999", "4294967295",
      "4294967296", "2147483647", "1e30", "-2147483648", "9223372036854775807",  "0.5"};
  std::vector<std::size_t> digits;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool is_first = line[i] >= '0' && line[i] <= '9' && i > 0 &&
                          (line[i - 1] == ':' || line[i - 1] == ',' || line[i - 1] == '[');
    if (is_first) digits.push_back(i);
  }
  if (digits.empty()) return;
  const std::size_t place = digits[below(dice, digits.size())];
  const std::size_t end = line.find_first_not_of("0123456789.", place);
  line.replace(place, end - place, kNumbers[below(dice, kNumbers.size())]);
}

// Of a field: another type, or none at all.
void replace_a_value(std::string& line, Dice& dice) {
  Json entry = Json::parse(line, nullptr, false);
  if (!entry.is_object()) return;
  static const std::array<Json, 7> kValues = {
      Json(nullptr),       Json(true),           Json("../../x"), Json(""),
      Json(Json::array()), Json(Json::object()), Json({1, 1, 1})};
  Json* object = &entry;
  const auto list = entry.find("scenarios");
  if (list != entry.end() && !list->empty() && list->front().is_object() && dice.chance(0.5)) {
    object = &list->at(below(dice, list->size()));
  }
  auto field = object->begin();
  std::advance(field, static_cast<std::ptrdiff_t>(below(dice, object->size())));
  if (dice.chance(0.2)) {
    object->erase(field.key());
  } else {
    (*object)[field.key()] = kValues[below(dice, kValues.size())];
  }
  line = entry.dump();
}

std::string damaged(const std::string& journal, Dice& dice) {
  std::vector<std::string> lines = lines_of(journal);
  std::string& line = lines[below(dice, lines.size())];
  if (line.empty()) return journal;  // nothing of it is left
  switch (dice.between(0, 6)) {
    case 0:
      line[below(dice, line.size())] ^= static_cast<char>(1 << dice.between(0, 7));
      break;
    case 1:
      line.resize(below(dice, line.size()));
      break;
    case 2:
      std::swap(line, lines[below(dice, lines.size())]);
      break;
    case 3:
      replace_a_number(line, dice);
      break;
    case 4:
      replace_a_value(line, dice);
      break;
    case 5:
      lines.erase(lines.begin() + (&line - lines.data()));
      break;
    default:
      lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(below(dice, lines.size())),
                   std::string(line));
  }
  return joined(lines);
}

TEST_F(DamagedMonthJournal, IsReadOrRefusedInOneLine) {
  constexpr std::uint64_t kRounds = 3000;
  std::vector<std::string> journals;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    journals.push_back(real_journal(seed));
    journals.push_back(short_form(journals.back()));
  }
  for (const std::string& journal : journals) ASSERT_TRUE(reads(journal)) << journal;
  std::size_t refused = 0;
  for (std::uint64_t seed = 0; seed < kRounds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Dice dice(seed);
    std::string journal = journals[seed % journals.size()];
    for (auto times = dice.between(1, 3); times > 0; --times) journal = damaged(journal, dice);
    refused += reads(journal) ? 0 : 1;
  }
  EXPECT_GT(refused, kRounds / 4) << "the damage is hardly noticed";
}

// Earlier versions gave each id once, and named the client in the entry of the request alone.
std::string without_clients(const std::string& journal) {
  std::vector<std::string> lines = lines_of(journal);
  for (std::string& line : lines) {
    Json entry = Json::parse(line);
    if (!entry.contains("experiment")) entry.erase("client");
    for (const char* list : {"running", "posts"}) {
      if (!entry.contains(list)) continue;
      for (Json& item : entry[list]) item.erase("client");
    }
    line = entry.dump();
  }
  return joined(lines);
}

TEST_F(DamagedMonthJournal, OneThatNamesNoClientsOfStepsIsReadAsBefore) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const std::string journal = real_journal(seed);
    ASSERT_LT(without_clients(journal).size(), journal.size());
    for (const std::string& form : {journal, short_form(journal)}) {
      const std::string old = without_clients(form);
      const auto entries_of = [&](const std::string& text) {
        testing::put(folder_.journal(), text);
        std::vector<Json> entries = MonthRecord(folder_.journal()).state().entries();
        for (Json& entry : entries) entry.erase("time");
        for (Json& step : entries.back()["running"]) step.erase("time");
        return entries;
      };
      EXPECT_EQ(entries_of(old), entries_of(form)) << "seed " << seed;
    }
  }
}

TEST_F(DamagedMonthJournal, IsNamedWithItsLineAndWhatToDo) {
  std::vector<std::string> lines = lines_of(real_journal(1));
  lines.erase(lines.begin());  // the request that the second line cancels
  testing::put(folder_.journal(), joined(lines));
  testing::RememberingBackend backend;
  EXPECT_EQ(testing::error_of([&] { runner(backend); }),
            folder_.journal() +
                ":1: the journal is damaged: there is no request r0 of alice; move it away, and "
                "the daemon "
                "begins anew");
}

}  // namespace
}  // namespace dovetail::federation
