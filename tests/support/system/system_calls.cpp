#include "support/system/system_calls.hpp"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>

namespace dovetail::testing {

namespace {

using Target = SystemCall::Target;

// Reading and writing: what a disk answers, and what a pipe or a socket does.
std::vector<SystemCall> transfers() {
  const auto row = [](long number, const char* name, std::vector<int> file, std::vector<int> stream,
                      bool can_be_cut) {
    return SystemCall{.number = number,
                      .name = name,
                      .target = Target::descriptor,
                      .file_errors = std::move(file),
                      .stream_errors = std::move(stream),
                      .can_be_cut = can_be_cut};
  };
  return {row(SYS_read, "read", {EIO}, {EINTR}, false),
          row(SYS_pread64, "pread", {EIO}, {EINTR}, false),
          row(SYS_readv, "readv", {EIO}, {EINTR}, false),
          row(SYS_write, "write", {EIO, ENOSPC, EINTR}, {EINTR}, true),
          row(SYS_pwrite64, "pwrite", {EIO, ENOSPC, EINTR}, {EINTR}, true),
          row(SYS_writev, "writev", {EIO, ENOSPC, EINTR}, {EINTR}, false),
          row(SYS_sendto, "send", {}, {EINTR, ENOBUFS}, true),
          row(SYS_sendmsg, "sendmsg", {}, {EINTR, ENOBUFS}, false),
          row(SYS_recvfrom, "recv", {}, {EINTR, ENOMEM}, false),
          row(SYS_recvmsg, "recvmsg", {}, {EINTR, ENOMEM}, false),
          row(SYS_fsync, "fsync", {EIO, ENOSPC}, {}, false),
          row(SYS_fdatasync, "fdatasync", {EIO, ENOSPC}, {}, false),
          row(SYS_ftruncate, "ftruncate", {EIO}, {}, false),
          row(SYS_fallocate, "fallocate", {ENOSPC}, {}, false),
          row(SYS_getdents64, "getdents", {EIO}, {}, false),
          row(SYS_fchmod, "fchmod", {EIO}, {}, false),
          row(SYS_copy_file_range, "copy_file_range", {EIO, ENOSPC}, {}, false),
          row(SYS_sendfile, "sendfile", {EIO, ENOSPC}, {}, false)};
}

std::vector<SystemCall> paths() {
  const auto row = [](long number, const char* name, std::size_t argument,
                      std::vector<int> errors) {
    return SystemCall{.number = number,
                      .name = name,
                      .target = Target::path,
                      .argument = argument,
                      .errors = std::move(errors)};
  };
  std::vector<SystemCall> rows = {row(SYS_openat, "open", 1, {EIO, EMFILE}),
                                  row(SYS_renameat, "rename", 3, {EIO, ENOSPC}),
                                  row(SYS_renameat2, "rename", 3, {EIO, ENOSPC}),
                                  row(SYS_unlinkat, "unlink", 1, {EIO}),
                                  row(SYS_mkdirat, "mkdir", 1, {EIO, ENOSPC}),
                                  row(SYS_linkat, "link", 3, {EIO, ENOSPC}),
                                  row(SYS_symlinkat, "symlink", 2, {EIO, ENOSPC}),
                                  row(SYS_readlinkat, "readlink", 1, {EIO}),
                                  row(SYS_faccessat, "access", 1, {EIO}),
                                  row(SYS_faccessat2, "access", 1, {EIO}),
                                  row(SYS_fchmodat, "chmod", 1, {EIO}),
                                  row(SYS_utimensat, "utimens", 1, {EIO}),
                                  row(SYS_newfstatat, "stat", 1, {EIO}),
                                  row(SYS_statx, "stat", 1, {EIO}),
                                  row(SYS_truncate, "truncate", 0, {EIO}),
                                  row(SYS_chdir, "chdir", 0, {EIO}),
                                  row(SYS_execve, "exec", 0, {ENOMEM})};
#if defined(__x86_64__)
  const std::vector<SystemCall> old = {row(SYS_open, "open", 0, {EIO, EMFILE}),
                                       row(SYS_creat, "creat", 0, {EIO, EMFILE, ENOSPC}),
                                       row(SYS_rename, "rename", 1, {EIO, ENOSPC}),
                                       row(SYS_unlink, "unlink", 0, {EIO}),
                                       row(SYS_rmdir, "rmdir", 0, {EIO}),
                                       row(SYS_mkdir, "mkdir", 0, {EIO, ENOSPC}),
                                       row(SYS_link, "link", 1, {EIO, ENOSPC}),
                                       row(SYS_symlink, "symlink", 1, {EIO, ENOSPC}),
                                       row(SYS_readlink, "readlink", 0, {EIO}),
                                       row(SYS_access, "access", 0, {EIO}),
                                       row(SYS_chmod, "chmod", 0, {EIO}),
                                       row(SYS_stat, "stat", 0, {EIO}),
                                       row(SYS_lstat, "stat", 0, {EIO})};
  rows.insert(rows.end(), old.begin(), old.end());
#endif
  return rows;
}

// New processes, threads and descriptors; waiting; the end.
std::vector<SystemCall> others() {
  const auto row = [](long number, const char* name, std::vector<int> errors,
                      Target target = Target::none) {
    return SystemCall{
        .number = number, .name = name, .target = target, .errors = std::move(errors)};
  };
  std::vector<SystemCall> rows = {row(SYS_clone, "clone", {EAGAIN}),
                                  row(SYS_clone3, "clone", {EAGAIN}),
                                  row(SYS_pipe2, "pipe", {EMFILE}),
                                  row(SYS_socket, "socket", {EMFILE}),
                                  row(SYS_socketpair, "socketpair", {EMFILE}),
                                  row(SYS_accept4, "accept", {EMFILE, EINTR, ECONNABORTED}),
                                  row(SYS_accept, "accept", {EMFILE, EINTR, ECONNABORTED}),
                                  row(SYS_bind, "bind", {EADDRINUSE}),
                                  row(SYS_connect, "connect", {EINTR, ECONNREFUSED}),
                                  row(SYS_eventfd2, "eventfd", {EMFILE}),
                                  row(SYS_timerfd_create, "timerfd", {EMFILE}),
                                  row(SYS_signalfd4, "signalfd", {EMFILE}),
                                  row(SYS_inotify_init1, "inotify", {EMFILE}),
                                  row(SYS_pidfd_open, "pidfd", {EMFILE}),
                                  row(SYS_epoll_create1, "epoll_create", {EMFILE}),
                                  row(SYS_epoll_ctl, "epoll_ctl", {ENOSPC, ENOMEM}),
                                  row(SYS_epoll_pwait, "epoll_wait", {EINTR}),
                                  row(SYS_ppoll, "poll", {EINTR, ENOMEM}),
                                  row(SYS_pselect6, "select", {EINTR, ENOMEM}),
                                  row(SYS_rt_sigtimedwait, "sigtimedwait", {EINTR}),
                                  row(SYS_clock_nanosleep, "sleep", {EINTR}),
                                  row(SYS_wait4, "wait", {}),
                                  row(SYS_flock, "flock", {EINTR, ENOLCK}, Target::descriptor),
                                  row(SYS_fcntl, "fcntl", {}, Target::descriptor),
                                  row(SYS_mmap, "mmap", {}, Target::none),
                                  row(SYS_exit_group, "exit", {})};
#if defined(__x86_64__)
  const std::vector<SystemCall> old = {row(SYS_fork, "clone", {EAGAIN}),
                                       row(SYS_vfork, "clone", {EAGAIN}),
                                       row(SYS_pipe, "pipe", {EMFILE}),
                                       row(SYS_epoll_wait, "epoll_wait", {EINTR}),
                                       row(SYS_poll, "poll", {EINTR, ENOMEM}),
                                       row(SYS_select, "select", {EINTR, ENOMEM}),
                                       row(SYS_epoll_create, "epoll_create", {EMFILE})};
  rows.insert(rows.end(), old.begin(), old.end());
#endif
  return rows;
}

std::vector<SystemCall> sorted_rows() {
  std::vector<SystemCall> rows = transfers();
  for (auto part : {paths(), others()}) rows.insert(rows.end(), part.begin(), part.end());
  std::ranges::sort(rows, {}, &SystemCall::number);
  return rows;
}

// What these may answer depends on what they are asked for.
std::vector<int> asked_errors(const CallSight& sight) {
  const CallArguments& arguments = sight.arguments;
  if (sight.call->number == SYS_fcntl) {
    const auto command = static_cast<int>(arguments[1]);
    if (command == F_DUPFD || command == F_DUPFD_CLOEXEC) return {EMFILE};
    if (command == F_SETLK || command == F_OFD_SETLK) return {ENOLCK, EAGAIN};
    if (command == F_SETLKW || command == F_OFD_SETLKW) return {ENOLCK, EINTR};
  }
  if (sight.call->number == SYS_mmap) {
    // Those of memory are the allocator's: running out of it is not what is tested here.
    const bool is_of_file = (arguments[3] & MAP_ANONYMOUS) == 0;
    if (is_of_file) return {ENOMEM};
  }
  // A question whether a child has ended is never interrupted.
  if (sight.call->number == SYS_wait4 && (arguments[2] & WNOHANG) == 0) return {EINTR};
  if (sight.call->number == SYS_openat && (arguments[2] & O_CREAT) != 0) return {ENOSPC};
  return {};
}

bool is_asked_not_to_wait(const CallSight& sight) {
  const CallArguments& arguments = sight.arguments;
  const long number = sight.call->number;
  if (number == SYS_sendto || number == SYS_recvfrom) return (arguments[3] & MSG_DONTWAIT) != 0;
  if (number == SYS_sendmsg || number == SYS_recvmsg) return (arguments[2] & MSG_DONTWAIT) != 0;
  if (number == SYS_flock) return true;  // all of ours are tried, not waited for
  return false;
}

}  // namespace

std::string name_of(const Fault& fault) {
  if (fault.kind == Fault::Kind::killing) return "kill";
  if (fault.kind == Fault::Kind::cut) return "short";
  return strerrorname_np(fault.error);
}

const SystemCall* find_system_call(long number) {
  static const std::vector<SystemCall> rows = sorted_rows();
  const auto found = std::ranges::lower_bound(rows, number, {}, &SystemCall::number);
  return found != rows.end() && found->number == number ? &*found : nullptr;
}

std::vector<Fault> faults_of(const CallSight& sight) {
  std::vector<Fault> faults = {{Fault::Kind::killing}};
  const auto add = [&](const std::vector<int>& errors) {
    for (const int error : errors) faults.push_back({Fault::Kind::error, error});
  };
  add(sight.call->errors);
  add(sight.is_stream ? sight.call->stream_errors : sight.call->file_errors);
  add(asked_errors(sight));
  const bool has_stream = sight.is_stream && !sight.call->stream_errors.empty();
  if (is_asked_not_to_wait(sight) || (has_stream && sight.does_not_wait)) add({EAGAIN});
  if (sight.call->can_be_cut && sight.arguments[2] > 1) faults.push_back({Fault::Kind::cut});
  return faults;
}

}  // namespace dovetail::testing
