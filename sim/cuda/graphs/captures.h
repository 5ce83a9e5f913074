// The captures in progress, for capture.cpp and capture_api.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <thread>
#include <vector>

#include "sim/cuda/graphs/capture.h"

namespace sim {

struct Capture {
  std::uint64_t id = 0;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::thread::id owner;
  Graph* graph = nullptr;
  bool owns_graph = true;
  Stream* origin = nullptr;
  bool spoilt = false;
  // For each stream in the capture: the nodes that its next node comes after.
  std::map<Stream*, std::vector<Node*>> tips;

  // Whether some stream has nodes that the origin does not come after.
  bool unjoined() const;
};

// REQUIRES for all of these: graph_mutex is held
Capture* capture_of(Stream& stream);  // null: none
Capture& begin_capture(Stream& origin, cudaStreamCaptureMode mode, Graph* into);
void end_capture(Capture& capture);
std::vector<std::unique_ptr<Capture>>& captures();

// The mode of the calling thread.
cudaStreamCaptureMode& thread_capture_mode();

}  // namespace sim
