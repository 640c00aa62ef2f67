#include "cli/federation/server_log.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cstdio>

#include "cli/output.hpp"
#include "dovetail/time.hpp"
#include "federation/net/http_client.hpp"
#include "io/text.hpp"
#include "run/clock.hpp"

namespace dovetail::cli {

std::function<void(const std::string& line)> service_log() {
  return [](const std::string& line) {
    tell("{} {}\n", format_date(run::wall_now()), io::plain_text(line));
    std::fflush(stderr);
  };
}

void wait_for_end(const federation::Identity& self, const std::string& url,
                  run::Interrupts& interrupts, int failed) {
  say("{} {} answers at {}\n", federation::name_of(self.self.role), self.self.name, url);
  std::fflush(stdout);
  if (geteuid() == 0) {
    service_log()(
        self.self.role == federation::Role::daemon
            ? "warning: runs as root, and so does all that clients start here; use an "
              "account of its own"
            : "warning: runs as root, which an agent does not need; use an account of its "
              "own");
  }
  const std::string host = federation::host_of_url(url);
  if (!federation::is_for_host(self, host)) {
    service_log()(fmt::format(
        "warning: {} does not name {}, where others call it; make it again with dovetail keys add "
        "--host {}",
        self.certificate, host, host));
  }
  pollfd files[] = {{.fd = interrupts.descriptor(), .events = POLLIN, .revents = 0},
                    {.fd = failed, .events = POLLIN, .revents = 0}};
  while (interrupts.take().empty() && (files[1].revents & POLLIN) == 0) poll(files, 2, -1);
}

}  // namespace dovetail::cli
