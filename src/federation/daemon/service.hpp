// What a daemon's owner lets clients run: a command template with typed parameters. The template is
// a list of arguments; what a client gives becomes part of single arguments, and is never read by a
// shell.
//
//   const Values values = check_parameters(service, request["parameters"]);   // or Refusal
//   expand(service.main, values);   // {"./pcr", "--physics", "0.3", ...}
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dovetail/ensemble.hpp"
#include "federation/net/message.hpp"

namespace dovetail::federation {

struct Parameter {
  enum class Kind { number, whole, word, choice };
  std::string name;
  Kind kind = Kind::word;
  double low = 0;  // of numbers
  double high = 0;
  std::string pattern = {};  // of words: a regular expression for all of it
  std::vector<std::string> choices = {};
  std::optional<std::string> otherwise = {};  // when it is not given; nothing: it must be
};

using Arguments = std::vector<std::string>;
using Values = std::map<std::string, std::string>;

struct Service {
  std::string name;
  std::vector<Parameter> parameters = {};
  Arguments main = {};     // a month on a group of processors; empty: it serves no ensembles
  Arguments post = {};     // what is done after each month on one processor; empty: nothing
  Arguments command = {};  // a task of a workflow; empty: it serves none
  MonthTimes times = {};   // as configured
  int tries = 3;           // of a month or a post task
  double watchdog = 2;     // a month that takes this many times its time is ended and tried again
};

// What every template may use besides the service's parameters.
inline constexpr std::string_view kMonthWords[] = {"experiment", "scenario", "month",
                                                   "processors", "folder",   "previous"};
inline constexpr std::string_view kTaskWords[] = {"task"};

// The values of all parameters. Throws Refusal(400) that names the parameter and what it may be.
Values check_parameters(const Service& service, const Json& given);

// The same of one.
std::string check_parameter(const Parameter& parameter, const Json& given);

// Every {word} replaced by its value; {{ is a brace. Needs all of them to have one.
Arguments expand(const Arguments& words, const Values& values);

// The words of a template that are in braces; throws InputError for a brace without its partner.
std::vector<std::string> placeholders(const std::string& word);

// How it may be called, for people and for clients.
Json json_of(const Service& service);

}  // namespace dovetail::federation
