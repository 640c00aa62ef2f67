// The connections of a server: their number, and the time limit of each for its current phase. A
// connection that takes longer is cut, so that no peer can hold a place by sending a byte now and
// then.
#pragma once

#include <openssl/ssl.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>

namespace dovetail::federation {

class Connections {
 public:
  using Log = std::function<void(const std::string& line)>;

  Connections(double first_seconds, Log log);
  ~Connections();
  Connections(const Connections&) = delete;
  Connections& operator=(const Connections&) = delete;

  // Tracks every connection that is made with the context from now on.
  void watch(SSL_CTX& context);

  // Sets the time limit for the connection's next phase.
  void allow(const SSL* connection, double seconds, const char* phase);

  void cut_all();

 private:
  using Clock = std::chrono::steady_clock;
  struct Entry {
    int socket = -1;
    std::string address;
    Clock::time_point until;
    const char* phase = "";
    bool is_cut = false;
    bool is_refused = false;  // and the refusal is logged
  };

  static int slot();
  static void on_event(const SSL* connection, int where, int value);
  static void on_end(void* connection, void* ours, CRYPTO_EX_DATA* data, int index, long argl,
                     void* argp);
  void begin(const SSL* connection);
  void refuse(const SSL* connection, const std::string& why);
  void end(const SSL* connection);
  void cut_late_ones();

  double first_seconds_;
  Log log_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<const SSL*, Entry> entries_;
  bool is_over_ = false;
  std::thread watcher_;
};

}  // namespace dovetail::federation
