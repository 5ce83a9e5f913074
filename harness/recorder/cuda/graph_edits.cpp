// Changes to graphs that may take an order, or communications, away. NCCL makes such calls too, for
// streams of its own.
#include "harness/recorder/core/graphs.h"
#include "harness/recorder/cuda/twins.h"

using namespace gridlock::recorder;  // the interposed functions are outside of all namespaces

namespace {

template <class Function, class... Arguments>
cudaError_t forward(Function* vendor, Arguments... arguments) {
  if (vendor == nullptr) return cudaErrorNotSupported;
  const ThreadState& thread = this_thread();
  if (records(thread) && !thread.is_nccls) lines_may_be_cut();
  return vendor(arguments...);
}

}  // namespace

#if CUDART_VERSION >= 13000
#define GRIDLOCK_EDGE_DATA , const cudaGraphEdgeData* data
#define GRIDLOCK_EDGE_DATA_ARGUMENT , data
#else
#define GRIDLOCK_EDGE_DATA
#define GRIDLOCK_EDGE_DATA_ARGUMENT
#endif

GRIDLOCK_CUDA_TWINS(cudaStreamUpdateCaptureDependencies, _ptsz,
                    (cudaStream_t stream, cudaGraphNode_t* nodes GRIDLOCK_EDGE_DATA, size_t count,
                     unsigned int flags),
                    forward(vendor, stream, nodes GRIDLOCK_EDGE_DATA_ARGUMENT, count, flags));

GRIDLOCK_CUDA_TWINS(cudaStreamUpdateCaptureDependencies_v2, _ptsz,
                    (cudaStream_t stream, cudaGraphNode_t* nodes, const cudaGraphEdgeData* data,
                     size_t count, unsigned int flags),
                    forward(vendor, stream, nodes, data, count, flags));

GRIDLOCK_INTERPOSE cudaError_t
cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                            const cudaGraphNode_t* to GRIDLOCK_EDGE_DATA, size_t count) {
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cudaGraphRemoveDependencies)> vendor(
      "cudaGraphRemoveDependencies");
  return forward(vendor.get(), graph, from, to GRIDLOCK_EDGE_DATA_ARGUMENT, count);
}

GRIDLOCK_INTERPOSE cudaError_t cudaGraphRemoveDependencies_v2(cudaGraph_t graph,
                                                              const cudaGraphNode_t* from,
                                                              const cudaGraphNode_t* to,
                                                              const cudaGraphEdgeData* data,
                                                              size_t count) {
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cudaGraphRemoveDependencies_v2)> vendor(
      "cudaGraphRemoveDependencies_v2");
  return forward(vendor.get(), graph, from, to, data, count);
}

GRIDLOCK_INTERPOSE cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cudaGraphDestroyNode)> vendor(
      "cudaGraphDestroyNode");
  graphs_may_let_go();  // of a child graph, its communicators
  return forward(vendor.get(), node);
}

GRIDLOCK_INTERPOSE cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t executable,
                                                                    cudaGraphNode_t node,
                                                                    cudaGraph_t child) {
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cudaGraphExecChildGraphNodeSetParams)> vendor(
      "cudaGraphExecChildGraphNodeSetParams");
  graphs_may_let_go();
  return forward(vendor.get(), executable, node, child);
}

GRIDLOCK_INTERPOSE cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t executable,
                                                       cudaGraphNode_t node,
                                                       unsigned int is_enabled) {
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cudaGraphNodeSetEnabled)> vendor(
      "cudaGraphNodeSetEnabled");
  return forward(vendor.get(), executable, node, is_enabled);
}
