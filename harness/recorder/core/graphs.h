// What launches of graphs will do: the communications that were captured into them. NCCL enqueues a
// captured call at each launch of its graph, and then it takes a slot; at the capture it takes
// none.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "harness/record/format.h"

namespace gridlock::recorder {

struct CapturedOperation {
  record::OperationEntry entry;
  std::uint64_t communicator_id = 0;  // a place in the table may have another user by now
};
using GraphBody = std::vector<CapturedOperation>;

// Which capture the stream takes part in; 0: none, or CUDA cannot say.
std::uint64_t capture_of(cudaStream_t stream);

// An operation that was called while its stream was captured.
void note_captured(const record::OperationEntry& entry, std::uint64_t communicator_id);
// A launch of an executable graph that was called while its stream was captured.
void note_captured_launch(cudaStream_t stream, cudaGraphExec_t graph);
void graph_captured(std::uint64_t capture, cudaGraph_t graph);
void forget_capture(std::uint64_t capture);

// `graph` has all that `part` has, besides what it had.
void graph_added(cudaGraph_t graph, cudaGraph_t part);
void graph_destroyed(cudaGraph_t graph);
// Also of an executable graph that is updated.
void graph_instantiated(cudaGraphExec_t executable, cudaGraph_t graph);
void executable_destroyed(cudaGraphExec_t executable);

// Null where no communication was seen captured.
std::shared_ptr<const GraphBody> body_of(cudaGraphExec_t executable);

}  // namespace gridlock::recorder
