// Who may hand in how much: quotas of each client, and one submission of a request at a time.
//
//   const auto place = admission.admit(request);   // or Refusal; nothing: it is known already
//   ...                                            // claims its scenarios, which may take long
//   record.write(...);                             // and its place is free again
//
// Safe to use from several threads.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "federation/daemon/daemon_file.hpp"
#include "federation/daemon/month_record.hpp"

namespace dovetail::federation {

class MonthAdmission {
 public:
  // The record must outlive it.
  MonthAdmission(const MonthRecord& record, const ClientQuotas& quotas)
      : record_(record), quotas_(quotas) {}

  // A request on its way in: it counts for its client until this ends.
  class Place {
   public:
    Place(MonthAdmission& admission, std::string id) : admission_(&admission), id_(std::move(id)) {}
    Place(Place&& other) noexcept
        : admission_(std::exchange(other.admission_, nullptr)), id_(std::move(other.id_)) {}
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    Place& operator=(Place&&) = delete;
    ~Place() {
      if (admission_ != nullptr) admission_->leave(id_);
    }

   private:
    MonthAdmission* admission_;
    std::string id_;
  };

  // Nothing when the same request was taken in before. Throws Refusal when another has its id, when
  // the same one is on its way, and when a quota of its client does not allow it.
  std::optional<Place> admit(const MonthRequest& request);

 private:
  struct Arriving {
    std::string client;
    RequestAmount amount;
  };

  void require_room(const MonthRequest& request, const RequestAmount& held) const;
  void leave(const std::string& id);

  const MonthRecord& record_;
  ClientQuotas quotas_;
  std::mutex mutex_;
  std::map<std::string, Arriving> arriving_;  // by request
};

}  // namespace dovetail::federation
