// What the tests of files share: the text of an error, equality of workflows and platforms, and a
// folder that goes away.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "dovetail/error.hpp"
#include "dovetail/platform.hpp"
#include "dovetail/workflow.hpp"

namespace dovetail::testing {

// The InputError's text; "no error" when there is none. Other exceptions pass through.
template <typename Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

// The same of an ExecutionError.
template <typename Action>
std::string failure_of(Action action) {
  try {
    action();
  } catch (const ExecutionError& error) {
    return error.what();
  }
  return "no error";
}

inline void expect_same_time(const TimeSpec& a, const TimeSpec& b) {
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.seconds, b.seconds);
  EXPECT_EQ(a.alpha, b.alpha);
  EXPECT_EQ(a.processors.min, b.processors.min);
  EXPECT_EQ(a.processors.max, b.processors.max);
  EXPECT_EQ(a.measured, b.measured);
  EXPECT_EQ(a.on_resource, b.on_resource);
}

// Everything that a workflow is made of.
inline void expect_same(const Workflow& a, const Workflow& b) {
  EXPECT_EQ(a.name(), b.name());
  ASSERT_EQ(a.size(), b.size());
  for (TaskId task = 0; task < a.size(); ++task) {
    SCOPED_TRACE("task " + std::string(a.id(task)));
    EXPECT_EQ(a.id(task), b.id(task));
    EXPECT_EQ(a.run(task), b.run(task));
    EXPECT_TRUE(a.execution(task) == b.execution(task));
    EXPECT_TRUE(a.needs(task) == b.needs(task));
    expect_same_time(a.time_spec(task), b.time_spec(task));
    const auto before_a = a.predecessors(task);
    const auto before_b = b.predecessors(task);
    EXPECT_TRUE(std::equal(before_a.begin(), before_a.end(), before_b.begin(), before_b.end()));
    const auto wait_a = a.transfers_in(task);
    const auto wait_b = b.transfers_in(task);
    EXPECT_TRUE(std::equal(wait_a.begin(), wait_a.end(), wait_b.begin(), wait_b.end()));
  }
}

inline void expect_same(const Cluster& a, const Cluster& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.processors, b.processors);
  EXPECT_EQ(a.cores_per_node, b.cores_per_node);
  EXPECT_EQ(a.node_types, b.node_types);
  EXPECT_EQ(a.speed, b.speed);
  EXPECT_EQ(a.free_on_average, b.free_on_average);
  EXPECT_EQ(a.reservations, b.reservations);
  EXPECT_EQ(a.joins, b.joins);
  EXPECT_EQ(a.leaves, b.leaves);
  ASSERT_EQ(a.queue.has_value(), b.queue.has_value());
  if (a.queue) {
    EXPECT_EQ(a.queue->log, b.queue->log);
    EXPECT_EQ(a.queue->policy, b.queue->policy);
    EXPECT_EQ(a.queue->max_jobs, b.queue->max_jobs);
  }
  ASSERT_EQ(a.batch.has_value(), b.batch.has_value());
  if (a.batch) {
    EXPECT_EQ(a.batch->system, b.batch->system);
    EXPECT_EQ(a.batch->partition, b.batch->partition);
  }
}

inline void expect_same(const Platform& a, const Platform& b) {
  EXPECT_EQ(a.now(), b.now());
  EXPECT_EQ(a.wall_clock(), b.wall_clock());
  ASSERT_EQ(a.clusters().size(), b.clusters().size());
  for (std::size_t i = 0; i < a.clusters().size(); ++i) {
    expect_same(a.clusters()[i], b.clusters()[i]);
  }
}

// An empty folder of the test's own, removed with all that is in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "dovetail-test-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace dovetail::testing
