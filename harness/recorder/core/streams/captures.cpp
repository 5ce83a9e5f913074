// Only while any capture is under way is CUDA asked about a stream. A thread that marks and one
// that captures see each other, because each writes its own counter before it reads the other's
// (Dekker's algorithm).
#include "harness/recorder/core/streams/captures.h"

#include <algorithm>
#include <atomic>

#include "harness/record/words.h"
#include "harness/recorder/core/aside.h"
#include "harness/recorder/core/clock.h"
#include "harness/recorder/core/process/vendor.h"
#include "harness/recorder/core/recorder.h"
#include "harness/recorder/core/streams/progress.h"
#include "harness/recorder/core/streams/streams.h"

namespace gridlock::recorder {
namespace {

std::atomic<int> g_captures = 0;
std::atomic<int> g_changes = 0;  // calls that may make streams captured
// How many of those have lasted for too long: a signal's handler may have left one by a jump.
std::atomic<int> g_never_end = 0;
std::atomic<std::uint32_t> g_marks[record::kStreams];  // that are being enqueued, by stream
GRIDLOCK_LOOKUP Cuda<cudaError_t(cudaStream_t, cudaStreamCaptureStatus*)> g_is_capturing(
    "cudaStreamIsCapturing");

[[gnu::noinline, gnu::cold]] bool is_captured_now(cudaStream_t stream) {
  // Of the legacy stream CUDA refuses to tell while a stream that is ordered with it is captured;
  // its work is then refused too.
  const OwnErrors errors;
  auto status = cudaStreamCaptureStatusNone;
  if (g_is_capturing.get() == nullptr) return true;
  return g_is_capturing.get()(stream, &status) != cudaSuccess ||
         status != cudaStreamCaptureStatusNone;
}

void let_marks_pass() {
  if (!has_begun_recording()) return;
  const std::uint32_t streams = record::load_relaxed(writer().box().header.streams);
  yield_until(
      [&] {
        return std::all_of(g_marks, g_marks + std::min(streams, record::kStreams),
                           [](const auto& marks) { return marks.load() == 0; });
      },
      kMarkedNs);
}

// Whether a call may be making a stream captured.
bool may_be_captured() {
  const int changes = g_changes.load();
  if (changes == 0) [[likely]]
    return false;
  int never = g_never_end.load();
  while (never > changes && !g_never_end.compare_exchange_weak(never, changes)) {
  }
  return changes > std::min(never, changes);
}

// The call that captures waits for marks, so this thread steps back; most captures have nothing to
// do with its stream. Returns whether it need not wait any more.
[[gnu::noinline, gnu::cold]] bool await_changes(std::uint32_t stream) {
  const std::int64_t end_ns = now_ns() + kMarkedNs;
  while (now_ns() < end_ns) {
    --g_marks[stream];
    yield_until([] { return !may_be_captured(); }, kMarkedNs);
    ++g_marks[stream];
    if (!may_be_captured()) return true;
  }
  g_never_end = g_changes.load();
  return false;
}

}  // namespace

bool any_capture() { return g_captures.load(std::memory_order_relaxed) > 0; }
void capture_begun() { ++g_captures; }
void capture_ended() { --g_captures; }

bool is_captured(cudaStream_t stream) { return any_capture() && is_captured_now(stream); }

bool is_captured(cudaStream_t stream, std::uint32_t device) {
  if (!any_capture()) return false;
  const OwnErrors errors;
  const OnDevice there(device);
  return is_captured_now(stream);
}

MayCapture::MayCapture() {
  ++g_changes;
  let_marks_pass();
}

MayCapture::~MayCapture() { --g_changes; }

MarksUncaptured::MarksUncaptured(std::uint32_t stream) : stream_(stream) {
  ++g_marks[stream];
  bool sure = !may_be_captured();
  if (!sure) [[unlikely]]
    sure = await_changes(stream);
  is_sure_ = sure && !is_captured(stream_handle(stream), stream_device(stream));
}

MarksUncaptured::~MarksUncaptured() { g_marks[stream_].fetch_sub(1, std::memory_order_release); }

}  // namespace gridlock::recorder
