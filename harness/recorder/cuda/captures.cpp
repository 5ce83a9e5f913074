// While a stream is captured into a graph, its calls do not reach the device; only then is each
// operation's stream asked about it.
#include "harness/recorder/cuda/call.h"

using namespace gridlock::recorder;  // the interposed functions are outside of all namespaces

namespace {

cudaError_t begun(cudaError_t error) {
  if (error == cudaSuccess) capture_begun();
  return error;
}

cudaError_t end(cudaStream_t stream, cudaGraph_t* graph,
                cudaError_t (*vendor)(cudaStream_t, cudaGraph_t*)) {
  if (vendor == nullptr) return cudaErrorNotSupported;
  const cudaError_t error = vendor(stream, graph);
  // Also a capture that was spoilt has ended; not one that never was, or that is another's.
  const bool goes_on = error == cudaErrorIllegalState || error == cudaErrorInvalidValue ||
                       error == cudaErrorStreamCaptureUnmatched ||
                       error == cudaErrorStreamCaptureWrongThread;
  if (!goes_on) capture_ended();
  return error;
}

}  // namespace

GRIDLOCK_INTERPOSE cudaError_t cudaStreamBeginCapture(cudaStream_t stream,
                                                      cudaStreamCaptureMode mode) {
  static constinit Cuda<cudaError_t(cudaStream_t, cudaStreamCaptureMode)> vendor(
      "cudaStreamBeginCapture");
  return vendor.get() == nullptr ? cudaErrorNotSupported : begun(vendor.get()(stream, mode));
}

GRIDLOCK_INTERPOSE cudaError_t cudaStreamBeginCapture_ptsz(cudaStream_t stream,
                                                           cudaStreamCaptureMode mode) {
  static constinit Cuda<cudaError_t(cudaStream_t, cudaStreamCaptureMode)> vendor(
      "cudaStreamBeginCapture_ptsz");
  return vendor.get() == nullptr ? cudaErrorNotSupported : begun(vendor.get()(stream, mode));
}

// Nodes and edges of the graph are handed on unseen.
GRIDLOCK_INTERPOSE cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                                             const void* nodes, const void* edges,
                                                             size_t count,
                                                             cudaStreamCaptureMode mode) {
  static constinit Cuda<decltype(cudaStreamBeginCaptureToGraph)> vendor(
      "cudaStreamBeginCaptureToGraph");
  return vendor.get() == nullptr ? cudaErrorNotSupported
                                 : begun(vendor.get()(stream, graph, nodes, edges, count, mode));
}

GRIDLOCK_INTERPOSE cudaError_t cudaStreamBeginCaptureToGraph_ptsz(cudaStream_t stream,
                                                                  cudaGraph_t graph,
                                                                  const void* nodes,
                                                                  const void* edges, size_t count,
                                                                  cudaStreamCaptureMode mode) {
  static constinit Cuda<decltype(cudaStreamBeginCaptureToGraph_ptsz)> vendor(
      "cudaStreamBeginCaptureToGraph_ptsz");
  return vendor.get() == nullptr ? cudaErrorNotSupported
                                 : begun(vendor.get()(stream, graph, nodes, edges, count, mode));
}

GRIDLOCK_INTERPOSE cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  static constinit Cuda<cudaError_t(cudaStream_t, cudaGraph_t*)> vendor("cudaStreamEndCapture");
  return end(stream, graph, vendor.get());
}

GRIDLOCK_INTERPOSE cudaError_t cudaStreamEndCapture_ptsz(cudaStream_t stream, cudaGraph_t* graph) {
  static constinit Cuda<cudaError_t(cudaStream_t, cudaGraph_t*)> vendor(
      "cudaStreamEndCapture_ptsz");
  return end(stream, graph, vendor.get());
}
