// The parts a calendar is made of. Internal: here only because the sweep over steps is inlined.
//
// A calendar is a directory of parts, and each part is a run of change points kept in a chunk.
// Copies of a calendar share chunks; only a sole owner writes to a chunk. A change that covers a
// whole part updates `add` in the directory and does not touch the chunk.
//
// Threads: calendars of different threads may share chunks. The owner count is atomic;
// ChunkPtr::is_shared explains why writing in place is safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "dovetail/time.hpp"

namespace dovetail::detail {

struct Chunk {
  // Measured by bench/calendar_bench.cpp; docs/decisions/0001-calendar-structure.md has the
  // numbers.
  static constexpr std::uint32_t kCapacity = 128;

  std::atomic<std::uint32_t> owners{1};
  Count free[kCapacity];
  Time times[kCapacity];
};

// Shared ownership of one chunk.
class ChunkPtr {
 public:
  ChunkPtr() = default;
  ChunkPtr(const ChunkPtr& other) noexcept : chunk_(other.chunk_) {
    if (chunk_ != nullptr) chunk_->owners.fetch_add(1, std::memory_order_relaxed);
  }
  ChunkPtr(ChunkPtr&& other) noexcept : chunk_(std::exchange(other.chunk_, nullptr)) {}
  ChunkPtr& operator=(ChunkPtr other) noexcept {
    std::swap(chunk_, other.chunk_);
    return *this;
  }
  ~ChunkPtr() {
    if (chunk_ != nullptr && chunk_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      delete chunk_;
    }
  }

  // A new chunk with room for kCapacity change points, none of them set.
  static ChunkPtr make() {
    ChunkPtr result;
    result.chunk_ = new Chunk;
    return result;
  }

  // When this returns false, the caller may write. No other thread can gain a share, since a share
  // is gained only by copying one; and the acquire load pairs with the release in the destructors
  // of former owners, so all their reads happen before the caller writes.
  bool is_shared() const { return chunk_->owners.load(std::memory_order_acquire) != 1; }

  Chunk* get() const { return chunk_; }
  Chunk* operator->() const { return chunk_; }

 private:
  Chunk* chunk_ = nullptr;
};

// A run of change points. Step i has free[i] + add processors from times[i] up to the next change
// point, be it in this part or the first of the next one.
struct Part {
  Time first = 0;          // times[0], kept here so that a search reads only the directory
  Count add = 0;           // still to be added to every free[] of the chunk
  Count min = 0;           // over the steps of this part, including `add`
  Count max = 0;           // likewise
  std::uint32_t size = 0;  // change points, at least 1
  ChunkPtr chunk;

  Time time(std::uint32_t slot) const { return chunk->times[slot]; }
  Count free(std::uint32_t slot) const { return chunk->free[slot] + add; }
};

}  // namespace dovetail::detail
