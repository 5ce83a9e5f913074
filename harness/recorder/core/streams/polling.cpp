// A fixed set of events and the thread "gridlock-poll".
#include "harness/recorder/core/streams/polling.h"

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>

#include "harness/record/words.h"
#include "harness/recorder/core/aside.h"
#include "harness/recorder/core/process/vendor.h"
#include "harness/recorder/core/recorder.h"
#include "harness/recorder/core/streams/streams.h"
#include "harness/recorder/core/thread.h"

namespace gridlock::recorder {
namespace {

enum class Use : std::uint8_t { free, filling, under_way };

struct Polled {
  std::atomic<Use> use = Use::free;
  cudaEvent_t event = nullptr;  // made at first use, for one device
  std::uint32_t device = 0;
  std::uint32_t stream = 0;
  std::uint64_t position = 0;
};

constexpr std::size_t kEvents = 1024;
Polled g_polled[kEvents];
std::atomic<bool> g_started = false;
std::uint32_t g_first_device = 0;  // where polling started; set before the thread

GRIDLOCK_LOOKUP Cuda<cudaError_t(cudaEvent_t*, unsigned int)> g_create("cudaEventCreateWithFlags");
GRIDLOCK_LOOKUP Cuda<cudaError_t(cudaEvent_t, cudaStream_t)> g_record("cudaEventRecord");
GRIDLOCK_LOOKUP Cuda<cudaError_t(cudaEvent_t)> g_query("cudaEventQuery");
GRIDLOCK_LOOKUP Cuda<cudaError_t(cudaEvent_t)> g_destroy("cudaEventDestroy");
GRIDLOCK_LOOKUP Cuda<cudaError_t(int)> g_set_device("cudaSetDevice");

void look(Polled& polled) {
  if (polled.use.load(std::memory_order_acquire) != Use::under_way) return;
  // After a device error, or when CUDA is unloaded, progress is no longer known.
  if (g_query.get()(polled.event) != cudaSuccess) return;
  record::ProgressWords& words = writer().box().progress[polled.stream];
  // Events are polled in no order.
  record::raise_position(words.started, static_cast<std::uint32_t>(polled.position));
  record::raise_position(words.completed, static_cast<std::uint32_t>(polled.position));
  polled.use.store(Use::free, std::memory_order_release);
}

void* poll(void* /*unused*/) {
  this_thread().depth = 1;  // none of this thread's calls are the program's
  // A new thread is on device 0, where its first call would create a context.
  if (auto* set_device = g_set_device.get()) set_device(static_cast<int>(g_first_device));
  const BesideCaptures captures;  // querying an event would otherwise break them
  constexpr useconds_t kPause = 200;
  std::uint64_t& rounds = writer().box().header.polls;  // only this thread writes it
  while (recording()) {
    for (Polled& polled : g_polled) look(polled);
    record::store_release(rounds, rounds + 1);  // after the words
    usleep(kPause);
  }
  return nullptr;
}

void start_polling() {
  if (g_started.exchange(true)) return;
  pthread_t thread{};
  g_first_device = current_device();
  if (pthread_create(&thread, nullptr, poll, nullptr) != 0) return;
  pthread_setname_np(thread, "gridlock-poll");
  pthread_detach(thread);
}

// Makes an event on `device`: an event belongs to the device that is current when it is made. Null
// if that fails.
cudaEvent_t make_event(std::uint32_t device) {
  const std::uint32_t before = current_device();
  auto* set_device = before == device ? nullptr : g_set_device.get();
  if (set_device != nullptr) set_device(static_cast<int>(device));
  cudaEvent_t event = nullptr;
  const cudaError_t error = g_create.get()(&event, cudaEventDisableTiming);
  if (set_device != nullptr) set_device(static_cast<int>(before));
  return error == cudaSuccess ? event : nullptr;
}

// Records an event that tells when the position is past; false if there is none.
bool record_event(std::uint32_t stream, std::uint64_t position) {
  if (g_create.get() == nullptr || g_record.get() == nullptr || g_query.get() == nullptr) {
    return false;
  }
  const std::uint32_t device = stream_device(stream);
  for (Polled& polled : g_polled) {
    if (polled.event != nullptr && polled.device != device) continue;
    Use use = Use::free;
    if (!polled.use.compare_exchange_strong(use, Use::filling)) continue;
    if (polled.event == nullptr) {
      polled.event = make_event(device);
      polled.device = device;
    }
    polled.stream = stream;
    polled.position = position;
    const bool recorded = polled.event != nullptr &&
                          g_record.get()(polled.event, stream_handle(stream)) == cudaSuccess;
    if (!recorded && polled.event != nullptr && g_destroy.get() != nullptr) {
      g_destroy.get()(polled.event);
      polled.event = nullptr;
    }
    polled.use.store(recorded ? Use::under_way : Use::free, std::memory_order_release);
    return recorded;
  }
  return false;
}

}  // namespace

void note_missed(std::uint32_t stream, std::uint64_t position) {
  std::uint64_t& missed = writer().box().streams[stream].missed;
  std::uint64_t seen = record::load_relaxed(missed);
  while (seen < position && !__atomic_compare_exchange_n(&missed, &seen, position, true,
                                                         __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
  }
}

void poll_for(std::uint32_t stream, std::uint64_t position) {
  const OwnErrors errors;
  start_polling();
  if (!record_event(stream, position)) note_missed(stream, position);
}

}  // namespace gridlock::recorder
