// cudaGraph…: builds graphs node by node.
#include <algorithm>
#include <mutex>
#include <span>
#include <vector>

#include "sim/cuda/devices/api.h"
#include "sim/cuda/devices/device.h"
#include "sim/cuda/graphs/captures.h"

using sim::api;
using sim::Graph;
using sim::Node;
using sim::Stream;

namespace {

// Applies `body` to the graph that `handle` means.
template <class Body>
cudaError_t with_graph(cudaGraph_t handle, Body body) {
  return api([&] {
    const std::lock_guard lock(sim::graph_mutex());
    Graph* graph = sim::find_graph(handle);
    return graph == nullptr ? cudaErrorInvalidValue : body(*graph);
  });
}

// Adds a node that `fill` completes. `fill` may return an error.
template <class Fill>
cudaError_t add(cudaGraphNode_t* result, cudaGraph_t handle, const cudaGraphNode_t* after,
                std::size_t count, Fill fill) {
  return with_graph(handle, [&](Graph& graph) {
    if (result == nullptr || (count != 0 && after == nullptr)) return cudaErrorInvalidValue;
    const std::span<Node* const> before(reinterpret_cast<Node* const*>(after), count);
    if (!std::ranges::all_of(before, [&](const Node* node) { return graph.has(node); })) {
      return cudaErrorInvalidValue;
    }
    Node& node = graph.add(before);
    node.device = sim::current_device();
    const cudaError_t error = fill(node);
    if (error == cudaSuccess) {
      *result = node.handle();
    } else {
      graph.nodes.pop_back();
    }
    return error;
  });
}

// Calls `change` for each edge, until it refuses one by returning false.
template <class Change>
cudaError_t for_each_edge(cudaGraph_t handle, const cudaGraphNode_t* from,
                          const cudaGraphNode_t* to, std::size_t count, Change change) {
  return with_graph(handle, [&](Graph& graph) {
    if (count != 0 && (from == nullptr || to == nullptr)) return cudaErrorInvalidValue;
    for (std::size_t i = 0; i < count; ++i) {
      auto* first = reinterpret_cast<Node*>(from[i]);
      auto* second = reinterpret_cast<Node*>(to[i]);
      if (!change(graph, first, second)) return cudaErrorInvalidValue;
    }
    return cudaSuccess;
  });
}

// Gives the node the work that `call(stream)` puts on a stream. The call is captured separately, so
// that it is checked like the ordinary call.
template <class Call>
cudaError_t record(Node& node, Call call) {
  cudaStream_t stream = nullptr;
  if (const cudaError_t error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
      error != cudaSuccess) {
    return error;
  }
  sim::begin_capture(*sim::find_stream(stream), cudaStreamCaptureModeRelaxed, nullptr);
  cudaError_t error = call(stream);
  cudaGraph_t recorded = nullptr;
  const cudaError_t ended = cudaStreamEndCapture(stream, &recorded);
  if (error == cudaSuccess) error = ended;
  Graph* made = sim::find_graph(recorded);
  if (error == cudaSuccess && made->nodes.size() == 1) {
    node.type = made->nodes.front()->type;
    node.work = made->nodes.front()->work;
  }
  if (made != nullptr) sim::destroy_graph(*made);
  cudaStreamDestroy(stream);
  return error;
}

// Writes `items` to `to`, which has room for `*count`. If `to` is null, only sets the count.
template <class Item>
cudaError_t list(const std::vector<Item>& items, Item* to, std::size_t* count) {
  if (count == nullptr) return cudaErrorInvalidValue;
  if (to == nullptr) {
    *count = items.size();
    return cudaSuccess;
  }
  std::copy_n(items.begin(), std::min(*count, items.size()), to);
  std::fill(to + std::min(*count, items.size()), to + *count, Item{});
  *count = std::min(*count, items.size());
  return cudaSuccess;
}

cudaError_t event_node(Node& node, cudaGraphNodeType type, cudaEvent_t event) {
  if (event == nullptr) return cudaErrorInvalidValue;
  node.type = type;
  node.event = event;
  return cudaSuccess;
}

}  // namespace

cudaError_t cudaGraphCreate(cudaGraph_t* pGraph, unsigned int flags) {
  return api([&] {
    if (pGraph == nullptr || flags != 0) return cudaErrorInvalidValue;
    const std::lock_guard lock(sim::graph_mutex());
    *pGraph = sim::make_graph().handle();
    return cudaSuccess;
  });
}

cudaError_t cudaGraphClone(cudaGraph_t* pGraphClone, cudaGraph_t originalGraph) {
  return with_graph(originalGraph, [&](const Graph& graph) {
    if (pGraphClone == nullptr) return cudaErrorInvalidValue;
    std::shared_ptr<Graph> twin = graph.copy();
    *pGraphClone = twin->handle();
    sim::adopt(std::move(twin));
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return with_graph(graph, [](Graph& target) {
    const bool in_use = std::ranges::any_of(
        sim::captures(), [&](const auto& capture) { return capture->graph == &target; });
    if (in_use) return cudaErrorInvalidValue;
    return sim::destroy_graph(target) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                   const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                   const cudaKernelNodeParams* pNodeParams) {
  return add(pGraphNode, graph, pDependencies, numDependencies, [&](Node& node) {
    if (pNodeParams == nullptr) return cudaErrorInvalidValue;
    if (pNodeParams->extra != nullptr) {
      return sim::not_supported("cudaKernelNodeParams::extra (kernelParams is simulated)");
    }
    return record(node, [&](cudaStream_t stream) {
      return cudaLaunchKernel(pNodeParams->func, pNodeParams->gridDim, pNodeParams->blockDim,
                              pNodeParams->kernelParams, pNodeParams->sharedMemBytes, stream);
    });
  });
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                     const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                     void* dst, const void* src, size_t count,
                                     cudaMemcpyKind kind) {
  return add(pGraphNode, graph, pDependencies, numDependencies, [&](Node& node) {
    return record(
        node, [&](cudaStream_t stream) { return cudaMemcpyAsync(dst, src, count, kind, stream); });
  });
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                   const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                   const cudaMemsetParams* pMemsetParams) {
  return add(pGraphNode, graph, pDependencies, numDependencies, [&](Node& node) {
    if (pMemsetParams == nullptr) return cudaErrorInvalidValue;
    if (pMemsetParams->elementSize != 1 || pMemsetParams->height > 1) {
      return sim::not_supported("a fill node of several rows, or of elements of several bytes");
    }
    return record(node, [&](cudaStream_t stream) {
      return cudaMemsetAsync(pMemsetParams->dst, static_cast<int>(pMemsetParams->value),
                             pMemsetParams->width, stream);
    });
  });
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                 const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                 const cudaHostNodeParams* pNodeParams) {
  return add(pGraphNode, graph, pDependencies, numDependencies, [&](Node& node) {
    if (pNodeParams == nullptr) return cudaErrorInvalidValue;
    return record(node, [&](cudaStream_t stream) {
      return cudaLaunchHostFunc(stream, pNodeParams->fn, pNodeParams->userData);
    });
  });
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                       const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                       cudaGraph_t childGraph) {
  return add(pGraphNode, graph, pDependencies, numDependencies, [&](Node& node) {
    const Graph* child = sim::find_graph(childGraph);
    if (child == nullptr || child == node.graph) return cudaErrorInvalidValue;
    node.type = cudaGraphNodeTypeGraph;
    node.child = child->copy();
    return cudaSuccess;
  });
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                  const cudaGraphNode_t* pDependencies, size_t numDependencies) {
  return add(pGraphNode, graph, pDependencies, numDependencies, [](Node&) { return cudaSuccess; });
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                        const cudaGraphNode_t* pDependencies,
                                        size_t numDependencies, cudaEvent_t event) {
  return add(pGraphNode, graph, pDependencies, numDependencies,
             [&](Node& node) { return event_node(node, cudaGraphNodeTypeEventRecord, event); });
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                      const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                      cudaEvent_t event) {
  return add(pGraphNode, graph, pDependencies, numDependencies,
             [&](Node& node) { return event_node(node, cudaGraphNodeTypeWaitEvent, event); });
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, const cudaGraphEdgeData*,
                                     size_t numDependencies) {
  return for_each_edge(graph, from, to, numDependencies, [](Graph& in, Node* first, Node* second) {
    if (!in.has(first) || !in.has(second) || first == second ||
        std::ranges::find(second->before, first) != second->before.end()) {
      return false;
    }
    second->before.push_back(first);
    return true;
  });
}

cudaError_t cudaGraphAddDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t* from,
                                        const cudaGraphNode_t* to,
                                        const cudaGraphEdgeData* edgeData, size_t numDependencies) {
  return cudaGraphAddDependencies(graph, from, to, edgeData, numDependencies);
}

extern "C" __attribute__((visibility("default"))) cudaError_t cudaGraphAddDependencies_v1(
    cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
    size_t numDependencies) {
  return cudaGraphAddDependencies_v2(graph, from, to, nullptr, numDependencies);
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                        const cudaGraphNode_t* to, const cudaGraphEdgeData*,
                                        size_t numDependencies) {
  return for_each_edge(graph, from, to, numDependencies, [](Graph& in, Node* first, Node* second) {
    return in.has(second) && std::erase(second->before, first) != 0;
  });
}

cudaError_t cudaGraphRemoveDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t* from,
                                           const cudaGraphNode_t* to,
                                           const cudaGraphEdgeData* edgeData,
                                           size_t numDependencies) {
  return cudaGraphRemoveDependencies(graph, from, to, edgeData, numDependencies);
}

extern "C" __attribute__((visibility("default"))) cudaError_t cudaGraphRemoveDependencies_v1(
    cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
    size_t numDependencies) {
  return cudaGraphRemoveDependencies_v2(graph, from, to, nullptr, numDependencies);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* numNodes) {
  return with_graph(graph, [&](Graph& target) {
    std::vector<cudaGraphNode_t> all;
    for (const auto& node : target.nodes) all.push_back(node->handle());
    return list(all, nodes, numNodes);
  });
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* pRootNodes,
                                  size_t* pNumRootNodes) {
  return with_graph(graph, [&](Graph& target) {
    std::vector<cudaGraphNode_t> roots;
    for (const auto& node : target.nodes) {
      if (node->before.empty()) roots.push_back(node->handle());
    }
    return list(roots, pRootNodes, pNumRootNodes);
  });
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                              cudaGraphEdgeData* edgeData, size_t* numEdges) {
  return with_graph(graph, [&](Graph& target) {
    if ((from == nullptr) != (to == nullptr) || numEdges == nullptr) return cudaErrorInvalidValue;
    std::vector<cudaGraphNode_t> first;
    std::vector<cudaGraphNode_t> second;
    for (const auto& node : target.nodes) {
      for (Node* earlier : node->before) {
        first.push_back(earlier->handle());
        second.push_back(node->handle());
      }
    }
    if (edgeData != nullptr) std::fill(edgeData, edgeData + *numEdges, cudaGraphEdgeData{});
    std::size_t count = *numEdges;
    static_cast<void>(list(first, from, &count));
    return list(second, to, numEdges);
  });
}

cudaError_t cudaGraphGetEdges_v2(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                                 cudaGraphEdgeData* edgeData, size_t* numEdges) {
  return cudaGraphGetEdges(graph, from, to, edgeData, numEdges);
}

extern "C" __attribute__((visibility("default"))) cudaError_t cudaGraphGetEdges_v1(
    cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, size_t* numEdges) {
  return cudaGraphGetEdges_v2(graph, from, to, nullptr, numEdges);
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* pType) {
  return api([&] {
    const std::lock_guard lock(sim::graph_mutex());
    const Node* found = sim::find_node(node);
    if (found == nullptr || pType == nullptr) return cudaErrorInvalidValue;
    *pType = found->type;
    return cudaSuccess;
  });
}
