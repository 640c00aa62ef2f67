// How a batch system says no, and whether it may say yes later.
#pragma once

#include "dovetail/error.hpp"

namespace dovetail::batch {

// It does not answer, or not in time. Whether it has done what it was told is unknown.
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

// The user has as many jobs as allowed: another time it may say yes.
class TooManyJobs : public Refused {
 public:
  using Refused::Refused;
};

// Nodes that are needed are out of use, or the partition is down: later they may be there.
class NotNow : public ExecutionError {
 public:
  using ExecutionError::ExecutionError;
};

}  // namespace dovetail::batch
