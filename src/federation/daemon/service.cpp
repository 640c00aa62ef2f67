#include "federation/daemon/service.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <regex>

#include "dovetail/error.hpp"
#include "io/text.hpp"

namespace dovetail::federation {

namespace {

constexpr std::size_t kMaxValue = 200;

[[noreturn]] void refuse_value(const Parameter& parameter, const std::string& expected,
                               const Json& found) {
  const std::string text = found.is_string() ? found.get<std::string>() : found.dump();
  throw Refusal(400, fmt::format("parameter {}: expected {}, found {}", parameter.name, expected,
                                 io::quote(text)));
}

std::string check_number(const Parameter& parameter, const Json& given) {
  const bool is_whole = parameter.kind == Parameter::Kind::whole;
  const std::string expected =
      fmt::format("a {}number from {} to {}", is_whole ? "whole " : "",
                  io::number_text(parameter.low), io::number_text(parameter.high));
  if (!given.is_number()) refuse_value(parameter, expected, given);
  const double value = given.get<double>();
  if (!(value >= parameter.low && value <= parameter.high))
    refuse_value(parameter, expected, given);
  if (is_whole && value != std::floor(value)) refuse_value(parameter, expected, given);
  return io::number_text(value);
}

std::string check_word(const Parameter& parameter, const Json& given) {
  const std::string expected = "a text like " + parameter.pattern;
  if (!given.is_string()) refuse_value(parameter, expected, given);
  std::string text = given.get<std::string>();
  if (text.size() > kMaxValue || has_control_characters(text) ||
      !std::regex_match(text, std::regex(parameter.pattern))) {
    refuse_value(parameter, expected, given);
  }
  return text;
}

std::string check_choice(const Parameter& parameter, const Json& given) {
  const auto& choices = parameter.choices;
  if (given.is_string() && std::ranges::find(choices, given.get<std::string>()) != choices.end()) {
    return given.get<std::string>();
  }
  refuse_value(parameter, fmt::format("one of {}", fmt::join(choices, ", ")), given);
}

// Calls one of the two for each piece of the word.
void walk(const std::string& word, const std::function<void(const std::string&)>& text,
          const std::function<void(const std::string&)>& placeholder) {
  for (std::size_t i = 0; i < word.size(); ++i) {
    const char c = word[i];
    const bool is_double = (c == '{' || c == '}') && i + 1 < word.size() && word[i + 1] == c;
    if (is_double) {
      text(std::string(1, c));
      ++i;
    } else if (c == '{') {
      const auto end = word.find('}', i);
      if (end == std::string::npos) {
        throw InputError("a brace that is not closed: " + io::quote(word));
      }
      placeholder(word.substr(i + 1, end - i - 1));
      i = end;
    } else {
      text(std::string(1, c));
    }
  }
}

Json json_of_parameter(const Parameter& parameter) {
  Json json = {{"name", parameter.name}};
  switch (parameter.kind) {
    case Parameter::Kind::number:
    case Parameter::Kind::whole:
      json["type"] = parameter.kind == Parameter::Kind::whole ? "whole" : "number";
      json["low"] = parameter.low;
      json["high"] = parameter.high;
      break;
    case Parameter::Kind::word:
      json["type"] = "word";
      json["pattern"] = parameter.pattern;
      break;
    case Parameter::Kind::choice:
      json["type"] = "choice";
      json["choices"] = parameter.choices;
      break;
  }
  if (parameter.otherwise) json["default"] = *parameter.otherwise;
  return json;
}

}  // namespace

std::string check_parameter(const Parameter& parameter, const Json& given) {
  switch (parameter.kind) {
    case Parameter::Kind::number:
    case Parameter::Kind::whole:
      return check_number(parameter, given);
    case Parameter::Kind::word:
      return check_word(parameter, given);
    case Parameter::Kind::choice:
      break;
  }
  return check_choice(parameter, given);
}

Values check_parameters(const Service& service, const Json& given) {
  if (!given.is_object()) throw Refusal(400, "parameters: expected a JSON object");
  const auto& known = service.parameters;
  for (const auto& [name, value] : given.items()) {
    if (std::ranges::find(known, name, &Parameter::name) != known.end()) continue;
    const std::string hint = io::did_you_mean(name, known, &Parameter::name);
    throw Refusal(
        400, fmt::format("service {} has no parameter {}{}", service.name, io::quote(name), hint));
  }
  Values values;
  for (const Parameter& parameter : known) {
    const auto found = given.find(parameter.name);
    if (found != given.end()) {
      values[parameter.name] = check_parameter(parameter, *found);
    } else if (parameter.otherwise) {
      values[parameter.name] = *parameter.otherwise;
    } else {
      throw Refusal(
          400, fmt::format("parameter {} of service {} is missing", parameter.name, service.name));
    }
  }
  return values;
}

Arguments expand(const Arguments& words, const Values& values) {
  Arguments expanded;
  for (const std::string& word : words) {
    std::string& all = expanded.emplace_back();
    walk(
        word, [&](const std::string& text) { all += text; },
        [&](const std::string& name) { all += values.at(name); });
  }
  return expanded;
}

std::vector<std::string> placeholders(const std::string& word) {
  std::vector<std::string> names;
  walk(
      word, [](const std::string&) {}, [&](const std::string& name) { names.push_back(name); });
  return names;
}

Json json_of(const Service& service) {
  Json json = {{"name", service.name},
               {"ensembles", !service.main.empty()},
               {"tasks", !service.command.empty()},
               {"parameters", Json::array()}};
  for (const Parameter& parameter : service.parameters) {
    json["parameters"].push_back(json_of_parameter(parameter));
  }
  return json;
}

}  // namespace dovetail::federation
