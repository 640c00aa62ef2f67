#include "run/run_requests.hpp"

namespace dovetail::run {

RunRequests::RunRequests(const RunFolder& folder, Interrupts& interrupts)
    : interrupts_(interrupts), mailbox_(folder) {}

std::array<pollfd, 2> RunRequests::files() const {
  return {{{interrupts_.descriptor(), POLLIN, 0}, {mailbox_.descriptor(), POLLIN, 0}}};
}

std::vector<ProcessorRequest> RunRequests::hear() {
  for (const Interrupt interrupt : interrupts_.take()) {
    if (interrupt == Interrupt::stop) ++stops_;
    is_leaving_ |= interrupt == Interrupt::leave;
    is_cancelled_ |= interrupt == Interrupt::cancel;
  }
  std::vector<ProcessorRequest> asked;
  for (const Json& request : mailbox_.take()) {
    const Json what = request.value("what", Json());
    const Json processors = request.value("processors", Json());
    if (what == "cancel") is_cancelled_ = true;
    if (what == "resources" && processors.is_number_integer()) {
      asked.push_back({processors.get<Count>(), request.value("now", Json()) == true});
    }
  }
  return asked;
}

}  // namespace dovetail::run
