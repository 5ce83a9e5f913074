// What a graph's launches will do: the communications captured into it. NCCL enqueues a captured
// call, which takes a slot, at each launch of its graph; at the capture it takes none.
#pragma once

#include <cuda_runtime_api.h>

#include <compare>
#include <cstdint>
#include <memory>
#include <vector>

#include "harness/record/format.h"

namespace gridlock::recorder {

struct CapturedOperation {
  record::OperationEntry entry;
  std::uint64_t communicator_id = 0;  // the table entry may have another user by now
  std::uint64_t group = 0;            // the index of its first call in the ring
  std::uint64_t stream = 0;           // of the stream that captured it; see stream_serial()
};
struct Held {
  std::uint32_t communicator = record::kNone;
  std::uint64_t id = 0;  // the table entry may have another user by now
  auto operator<=>(const Held&) const = default;
};
struct GraphBody {
  std::vector<CapturedOperation> operations;
  bool calls_host = false;  // runs host functions of the program
  // Several parts with communications were joined, and only the edges between their nodes would say
  // which part comes first.
  bool order_is_unknown = false;
  // Each communication was captured behind the one before it, on the same stream.
  bool is_line = true;
  std::vector<Held> held;  // what counts as held by it
};

// The capture that the stream takes part in; 0: none, or CUDA cannot say.
std::uint64_t capture_of(cudaStream_t stream);
// The same, or in one that is broken and not yet ended.
bool takes_part_in_a_capture(cudaStream_t stream);

// Notes which capture the operation of this index in the ring was called in.
void note_capture_of(std::uint64_t index, std::uint64_t capture);
void forget_capture_of(std::uint64_t index);
// Notes the operation in its capture. Returns false if none is known.
bool note_captured(std::uint64_t index, const CapturedOperation& operation);
// Notes a launch of an executable graph, or of a host function, that was called while its stream
// was captured.
void note_captured_launch(cudaStream_t stream, cudaGraphExec_t graph);
void note_captured_host_function(cudaStream_t stream);
void graph_captured(std::uint64_t capture, cudaGraph_t graph);
// The program took nodes or edges out of a capture or a graph, or disabled nodes: from now on
// nothing counts as a line.
void lines_may_be_cut();
bool is_line(const GraphBody& body);
// In a forked child: another thread of the parent may have held the lock.
void forget_graphs();
// Graphs may have lost parts, or be gone: from now on none counts as holding a communicator.
void graphs_may_let_go();
// The entry has a new user.
void no_graph_holds(std::uint32_t communicator);
void forget_capture(std::uint64_t capture);

// Adds everything in `part` to `graph`.
void graph_added(cudaGraph_t graph, cudaGraph_t part);
void host_function_added(cudaGraph_t graph);
void graph_destroyed(cudaGraph_t graph);
// Also called when an executable graph is updated.
void graph_instantiated(cudaGraphExec_t executable, cudaGraph_t graph);
void executable_destroyed(cudaGraphExec_t executable);

// Null if neither a communication nor a host function was captured into it.
std::shared_ptr<const GraphBody> body_of(cudaGraphExec_t executable);

}  // namespace gridlock::recorder
