// Executable graphs: a copy of a graph, with its nodes in launch order.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "sim/cuda/graphs/graph.h"
#include "sim/cuda/streams/stream_object.h"

namespace sim {

// A node that follows all the steps it depends on. Child graphs are expanded into their nodes.
struct Step {
  const Node* node = nullptr;
  std::vector<std::size_t> before;  // steps
  std::size_t lane = 0;
};

// Steps that follow each other on one stream. Lanes run concurrently.
struct Lane {
  int device = 0;
  std::size_t last = 0;      // its last step
  Stream* stream = nullptr;  // made when first needed
};

// What a cudaGraphExec_t points to.
class Exec {
 public:
  // Null if the graph has a cycle.
  static std::shared_ptr<Exec> make(const Graph& graph);
  Exec() = default;
  Exec(const Exec&) = delete;
  Exec& operator=(const Exec&) = delete;
  ~Exec();

  // Puts the steps of `self` on `stream`, and independent steps on its own streams. A launch begins
  // when the launch before it has ended.
  //   Blocks   no
  static cudaError_t launch(const std::shared_ptr<Exec>& self, Stream& stream);

  // Takes over the work of a graph with the same topology.
  //   Returns  kFits, or the first node that does not fit
  static constexpr std::size_t kFits = SIZE_MAX;
  std::size_t update(std::shared_ptr<Graph> graph);

 private:
  bool plan();
  void assign_lane(std::size_t step);
  static cudaError_t put(Stream& stream, const Node& node, Mark& at);
  Stream& stream_of(Lane& lane, Stream& launched_on);

  std::shared_ptr<Graph> graph_;
  std::vector<Step> steps_;
  std::vector<Lane> lanes_;
  std::mutex mutex_;  // held while it is launched
  Mark end_;          // of the last launch
};

}  // namespace sim
