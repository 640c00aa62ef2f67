// Single words of Slurm: node lists, states, limits, moments.
#include "batch/slurm/slurm_text.hpp"
#include "fuzz/fuzz_target.hpp"

FUZZ_TARGET(slurm_words) {
  using namespace dovetail;
  using namespace dovetail::batch::slurm;
  if (const auto nodes = parse_node_list(input)) {
    if (parse_node_list(format_node_list(*nodes)) == std::nullopt) std::abort();
  }
  parse_job_id(input);
  says_away(input);
  parse_state(input);
  parse_reason(input);
  if (const auto limit = parse_limit(input)) format_limit(*limit);
  if (const auto moment = parse_moment(input)) format_moment(*moment);
  parse_count(input);
  whole_number(input);
  split_list(input);
  value_or_nothing(input);
}
