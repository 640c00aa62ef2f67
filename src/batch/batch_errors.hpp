// How a batch system says no, and whether asking again may help.
#pragma once

#include "dovetail/error.hpp"

namespace dovetail::batch {

// The system does not answer, or not in time. It may have done what it was told.
class Unreachable : public ExecutionError {
 public:
  using ExecutionError::ExecutionError;
};

// The system says no, and would again; what() has its words.
class Refused : public ExecutionError {
 public:
  using ExecutionError::ExecutionError;
};

// This user may not do that at all.
class NoRights : public Refused {
 public:
  using Refused::Refused;
};

// The user has as many jobs as allowed. Later there may be room.
class TooManyJobs : public Refused {
 public:
  using Refused::Refused;
};

// The nodes that are needed are out of use, or the partition is down. Later they may be back.
class NotNow : public ExecutionError {
 public:
  using ExecutionError::ExecutionError;
};

}  // namespace dovetail::batch
