// Functions that the program has given MPI, which calls them inside its own calls. Whoever waits
// for what they do does not wait for other ranks, and what they call is the program's call.
#pragma once

#include <atomic>
#include <cstdint>

#include "harness/recorder/core/thread.h"

namespace gridlock::recorder {

enum class Callback : std::uint8_t {
  attribute = 1,  // copies or deletes one: in MPI_Comm_dup, _free and others, and in MPI_Finalize
  request = 2,    // of a generalized request
  other = 4,      // an operator or an error handler
};

inline constinit std::atomic<std::uint8_t> g_callbacks = 0;

inline void note_callback(Callback which) {
  g_callbacks.fetch_or(static_cast<std::uint8_t>(which), std::memory_order_relaxed);
}
inline bool has_callback(Callback which) {
  return (g_callbacks.load(std::memory_order_relaxed) & static_cast<std::uint8_t>(which)) != 0;
}
inline bool has_callbacks() { return g_callbacks.load(std::memory_order_relaxed) != 0; }

// While one lives, the thread may be in such a function.
class RunsCallbacks {
 public:
  explicit RunsCallbacks(ThreadState& thread) : thread_(thread), depth_(thread.depth) {
    thread.depth = 0;
  }
  RunsCallbacks(const RunsCallbacks&) = delete;
  RunsCallbacks& operator=(const RunsCallbacks&) = delete;
  ~RunsCallbacks() { thread_.depth = depth_; }

 private:
  ThreadState& thread_;
  int depth_;
};

}  // namespace gridlock::recorder
