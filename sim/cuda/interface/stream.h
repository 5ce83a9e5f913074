// A stream: an ordered queue of work with its own thread, independent of the host and of other
// streams. The NCCL side of the simulation is a separate library, and includes nothing of the CUDA
// side except this folder.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>

#pragma GCC visibility push(default)
namespace sim {

// One entry of a stream. It runs on the stream's thread, in stream order, and may block there. Work
// that was captured into a graph runs once for each launch of the graph, and two such runs may
// overlap.
class Work {
 public:
  Work() = default;
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;
  virtual ~Work() = default;
  virtual void run() = 0;

  // For captured work. The thread that launches the graph calls this to get the work for this
  // launch; null means this work itself.
  virtual std::unique_ptr<Work> again() { return nullptr; }
  // The type of its node in a graph.
  virtual cudaGraphNodeType node_type() const { return cudaGraphNodeTypeKernel; }
};

// Appends `work` to `stream` (0 and the special handles as CUDA defines them).
//   Errors   cudaErrorInvalidResourceHandle if there is no such stream; a broken device's error
//   Blocks   no
cudaError_t enqueue(cudaStream_t stream, std::unique_ptr<Work> work);

// Whether the stream is being captured, so that its work goes into a graph.
bool is_captured(cudaStream_t stream);

// Makes all further work in `later` wait for all that is now in `earlier` (an event record and a
// wait).
//   Blocks   no
cudaError_t order(cudaStream_t earlier, cudaStream_t later);

// The device that `stream` belongs to; the calling thread's current device for stream 0.
int device_of(cudaStream_t stream);

}  // namespace sim
#pragma GCC visibility pop
