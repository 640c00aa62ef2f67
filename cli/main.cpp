// The dovetail program: verbs, and the one place where errors are caught.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <new>

#include "command.hpp"
#include "dovetail/error.hpp"
#include "io/text.hpp"

namespace {

using dovetail::cli::Exit;

int fail(const std::string& message, Exit status) {
  std::cerr << message << '\n';
  return static_cast<int>(status);
}

// "; did you mean ...?" for a command or option that does not exist.
std::string suggestion(const CLI::App& app, const std::string& word) {
  dovetail::io::NearestWord nearest(word);
  for (const CLI::App* command : app.get_subcommands({})) nearest.offer(command->get_name());
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  for (const std::string& name : names) nearest.offer(name);
  return nearest.suggestion();
}

// Bad use is one line too: what is wrong, and where help is.
int explain(const CLI::ParseError& error, const CLI::App& program, const std::string& first_word) {
  if (error.get_exit_code() == 0) return program.exit(error);
  std::string who = "dovetail";
  const CLI::App* app = &program;
  while (!app->get_subcommands().empty()) {
    app = app->get_subcommands().front();
    who += " " + app->get_name();
  }
  std::string what = error.what();
  for (char& c : what) {
    if (c == '\n') c = ' ';
  }
  if (app == &program && !first_word.empty()) {
    what =
        "there is no command " + dovetail::io::quote(first_word) + suggestion(program, first_word);
  } else if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const auto dashes = std::min(what.find("--"), what.size());
    what += suggestion(*app, what.substr(dashes, what.find_first_of(" ,=", dashes) - dashes));
  }
  return fail(who + ": " + what + " (see: " + who + " --help)", Exit::bad_input);
}

}  // namespace

int main(int argc, char** argv) {
  namespace cli = dovetail::cli;
  CLI::App program("Fits scientific workflows into the gaps of busy clusters.", "dovetail");
  program.set_version_flag("--version", "dovetail " DOVETAIL_VERSION);
  program.require_subcommand(1);
  program.set_help_all_flag("--help-all", "help for all commands");
  program.footer(
      "Example: dovetail plan flow.yaml -c cluster.yaml\n"
      "Exit status: 0 fine, 1 the answer is no, 2 bad use or input, 3 an outside system "
      "failed.");
  Exit status = Exit::fine;
  for (const auto add :
       {cli::add_plan, cli::add_compare, cli::add_check, cli::add_show, cli::add_generate,
        cli::add_convert, cli::add_algorithms, cli::add_study}) {
    add(program, status);
  }
  try {
    program.parse(argc, argv);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0 || !std::cout.flush()) {
      return fail("standard output: cannot be written", Exit::outside);
    }
    return static_cast<int>(status);
  } catch (const CLI::ParseError& error) {
    return explain(error, program, argc > 1 && argv[1][0] != '-' ? argv[1] : "");
  } catch (const dovetail::InputError& error) {
    return fail(error.what(), Exit::bad_input);
  } catch (const dovetail::ExecutionError& error) {
    return fail(error.what(), Exit::outside);
  } catch (const std::bad_alloc&) {
    return fail("out of memory: the input is too large for this machine", Exit::outside);
  } catch (const std::exception& error) {
    return fail(std::string("internal error: ") + error.what(), Exit::outside);
  }
}
