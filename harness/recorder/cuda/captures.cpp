// While a stream is captured into a graph, its calls do not reach the device. Only while any
// capture is under way is each operation's stream checked for it.
#include "harness/recorder/core/streams/captures.h"

#include "harness/recorder/core/streams/graphs.h"
#include "harness/recorder/cuda/twins.h"

using namespace gridlock::recorder;  // the interposed functions are outside of all namespaces

namespace {

template <class Function, class... Arguments>
cudaError_t begin(Function* vendor, Arguments... arguments) {
  if (vendor == nullptr) return cudaErrorNotSupported;
  const MayCapture may;
  capture_begun();
  const cudaError_t error = vendor(arguments...);
  if (error != cudaSuccess) capture_ended();
  return error;
}

// The graph may be the body of a conditional node, which ends with the graph around it.
template <class Function, class... Arguments>
cudaError_t begin_to_graph(Function* vendor, Arguments... arguments) {
  graphs_may_let_go();
  return begin(vendor, arguments...);
}

cudaError_t end(cudaStream_t stream, cudaGraph_t* graph,
                cudaError_t (*vendor)(cudaStream_t, cudaGraph_t*)) {
  if (vendor == nullptr) return cudaErrorNotSupported;
  const std::uint64_t capture = capture_of(stream);
  const bool was_captured = takes_part_in_a_capture(stream);
  const cudaError_t error = vendor(stream, graph);
  // A broken capture has ended too. One that is another stream's or thread's has not.
  const bool goes_on = !was_captured || error == cudaErrorIllegalState ||
                       error == cudaErrorInvalidValue || error == cudaErrorStreamCaptureUnmatched ||
                       error == cudaErrorStreamCaptureWrongThread;
  if (goes_on) return error;
  capture_ended();
  if (error == cudaSuccess) {
    graph_captured(capture, *graph);
  } else {
    forget_capture(capture);
  }
  return error;
}

}  // namespace

GRIDLOCK_CUDA_TWINS(cudaStreamBeginCapture, _ptsz,
                    (cudaStream_t stream, cudaStreamCaptureMode mode), begin(vendor, stream, mode));

GRIDLOCK_CUDA_TWINS(cudaStreamBeginCaptureToGraph, _ptsz,
                    (cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t* nodes,
                     const cudaGraphEdgeData* edges, size_t count, cudaStreamCaptureMode mode),
                    begin_to_graph(vendor, stream, graph, nodes, edges, count, mode));

GRIDLOCK_CUDA_TWINS(cudaStreamEndCapture, _ptsz, (cudaStream_t stream, cudaGraph_t* graph),
                    end(stream, graph, vendor));
