// A stream: an ordered queue of work with a thread of its own, independent of the host and of the
// other streams. The NCCL side of the simulation is a library of its own and includes nothing of
// the CUDA side but this room.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>

#pragma GCC visibility push(default)
namespace sim {

// One entry of a stream. Runs on the stream's thread, in stream order, and may block there. Work
// that was captured into a graph runs once for each launch of the graph, and two of them may
// overlap.
class Work {
 public:
  Work() = default;
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;
  virtual ~Work() = default;
  virtual void run() = 0;

  // Of captured work, called by a thread that launches the graph: what runs in this launch. Null:
  // this work itself.
  virtual std::unique_ptr<Work> again() { return nullptr; }
  // What it is in a graph.
  virtual cudaGraphNodeType node_type() const { return cudaGraphNodeTypeKernel; }
};

// Appends `work` to `stream` (0 and the special handles as CUDA defines them).
//   Errors   cudaErrorInvalidResourceHandle if the stream is not known
//   Blocks   no
cudaError_t enqueue(cudaStream_t stream, std::unique_ptr<Work> work);

// Whether the stream's work goes into a graph now.
bool is_captured(cudaStream_t stream);

// Makes `later` wait, from here on, for all that is in `earlier` now (an event record and a wait).
//   Blocks   no
cudaError_t order(cudaStream_t earlier, cudaStream_t later);

// The device that `stream` belongs to; the calling thread's current device for stream 0.
int device_of(cudaStream_t stream);

}  // namespace sim
#pragma GCC visibility pop
