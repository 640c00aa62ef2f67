#include "run/local/wire.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <initializer_list>
#include <nlohmann/json.hpp>

namespace dovetail::run {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostFiles = 2;

// A message with room for two open files.
class Message {
 public:
  Message(char* data, std::size_t size) : data_{data, size} {
    header_.msg_iov = &data_;
    header_.msg_iovlen = 1;
    header_.msg_control = control_;
    header_.msg_controllen = sizeof control_;
  }
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;

  // As sendmsg and recvmsg, but not cut short by a signal before the first byte.
  ssize_t send(int socket, std::initializer_list<int> files) {
    const std::size_t size = files.size() * sizeof(int);
    cmsghdr* const head = CMSG_FIRSTHDR(&header_);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(size);
    header_.msg_controllen = CMSG_SPACE(size);
    std::memcpy(CMSG_DATA(head), files.begin(), size);
    ssize_t sent = 0;
    while ((sent = sendmsg(socket, &header_, MSG_NOSIGNAL)) < 0 && errno == EINTR) {
    }
    return sent;
  }

  // The files that came with it, in order; all that were sent are taken over.
  ssize_t receive(int socket, std::array<Descriptor, kMostFiles>& files) {
    ssize_t got = 0;
    while ((got = recvmsg(socket, &header_, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR) {
    }
    const cmsghdr* const head = CMSG_FIRSTHDR(&header_);
    if (got <= 0 || head == nullptr || head->cmsg_type != SCM_RIGHTS) return got;
    const std::size_t count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < std::min(count, files.size()); ++i) {
      int number = -1;
      std::memcpy(&number, CMSG_DATA(head) + i * sizeof number, sizeof number);
      files[i] = Descriptor(number);
    }
    return got;
  }

 private:
  iovec data_;
  msghdr header_{};
  alignas(cmsghdr) char control_[CMSG_SPACE(kMostFiles * sizeof(int))]{};
};

bool send_all(int socket, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t sent = send(socket, data, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return false;
    data += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}

bool receive_all(int socket, char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t got = recv(socket, data, size, MSG_WAITALL);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    data += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

}  // namespace

Json json_of(const StepCommand& command) {
  return {{"task", command.task},
          {"attempt", command.attempt},
          {"command", command.command},
          {"arguments", command.arguments},
          {"folder", command.folder},
          {"attempt_file", command.attempt_file},
          {"out_file", command.out_file},
          {"err_file", command.err_file},
          {"environment", command.environment},
          {"cores", command.cores},
          {"outputs", command.outputs},
          {"syncs", command.syncs},
          {"definition", command.origin.definition},
          {"read", command.origin.inputs},
          {"granted", command.origin.processors},
          {"timeout", command.timeout_seconds},
          {"grace", command.grace_seconds},
          {"memory_limit", command.memory_limit},
          {"memory_group", command.memory_group}};
}

StepCommand command_from(const Json& json) {
  return {.task = json.at("task"),
          .attempt = json.at("attempt"),
          .command = json.at("command"),
          .arguments = json.value("arguments", std::vector<std::string>()),
          .folder = json.at("folder"),
          .attempt_file = json.at("attempt_file"),
          .out_file = json.at("out_file"),
          .err_file = json.at("err_file"),
          .environment = json.at("environment"),
          .cores = json.at("cores"),
          .outputs = json.value("outputs", std::vector<std::string>()),
          .syncs = json.value("syncs", true),
          .origin = {.definition = json.value("definition", ""),
                     .inputs = json.value("read", ""),
                     .processors = json.value("granted", Count{1})},
          .timeout_seconds = json.at("timeout"),
          .grace_seconds = json.at("grace"),
          .memory_limit = json.value("memory_limit", std::int64_t{0}),
          .memory_group = json.value("memory_group", "")};
}

// The size of what follows, and that many bytes.
std::string format_request(const StepCommand& command) {
  // Bytes as they are: a command may hold what is no UTF-8.
  const std::vector<std::uint8_t> body = Json::to_cbor(json_of(command));
  const auto size = static_cast<std::uint32_t>(body.size());
  std::string request(sizeof size, '\0');
  std::memcpy(request.data(), &size, sizeof size);
  request.append(body.begin(), body.end());
  return request;
}

bool send_request(int socket, const std::string& request, int lock, int lease) {
  std::string copy = request;
  Message message(copy.data(), copy.size());
  const ssize_t sent =
      lease < 0 ? message.send(socket, {lock}) : message.send(socket, {lock, lease});
  if (sent < 0) return false;
  const auto done = static_cast<std::size_t>(sent);
  return send_all(socket, request.data() + done, request.size() - done);
}

std::optional<StartRequest> receive_request(int socket) {
  std::uint32_t size = 0;
  char head[sizeof size];
  StartRequest request;
  std::array<Descriptor, kMostFiles> files;
  const ssize_t got = Message(head, sizeof head).receive(socket, files);
  if (got <= 0) return std::nullopt;
  request.lock = std::move(files[0]);
  request.lease = std::move(files[1]);
  const auto done = static_cast<std::size_t>(got);
  if (!receive_all(socket, head + done, sizeof head - done)) return std::nullopt;
  std::memcpy(&size, head, sizeof size);
  std::string body(size, '\0');
  if (!receive_all(socket, body.data(), body.size())) return std::nullopt;
  request.command = command_from(Json::from_cbor(body));
  return request;
}

bool send_report(int socket, const AttemptEnd& end) {
  const std::string line = to_json(end) + "\n";
  return send_all(socket, line.data(), line.size());
}

bool send_file(int socket, int file) {
  char byte = 0;
  return Message(&byte, 1).send(socket, {file}) == 1;
}

Descriptor receive_file(int socket) {
  char byte = 0;
  std::array<Descriptor, kMostFiles> files;
  Message(&byte, 1).receive(socket, files);
  return std::move(files[0]);
}

}  // namespace dovetail::run
