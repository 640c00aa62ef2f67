#include "io/document.hpp"

#include <gtest/gtest.h>

#include "io/schema.hpp"
#include "io/text.hpp"
#include "support/file_checks.hpp"

namespace dovetail::io {
namespace {

using testing::error_of;

std::string json_error(std::string_view text) {
  return error_of([&] { parse_json(text, "f.json"); });
}
std::string yaml_error(std::string_view text) {
  return error_of([&] { parse_yaml(text, "f.yaml"); });
}

TEST(Document, JsonAndYamlGiveTheSameTree) {
  const Document json = parse_json(R"({"a": [1, "two", null], "b": {"c": true}})", "f");
  const Document yaml = parse_yaml("a: [1, \"two\", null]\nb:\n  c: true\n", "f");
  for (const Document* document : {&json, &yaml}) {
    const Value root = document->root();
    ASSERT_EQ(root.kind(), ValueKind::mapping);
    ASSERT_EQ(root.size(), 2U);
    std::vector<std::string> texts;
    for (Value item : root.find("a")->items()) {
      texts.emplace_back(item.is_null() ? "nothing" : item.text());
    }
    EXPECT_EQ(texts, (std::vector<std::string>{"1", "two", "nothing"}));
    EXPECT_EQ(root.find("b")->find("c")->text(), "true");
    EXPECT_FALSE(root.find("d"));
  }
}

TEST(Document, JsonNumberBeforeANewlineHasItsOwnLine) {
  const Document document = parse_json("{\n\"a\": [\n1\n,\n22\n],\n\"b\":\n7\n}", "f");
  const Value list = *document.root().find("a");
  std::vector<std::size_t> lines;
  for (Value item : list.items()) lines.push_back(item.line());
  EXPECT_EQ(lines, (std::vector<std::size_t>{3, 5}));
  EXPECT_EQ(document.root().find("b")->line(), 7U) << "a field has the line of its key";
}

TEST(Document, YamlFieldHasTheLineOfItsKey) {
  const Document document = parse_yaml("# comment\na:\n  - 1\n  - 2\nb: 3\n", "f");
  EXPECT_EQ(document.root().find("a")->line(), 2U);
  EXPECT_EQ(document.root().find("b")->line(), 5U);
}

TEST(Document, RepeatedKeysAreErrorsWithBothLines) {
  EXPECT_EQ(json_error("{\"a\": 1,\n\"b\": 2,\n\"a\": 3}"),
            "f.json:3: key \"a\" is given twice, first on line 1");
  EXPECT_EQ(yaml_error("a: 1\nb: 2\na: 3\n"),
            "f.yaml:3: key \"a\" is given twice, first on line 1");
}

TEST(Document, SyntaxErrorsNameTheLine) {
  EXPECT_EQ(json_error("{\"a\": 1,\n \"b\" 2}").substr(0, 24), "f.json:2: not valid JSON");
  EXPECT_EQ(yaml_error("a: [1, 2\nb: 3\n").substr(0, 16), "f.yaml:2: not va");
  EXPECT_NE(yaml_error("a: {b: 1\n").find("not valid YAML"), std::string::npos);
}

TEST(Document, ErrorsOfTheParsersAreOneShortLine) {
  const std::string error = json_error("{\"a\": \"" + std::string(100'000, 'x'));
  EXPECT_LT(error.size(), 250U);
  EXPECT_EQ(error.find('\n'), std::string::npos);
}

TEST(Document, NestingIsLimited) {
  const std::string deep(65, '[');
  EXPECT_EQ(json_error(deep), "f.json:1: nested more than 64 levels deep");
  EXPECT_EQ(json_error(std::string(64, '[') + std::string(64, ']')), "no error");
  std::string yaml;
  for (int i = 0; i < 70; ++i) yaml += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  EXPECT_NE(yaml_error(yaml).find("nested more than 64 levels deep"), std::string::npos);
}

TEST(Document, AliasesAreCopiedAndLimited) {
  const Document document = parse_yaml("a: &x [1, {b: 2}]\nc: *x\n", "f");
  const Value copy = *document.root().find("c");
  ASSERT_EQ(copy.size(), 2U);
  EXPECT_EQ((*++copy.items().begin()).find("b")->text(), "2");
  EXPECT_EQ(copy.line(), 2U);

  std::string bomb = "a: &a [x, x, x, x, x, x, x, x, x, x]\n";
  for (char c = 'b'; c < 'j'; ++c) {
    const std::string before = "*" + std::string(1, static_cast<char>(c - 1));
    bomb += std::string(1, c) + ": &" + std::string(1, c) + " [" + before;
    for (int i = 0; i < 9; ++i) bomb += ", " + before;
    bomb += "]\n";
  }
  EXPECT_NE(yaml_error(bomb).find("aliases expand to more than 10000"), std::string::npos);
}

// The document itself keeps such a text once, but its readers copy it.
TEST(Document, AliasesOfLongTextsAreLimited) {
  std::string bomb = "a: &a " + std::string(100'000, 'x') + "\nb:\n";
  for (int i = 0; i < 100; ++i) bomb += "- *a\n";
  EXPECT_EQ(parse_yaml(bomb, "f").root().find("b")->size(), 100U);
  for (int i = 0; i < 100; ++i) bomb += "- *a\n";
  EXPECT_EQ(yaml_error(bomb), "f.yaml:170: aliases expand to more than 16 MiB of text; use fewer");
}

TEST(Document, AliasInsideItsOwnValueIsAnError) {
  EXPECT_EQ(yaml_error("a: &x [*x]\n"), "f.yaml:1: an alias refers to a value that contains it");
}

TEST(Document, MergeKeysTagsAndSecondDocumentsAreErrors) {
  EXPECT_EQ(yaml_error("a: &x {b: 1}\nc:\n  <<: *x\n"),
            "f.yaml:3: merge keys (<<) are not supported; write the fields out");
  EXPECT_NE(yaml_error("a: !!int 3\n").find("YAML tags are not supported"), std::string::npos);
  EXPECT_EQ(yaml_error("a: 1\n---\nb: 2\n"),
            "f.yaml:2: a second YAML document begins here; a file holds one");
  EXPECT_EQ(yaml_error("? [a, b]\n: 1\n"), "f.yaml:1: a key must be a single word or text");
}

TEST(Document, EmptyFilesAreErrors) {
  EXPECT_EQ(yaml_error(""), "f.yaml: the file is empty");
  EXPECT_EQ(yaml_error("# only a comment\n"), "f.yaml: the file is empty");
  EXPECT_NE(json_error("").find("unexpected end of input"), std::string::npos);
}

TEST(Document, BinaryAndOtherEncodingsAreNotText) {
  using namespace std::string_literals;
  EXPECT_EQ(json_error("{\n\0}"s).substr(0, 27), "f.json:2: not a text file: ");
  EXPECT_EQ(yaml_error("a: 1\nb: \xE9t\xE9\n").substr(0, 35),
            "f.yaml:2: not a text file in UTF-8:");
  EXPECT_EQ(yaml_error("a: \xED\xA0\x80\n").substr(0, 16), "f.yaml:1: not a ") << "a surrogate";
  EXPECT_EQ(yaml_error("a: \xC0\xAF\n").substr(0, 16), "f.yaml:1: not a ") << "an overlong form";
}

TEST(Document, ByteOrderMarkIsAccepted) {
  EXPECT_EQ(parse_yaml("\xEF\xBB\xBF"
                       "a: 1\n",
                       "f")
                .root()
                .find("a")
                ->text(),
            "1");
  EXPECT_EQ(parse_json("\xEF\xBB\xBF{\"a\": 1}", "f").root().find("a")->text(), "1");
}

TEST(Document, LargeYamlIsSentToJson) {
  const std::string large(kMaxYamlBytes + 1, ' ');
  EXPECT_EQ(yaml_error(large), "f.yaml: YAML files may have up to 64 MiB; convert it to JSON");
}

TEST(Document, EndlessJsonStringIsCutOff) {
  const std::string endless = "{\"a\": \"" + std::string(std::size_t{17} << 20U, 'x');
  EXPECT_EQ(json_error(endless), "f.json:1: a value is longer than 16 MiB; not a file of ours");
}

TEST(Document, ContentDecidesBetweenJsonAndYaml) {
  EXPECT_TRUE(looks_like_json(" \n{ \"a\": 1}"));
  EXPECT_TRUE(looks_like_json("{}"));
  EXPECT_FALSE(looks_like_json("{a: 1}"));
  EXPECT_FALSE(looks_like_json("a: 1"));
  EXPECT_FALSE(looks_like_json(""));
}

TEST(Schema, NumbersMustBeFinite) {
  EXPECT_EQ(parse_number("1e3"), 1000.0);
  EXPECT_EQ(parse_number("-.5"), -0.5);
  EXPECT_EQ(parse_number("+7."), 7.0);
  for (const char* text : {".inf", "-.inf", ".nan", "nan", "inf", "1e999", "-1e999", "0x10", "1_0",
                           "", "-", ".", "e5", "1e", "1 2", "1e+"}) {
    EXPECT_FALSE(parse_number(text)) << text;
  }
}

TEST(Schema, ScalarsSayWhatTheyExpected) {
  const Document document =
      parse_yaml("a: x\nb: [1]\nc: 1.5\nd: \"5\"\ne: -1\nf: 1e11\ng: ~\n", "f");
  const Record top(document.root());
  const auto field = [&](std::string_view key) { return *document.root().find(key); };
  EXPECT_EQ(error_of([&] { top.number(field("a"), 0, 1); }),
            "f:1: a: expected a number, found \"x\"");
  EXPECT_EQ(error_of([&] { top.number(field("d"), 0, 9); }),
            "f:4: d: expected a number, found \"5\"");
  EXPECT_EQ(error_of([&] { top.number(field("c"), 0, 1); }),
            "f:3: c: expected a number from 0 to 1, found 1.5");
  EXPECT_EQ(error_of([&] { top.text(field("b")); }), "f:2: b: expected text, found a list");
  EXPECT_EQ(error_of([&] { top.count(field("c"), 1, 9); }),
            "f:3: c: expected a whole number from 1 to 9, found 1.5");
  EXPECT_EQ(error_of([&] { top.duration(field("e")); }),
            "f:5: e: a time cannot be negative, found -1");
  EXPECT_EQ(error_of([&] { top.duration(field("f")); }),
            "f:6: f: expected seconds or a duration such as 90, 1m30s, 2h or 1-12:00:00, at most "
            "115740 days, found 1e11");
  EXPECT_NE(error_of([&] { top.duration(field("a")); }).find("such as 90, 1m30s"),
            std::string::npos);
  EXPECT_EQ(error_of([&] { top.boolean(field("a")); }),
            "f:1: a: expected true or false, found \"x\"");
  EXPECT_EQ(error_of([&] { top.list(field("a")); }), "f:1: a: expected a list, found \"x\"");
  EXPECT_EQ(error_of([&] { top.need("g"); }), "f:1: \"g\" is missing")
      << "null is as good as nothing";
}

TEST(Schema, UnknownKeysNameTheNearestKnownOne) {
  constexpr std::array<std::string_view, 3> known = {"after", "alpha", "processors"};
  const auto error_for = [&](const std::string& key) {
    const Document document = parse_yaml("alpha: 1\n" + key + ": 2\n", "f");
    return error_of([&] { Record(document.root()).only(known); });
  };
  EXPECT_EQ(error_for("alhpa"), "f:2: unknown key \"alhpa\"; did you mean \"alpha\"?");
  EXPECT_EQ(error_for("procesors"), "f:2: unknown key \"procesors\"; did you mean \"processors\"?");
  EXPECT_EQ(error_for("zzz"), "f:2: unknown key \"zzz\"; known keys are after, alpha, processors");
  EXPECT_EQ(error_for("processors"), "no error");
}

TEST(Schema, LargeWholeMillisecondsAreNotRounded) {
  // 1.8e9 seconds with milliseconds are no exact doubles; a plain ceiling is one too high for some.
  for (Time t = 1'800'000'000'000; t < 1'800'000'002'000; ++t) {
    const double seconds = *parse_number(format_seconds(t));
    ASSERT_EQ(milliseconds_up(seconds), t);
    ASSERT_EQ(milliseconds_down(seconds), t);
  }
  EXPECT_EQ(milliseconds_up(0.0005), 1);
  EXPECT_EQ(milliseconds_down(0.0005), 0);
  EXPECT_EQ(milliseconds_down(-0.0005), -1);
}

TEST(Text, QuotesStayOnOneShortLine) {
  EXPECT_EQ(quote("a\n\"b\"\x01"), "\"a\\n\\\"b\\\"\\u0001\"");
  EXPECT_EQ(quote(std::string(1000, 'x')), "\"" + std::string(57, 'x') + "...\"");
}

}  // namespace
}  // namespace dovetail::io
