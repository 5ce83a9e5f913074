// Stream entries and positions.
#include "harness/recorder/core/streams/streams.h"

#include <algorithm>
#include <atomic>

#include "harness/record/words.h"
#include "harness/recorder/core/aside.h"
#include "harness/recorder/core/fixed_map.h"
#include "harness/recorder/core/process/vendor.h"
#include "harness/recorder/core/recorder.h"

namespace gridlock::recorder {
namespace {

using record::kNone;
using record::kStreams;

struct Stream {
  std::uint64_t key = 0;  // in g_index
  cudaStream_t handle = nullptr;
  std::uint32_t device = 0;
  bool legacy = false;
  bool blocking = false;
  std::atomic<bool> destroyed = false;
  std::atomic<std::uint64_t> serial = 0;
  std::uint64_t handed = 0;                      // last position handed out; guarded by Turn
  std::atomic<std::uint64_t> foreseen = 0;       // changed in a Turn only
  std::atomic<std::uint64_t> ordered_after = 0;  // last legacy position it waited for
};

// How far one device's legacy stream is ordered after its blocking streams.
struct Device {
  std::atomic<std::uint64_t> blocking_operations = 0;
  std::atomic<std::uint64_t> legacy_ordered = 0;
  std::atomic<std::uint32_t> legacy = kNone;
};
constexpr std::size_t kDevices = 64;

Stream g_streams[kStreams];
std::uint64_t g_serial = 0;  // guarded by g_adding
Device g_devices[kDevices];
FixedMap<1024> g_index;
FixedMap<4096> g_lost;  // keys of existing streams without an entry
std::atomic<std::uint32_t> g_count = 0;
std::atomic<bool> g_any_blocking = false;
std::atomic_flag g_adding = ATOMIC_FLAG_INIT;

GRIDLOCK_LOOKUP Cuda<cudaError_t(int*)> g_get_device("cudaGetDevice");
GRIDLOCK_LOOKUP Cuda<cudaError_t(cudaStream_t, unsigned int*)> g_get_flags("cudaStreamGetFlags");
GRIDLOCK_LOOKUP Cuda<cudaError_t(cudaStream_t, int*)> g_get_stream_device("cudaStreamGetDevice");

Device& device_of(const Stream& stream) { return g_devices[stream.device % kDevices]; }

std::atomic<std::uint64_t> g_threads = 0;
thread_local constinit std::uint64_t t_thread = 0;  // 0: no default stream used yet

// Default streams are told apart by device and thread, others by their handle.
constexpr std::uint64_t kDefault = std::uint64_t{1} << 63;
constexpr int kThreadShift = 16;
std::uint64_t key_of(cudaStream_t stream, std::uint32_t device) {
  if (is_legacy_handle(stream)) return kDefault | device;
  if (stream != cudaStreamPerThread) return reinterpret_cast<std::uint64_t>(stream);
  if (t_thread == 0) t_thread = ++g_threads;
  return kDefault | t_thread << kThreadShift | device;
}

// A table entry that was never used, or whose stream is destroyed and idle.
std::uint32_t free_entry() {
  const std::uint32_t count = g_count.load(std::memory_order_relaxed);
  if (count < kStreams) {
    g_count.store(count + 1, std::memory_order_release);
    return count;
  }
  for (std::uint32_t i = 0; i < kStreams; ++i) {
    if (g_streams[i].destroyed && is_idle(i)) return i;
  }
  return kNone;
}

// Notes a stream without an entry, once. If g_lost is full, the stream stays lost for good.
void note_lost(std::uint64_t key) {
  if (g_lost.find(key) != nullptr) return;
  g_lost.set(key, 1);
  __atomic_fetch_add(&writer().box().header.lost_streams, 1, __ATOMIC_RELAXED);
}

// The stream is gone, or has an entry after all.
void forget_lost(std::uint64_t key) {
  if (g_lost.find(key) == nullptr) return;
  g_lost.remove(key);
  __atomic_fetch_sub(&writer().box().header.lost_streams, 1, __ATOMIC_RELEASE);
}

std::uint32_t add(cudaStream_t handle, std::uint32_t device, bool non_blocking) {
  const std::uint64_t key = key_of(handle, device);
  const Hold hold(g_adding);
  std::uint32_t index = kNone;
  if (const auto* found = g_index.find(key)) {
    index = static_cast<std::uint32_t>(found->load());
  } else if ((index = free_entry()) != kNone) {
    Stream& stream = g_streams[index];
    stream.key = key;
    stream.handle = is_legacy_handle(handle) ? nullptr : handle;
    stream.device = device;
    stream.legacy = is_legacy_handle(handle);
    stream.blocking = !stream.legacy && !non_blocking;
    stream.destroyed = false;
    stream.ordered_after = 0;
    stream.serial = ++g_serial;
    record::StreamEntry entry;
    entry.handle = reinterpret_cast<std::uint64_t>(stream.handle);
    entry.device = device;
    entry.legacy = stream.legacy ? 1 : 0;
    entry.non_blocking = non_blocking ? 1 : 0;
    writer().put(index, entry);
    if (stream.legacy) device_of(stream).legacy = index;
    if (stream.blocking) g_any_blocking = true;
    g_index.set(key, index);
    forget_lost(key);
  } else {
    note_lost(key);
  }
  return index;
}

// Adds a stream that was made before recording began, or through the driver API.
[[gnu::noinline, gnu::cold]] std::uint32_t add_unseen(cudaStream_t stream, std::uint32_t device) {
  if (is_legacy_handle(stream) || stream == cudaStreamPerThread) return add(stream, device, false);
  const OwnErrors errors;  // the program's handle may be invalid
  unsigned int flags = 0;
  int own_device = static_cast<int>(device);
  if (auto* get_flags = g_get_flags.get()) get_flags(stream, &flags);
  if (auto* get_device = g_get_stream_device.get()) get_device(stream, &own_device);
  return add(stream, static_cast<std::uint32_t>(own_device), (flags & cudaStreamNonBlocking) != 0);
}

}  // namespace

std::uint32_t current_device() {
  int device = 0;
  auto* get = g_get_device.get();
  return get == nullptr || get(&device) != cudaSuccess ? 0 : static_cast<std::uint32_t>(device);
}

std::uint32_t stream_index(cudaStream_t stream, std::uint32_t device) {
  const auto* found = g_index.find(key_of(stream, device));
  if (found != nullptr) [[likely]]
    return static_cast<std::uint32_t>(found->load());
  return add_unseen(stream, device);
}

std::uint32_t stream_index(cudaStream_t stream) {
  const bool is_default = is_legacy_handle(stream) || stream == cudaStreamPerThread;
  if (!is_default) [[likely]] {
    if (const auto* found = g_index.find(key_of(stream, 0))) {
      return static_cast<std::uint32_t>(found->load());
    }
  }
  return stream_index(stream, current_device());
}

void stream_created(cudaStream_t stream, unsigned int flags) {
  // An earlier stream with this handle was destroyed unseen.
  g_index.remove(key_of(stream, 0));
  add(stream, current_device(), (flags & cudaStreamNonBlocking) != 0);
}

void stream_destroyed(cudaStream_t stream) {
  const std::uint64_t key = key_of(stream, 0);
  const auto* found = g_index.find(key);
  if (found == nullptr) return forget_lost(key);
  const auto index = static_cast<std::uint32_t>(found->load());
  g_index.remove(key);
  g_streams[index].destroyed = true;
}

void retire_streams_of(std::uint32_t device) {
  const std::uint32_t count = g_count.load(std::memory_order_acquire);
  for (std::uint32_t index = 0; index < count; ++index) {
    Stream& stream = g_streams[index];
    const bool is_its = stream.device == device && (stream.key & kDefault) == 0;
    if (!is_its || stream.destroyed) continue;
    g_index.remove(stream.key, index);
    stream.destroyed = true;
  }
}

void retire_default_streams() {
  if (t_thread == 0) return;
  const std::uint32_t count = g_count.load(std::memory_order_acquire);
  for (std::uint32_t index = 0; index < count; ++index) {
    Stream& stream = g_streams[index];
    const bool mine =
        (stream.key & kDefault) != 0 && (stream.key & ~kDefault) >> kThreadShift == t_thread;
    if (!mine || stream.destroyed) continue;
    g_index.remove(stream.key);
    stream.destroyed = true;
  }
  for (std::uint32_t device = 0; device < kDevices; ++device) {
    forget_lost(key_of(cudaStreamPerThread, device));
  }
}

std::uint32_t add_mpi_queue(std::uint64_t request) {
  const Hold hold(g_adding);
  const std::uint32_t index = free_entry();
  if (index != kNone) {
    Stream& stream = g_streams[index];
    stream.key = 0;
    stream.handle = nullptr;
    stream.device = kNone;
    stream.legacy = false;
    stream.blocking = false;
    stream.destroyed = false;
    record::StreamEntry entry;
    entry.handle = request;
    entry.device = kNone;  // no device: a wait for a device does not cover it
    entry.non_blocking = 1;
    entry.mpi = 1;
    writer().put(index, entry);
  } else {
    // Not taken back: the thread tries again at its next call, but what was lost meanwhile is
    // unknown.
    __atomic_fetch_add(&writer().box().header.lost_streams, 1, __ATOMIC_RELAXED);
  }
  return index;
}

void retire_queue(std::uint32_t stream) {
  if (stream != kNone) g_streams[stream].destroyed = true;
}

bool is_legacy(std::uint32_t stream) { return g_streams[stream].legacy; }
OrderSide order_side(std::uint32_t stream) {
  return is_legacy(stream)            ? OrderSide::legacy
         : g_streams[stream].blocking ? OrderSide::blocking
                                      : OrderSide::none;
}
cudaStream_t stream_handle(std::uint32_t stream) { return g_streams[stream].handle; }
std::uint32_t stream_device(std::uint32_t stream) { return g_streams[stream].device; }

void foresee(const Turn& /*turn*/, std::uint32_t stream) {
  g_streams[stream].foreseen.store(g_streams[stream].handed + 1, std::memory_order_relaxed);
}

std::uint64_t foreseen(std::uint32_t stream) {
  return g_streams[stream].foreseen.load(std::memory_order_relaxed);
}

std::uint64_t hand_out(const Turn& /*turn*/, std::uint32_t stream) {
  return ++g_streams[stream].handed;
}

void show_enqueued(const Turn& /*turn*/, std::uint32_t stream, std::uint64_t position) {
  record::store_release(writer().box().streams[stream].enqueued, position);
}

std::uint64_t enqueued(std::uint32_t stream) {
  return record::load_relaxed(writer().box().streams[stream].enqueued);
}

bool is_idle(std::uint32_t stream) {
  const std::uint32_t completed = record::load_acquire(writer().box().progress[stream].completed);
  return completed == static_cast<std::uint32_t>(enqueued(stream));
}

std::uint64_t stream_serial(std::uint32_t stream) {
  return stream == kNone ? 0 : g_streams[stream].serial.load();
}

bool is_past(std::uint32_t stream, std::uint64_t position) {
  const std::uint64_t last = enqueued(stream);
  const std::uint32_t completed = record::load_acquire(writer().box().progress[stream].completed);
  return position + static_cast<std::uint32_t>(static_cast<std::uint32_t>(last) - completed) <=
         last;
}

bool implicit_order_possible() { return g_any_blocking.load(std::memory_order_relaxed); }

ImplicitOrder implicit_order(cudaStream_t handle) {
  ImplicitOrder order;
  order.stream = stream_index(handle);
  if (order.stream == kNone) return order;
  const Stream& stream = g_streams[order.stream];
  const Device& device = device_of(stream);
  if (stream.legacy) {
    order.needed = device.blocking_operations.load() != device.legacy_ordered.load();
  } else if (stream.blocking && device.legacy.load() != kNone) {
    order.legacy = device.legacy;
    order.legacy_position = enqueued(order.legacy);
    order.needed = waits_for_legacy(order.stream);
  }
  return order;
}

bool waits_for_legacy(std::uint32_t index) {
  const Stream& stream = g_streams[index];
  if (!stream.blocking) return false;
  const std::uint32_t legacy = device_of(stream).legacy;
  return legacy != kNone && enqueued(legacy) > stream.ordered_after.load() && !is_idle(legacy);
}

void note_order(std::uint32_t index) {
  Stream& stream = g_streams[index];
  Device& device = device_of(stream);
  if (stream.legacy) {
    device.legacy_ordered.store(device.blocking_operations.load());
  } else if (stream.blocking) {
    ++device.blocking_operations;
    const std::uint32_t legacy = device.legacy;
    if (legacy != kNone) stream.ordered_after.store(enqueued(legacy));
  }
}

}  // namespace gridlock::recorder
