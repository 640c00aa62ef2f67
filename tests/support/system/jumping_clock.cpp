// Put in front of the C library (LD_PRELOAD), it makes the machine's clock jump by days, forwards
// and backwards, every few questions; with DOVETAIL_CLOCK_STEP the clock is off by that many
// seconds all the time. The clock that does not jump is left alone.
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

namespace {

long jump() {
  static const char* const step = getenv("DOVETAIL_CLOCK_STEP");
  if (step != nullptr) return atol(step);
  static unsigned questions = 0;
  const unsigned round = ++questions / 3 + static_cast<unsigned>(getpid());
  return (static_cast<long>(round * 2654435761U >> 16U) % 9 - 4) * 86'400;
}

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* time) {
  const long result = syscall(SYS_clock_gettime, clock, time);
  if (result == 0 && clock == CLOCK_REALTIME) time->tv_sec += jump();
  return static_cast<int>(result);
}
