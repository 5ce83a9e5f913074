// Calls that put work on streams which CUDA orders by itself: the legacy stream of a device, and
// its blocking streams. A mark of progress is such work too. If another thread has put work on the
// other side since the operation, the mark would wait for that, and so would all behind the mark: a
// wait that the program does not have without the recorder. So such an operation gets no mark. Only
// calls count that are recorded: other work waits for nothing that is, and ends by itself.
#pragma once

#include <cstdint>

#include "harness/recorder/core/streams/streams.h"
#include "harness/recorder/core/thread.h"

namespace gridlock::recorder {

// While one lives, the calling thread may put work on the streams that were told to it. Costs a
// load where no stream is a blocking one.
class PlacesWork {
 public:
  explicit PlacesWork(ThreadState& thread) : thread_(thread) {}
  // kNone: none.
  PlacesWork(ThreadState& thread, std::uint32_t stream) : thread_(thread) { on(thread, stream); }
  PlacesWork(const PlacesWork&) = delete;
  PlacesWork& operator=(const PlacesWork&) = delete;
  ~PlacesWork() { end(thread_); }

  // Before the vendor is called; end() follows.
  //   Blocks   for threads that enqueue marks on the other side, which takes microseconds
  static void on(ThreadState& thread, std::uint32_t stream) {
    if (implicit_order_possible() && stream != record::kNone) [[unlikely]]
      begin(thread, stream);
  }
  static void end(ThreadState& thread) {
    if (thread.placing.parts != 0) [[unlikely]]
      end_parts(thread);
  }

 private:
  static void begin(ThreadState& thread, std::uint32_t stream);
  static void end_parts(ThreadState& thread);

  ThreadState& thread_;
};

// The calling thread enqueues a mark of the operation that it has just put on `stream`.
class Marking {
 public:
  explicit Marking(std::uint32_t stream);
  Marking(const Marking&) = delete;
  Marking& operator=(const Marking&) = delete;
  ~Marking();
  // Whether nobody has put work on the other side meanwhile. Nobody does as long as this lives.
  bool is_alone() const { return is_alone_; }

 private:
  std::uint32_t stream_;
  bool is_held_ = false;
  bool is_alone_ = true;
};

}  // namespace gridlock::recorder
