// Graphs: nodes with work and their dependencies. A graph never runs; exec.h launches copies.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "sim/cuda/interface/stream.h"

namespace sim {

struct Graph;

// What a cudaUserObject_t points to: something that graphs keep alive.
struct UserObject {
  void* argument = nullptr;
  cudaHostFn_t destroy = nullptr;
  std::uint64_t references = 0;
};

// References to user objects. The destructor releases them.
class Kept {
 public:
  Kept() = default;
  Kept(const Kept& other);
  Kept& operator=(const Kept&) = delete;
  ~Kept();

  void add(UserObject* object, std::uint64_t count);
  // False if there are fewer references.
  bool remove(UserObject* object, std::uint64_t count);

 private:
  std::vector<std::pair<UserObject*, std::uint64_t>> objects_;
};

// What a cudaGraphNode_t points to.
struct Node {
  Graph* graph = nullptr;
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  int device = 0;
  std::shared_ptr<Work> work;    // for kernels, copies, fills and host functions
  cudaEvent_t event = nullptr;   // for event records and waits
  std::shared_ptr<Graph> child;  // for child graphs
  std::vector<Node*> before;
  bool captured = false;  // made by a stream, so the capture's origin must come after it

  cudaGraphNode_t handle() { return reinterpret_cast<cudaGraphNode_t>(this); }
};

// What a cudaGraph_t points to.
struct Graph {
  std::vector<std::unique_ptr<Node>> nodes;  // in the order in which they were made
  Kept kept;

  Node& add(std::span<Node* const> before);
  // A graph with the same nodes and work, and its own references to the user objects.
  std::shared_ptr<Graph> copy() const;
  bool has(const Node* node) const;
  cudaGraph_t handle() { return reinterpret_cast<cudaGraph_t>(this); }
};

// Guards all graphs, captures and user objects. A call that puts work on streams must not hold it.
std::recursive_mutex& graph_mutex();

// REQUIRES for all of these: graph_mutex is held
Graph* find_graph(cudaGraph_t handle);  // null: there is none
Node* find_node(cudaGraphNode_t handle);
Graph& make_graph();
void adopt(std::shared_ptr<Graph> graph);
bool destroy_graph(Graph& graph);
UserObject* find_object(cudaUserObject_t handle);

// Whether a path along the edges leads from `from` to one of `to`. A node leads to itself.
bool leads_to(const Node& from, std::span<Node* const> to);

}  // namespace sim
