// Launches graphs. Each step is ordinary work of a stream. A dependency on another lane is a wait
// for a point in that lane's stream.
#include "sim/cuda/graphs/exec.h"

#include <algorithm>
#include <map>

#include "sim/cuda/devices/device.h"
#include "sim/cuda/graphs/capture.h"
#include "sim/cuda/streams/event.h"

namespace sim {
namespace {

constexpr std::size_t kMaxLanes = 128;

// Runs captured work once more.
struct Again final : Work {
  explicit Again(std::shared_ptr<Work> captured) : work(std::move(captured)) {}
  void run() override { work->run(); }
  std::shared_ptr<Work> work;
};

// Keeps an executable graph until it has run.
struct Keep final : Work {
  explicit Keep(std::shared_ptr<Exec> launched) : exec(std::move(launched)) {}
  void run() override {}
  std::shared_ptr<Exec> exec;
};

// Appends the nodes of `graph` to `steps`; each root comes after `entry`. `ends` gets the steps
// with no successor in the graph. False if there is a cycle.
bool unfold(const Graph& graph, const std::vector<std::size_t>& entry, std::vector<Step>& steps,
            std::vector<std::size_t>& ends) {
  std::map<const Node*, std::vector<std::size_t>> exits;  // of nodes that are done
  std::map<const Node*, bool> has_later;
  while (exits.size() < graph.nodes.size()) {
    const std::size_t done = exits.size();
    for (const auto& owned : graph.nodes) {
      const Node* node = owned.get();
      const auto is_done = [&](const Node* earlier) { return exits.contains(earlier); };
      if (is_done(node) || !std::ranges::all_of(node->before, is_done)) continue;
      std::vector<std::size_t> before;
      if (node->before.empty()) before = entry;
      for (const Node* earlier : node->before) {
        before.insert(before.end(), exits[earlier].begin(), exits[earlier].end());
        has_later[earlier] = true;
      }
      std::ranges::sort(before);
      before.erase(std::unique(before.begin(), before.end()), before.end());
      if (node->type == cudaGraphNodeTypeEmpty) {
        exits[node] = before;
      } else if (node->type == cudaGraphNodeTypeGraph) {
        if (!unfold(*node->child, before, steps, exits[node])) return false;
      } else {
        steps.push_back({.node = node, .before = before, .lane = 0});
        exits[node] = {steps.size() - 1};
      }
    }
    if (exits.size() == done) return false;
  }
  if (graph.nodes.empty()) ends = entry;
  for (const auto& [node, of_node] : exits) {
    if (!has_later[node]) ends.insert(ends.end(), of_node.begin(), of_node.end());
  }
  return true;
}

std::size_t place_of(const Graph& graph, const Node* node) {
  const auto found =
      std::ranges::find(graph.nodes, node, [](const auto& own) { return own.get(); });
  return static_cast<std::size_t>(found - graph.nodes.begin());
}

std::vector<std::size_t> places_before(const Graph& graph, const Node& node) {
  std::vector<std::size_t> result;
  for (const Node* earlier : node.before) result.push_back(place_of(graph, earlier));
  std::ranges::sort(result);
  return result;
}

// The first node in which the graphs differ, by its place; kFits if none does.
std::size_t difference(const Graph& one, const Graph& other) {
  for (std::size_t i = 0; i < other.nodes.size(); ++i) {
    if (i == one.nodes.size()) return i;
    const Node& first = *one.nodes[i];
    const Node& second = *other.nodes[i];
    const bool same_inside = first.child == nullptr || second.child == nullptr ||
                             difference(*first.child, *second.child) == Exec::kFits;
    if (first.type != second.type || first.device != second.device || !same_inside ||
        places_before(one, first) != places_before(other, second)) {
      return i;
    }
  }
  return one.nodes.size() == other.nodes.size() ? Exec::kFits : other.nodes.size();
}

}  // namespace

std::shared_ptr<Exec> Exec::make(const Graph& graph) {
  auto exec = std::make_shared<Exec>();
  exec->graph_ = graph.copy();
  return exec->plan() ? exec : nullptr;
}

Exec::~Exec() {
  for (const Lane& lane : lanes_) {
    if (lane.stream != nullptr) lane.stream->close();
  }
}

bool Exec::plan() {
  steps_.clear();
  std::vector<std::size_t> ends;
  if (!unfold(*graph_, {}, steps_, ends)) return false;
  for (std::size_t step = 0; step < steps_.size(); ++step) assign_lane(step);
  return true;
}

// Uses the lane of a step that this one comes after, if that step is the last on its lane.
// Otherwise makes a new lane, or shares one of the device if there are already kMaxLanes.
void Exec::assign_lane(std::size_t number) {
  Step& step = steps_[number];
  const int device = step.node->device;
  for (const std::size_t earlier : step.before) {
    Lane& lane = lanes_[steps_[earlier].lane];
    if (lane.last != earlier || lane.device != device) continue;
    step.lane = steps_[earlier].lane;
    lane.last = number;
    return;
  }
  const auto on_device = [&](const Lane& lane) { return lane.device == device; };
  if (lanes_.size() >= kMaxLanes && std::ranges::any_of(lanes_, on_device)) {
    step.lane = number % lanes_.size();
    while (!on_device(lanes_[step.lane])) step.lane = (step.lane + 1) % lanes_.size();
    lanes_[step.lane].last = number;
    return;
  }
  step.lane = lanes_.size();
  lanes_.push_back({.device = device, .last = number, .stream = nullptr});
}

Stream& Exec::stream_of(Lane& lane, Stream& launched_on) {
  const auto first = std::ranges::find(lanes_, launched_on.device(), &Lane::device);
  if (first != lanes_.end() && &*first == &lane) return launched_on;
  if (lane.stream == nullptr) {
    lane.stream =
        new Stream(lane.device, Stream::Kind::kCreated, cudaStreamNonBlocking, 0);  // kept there
  }
  return *lane.stream;
}

cudaError_t Exec::put(Stream& stream, const Node& node, Mark& at) {
  if (node.type == cudaGraphNodeTypeEventRecord || node.type == cudaGraphNodeTypeWaitEvent) {
    const cudaError_t error = node.type == cudaGraphNodeTypeEventRecord
                                  ? record_event(node.event, stream)
                                  : wait_for_event(node.event, stream);
    at = stream.last();
    return error;
  }
  std::unique_ptr<Work> again = node.work->again();
  if (again == nullptr) again = std::make_unique<Again>(node.work);
  return stream.push(std::move(again), &at);
}

cudaError_t Exec::launch(const std::shared_ptr<Exec>& self, Stream& stream) {
  Exec& exec = *self;
  const std::lock_guard lock(exec.mutex_);
  if (stream.captured()) return capture_graph(stream, *exec.graph_);
  if (const cudaError_t error = wait_in_stream(stream, exec.end_); error != cudaSuccess) {
    return error;
  }
  const Mark begin = stream.mark();
  for (Lane& lane : exec.lanes_) {
    static_cast<void>(wait_in_stream(exec.stream_of(lane, stream), begin));
  }
  std::vector<Mark> marks;
  for (const Step& step : exec.steps_) {
    Stream& own = exec.stream_of(exec.lanes_[step.lane], stream);
    cudaError_t error = cudaSuccess;
    for (const std::size_t earlier : step.before) {
      if (error == cudaSuccess) error = wait_in_stream(own, marks[earlier]);
    }
    Mark at;
    if (error == cudaSuccess) error = put(own, *step.node, at);
    if (error != cudaSuccess) return error;
    marks.push_back(at);
  }
  for (const Lane& lane : exec.lanes_) {
    static_cast<void>(wait_in_stream(stream, marks[lane.last]));
  }
  return stream.push(std::make_unique<Keep>(self), &exec.end_);
}

std::size_t Exec::update(std::shared_ptr<Graph> graph) {
  const std::lock_guard lock(mutex_);
  if (const std::size_t differs = difference(*graph_, *graph); differs != kFits) return differs;
  graph_ = std::move(graph);
  // Lanes depend only on the topology, so they keep their streams.
  std::vector<Lane> lanes;
  std::swap(lanes, lanes_);
  plan();
  for (std::size_t i = 0; i < lanes_.size(); ++i) lanes_[i].stream = lanes[i].stream;
  return kFits;
}

}  // namespace sim
