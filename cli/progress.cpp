#include "cli/progress.hpp"

#include <unistd.h>

#include "cli/output.hpp"
#include "dovetail/time.hpp"

namespace dovetail::cli {

void ProgressBar::operator()(std::size_t done, std::size_t total) {
  if (isatty(STDERR_FILENO) != 1 || total == 0) return;
  const auto now = Clock::now();
  if (now - begun_ < std::chrono::seconds(1)) return;
  if (done < total && now - drawn_ < std::chrono::milliseconds(200)) return;
  drawn_ = now;
  const double share = static_cast<double>(done) / static_cast<double>(total);
  const auto spent = std::chrono::duration_cast<std::chrono::milliseconds>(now - begun_).count();
  const auto left =
      share > 0 ? static_cast<Duration>(static_cast<double>(spent) / share) - spent : Duration{0};
  constexpr int kWidth = 30;
  const int filled = static_cast<int>(share * kWidth);
  erase_line();
  tell("|{:#<{}}{:.<{}}| {:5.1f} %  {} left   ", "", filled, "", kWidth - filled, 100 * share,
       format_duration(left / 1000 * 1000));
  if (done < total) return;
  erase_line();
  begun_ = now;  // a study may have more than one campaign
}

}  // namespace dovetail::cli
