// Which streams are captured, as far as the recorder must know it at each call.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace gridlock::recorder {

// Whether the stream's work now goes into a graph and not to the device. Also true for the legacy
// stream during any capture, because touching it would break the capture.
bool is_captured(cudaStream_t stream);
// The same, where a handle of a default stream means the one of `device`.
bool is_captured(cudaStream_t stream, std::uint32_t device);
// Whether any stream is captured.
bool any_capture();
void capture_begun();
void capture_ended();

}  // namespace gridlock::recorder
