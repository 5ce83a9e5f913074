// Only while any capture is under way is CUDA asked about a stream.
#include "harness/recorder/core/streams/captures.h"

#include <atomic>

#include "harness/recorder/core/aside.h"
#include "harness/recorder/core/process/vendor.h"

namespace gridlock::recorder {
namespace {

std::atomic<int> g_captures = 0;
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

}  // namespace gridlock::recorder
