// Stream capture: the work of a stream goes into a graph instead of to the device. The streams, the
// events and the calls that wait ask here.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/cuda/graphs/graph.h"
#include "sim/cuda/streams/stream_object.h"

namespace sim {

// How many captures are under way in this process. Nothing below needs to be asked while there are
// none.
extern std::atomic<int> captures_under_way;
inline bool any_capture() { return captures_under_way.load(std::memory_order_acquire) != 0; }

// What an event marks that was recorded in a capture.
struct CapturedPoint {
  std::uint64_t capture = 0;  // 0: it was not
  std::vector<Node*> nodes;
};

// All of these are errors of a capture that was spoilt earlier (cudaErrorStreamCaptureInvalidated)
// besides those that are named.

// Puts `work` behind all that was captured in `stream`.
cudaError_t capture_work(Stream& stream, std::unique_ptr<Work> work);
// The same with a node that the caller fills in.
cudaError_t capture_event_node(Stream& stream, cudaGraphNodeType type, cudaEvent_t event);
// The same with a copy of `graph`.
cudaError_t capture_graph(Stream& stream, const Graph& graph);
// Makes `later` come after all that is in `earlier`, of which one is captured: `later` joins.
cudaError_t capture_order(Stream& earlier, Stream& later);
// What is in the captured `stream` now.
cudaError_t capture_point(Stream& stream, CapturedPoint& point);
// Makes `stream` come after the point, and join the capture if it takes part in none.
//   Errors   cudaErrorCapturedEvent: that capture is over; cudaErrorStreamCaptureMerge: the stream
//            is in another one; cudaErrorStreamCaptureImplicit: it is the legacy stream
cudaError_t capture_wait(Stream& stream, const CapturedPoint& point);
// A wait of the captured `stream` for something outside of its capture: spoils it.
cudaError_t capture_isolation(Stream& stream);

// Whether the calling thread may make a potentially unsafe call now (CUDA's term: one that could
// touch the legacy stream). If not, the captures that forbid it are spoilt.
//   Errors   cudaErrorStreamCaptureUnsupported
cudaError_t refuse_unsafe();
// A call that asks for the end of a stream's work, which a captured stream never has: spoils its
// capture. The legacy stream stands for the blocking ones of its device.
//   Errors   cudaErrorStreamCaptureUnsupported, cudaErrorStreamCaptureImplicit
cudaError_t refuse_wait(Stream& stream);
// The same for all streams of a device.
cudaError_t refuse_device_wait(int device);
// Work of the legacy stream of `device`, which would come after that of captured blocking streams.
//   Errors   cudaErrorStreamCaptureImplicit
cudaError_t refuse_legacy(int device);
// A call that cannot be captured, on `stream`: spoils its capture if it is in one.
//   Errors   cudaErrorStreamCaptureUnsupported
cudaError_t refuse_captured(Stream& stream);
// A call that asks for the end of an event that was captured: spoils the capture.
//   Errors   cudaErrorCapturedEvent
cudaError_t refuse_event(const CapturedPoint& point);
// The stream is gone.
void capture_forget(Stream& stream);

}  // namespace sim
