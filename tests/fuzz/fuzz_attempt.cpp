// What supervisors leave on disk: attempt files, and ends in journals.
#include <nlohmann/json.hpp>

#include "fuzz/fuzz_target.hpp"
#include "run/local/attempt_file.hpp"

FUZZ_TARGET(attempt) {
  using namespace dovetail;
  static const test::FuzzFolder folder;
  const run::Attempt attempt = run::read_attempt(folder.write("1.1", input));
  if (attempt.end && run::to_json(*attempt.end).size() >= 512) std::abort();
  run::parse_end(std::string(input));
}
