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

// Around a vendor's call that may make streams captured.
//   Blocks   for threads that enqueue marks, which takes microseconds
class MayCapture {
 public:
  MayCapture();
  MayCapture(const MayCapture&) = delete;
  MayCapture& operator=(const MayCapture&) = delete;
  ~MayCapture();
};

// Around a mark of the recorder's own. It would be part of the graph, or break the capture.
class MarksUncaptured {
 public:
  explicit MarksUncaptured(std::uint32_t stream);
  MarksUncaptured(const MarksUncaptured&) = delete;
  MarksUncaptured& operator=(const MarksUncaptured&) = delete;
  ~MarksUncaptured();
  // Whether the stream is not captured, and stays so as long as this lives.
  bool is_sure() const { return is_sure_; }

 private:
  std::uint32_t stream_;
  bool is_sure_;
};

}  // namespace gridlock::recorder
