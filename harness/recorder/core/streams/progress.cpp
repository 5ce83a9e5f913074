// Uses write-value operations on the program's own streams, or polled events if CUDA refuses those.
#include "harness/recorder/core/streams/progress.h"

#include <cuda_runtime_api.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <iterator>

#include "harness/record/words.h"
#include "harness/recorder/core/aside.h"
#include "harness/recorder/core/process/vendor.h"
#include "harness/recorder/core/recorder.h"
#include "harness/recorder/core/streams/captures.h"
#include "harness/recorder/core/streams/placing.h"
#include "harness/recorder/core/streams/polling.h"
#include "harness/recorder/core/streams/streams.h"

namespace gridlock::recorder {
namespace {

using WriteValue = int(cudaStream_t, unsigned long long, std::uint32_t, unsigned int);

enum class Ready : std::uint8_t { no, preparing, words, polling };

// The last operation of a stream that got no mark.
struct Unmarked {
  std::atomic<std::uint64_t> position = 0;  // 0: there is none
  std::atomic<std::uint64_t> launches = 0;  // of the process, this one included
};

std::atomic<Ready> g_ready = Ready::no;
std::atomic<bool> g_any_unmarked = false;
Unmarked g_unmarked[record::kStreams];
WriteValue* g_write_value = nullptr;
unsigned long long g_words = 0;  // device address of the page
std::atomic<bool> g_polled[record::kStreams];

GRIDLOCK_LOOKUP Cuda<cudaError_t(void*, std::size_t, unsigned int)> g_register("cudaHostRegister");
GRIDLOCK_LOOKUP Cuda<cudaError_t(void**, void*, unsigned int)> g_device_pointer(
    "cudaHostGetDevicePointer");
GRIDLOCK_LOOKUP Cuda<cudaError_t(const char*, void**, unsigned int, unsigned long long, int*)>
    g_entry_by_version("cudaGetDriverEntryPointByVersion");
GRIDLOCK_LOOKUP Cuda<cudaError_t(const char*, void**, unsigned long long, int*)> g_entry(
    "cudaGetDriverEntryPoint");

WriteValue* find_write_value() {
  constexpr unsigned int kVersion = 12000;  // stream 0 is the legacy stream: flag 1
  constexpr unsigned long long kLegacyStream = 1;
  void* function = nullptr;
  int status = 0;
  auto* entry = g_entry_by_version.get();
  if (entry != nullptr &&
      entry("cuStreamWriteValue32", &function, kVersion, kLegacyStream, &status) == cudaSuccess &&
      function != nullptr) {
    return reinterpret_cast<WriteValue*>(function);
  }
  auto* older = g_entry.get();
  if (older == nullptr ||
      older("cuStreamWriteValue32", &function, kLegacyStream, &status) != cudaSuccess) {
    return nullptr;
  }
  return reinterpret_cast<WriteValue*>(function);
}

bool prepare_words() {
  if (std::getenv("GRIDLOCK_RECORDER_POLL") != nullptr) return false;
  constexpr unsigned int kPortableAndMapped = 3;
  auto& words = writer().box().progress;
  void* pointer = nullptr;
  auto* register_page = g_register.get();
  auto* device_pointer = g_device_pointer.get();
  g_write_value = find_write_value();
  if (g_write_value == nullptr || register_page == nullptr || device_pointer == nullptr) {
    return false;
  }
  if (register_page(words, sizeof words, kPortableAndMapped) != cudaSuccess) return false;
  if (device_pointer(&pointer, words, 0) != cudaSuccess) return false;
  g_words = reinterpret_cast<unsigned long long>(pointer);
  return true;
}

// What became of a write. On a broken device, nothing more will ever happen, and events say no more
// than words do.
enum class Write : std::uint8_t { enqueued, refused, device_broken };

// Errors that stay: CUDA_ERROR_DEINITIALIZED, _ECC_UNCORRECTABLE, _NVLINK_UNCORRECTABLE,
// _ILLEGAL_ADDRESS, _LAUNCH_TIMEOUT, _CONTEXT_IS_DESTROYED, _ASSERT, _HARDWARE_STACK_ERROR and the
// five after it, _UNKNOWN (a lost device).
Write write_of(int result) {
  constexpr int kSticky[] = {4, 214, 220, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 999};
  if (result == 0) [[likely]]
    return Write::enqueued;
  return std::ranges::find(kSticky, result) == std::end(kSticky) ? Write::refused
                                                                 : Write::device_broken;
}

// The thread has no context yet, or one of another device.
[[gnu::noinline, gnu::cold]] Write write_word_elsewhere(std::uint32_t stream,
                                                        unsigned long long address,
                                                        std::uint32_t value) {
  const OwnErrors errors;
  const OnDevice there(stream_device(stream));
  return write_of(g_write_value(stream_handle(stream), address, value, 0));
}

// A default stream is the current device's, so the current device must be the right one.
[[gnu::noinline]] Write write_word(std::uint32_t stream, unsigned long long address,
                                   std::uint32_t value) {
  const cudaStream_t handle = stream_handle(stream);
  const bool is_default = handle == nullptr || handle == cudaStreamPerThread;
  const bool may = !is_default || current_device() == stream_device(stream);
  if (may && g_write_value(handle, address, value, 0) == 0) [[likely]]
    return Write::enqueued;
  return write_word_elsewhere(stream, address, value);
}

unsigned long long address_of(const std::uint32_t& word) {
  const auto* begin = reinterpret_cast<const char*>(&writer().box().progress[0]);
  return g_words + static_cast<unsigned long long>(reinterpret_cast<const char*>(&word) - begin);
}

[[gnu::noinline, gnu::cold]] void fall_back(std::uint32_t stream) {
  if (g_polled[stream].exchange(true)) return;
  record::store_release(writer().box().streams[stream].polled, 1);
}

// Two threads may use a stream at once. The word must end at the highest position, so whichever
// thread enqueues last enqueues that. It sees the other's position, because the vendor orders what
// both enqueue on one stream.
template <class Enqueue>
void enqueue_highest(std::uint64_t (*highest)(std::uint32_t), std::uint32_t stream,
                     Enqueue enqueue) {
  for (std::uint64_t wanted = 0; wanted < highest(stream);) {
    wanted = highest(stream);
    enqueue(wanted);
  }
}

void leave_unmarked(std::uint32_t stream, std::uint64_t position) {
  note_missed(stream, position);
  g_unmarked[stream].launches = record::load_relaxed(writer().box().header.launches);
  g_unmarked[stream].position = position;
  g_any_unmarked = true;
}

// Copies, allocations and frees may return without a wait.
bool surely_waits(record::Call call) {
  return call == record::Call::device_synchronize || call == record::Call::stream_synchronize ||
         call == record::Call::event_synchronize;
}

// Whether a wait that has ended covers the operation.
bool covers(const Wait& wait, std::uint64_t launches, std::uint32_t stream) {
  const Unmarked& unmarked = g_unmarked[stream];
  switch (wait.waits) {
    case record::Waits::device:
      return stream_device(stream) == wait.device && unmarked.launches <= launches;
    case record::Waits::legacy_stream:
      return stream_device(stream) == wait.device && unmarked.launches <= launches &&
             order_side(stream) != OrderSide::none;
    case record::Waits::stream:
      return stream == wait.stream && unmarked.position <= wait.position;
    default:
      return false;
  }
}

void enqueue_completed(std::uint32_t stream, std::uint64_t position) {
  // A group may have put work into the legacy stream behind this one. The mark would be new work of
  // a blocking stream, which waits for the legacy stream, and a host that waits for the stream
  // would wait for both.
  const Marking marking(stream);
  if (!marking.is_alone() || waits_for_legacy(stream)) return leave_unmarked(stream, position);
  // Another thread may have begun to capture the stream, or one that is ordered with it.
  const MarksUncaptured uncaptured(stream);
  if (!uncaptured.is_sure()) return leave_unmarked(stream, position);
  const auto value = static_cast<std::uint32_t>(position);
  if (!g_polled[stream].load(std::memory_order_relaxed)) [[likely]] {
    const auto& word = writer().box().progress[stream].completed;
    if (write_word(stream, address_of(word), value) != Write::refused) return;
    fall_back(stream);
  }
  poll_for(stream, position);
}

}  // namespace

void prepare_progress() {
  Ready expected = Ready::no;
  if (!g_ready.compare_exchange_strong(expected, Ready::preparing)) {
    while (g_ready.load(std::memory_order_acquire) == Ready::preparing) sched_yield();
    return;
  }
  const OwnErrors errors;
  const BesideCaptures captures;
  const bool words = prepare_words();
  g_ready.store(words ? Ready::words : Ready::polling, std::memory_order_release);
}

void mark_started(std::uint32_t stream) {
  if (g_ready.load(std::memory_order_acquire) <= Ready::preparing) [[unlikely]]
    prepare_progress();
  if (g_ready.load(std::memory_order_relaxed) == Ready::polling) fall_back(stream);
  // On the legacy stream the mark would be work that other streams wait for, and on a blocking one
  // work that waits for the legacy stream. If the call is refused after all, there was no such
  // work.
  const bool is_polled = g_polled[stream].load(std::memory_order_relaxed);
  if (is_polled || is_legacy(stream) || waits_for_legacy(stream)) return;
  const auto& word = writer().box().progress[stream].started;
  enqueue_highest(foreseen, stream, [&](std::uint64_t wanted) {
    const auto value = static_cast<std::uint32_t>(wanted);
    if (write_word(stream, address_of(word), value) == Write::refused) fall_back(stream);
  });
}

void mark_completed(std::uint32_t stream) {
  enqueue_highest(enqueued, stream,
                  [&](std::uint64_t wanted) { enqueue_completed(stream, wanted); });
}

void note_waited(const ThreadState& thread, const Wait& wait) {
  if (!g_any_unmarked.load(std::memory_order_relaxed)) [[likely]]
    return;
  if (!surely_waits(wait.call) || thread.index == record::kNone) return;
  const auto& box = writer().box();
  const std::uint64_t launches = record::load_relaxed(box.threads[thread.index].launches);
  for (std::uint32_t stream = 0; stream < record::load_relaxed(box.header.streams); ++stream) {
    const std::uint64_t position = g_unmarked[stream].position;
    if (position == 0 || !covers(wait, launches, stream)) continue;
    record::raise_position(writer().box().progress[stream].completed,
                           static_cast<std::uint32_t>(position));
  }
}

}  // namespace gridlock::recorder
