// Events: a point in a stream, and the time at which the stream passed it. Waiting for an event
// means waiting for that point, so recording the event again does not disturb earlier waits.
#include "sim/cuda/streams/event.h"

#include <time.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "sim/cuda/devices/api.h"
#include "sim/cuda/devices/device.h"
#include "sim/cuda/graphs/capture.h"

namespace {

using sim::api;
using sim::Mark;
using sim::Stream;

constexpr std::uint64_t kAlive = 0x746e6576456d6973;

// What a cudaEvent_t points to. Freed events are reused; their memory is never freed.
struct Event {
  std::atomic<std::uint64_t> alive{0};
  std::atomic<int> references{0};  // the handle, and each record that has not run yet
  int device = 0;
  unsigned int flags = 0;
  std::mutex mutex;
  Mark mark;                     // of the last record; guarded by mutex
  std::uint64_t records = 0;     // guarded by mutex
  std::int64_t nanoseconds = 0;  // when the last record ran; guarded by mutex
  sim::CapturedPoint captured;   // of the last record, if it was captured; guarded by mutex

  bool timed() const { return (flags & cudaEventDisableTiming) == 0; }
};

struct Pool {
  std::mutex mutex;
  std::vector<Event*> free;
};

Pool& pool() {
  static Pool& value = *new Pool;
  return value;
}

void drop(Event* event) {
  if (event->references.fetch_sub(1) != 1) return;
  const std::lock_guard lock(pool().mutex);
  pool().free.push_back(event);
}

Event* make() {
  {
    const std::lock_guard lock(pool().mutex);
    if (!pool().free.empty()) {
      Event* event = pool().free.back();
      pool().free.pop_back();
      return event;
    }
  }
  return new Event;
}

std::int64_t now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

Event* find(cudaEvent_t handle) {
  if (handle == nullptr || reinterpret_cast<std::uintptr_t>(handle) % alignof(Event) != 0) {
    return nullptr;
  }
  auto* event = reinterpret_cast<Event*>(handle);
  return event->alive.load(std::memory_order_relaxed) == kAlive ? event : nullptr;
}

template <class Body>
cudaError_t with_event(cudaEvent_t handle, Body body) {
  return api([&] {
    Event* event = find(handle);
    return event == nullptr ? cudaErrorInvalidResourceHandle : body(*event);
  });
}

// What the event marks on the device.
//   Errors   cudaErrorCapturedEvent if it marks a point of a graph
cudaError_t mark_of(Event& event, Mark& mark) {
  const std::lock_guard lock(event.mutex);
  if (event.captured.capture != 0) return cudaErrorCapturedEvent;
  mark = event.mark;
  return cudaSuccess;
}

sim::CapturedPoint captured_point(Event& event) {
  const std::lock_guard lock(event.mutex);
  return event.captured;
}

struct Stamp final : sim::Work {
  Stamp(Event* stamped, std::uint64_t number) : event(stamped), record(number) {
    event->references.fetch_add(1);
  }
  ~Stamp() override { drop(event); }
  void run() override {
    const std::lock_guard lock(event->mutex);
    if (record == event->records) event->nanoseconds = now();
  }
  Event* event;
  std::uint64_t record;
};

cudaError_t create(cudaEvent_t* result, unsigned int flags) {
  constexpr unsigned int kKnown =
      cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
  if (result == nullptr || (flags & ~kKnown) != 0) return cudaErrorInvalidValue;
  if ((flags & cudaEventInterprocess) != 0) return sim::not_supported("cudaEventInterprocess");
  Event* event = make();
  {
    const std::lock_guard lock(event->mutex);
    event->device = sim::current_device();
    event->flags = flags;
    event->mark = {};
    event->captured = {};
    event->records = 0;
  }
  event->references.store(1);
  event->alive.store(kAlive);
  *result = reinterpret_cast<cudaEvent_t>(event);
  return cudaSuccess;
}

cudaError_t record_live(Event& event, Stream& stream) {
  const std::lock_guard lock(event.mutex);
  ++event.records;
  event.captured = {};
  if (event.timed()) {
    return stream.push(std::make_unique<Stamp>(&event, event.records), &event.mark);
  }
  event.mark = stream.mark();  // nothing has to run at that point
  return cudaSuccess;
}

cudaError_t record(cudaEvent_t handle, cudaStream_t stream_handle, unsigned int flags) {
  return with_event(handle, [&](Event& event) {
    Stream* stream = sim::find_stream(stream_handle);
    if (stream == nullptr || stream->device() != event.device) {
      return cudaErrorInvalidResourceHandle;
    }
    if (flags > cudaEventRecordExternal) return cudaErrorInvalidValue;
    if (!stream->captured()) {
      // Outside a capture, there is no node that the flag could ask for.
      if (flags != cudaEventRecordDefault) return cudaErrorIllegalState;
      return record_live(event, *stream);
    }
    if (flags == cudaEventRecordExternal) {
      return sim::capture_event_node(*stream, cudaGraphNodeTypeEventRecord, handle);
    }
    sim::CapturedPoint point;
    const cudaError_t error = sim::capture_point(*stream, point);
    const std::lock_guard lock(event.mutex);
    if (error == cudaSuccess) event.captured = std::move(point);
    return error;
  });
}

// Checks a query of the event, or a wait for it. If the event marks work on the device, the call is
// unsafe during captures. If it marks a node, its capture is invalidated.
cudaError_t ask(Event& event, Mark& mark) {
  if (const cudaError_t error = mark_of(event, mark); error != cudaSuccess) {
    static_cast<void>(sim::refuse_event(captured_point(event)));
    return error;
  }
  return sim::any_capture() ? sim::refuse_unsafe() : cudaSuccess;
}

}  // namespace

cudaError_t sim::record_event(cudaEvent_t handle, Stream& stream) {
  Event* event = find(handle);
  if (event == nullptr || stream.device() != event->device) return cudaErrorInvalidResourceHandle;
  return record_live(*event, stream);
}

cudaError_t sim::wait_for_event(cudaEvent_t handle, Stream& stream) {
  Event* event = find(handle);
  if (event == nullptr) return cudaErrorInvalidResourceHandle;
  Mark mark;
  const cudaError_t error = mark_of(*event, mark);
  return error == cudaSuccess ? wait_in_stream(stream, mark) : error;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return api([&] { return create(event, cudaEventDefault); });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
  return api([&] { return create(event, flags); });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return with_event(event, [](Event& target) {
    target.alive.store(0);
    drop(&target);
    return cudaSuccess;
  });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return record(event, stream, cudaEventRecordDefault);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags) {
  return record(event, stream, flags);
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return with_event(event, [](Event& target) {
    Mark mark;
    if (const cudaError_t error = ask(target, mark); error != cudaSuccess) return error;
    return mark.reached() ? cudaSuccess : cudaErrorNotReady;
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return with_event(event, [](Event& target) {
    Mark mark;
    if (const cudaError_t error = ask(target, mark); error != cudaSuccess) return error;
    mark.wait();
    return cudaSuccess;
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
  return with_event(event, [&](Event& target) {
    Stream* waiting = sim::find_stream(stream);
    if (waiting == nullptr) return cudaErrorInvalidResourceHandle;
    if (flags > cudaEventWaitExternal) return cudaErrorInvalidValue;
    if (flags == cudaEventWaitExternal) {
      if (!waiting->captured()) return cudaErrorIllegalState;
      return sim::capture_event_node(*waiting, cudaGraphNodeTypeWaitEvent, event);
    }
    const sim::CapturedPoint point = captured_point(target);
    if (point.capture != 0) return sim::capture_wait(*waiting, point);
    if (waiting->captured()) return sim::capture_isolation(*waiting);
    Mark mark;
    const cudaError_t error = mark_of(target, mark);
    return error == cudaSuccess ? sim::wait_in_stream(*waiting, mark) : error;
  });
}

cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end) {
  return with_event(start, [&](Event& first) {
    Event* second = find(end);
    if (ms == nullptr) return cudaErrorInvalidValue;
    if (second == nullptr || !first.timed() || !second->timed()) {
      return cudaErrorInvalidResourceHandle;
    }
    Mark from;
    Mark to;
    cudaError_t error = mark_of(first, from);
    if (error == cudaSuccess) error = mark_of(*second, to);
    if (error != cudaSuccess) return error;
    if (from.stream == nullptr || to.stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (!from.reached() || !to.reached()) return cudaErrorNotReady;
    std::int64_t nanoseconds[2] = {};
    int i = 0;
    for (Event* event : {&first, second}) {
      const std::lock_guard lock(event->mutex);
      nanoseconds[i++] = event->nanoseconds;
    }
    *ms = static_cast<float>(static_cast<double>(nanoseconds[1] - nanoseconds[0]) / 1e6);
    return cudaSuccess;
  });
}
