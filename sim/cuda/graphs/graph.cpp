// All graphs of this process, by handle.
#include "sim/cuda/graphs/graph.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

namespace sim {
namespace {

// Never destroyed: streams may still run when the process exits.
struct GraphBook {
  std::unordered_map<const void*, std::shared_ptr<Graph>> graphs;
};

GraphBook& graph_book() {
  static GraphBook& value = *new GraphBook;
  return value;
}

}  // namespace

std::recursive_mutex& graph_mutex() {
  static auto& value = *new std::recursive_mutex;
  return value;
}

Node& Graph::add(std::span<Node* const> before) {
  nodes.push_back(std::make_unique<Node>());
  Node& node = *nodes.back();
  node.graph = this;
  node.before.assign(before.begin(), before.end());
  return node;
}

std::shared_ptr<Graph> Graph::copy() const {
  auto result = std::make_shared<Graph>(Graph{.nodes = {}, .kept = kept});
  std::unordered_map<const Node*, Node*> twins;
  for (const auto& node : nodes) {
    Node& twin = result->add({});
    twin.type = node->type;
    twin.device = node->device;
    twin.work = node->work;
    twin.event = node->event;
    twin.child = node->child == nullptr ? nullptr : node->child->copy();
    twins.emplace(node.get(), &twin);
  }
  for (const auto& node : nodes) {
    for (const Node* earlier : node->before) twins[node.get()]->before.push_back(twins[earlier]);
  }
  return result;
}

bool Graph::has(const Node* node) const {
  return std::ranges::any_of(nodes, [&](const auto& own) { return own.get() == node; });
}

Graph* find_graph(cudaGraph_t handle) {
  const auto found = graph_book().graphs.find(handle);
  return found == graph_book().graphs.end() ? nullptr : found->second.get();
}

Node* find_node(cudaGraphNode_t handle) {
  for (const auto& entry : graph_book().graphs) {
    auto* node = reinterpret_cast<Node*>(handle);
    if (entry.second->has(node)) return node;
  }
  return nullptr;
}

void adopt(std::shared_ptr<Graph> graph) {
  Graph* key = graph.get();
  graph_book().graphs.emplace(key, std::move(graph));
}

Graph& make_graph() {
  auto graph = std::make_shared<Graph>();
  Graph& result = *graph;
  adopt(std::move(graph));
  return result;
}

bool destroy_graph(Graph& graph) { return graph_book().graphs.erase(&graph) != 0; }

bool leads_to(const Node& from, std::span<Node* const> to) {
  std::vector<const Node*> open(to.begin(), to.end());
  std::unordered_set<const Node*> seen;
  while (!open.empty()) {
    const Node* node = open.back();
    open.pop_back();
    if (node == &from) return true;
    if (!seen.insert(node).second) continue;
    open.insert(open.end(), node->before.begin(), node->before.end());
  }
  return false;
}

}  // namespace sim
