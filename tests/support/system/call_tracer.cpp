#include "support/system/call_tracer.hpp"

#include <elf.h>
#include <fcntl.h>
#include <linux/limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <fstream>
#include <sstream>

namespace dovetail::testing {

namespace {

using Clock = std::chrono::steady_clock;

long trace(__ptrace_request request, pid_t thread, std::uint64_t address, std::uint64_t data) {
  // The library takes pointers for what are numbers.
  return ptrace(request, thread, reinterpret_cast<void*>(address), reinterpret_cast<void*>(data));
}

std::string proc(pid_t thread, const std::string& name) {
  return "/proc/" + std::to_string(thread) + "/" + name;
}

pid_t process_of(pid_t thread) {
  std::ifstream status(proc(thread, "status"));
  for (std::string word; status >> word;) {
    pid_t number = 0;
    if (word == "Tgid:" && status >> number) return number;
  }
  return thread;
}

std::string link_of(const std::string& path) {
  char text[PATH_MAX];
  const ssize_t size = readlink(path.c_str(), text, sizeof text);
  return size < 0 ? "" : std::string(text, static_cast<std::size_t>(size));
}

// Text of another process; it may end anywhere, and so is read a page at a time.
std::string text_at(pid_t thread, std::uint64_t address) {
  constexpr std::uint64_t kPage = 4096;
  std::string text;
  while (text.size() < PATH_MAX) {
    char piece[kPage];
    const std::uint64_t size = kPage - address % kPage;
    const iovec here{piece, size};
    const iovec there{reinterpret_cast<void*>(address), size};
    const ssize_t got = process_vm_readv(thread, &here, 1, &there, 1, 0);
    if (got <= 0) break;
    const std::string_view part(piece, static_cast<std::size_t>(got));
    const std::size_t end = part.find('\0');
    text.append(part.substr(0, end));
    if (end != std::string_view::npos) break;
    address += static_cast<std::uint64_t>(got);
  }
  return text;
}

bool has_nonblocking(pid_t thread, int descriptor) {
  std::ifstream info(proc(thread, "fdinfo/" + std::to_string(descriptor)));
  for (std::string word; info >> word;) {
    unsigned flags = 0;
    if (word == "flags:" && info >> std::oct >> flags) return (flags & O_NONBLOCK) != 0;
  }
  return false;
}

// Where the loader hands over to the program.
std::uint64_t entry_of(pid_t process) {
  std::ifstream file(proc(process, "auxv"), std::ios::binary);
  Elf64_auxv_t value{};
  while (file.read(reinterpret_cast<char*>(&value), sizeof value)) {
    if (value.a_type == AT_ENTRY) return value.a_un.a_val;
  }
  return 0;
}

#if defined(__x86_64__)
constexpr bool kIsKnownMachine = true;
constexpr long kBreakpoint = 0xcc;

void change_registers(pid_t thread, const auto& change) {
  user_regs_struct registers{};
  trace(PTRACE_GETREGS, thread, 0, reinterpret_cast<std::uint64_t>(&registers));
  change(registers);
  trace(PTRACE_SETREGS, thread, 0, reinterpret_cast<std::uint64_t>(&registers));
}
void leave_call_out(pid_t thread) {
  change_registers(thread, [](auto& registers) { registers.orig_rax = ~0ULL; });
}
void set_answer(pid_t thread, long answer) {
  change_registers(thread,
                   [&](auto& registers) { registers.rax = static_cast<std::uint64_t>(answer); });
}
void set_size(pid_t thread, std::uint64_t size) {
  change_registers(thread, [&](auto& registers) { registers.rdx = size; });
}
void go_to(pid_t thread, std::uint64_t place) {
  change_registers(thread, [&](auto& registers) { registers.rip = place; });
}
#else
constexpr bool kIsKnownMachine = false;
constexpr long kBreakpoint = 0;
void leave_call_out(pid_t) {}
void set_answer(pid_t, long) {}
void set_size(pid_t, std::uint64_t) {}
void go_to(pid_t, std::uint64_t) {}
#endif

void ignore(int /*signal*/) {}

// While it lives, waiting is interrupted ten times a second.
class Ticks {
 public:
  Ticks() {
    struct sigaction action {};
    action.sa_handler = ignore;
    sigaction(SIGALRM, &action, &before_);
    set(100'000);
  }
  ~Ticks() {
    set(0);
    sigaction(SIGALRM, &before_, nullptr);
  }
  Ticks(const Ticks&) = delete;
  Ticks& operator=(const Ticks&) = delete;

 private:
  static void set(suseconds_t microseconds) {
    const itimerval times{.it_interval = {0, microseconds}, .it_value = {0, microseconds}};
    setitimer(ITIMER_REAL, &times, nullptr);
  }
  struct sigaction before_ {};
};

}  // namespace

bool can_trace_calls() {
  if (!kIsKnownMachine) return false;
  const pid_t child = fork();
  if (child == 0) _exit(ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0 ? 0 : 1);
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::string CallPoint::text() const {
  return call + " (" + std::to_string(occurrence) + "): " + name_of(fault);
}

pid_t start_program(const std::string& folder, const Words& words, const Variables& variables,
                    int gate) {
  const pid_t child = fork();
  if (child != 0) return child;
  char byte = 0;
  if (gate >= 0 && read(gate, &byte, 1) != 1) _exit(9);
  if (chdir(folder.c_str()) != 0) _exit(9);
  for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
  dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), 0);
  dup2(open("out", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644), 1);
  dup2(open("err", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644), 2);
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  execv(pointers.front(), pointers.data());
  _exit(9);
}

pid_t CallTracer::start(const Words& words, const Variables& variables) {
  int gate[2];
  if (pipe2(gate, O_CLOEXEC) != 0) return -1;
  program_ = start_program(request_.folder, words, variables, gate[0]);
  std::uint64_t options =
      PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
  if (request_.role != TracedRole::program) options |= PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK;
  trace(PTRACE_SEIZE, program_, 0, options);
  const bool is_told = write(gate[1], "x", 1) == 1;
  for (const int end : gate) close(end);
  return is_told ? program_ : -1;
}

TraceEnd CallTracer::follow(double seconds) {
  const Ticks ticks;
  const auto until = Clock::now() + std::chrono::duration<double>(seconds);
  TraceEnd end;
  for (bool has_ended = false; !has_ended || !tracees_.empty();) {
    int status = 0;
    const pid_t thread = waitpid(-1, &status, __WALL);
    if (thread < 0 && errno != EINTR) break;
    if (Clock::now() >= until) {
      end.has_hung = true;
      break;
    }
    if (thread < 0) continue;
    if (WIFSTOPPED(status)) {
      handle_stop(thread, status);
      continue;
    }
    tracees_.erase(thread);
    if (thread == program_) {
      has_ended = true;
      end.status = status;
    }
  }
  end.was_hit = was_hit_;
  return end;
}

bool CallTracer::is_ours(pid_t thread) const {
  const bool is_program = process_of(thread) == program_;
  if (request_.role == TracedRole::program) return is_program;
  if (request_.role == TracedRole::helpers) return !is_program;
  return !is_program && link_of(proc(thread, "exe")) == executable_;
}

void CallTracer::handle_stop(pid_t thread, int status) {
  constexpr int kCallStop = SIGTRAP | 0x80;
  const auto [place, is_new] = tracees_.try_emplace(thread);
  Tracee& tracee = place->second;
  if (is_new) tracee.is_counted = is_ours(thread);
  const int signal = WSTOPSIG(status);
  const int event = status >> 16;
  if (event != 0) return handle_event(thread, event);
  if (signal == kCallStop) return handle_call(thread);
  if (signal == SIGTRAP && tracee.entry != 0) return begin_program(thread, tracee);
  resume(thread, signal);
}

void CallTracer::handle_event(pid_t thread, int event) {
  if (event == PTRACE_EVENT_EXEC) return handle_exec(thread);
  siginfo_t about{};
  const bool is_group_stop =
      event == PTRACE_EVENT_STOP &&
      trace(PTRACE_GETSIGINFO, thread, 0, reinterpret_cast<std::uint64_t>(&about)) != 0 &&
      errno == EINVAL;
  if (is_group_stop) {
    trace(PTRACE_LISTEN, thread, 0, 0);
    return;
  }
  resume(thread);
}

// The program begins, or what it forked becomes something else, which is not looked at unless it
// may start the program again.
void CallTracer::handle_exec(pid_t thread) {
  if (thread == program_) executable_ = link_of(proc(thread, "exe"));
  const bool follows = thread == program_ || request_.role == TracedRole::jobs;
  if (!follows) {
    trace(PTRACE_DETACH, thread, 0, 0);
    tracees_.erase(thread);
    return;
  }
  Tracee& tracee = tracees_.at(thread);
  tracee.is_counted = is_ours(thread);
  if (tracee.is_counted) stop_at_entry(thread, tracee);
  resume(thread);
}

void CallTracer::stop_at_entry(pid_t thread, Tracee& tracee) {
  tracee.entry = entry_of(thread);
  tracee.instruction = trace(PTRACE_PEEKTEXT, thread, tracee.entry, 0);
  const auto changed = (static_cast<std::uint64_t>(tracee.instruction) & ~0xffULL) | kBreakpoint;
  trace(PTRACE_POKETEXT, thread, tracee.entry, changed);
}

void CallTracer::begin_program(pid_t thread, Tracee& tracee) {
  trace(PTRACE_POKETEXT, thread, tracee.entry, static_cast<std::uint64_t>(tracee.instruction));
  go_to(thread, std::exchange(tracee.entry, 0));
  resume(thread);
}

void CallTracer::resume(pid_t thread, int signal) {
  const Tracee& tracee = tracees_.at(thread);
  const bool stops_at_calls = tracee.is_counted && tracee.entry == 0;
  trace(stops_at_calls ? PTRACE_SYSCALL : PTRACE_CONT, thread, 0,
        static_cast<std::uint64_t>(signal));
}

void CallTracer::handle_call(pid_t thread) {
  __ptrace_syscall_info info{};
  trace(PTRACE_GET_SYSCALL_INFO, thread, sizeof info, reinterpret_cast<std::uint64_t>(&info));
  Tracee& tracee = tracees_.at(thread);
  if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
    CallArguments arguments{};
    for (std::size_t i = 0; i < arguments.size(); ++i) arguments[i] = info.entry.args[i];
    enter(thread, tracee, static_cast<long>(info.entry.nr), arguments);
  } else if (info.op == PTRACE_SYSCALL_INFO_EXIT) {
    leave(thread, tracee);
  }
  resume(thread);
}

void CallTracer::enter(pid_t thread, Tracee& tracee, long number, const CallArguments& arguments) {
  CallSight sight{.call = find_system_call(number), .arguments = arguments};
  if (sight.call == nullptr) return;
  const std::string target = target_of(thread, sight);
  const std::vector<Fault> faults = faults_of(sight);
  const bool only_asks = (number == SYS_fcntl || number == SYS_mmap) && faults.size() == 1;
  if (only_asks) return;
  CallPoint point{.call = sight.call->name + (target.empty() ? "" : " " + plain(target))};
  point.occurrence = ++counts_[point.call];
  for (const Fault& fault : faults) {
    point.fault = fault;
    if (!request_.point) points_.push_back(point);
    if (was_hit_ || request_.point != point) continue;
    was_hit_ = true;
    inject(thread, tracee, fault);
    if (fault.kind == Fault::Kind::cut) {
      tracee.size = arguments[2];
      set_size(thread, arguments[2] / 2);
    }
  }
}

void CallTracer::inject(pid_t thread, Tracee& tracee, const Fault& fault) {
  if (fault.kind == Fault::Kind::killing) kill(process_of(thread), SIGKILL);
  if (fault.kind != Fault::Kind::error) return;
  leave_call_out(thread);
  tracee.error = fault.error;
}

// The compiler counts on registers that calls leave alone.
void CallTracer::leave(pid_t thread, Tracee& tracee) const {
  if (tracee.error != 0) set_answer(thread, -std::exchange(tracee.error, 0));
  if (tracee.size != 0) set_size(thread, std::exchange(tracee.size, 0));
}

// Its name; completes what is known of the call.
std::string CallTracer::target_of(pid_t thread, CallSight& sight) const {
  const std::uint64_t value = sight.arguments[sight.call->argument];
  if (sight.call->target == SystemCall::Target::path) {
    const std::string path = text_at(thread, value);
    // An empty name: a descriptor is asked about.
    return path.empty()
               ? link_of(proc(thread, "fd/" + std::to_string(static_cast<int>(sight.arguments[0]))))
               : path;
  }
  if (sight.call->target == SystemCall::Target::none) return {};
  const auto descriptor = static_cast<int>(value);
  const std::string name = link_of(proc(thread, "fd/" + std::to_string(descriptor)));
  sight.is_stream = !name.starts_with('/');
  if (sight.is_stream) sight.does_not_wait = has_nonblocking(thread, descriptor);
  return name;
}

// Without the folder, with '#' for each number, and for each word that looks made up at random.
std::string CallTracer::plain(const std::string& name) const {
  std::string rest = name;
  if (rest.starts_with(request_.folder + "/")) rest.erase(0, request_.folder.size() + 1);
  std::string text;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const auto is_digit = [&](std::size_t at) {
      return std::isdigit(static_cast<unsigned char>(rest[at])) != 0;
    };
    if (!is_digit(i)) {
      text += rest[i];
      continue;
    }
    while (i + 1 < rest.size() && is_digit(i + 1)) ++i;
    text += '#';
  }
  return text;
}

}  // namespace dovetail::testing
