// Stream capture: the work of a stream goes into a graph instead of to the device. Streams, events
// and calls that wait use these functions.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/cuda/graphs/graph.h"
#include "sim/cuda/streams/stream_object.h"

namespace sim {

// How many captures are in progress in this process. While there are none, nothing below needs to
// be called.
extern std::atomic<int> captures_under_way;
inline bool any_capture() { return captures_under_way.load(std::memory_order_acquire) != 0; }

// What an event marks if it was recorded in a capture.
struct CapturedPoint {
  std::uint64_t capture = 0;  // 0: it was not recorded in one
  std::vector<Node*> nodes;
};

// Besides the errors named below, each of these returns cudaErrorStreamCaptureInvalidated if the
// capture was invalidated earlier.

// Appends `work` to what `stream` has captured.
cudaError_t capture_work(Stream& stream, std::unique_ptr<Work> work);
// The same for an event's record or wait.
cudaError_t capture_event_node(Stream& stream, cudaGraphNodeType type, cudaEvent_t event);
// The same for a copy of `graph`.
cudaError_t capture_graph(Stream& stream, const Graph& graph);
// Orders `later` after all that is in `earlier`; at least one of them is captured. `later` joins
// the capture of `earlier`. If `earlier` is not captured, the capture of `later` is invalidated.
cudaError_t capture_order(Stream& earlier, Stream& later);
// Sets `point` to what is now in the captured `stream`.
cudaError_t capture_point(Stream& stream, CapturedPoint& point);
// Orders `stream` after the point. If the stream is in no capture, it joins the point's.
//   Errors   cudaErrorCapturedEvent: that capture is over; cudaErrorStreamCaptureMerge: the stream
//            is in another one; cudaErrorStreamCaptureImplicit: it is the legacy stream
cudaError_t capture_wait(Stream& stream, const CapturedPoint& point);
// The captured `stream` would wait for something outside its capture: invalidates the capture.
cudaError_t capture_isolation(Stream& stream);

// Whether the calling thread may make a potentially unsafe call now (CUDA's term: one that could
// touch the legacy stream). If not, invalidates the captures that forbid it.
//   Errors   cudaErrorStreamCaptureUnsupported
cudaError_t refuse_unsafe();
// For a call that waits for a stream's work to end, or asks whether it has. The work of a captured
// stream never ends, so this invalidates its capture. For the legacy stream, it checks the blocking
// streams of the device.
//   Errors   cudaErrorStreamCaptureUnsupported, cudaErrorStreamCaptureImplicit
cudaError_t refuse_wait(Stream& stream);
// The same for all streams of a device.
cudaError_t refuse_device_wait(int device);
// For work on the legacy stream of `device`, which would wait for captured blocking streams.
//   Errors   cudaErrorStreamCaptureImplicit
cudaError_t refuse_legacy(int device);
// For a call on `stream` that cannot be captured: invalidates its capture if it is in one.
//   Errors   cudaErrorStreamCaptureUnsupported
cudaError_t refuse_captured(Stream& stream);
// For a call that waits for or queries a captured event: invalidates the capture.
//   Errors   cudaErrorCapturedEvent
cudaError_t refuse_event(const CapturedPoint& point);
// Removes a destroyed stream.
void capture_forget(Stream& stream);

}  // namespace sim
