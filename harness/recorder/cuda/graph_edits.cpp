// Changes to graphs that may take an order, or communications, away. NCCL makes such calls too, for
// streams of its own.
#include "harness/recorder/core/streams/graphs.h"
#include "harness/recorder/cuda/twins.h"

using namespace gridlock::recorder;  // the interposed functions are outside of all namespaces

// The simulation does not have it.
struct cudaGraphNodeParams;

namespace {

template <class Function, class... Arguments>
cudaError_t forward(Function* vendor, Arguments... arguments) {
  if (vendor == nullptr) return cudaErrorNotSupported;
  if (records_of_program(this_thread())) lines_may_be_cut();
  return vendor(arguments...);
}

// The call may also take a child graph out, or let a graph end with another one.
template <class Function, class... Arguments>
cudaError_t let_go(Function* vendor, Arguments... arguments) {
  if (records_of_program(this_thread())) graphs_may_let_go();
  return forward(vendor, arguments...);
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
  return let_go(vendor.get(), node);
}

GRIDLOCK_INTERPOSE cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t executable,
                                                                    cudaGraphNode_t node,
                                                                    cudaGraph_t child) {
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cudaGraphExecChildGraphNodeSetParams)> vendor(
      "cudaGraphExecChildGraphNodeSetParams");
  return let_go(vendor.get(), executable, node, child);
}

GRIDLOCK_INTERPOSE cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t executable,
                                                          cudaGraphNode_t node,
                                                          cudaGraphNodeParams* parameters) {
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cudaGraphExecNodeSetParams)> vendor(
      "cudaGraphExecNodeSetParams");
  return let_go(vendor.get(), executable, node, parameters);
}

GRIDLOCK_INTERPOSE cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node,
                                                      cudaGraphNodeParams* parameters) {
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cudaGraphNodeSetParams)> vendor(
      "cudaGraphNodeSetParams");
  return let_go(vendor.get(), node, parameters);
}

// The child belongs to its parent, and what is added to it is not seen in the parent.
GRIDLOCK_INTERPOSE cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node,
                                                               cudaGraph_t* child) {
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cudaGraphChildGraphNodeGetGraph)> vendor(
      "cudaGraphChildGraphNodeGetGraph");
  return let_go(vendor.get(), node, child);
}

// It may add a child that ends with its parent, or a host function.
template <class Function, class... Arguments>
static cudaError_t add_node(Function* vendor, cudaGraphNode_t* node, cudaGraph_t graph,
                            Arguments... arguments) {
  if (vendor != nullptr && records_of_program(this_thread())) host_function_added(graph);
  return let_go(vendor, node, graph, arguments...);
}

GRIDLOCK_INTERPOSE cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                const cudaGraphNode_t* after GRIDLOCK_EDGE_DATA,
                                                size_t count, cudaGraphNodeParams* parameters) {
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cudaGraphAddNode)> vendor("cudaGraphAddNode");
  return add_node(vendor.get(), node, graph, after GRIDLOCK_EDGE_DATA_ARGUMENT, count, parameters);
}

// The same of the driver.
GRIDLOCK_INTERPOSE cudaError_t cuGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                  const cudaGraphNode_t* after, size_t count,
                                                  const void* parameters) {
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cuGraphAddHostNode)> vendor(
      "cuGraphAddHostNode");
  return add_node(vendor.get(), node, graph, after, count, parameters);
}

GRIDLOCK_INTERPOSE cudaError_t cuGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                              const cudaGraphNode_t* after, size_t count,
                                              void* parameters) {
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cuGraphAddNode)> vendor("cuGraphAddNode");
  return add_node(vendor.get(), node, graph, after, count, parameters);
}

GRIDLOCK_INTERPOSE cudaError_t cuGraphAddNode_v2(cudaGraphNode_t* node, cudaGraph_t graph,
                                                 const cudaGraphNode_t* after, const void* data,
                                                 size_t count, void* parameters) {
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cuGraphAddNode_v2)> vendor(
      "cuGraphAddNode_v2");
  return add_node(vendor.get(), node, graph, after, data, count, parameters);
}

GRIDLOCK_INTERPOSE cudaError_t cuGraphDestroyNode(cudaGraphNode_t node) {
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cuGraphDestroyNode)> vendor(
      "cuGraphDestroyNode");
  return let_go(vendor.get(), node);
}

GRIDLOCK_INTERPOSE cudaError_t cuGraphExecChildGraphNodeSetParams(cudaGraphExec_t executable,
                                                                  cudaGraphNode_t node,
                                                                  cudaGraph_t child) {
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cuGraphExecChildGraphNodeSetParams)> vendor(
      "cuGraphExecChildGraphNodeSetParams");
  return let_go(vendor.get(), executable, node, child);
}

GRIDLOCK_INTERPOSE cudaError_t cuGraphExecUpdate_v2(cudaGraphExec_t executable, cudaGraph_t graph,
                                                    void* result) {
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cuGraphExecUpdate_v2)> vendor(
      "cuGraphExecUpdate_v2");
  return let_go(vendor.get(), executable, graph, result);
}

GRIDLOCK_INTERPOSE cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t executable,
                                                       cudaGraphNode_t node,
                                                       unsigned int is_enabled) {
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cudaGraphNodeSetEnabled)> vendor(
      "cudaGraphNodeSetEnabled");
  return forward(vendor.get(), executable, node, is_enabled);
}
