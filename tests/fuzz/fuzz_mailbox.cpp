// Requests to the process that works on a run.
#include "fuzz/fuzz_target.hpp"
#include "run/mailbox.hpp"

FUZZ_TARGET(mailbox) {
  using namespace dovetail;
  static const test::FuzzFolder folder;
  static const run::RunFolder own = run::RunFolder::create(folder.path(), "flow");
  run::Mailbox mailbox(own);
  std::ofstream(own.mail() + "/1.json", std::ios::binary).write(input.data(), std::ssize(input));
  for (const run::Json& request : mailbox.take()) {
    if (!request.is_object()) std::abort();
  }
  mailbox.forget();
}
