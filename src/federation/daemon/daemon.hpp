// The daemon of a cluster. It answers what it can do and how long that takes, runs what clients ask
// for within what its owner has configured, and reports progress.
//
//   Daemon daemon(options, identity("keys/grillon"), std::move(backends), log);
//
// Everything that it has promised is in its journal; after a restart it goes on from there.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "federation/agent/registrar.hpp"
#include "federation/daemon/daemon_file.hpp"
#include "federation/daemon/effort_limit.hpp"
#include "federation/daemon/estimate.hpp"
#include "federation/daemon/month_runner.hpp"
#include "federation/daemon/month_times.hpp"
#include "federation/net/http_server.hpp"

namespace dovetail::federation {

// How long an estimate holds.
inline constexpr Duration kEstimateValid = 60'000;
// The longest that a client may wait for news.
inline constexpr double kLongestWatch = 30;

struct DaemonOptions {
  Address address = {};
  std::string agent = {};       // URL; empty: it is not registered anywhere
  std::string public_url = {};  // how others reach it; empty: by its address
  Duration lease = kLease;
  DaemonDescription description;
  std::string history;  // file of the performance history
  // How long a job of that size and length would wait in the queue; may throw
  // ExecutionError. Nothing: there is no queue.
  std::function<Duration(Count processors, Duration length)> queue_wait = {};
  ServerLimits limits = {};
};

struct DaemonBackends {
  std::unique_ptr<run::Backend> months;
  std::unique_ptr<run::Backend> workflows;
};

class Daemon {
 public:
  // Answers from now on, and goes on with what it was at. Throws ExecutionError when it cannot.
  Daemon(DaemonOptions options, const Identity& self, run::RunFolder folder,
         DaemonBackends backends, Log log);
  // What runs goes on, for the next one.
  ~Daemon();
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  const std::string& url() const { return url_; }
  int port() const { return server_->port(); }

  // Readable when it cannot go on; failure() says why.
  int failed() const { return failed_.get(); }
  std::string failure() const;

 private:
  std::vector<Operation> operations();
  Json capabilities() const;
  Json estimate(const Call& call);
  Json answer_of(const std::string& service, const MonthEstimate& made, Count busy,
                 double wait) const;
  double wait_in_queue(const MonthEstimate& made, const EnsembleSite& site) const;
  double wait_in_queue(Count processors, Duration length) const;
  EnsembleSite site_for(const Service& service) const;
  Json predict(const Call& call);
  Json submit(const Call& call);
  Json watch(const Call& call);
  Json cancel(const Call& call);
  Json held(const Call& call) const;
  Json progress_of(const RequestName& name) const;
  void work();
  void fail(const std::string& why);
  bool look();

  DaemonOptions options_;
  std::string name_;
  Log log_;
  Caller caller_;
  MonthHistory history_;
  DaemonBackends backends_;
  // Held by the thread that changes something. Readers ask the runner's record, and need no lock.
  std::mutex changing_;
  MonthRunner runner_;
  EffortLimit estimating_;
  mutable EffortLimit telling_;  // of very many scenarios
  std::atomic<bool> is_over_ = false;
  std::atomic<std::size_t> waiting_ = 0;  // clients that wait for news
  mutable std::mutex failing_;
  std::string failure_;
  run::Descriptor failed_;
  run::Descriptor wake_;
  std::thread worker_;
  std::string url_;
  std::unique_ptr<HttpServer> server_;
  std::optional<Registrar> registrar_;
};

}  // namespace dovetail::federation
