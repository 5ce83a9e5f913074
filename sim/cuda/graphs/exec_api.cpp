// cudaGraphInstantiate … cudaGraphExecDestroy.
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "sim/cuda/devices/api.h"
#include "sim/cuda/graphs/exec.h"

using sim::api;
using sim::Exec;

namespace {

// By handle, guarded by graph_mutex. Never destroyed.
std::unordered_map<const void*, std::shared_ptr<Exec>>& execs() {
  static auto& value = *new std::unordered_map<const void*, std::shared_ptr<Exec>>;
  return value;
}

// Null if there is none.
std::shared_ptr<Exec> find(cudaGraphExec_t handle) {
  const std::lock_guard lock(sim::graph_mutex());
  const auto found = execs().find(handle);
  return found == execs().end() ? nullptr : found->second;
}

}  // namespace

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* pGraphExec, cudaGraph_t graph,
                                 unsigned long long flags) {
  return api([&] {
    constexpr unsigned long long kKnown = cudaGraphInstantiateFlagAutoFreeOnLaunch |
                                          cudaGraphInstantiateFlagUpload |
                                          cudaGraphInstantiateFlagUseNodePriority;
    if ((flags & cudaGraphInstantiateFlagDeviceLaunch) != 0) {
      return sim::not_supported("cudaGraphInstantiateFlagDeviceLaunch");
    }
    const std::lock_guard lock(sim::graph_mutex());
    const sim::Graph* found = sim::find_graph(graph);
    if (pGraphExec == nullptr || found == nullptr || (flags & ~kKnown) != 0) {
      return cudaErrorInvalidValue;
    }
    std::shared_ptr<Exec> exec = Exec::make(*found);
    if (exec == nullptr) return cudaErrorInvalidValue;
    *pGraphExec = reinterpret_cast<cudaGraphExec_t>(exec.get());
    const void* key = exec.get();
    execs().emplace(key, std::move(exec));
    return cudaSuccess;
  });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* pGraphExec, cudaGraph_t graph,
                                          unsigned long long flags) {
  return cudaGraphInstantiate(pGraphExec, graph, flags);
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
                                cudaGraphExecUpdateResultInfo* resultInfo) {
  return api([&] {
    const std::shared_ptr<Exec> exec = find(hGraphExec);
    std::shared_ptr<sim::Graph> graph;
    std::vector<cudaGraphNode_t> nodes;
    {
      const std::lock_guard lock(sim::graph_mutex());
      const sim::Graph* found = sim::find_graph(hGraph);
      if (exec == nullptr || found == nullptr || resultInfo == nullptr) {
        return cudaErrorInvalidValue;
      }
      graph = found->copy();
      for (const auto& node : found->nodes) nodes.push_back(node->handle());
    }
    *resultInfo = {};
    const std::size_t differs = exec->update(std::move(graph));
    if (differs == Exec::kFits) return cudaSuccess;
    resultInfo->result = cudaGraphExecUpdateErrorTopologyChanged;
    if (differs < nodes.size()) resultInfo->errorNode = nodes[differs];
    return cudaErrorGraphExecUpdateFailure;
  });
}

// Does nothing, because nothing has to be moved to a device.
cudaError_t cudaGraphUpload(cudaGraphExec_t graphExec, cudaStream_t stream) {
  return api([&] {
    if (find(graphExec) == nullptr) return cudaErrorInvalidValue;
    return sim::find_stream(stream) == nullptr ? cudaErrorInvalidResourceHandle : cudaSuccess;
  });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t graphExec, cudaStream_t stream) {
  return api([&] {
    const std::shared_ptr<Exec> exec = find(graphExec);
    if (exec == nullptr) return cudaErrorInvalidValue;
    sim::Stream* target = sim::find_stream(stream);
    return target == nullptr ? cudaErrorInvalidResourceHandle : Exec::launch(exec, *target);
  });
}

// A launch in progress continues and keeps what it needs.
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graphExec) {
  return api([&] {
    std::shared_ptr<Exec> dropped;  // its user objects are destroyed without the mutex
    const std::lock_guard lock(sim::graph_mutex());
    const auto found = execs().find(graphExec);
    if (found == execs().end()) return cudaErrorInvalidValue;
    dropped = std::move(found->second);
    execs().erase(found);
    return cudaSuccess;
  });
}
