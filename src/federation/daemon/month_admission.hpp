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
    Place(MonthAdmission& admission, RequestName name)
        : admission_(&admission), name_(std::move(name)) {}
    Place(Place&& other) noexcept
        : admission_(std::exchange(other.admission_, nullptr)), name_(std::move(other.name_)) {}
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    Place& operator=(Place&&) = delete;
    ~Place() {
      if (admission_ != nullptr) admission_->leave(name_);
    }

   private:
    MonthAdmission* admission_;
    RequestName name_;
  };

  // Nothing when the same request was taken in before. Throws Refusal when another one of the
  // client has its id, when the same one is on its way, and when a quota of its client does not
  // allow it.
  std::optional<Place> admit(const MonthRequest& request);

 private:
  void require_room(const MonthRequest& request, const RequestAmount& held) const;
  void leave(const RequestName& name);

  const MonthRecord& record_;
  ClientQuotas quotas_;
  std::mutex mutex_;
  std::map<RequestName, RequestAmount> arriving_;
};

}  // namespace dovetail::federation
