// Logs what happens to callers without a certificate: some lines per second, and the number of the
// others, so that a flood of connections does not fill the disk. For one thread.
#pragma once

#include <chrono>
#include <string>

#include "federation/net/operation_table.hpp"

namespace dovetail::federation {

class StrangerLog {
 public:
  explicit StrangerLog(Log log) : log_(std::move(log)) {}

  void add(const std::string& line) {
    constexpr int kMostLines = 10;
    const auto now = std::chrono::steady_clock::now();
    if (now >= until_) {
      if (left_out_ > 0) {
        log_("refused " + std::to_string(left_out_) + " more connections without a certificate");
      }
      until_ = now + std::chrono::seconds(1);
      lines_ = 0;
      left_out_ = 0;
    }
    if (++lines_ <= kMostLines) {
      log_(line);
    } else {
      ++left_out_;
    }
  }

 private:
  Log log_;
  std::chrono::steady_clock::time_point until_ = {};
  int lines_ = 0;
  int left_out_ = 0;
};

}  // namespace dovetail::federation
