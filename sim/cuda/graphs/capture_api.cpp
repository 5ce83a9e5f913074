// cudaStreamBeginCapture … cudaStreamEndCapture, and the calls that query and change a capture.
#include <algorithm>
#include <mutex>
#include <span>

#include "sim/cuda/devices/api.h"
#include "sim/cuda/devices/device.h"
#include "sim/cuda/graphs/captures.h"

using sim::api;
using sim::Capture;
using sim::Graph;
using sim::Node;
using sim::Stream;

namespace {

// Applies `body` to the stream that `handle` means, while no capture can change.
template <class Body>
cudaError_t with_capturing(cudaStream_t handle, Body body) {
  return api([&] {
    Stream* stream = sim::find_stream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    const std::lock_guard lock(sim::graph_mutex());
    return body(*stream);
  });
}

bool is_mode(cudaStreamCaptureMode mode) {
  return mode >= cudaStreamCaptureModeGlobal && mode <= cudaStreamCaptureModeRelaxed;
}

// Whether the `count` nodes at `nodes` all belong to `graph`.
bool are_of(const Graph& graph, const cudaGraphNode_t* nodes, std::size_t count) {
  if (count != 0 && nodes == nullptr) return false;
  return std::all_of(nodes, nodes + count, [&](cudaGraphNode_t node) {
    return graph.has(reinterpret_cast<const Node*>(node));
  });
}

std::span<Node* const> as_nodes(const cudaGraphNode_t* nodes, std::size_t count) {
  return {reinterpret_cast<Node* const*>(nodes), count};
}

cudaError_t begin(Stream& stream, cudaStreamCaptureMode mode, Graph* into,
                  std::span<Node* const> after) {
  if (!is_mode(mode)) return cudaErrorInvalidValue;
  if (stream.kind() == Stream::Kind::kLegacy) return cudaErrorStreamCaptureUnsupported;
  if (stream.captured()) return cudaErrorIllegalState;
  Capture& capture = sim::begin_capture(stream, mode, into);
  capture.tips[&stream].assign(after.begin(), after.end());
  return cudaSuccess;
}

// Whether a blocking stream of the legacy stream's device is captured.
bool legacy_is_entangled(const Stream& legacy) {
  return std::ranges::any_of(sim::captures(), [&](const auto& capture) {
    return std::ranges::any_of(capture->tips, [&](const auto& entry) {
      return entry.first->device() == legacy.device() && entry.first->blocking();
    });
  });
}

cudaError_t status_of(Stream& stream, cudaStreamCaptureStatus* status, Capture** found) {
  if (status == nullptr) return cudaErrorInvalidValue;
  if (stream.kind() == Stream::Kind::kLegacy && legacy_is_entangled(stream)) {
    return cudaErrorStreamCaptureImplicit;
  }
  *found = sim::capture_of(stream);
  *status = *found == nullptr  ? cudaStreamCaptureStatusNone
            : (*found)->spoilt ? cudaStreamCaptureStatusInvalidated
                               : cudaStreamCaptureStatusActive;
  return cudaSuccess;
}

}  // namespace

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return with_capturing(stream, [&](Stream& target) { return begin(target, mode, nullptr, {}); });
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t* dependencies,
                                          const cudaGraphEdgeData*, size_t numDependencies,
                                          cudaStreamCaptureMode mode) {
  return with_capturing(stream, [&](Stream& target) {
    Graph* into = sim::find_graph(graph);
    if (into == nullptr || !are_of(*into, dependencies, numDependencies)) {
      return cudaErrorInvalidValue;
    }
    return begin(target, mode, into, as_nodes(dependencies, numDependencies));
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* pGraph) {
  return with_capturing(stream, [&](Stream& target) {
    if (pGraph == nullptr) return cudaErrorInvalidValue;
    Capture* capture = sim::capture_of(target);
    if (capture == nullptr) return cudaErrorIllegalState;
    if (capture->origin != &target) return cudaErrorStreamCaptureUnmatched;
    if (capture->mode != cudaStreamCaptureModeRelaxed &&
        capture->owner != std::this_thread::get_id()) {
      return cudaErrorStreamCaptureWrongThread;
    }
    const cudaError_t error = capture->spoilt       ? cudaErrorStreamCaptureInvalidated
                              : capture->unjoined() ? cudaErrorStreamCaptureUnjoined
                                                    : cudaSuccess;
    Graph& graph = *capture->graph;
    const bool owns = capture->owns_graph;
    sim::end_capture(*capture);
    *pGraph = error == cudaSuccess ? graph.handle() : nullptr;
    if (error != cudaSuccess && owns) sim::destroy_graph(graph);
    return error;
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* pCaptureStatus) {
  return with_capturing(stream, [&](Stream& target) {
    Capture* unused = nullptr;
    return status_of(target, pCaptureStatus, &unused);
  });
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream,
                                     cudaStreamCaptureStatus* captureStatus_out,
                                     unsigned long long* id_out, cudaGraph_t* graph_out,
                                     const cudaGraphNode_t** dependencies_out,
                                     const cudaGraphEdgeData** edgeData_out,
                                     size_t* numDependencies_out) {
  return with_capturing(stream, [&](Stream& target) {
    Capture* capture = nullptr;
    const cudaError_t error = status_of(target, captureStatus_out, &capture);
    if (error != cudaSuccess || capture == nullptr || capture->spoilt) return error;
    const std::vector<Node*>& tips = capture->tips[&target];
    if (id_out != nullptr) *id_out = capture->id;
    if (graph_out != nullptr) *graph_out = capture->graph->handle();
    if (dependencies_out != nullptr) {
      *dependencies_out = reinterpret_cast<const cudaGraphNode_t*>(tips.data());
    }
    if (edgeData_out != nullptr) *edgeData_out = nullptr;  // all edges have the default type
    if (numDependencies_out != nullptr) *numDependencies_out = tips.size();
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t stream,
                                        cudaStreamCaptureStatus* captureStatus_out,
                                        unsigned long long* id_out, cudaGraph_t* graph_out,
                                        const cudaGraphNode_t** dependencies_out,
                                        const cudaGraphEdgeData** edgeData_out,
                                        size_t* numDependencies_out) {
  return cudaStreamGetCaptureInfo(stream, captureStatus_out, id_out, graph_out, dependencies_out,
                                  edgeData_out, numDependencies_out);
}

cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream,
                                        cudaStreamCaptureStatus* captureStatus_out,
                                        unsigned long long* id_out, cudaGraph_t* graph_out,
                                        const cudaGraphNode_t** dependencies_out,
                                        size_t* numDependencies_out) {
  return cudaStreamGetCaptureInfo_v3(stream, captureStatus_out, id_out, graph_out, dependencies_out,
                                     nullptr, numDependencies_out);
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* dependencies,
                                                const cudaGraphEdgeData*, size_t numDependencies,
                                                unsigned int flags) {
  return with_capturing(stream, [&](Stream& target) {
    Capture* capture = sim::capture_of(target);
    if (capture == nullptr) return cudaErrorIllegalState;
    if (capture->spoilt) return cudaErrorStreamCaptureInvalidated;
    if (flags > cudaStreamSetCaptureDependencies ||
        !are_of(*capture->graph, dependencies, numDependencies)) {
      return cudaErrorInvalidValue;
    }
    // The caller may pass the very list that is replaced.
    const std::span<Node* const> given = as_nodes(dependencies, numDependencies);
    const std::vector<Node*> nodes(given.begin(), given.end());
    std::vector<Node*>& tips = capture->tips[&target];
    if (flags == cudaStreamSetCaptureDependencies) tips.clear();
    for (Node* node : nodes) {
      if (std::ranges::find(tips, node) == tips.end()) tips.push_back(node);
    }
    return cudaSuccess;
  });
}

cudaError_t cudaStreamUpdateCaptureDependencies_v2(cudaStream_t stream,
                                                   cudaGraphNode_t* dependencies,
                                                   const cudaGraphEdgeData* dependencyData,
                                                   size_t numDependencies, unsigned int flags) {
  return cudaStreamUpdateCaptureDependencies(stream, dependencies, dependencyData, numDependencies,
                                             flags);
}

extern "C" __attribute__((visibility("default"))) cudaError_t
cudaStreamUpdateCaptureDependencies_v1(cudaStream_t stream, cudaGraphNode_t* dependencies,
                                       size_t numDependencies, unsigned int flags) {
  return cudaStreamUpdateCaptureDependencies_v2(stream, dependencies, nullptr, numDependencies,
                                                flags);
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return api([&] {
    if (mode == nullptr || !is_mode(*mode)) return cudaErrorInvalidValue;
    std::swap(sim::thread_capture_mode(), *mode);
    return cudaSuccess;
  });
}
