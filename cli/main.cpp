// The dovetail program: verbs, and the one place where errors are caught.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "dovetail/error.hpp"
#include "io/text.hpp"

namespace {

using dovetail::cli::Exit;
using dovetail::io::did_you_mean;
using dovetail::io::quote;

int fail(const std::string& message, Exit status) {
  dovetail::cli::tell("{}\n", dovetail::io::plain_text(message));
  return static_cast<int>(status);
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

// What is wrong with the words themselves: an unknown command or option, or an option in front of
// the command. Empty when they are all known. `app` and `command_line` end at the command that was
// meant.
std::string find_unknown_word(const std::vector<std::string>& words, const CLI::App*& app,
                              std::string& command_line) {
  for (const std::string& word : words) {
    if (word == "--") break;
    const std::string name = word.substr(0, word.find('='));
    const bool is_option = word.size() > 1 && word[0] == '-' && std::isdigit(word[1]) == 0;
    if (!is_option && !app->get_subcommands({}).empty()) {
      const auto commands = app->get_subcommands({});
      const auto next = std::ranges::find(commands, word, &CLI::App::get_name);
      if (next == commands.end()) {
        return "there is no command " + quote(word) +
               did_you_mean(word, commands, &CLI::App::get_name);
      }
      app = *next;
      command_line += " " + word;
    } else if (is_option) {
      const auto known = option_names(*app);
      const auto is_known = [&](const std::string& option) {
        return std::ranges::find(known, option) != known.end();
      };
      // A short option may have its value joined to it.
      if (is_known(name) || (!name.starts_with("--") && is_known(name.substr(0, 2)))) continue;
      if (!app->get_subcommands({}).empty()) return name + " belongs after the command";
      return "there is no option " + name + did_you_mean(name, known);
    }
  }
  return {};
}

// Puts CLI11's messages into our own words.
std::string reworded(const CLI::ParseError& error) {
  std::string what = error.what();
  std::replace(what.begin(), what.end(), '\n', ' ');
  const std::string unreadable = "Could not convert: ";
  if (what.starts_with(unreadable)) {
    const auto equals = what.find(" = ");
    if (equals == std::string::npos) return what;
    return what.substr(unreadable.size(), equals - unreadable.size()) +
           ": expected a number that fits, found " + quote(what.substr(equals + 3));
  }
  if (what.find("At Most 1 required") != std::string::npos) {
    return what.substr(0, what.find(':')) + ": may be given only once";
  }
  if (what == "A subcommand is required") return "a command is missing";
  return what;
}

// Says in one line what is wrong with the command line, and where to find help.
int explain(const CLI::ParseError& error, const CLI::App& program,
            const std::vector<std::string>& words) {
  if (error.get_exit_code() == 0) return program.exit(error);
  std::string command_line = "dovetail";
  const CLI::App* app = &program;
  std::string what = find_unknown_word(words, app, command_line);
  if (what.empty()) what = reworded(error);
  return fail(command_line + ": " + what + " (see: " + command_line + " --help)", Exit::bad_input);
}

}  // namespace

int main(int argc, char** argv) {
  namespace cli = dovetail::cli;
  CLI::App program("Fits scientific workflows into the gaps of busy clusters.", "dovetail");
  program.set_version_flag("--version", "dovetail " DOVETAIL_VERSION);
  program.require_subcommand(1);
  program.footer(
      "Example: dovetail plan flow.yaml -c cluster.yaml\n"
      "Exit status: 0 fine, 1 the answer is no, 2 bad use or input, 3 an outside system "
      "failed.");
  Exit status = Exit::fine;
  for (const auto add :
       {cli::add_plan,      cli::add_compare,  cli::add_frontier, cli::add_check,
        cli::add_show,      cli::add_generate, cli::add_convert,  cli::add_algorithms,
        cli::add_study,     cli::add_replay,   cli::add_queue,    cli::add_ensemble,
        cli::add_whatif,    cli::add_simulate, cli::add_run,      cli::add_resume,
        cli::add_runs,      cli::add_status,   cli::add_logs,     cli::add_explain,
        cli::add_resources, cli::add_cancel,   cli::add_history,  cli::add_pilot,
        cli::add_keys,      cli::add_agent,    cli::add_daemon}) {
    add(program, status);
  }
  try {
    program.parse(argc, argv);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0 || !std::cout.flush()) {
      return fail("standard output: cannot be written", Exit::outside);
    }
    return static_cast<int>(status);
  } catch (const CLI::ParseError& error) {
    return explain(error, program, {argv + 1, argv + argc});
  } catch (const dovetail::InputError& error) {
    return fail(error.what(), Exit::bad_input);
  } catch (const dovetail::ExecutionError& error) {
    return fail(error.what(), Exit::outside);
  } catch (const std::system_error& error) {
    return fail(std::string("the system refused: ") + error.what(), Exit::outside);
  } catch (const std::bad_alloc&) {
    return fail("out of memory: the input is too large for this machine", Exit::outside);
  } catch (const std::exception& error) {
    return fail(std::string("internal error: ") + error.what(), Exit::outside);
  }
}
