// What a cudaStream_t points to: a queue, and a thread that starts with the first work.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "sim/cuda/interface/kernel.h"
#include "sim/cuda/interface/stream.h"
#include "sim/cuda/streams/futex.h"
#include "sim/cuda/streams/progress.h"

namespace sim {

class Stream;

// A point in a stream: all work up to `position`. It stays valid, because streams are never freed.
struct Mark {
  Stream* stream = nullptr;
  std::uint64_t position = 0;

  bool reached() const;
  void wait() const;  // Blocks
};

// A word to be stored in stream order. The store never blocks, so it needs no Work object. If
// nothing is ahead of it in the stream, the calling thread stores it at once.
struct WordStore {
  void* address = nullptr;
  std::uint64_t value = 0;
  std::uint32_t bytes = 0;  // 4 or 8

  void run() const {
    if (bytes == sizeof(std::uint32_t)) {
      std::atomic_ref(*static_cast<std::uint32_t*>(address))
          .store(static_cast<std::uint32_t>(value), std::memory_order_release);
    } else {
      std::atomic_ref(*static_cast<std::uint64_t*>(address))
          .store(value, std::memory_order_release);
    }
  }
};

class Stream {
 public:
  enum class Kind : std::uint8_t { kCreated, kLegacy, kPerThread };

  Stream(int device, Kind kind, unsigned int flags, int priority);

  int device() const { return device_; }
  Kind kind() const { return kind_; }
  unsigned int flags() const { return flags_; }
  int priority() const { return priority_; }
  std::uint64_t id() const { return id_; }

  // False for a pointer that is not a stream, or whose stream was destroyed.
  static bool is_stream(const void* pointer);
  cudaStream_t handle() { return reinterpret_cast<cudaStream_t>(this); }

  // Whether it orders with the legacy default stream.
  bool blocking() const { return kind_ != Kind::kLegacy && (flags_ & cudaStreamNonBlocking) == 0; }

  // Appends `work`, after what it must wait for in the legacy default stream (or, if this is the
  // legacy stream, in all blocking streams of the device).
  // `at`, if not null, gets the point at which `work` is done.
  //   Blocks   no
  cudaError_t push(std::unique_ptr<Work> work, Mark* at = nullptr) {
    if (captured()) [[unlikely]]
      return push_captured(std::move(work));
    return push(Entry{std::move(work), {}}, at);
  }
  cudaError_t push(WordStore store) {
    if (captured()) [[unlikely]]
      return push_captured(store);
    // Nothing is ahead of it. Work that this thread pushes later finds it stored, and so does work
    // of any thread that knows of this call. Work that others push concurrently has no order with
    // it.
    const bool orders_itself_only = kind_ != Kind::kLegacy && !blocking();
    if (orders_itself_only && progress_.reached(submitted_.load())) {
      if (device_works(device_)) store.run();
      return cudaSuccess;
    }
    return push(Entry{nullptr, {store, {}}}, nullptr);
  }

  // A point behind all work that is now in the stream, and all that new work in it must wait for.
  Mark mark();

  // What a host that waits for the stream waits for: all work that is now in it. For the legacy
  // stream that includes the blocking streams. A blocking stream does not include the legacy
  // stream: CUDA puts that wait before the next work (as seen on an H100).
  std::vector<Mark> ends();

  // The point at which all work that is now in this stream is done, whatever other streams do.
  Mark last() { return {this, submitted_.load()}; }

  // Whether all `ends()` are already reached.
  bool done();

  // Whether it is being captured (capture.h). `push` then leaves `at` unchanged.
  bool captured() const { return captured_.load(std::memory_order_acquire); }
  void set_captured(bool captured) { captured_.store(captured, std::memory_order_release); }

  // The handle becomes invalid; the thread ends when all work is done.
  //   Blocks   no
  void close();

 private:
  friend struct Mark;

  // Work, and the words that are stored after it. A program that marks a stream's progress stores
  // two: this work is done, and the next work has its turn. A broken device stores nothing.
  struct Entry {
    std::unique_ptr<Work> work;  // null: words only
    WordStore stores[2];

    void run(int device);
    // False if there is no room for it.
    bool add(WordStore store) {
      for (WordStore& free : stores) {
        if (free.bytes != 0) continue;
        free = store;
        return true;
      }
      return false;
    }
  };

  static void* serve(void* self);
  bool take(std::vector<Entry>& batch, std::uint64_t position);
  void order_with_default_stream();  // REQUIRES: mutex_ held
  void append(Entry entry);          // REQUIRES: mutex_ held
  void append_wait(Mark mark);       // REQUIRES: mutex_ held
  bool start_thread();               // REQUIRES: mutex_ held
  cudaError_t push(Entry entry, Mark* at);
  cudaError_t push_in_order(Entry entry, Mark* at);
  cudaError_t push_captured(std::unique_ptr<Work> work);
  cudaError_t push_captured(WordStore store);

  static constexpr std::uint64_t kAlive = 0x6d61657274536d69;
  std::atomic<std::uint64_t> alive_{kAlive};
  std::atomic<bool> captured_{false};
  const int device_;
  const Kind kind_;
  const unsigned int flags_;
  const int priority_;
  const std::uint64_t id_;

  Lock mutex_;
  std::vector<Entry> incoming_;     // guarded by mutex_
  std::uint64_t appended_ = 0;      // guarded by mutex_
  std::uint64_t default_seen_ = 0;  // position of the legacy stream waited for; guarded by mutex_
  std::uint64_t seen_by_default_ = 0;  // the reverse; guarded by the legacy stream's mutex_
  bool started_ = false;               // guarded by mutex_
  bool closed_ = false;                // guarded by mutex_
  std::atomic<std::uint32_t> asleep_{0};
  std::atomic<std::uint64_t> submitted_{
      0};  // appended_, published after what was waited for is known
  Progress progress_;
};

// The stream that a handle means for the calling thread. Null if there is none.
Stream* find_stream(cudaStream_t handle);

// Makes all further work in `stream` wait for `mark`.
//   Blocks   no
cudaError_t wait_in_stream(Stream& stream, Mark mark);

// Whether the calling thread belongs to a stream, where no CUDA call is allowed.
bool on_stream_thread();

}  // namespace sim
