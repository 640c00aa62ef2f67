// The dovetail program: verbs, and the one place where errors are caught.
#include <CLI/CLI.hpp>
#include <iostream>
#include <new>

#include "command.hpp"
#include "dovetail/error.hpp"

namespace {

using dovetail::cli::Exit;

int fail(const std::string& message, Exit status) {
  std::cerr << message << '\n';
  return static_cast<int>(status);
}

// Bad use is one line too: what is wrong, and where help is.
int explain(const CLI::ParseError& error, const CLI::App& program) {
  if (error.get_exit_code() == 0) return program.exit(error);
  std::string who = "dovetail";
  for (const CLI::App* app = &program; !app->get_subcommands().empty();) {
    app = app->get_subcommands().front();
    who += " " + app->get_name();
  }
  std::string what = error.what();
  for (char& c : what) {
    if (c == '\n') c = ' ';
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
  program.footer("Example: dovetail plan flow.yaml -c cluster.yaml\n"
                 "Exit status: 0 fine, 1 the answer is no, 2 bad use or input, 3 an outside system "
                 "failed.");
  Exit status = Exit::fine;
  for (const auto add : {cli::add_plan, cli::add_compare, cli::add_check, cli::add_show,
                         cli::add_generate, cli::add_convert, cli::add_algorithms,
                         cli::add_study}) {
    add(program, status);
  }
  try {
    program.parse(argc, argv);
    std::cout.flush();
    if (!std::cout) return fail("cannot write to standard output", Exit::outside);
    return static_cast<int>(status);
  } catch (const CLI::ParseError& error) {
    return explain(error, program);
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
