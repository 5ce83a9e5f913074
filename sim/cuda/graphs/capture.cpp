// What captured streams do, and which calls a capture forbids.
//   Source   CUDA Runtime API: cudaStreamBeginCapture, cudaThreadExchangeStreamCaptureMode,
//            cudaStreamWaitEvent, cudaStreamUpdateCaptureDependencies
#include "sim/cuda/graphs/capture.h"

#include <algorithm>

#include "sim/cuda/graphs/captures.h"

namespace sim {

std::atomic<int> captures_under_way{0};

namespace {

// Applies `body` to the capture of `stream` and the stream's tips in it.
template <class Body>
cudaError_t in_capture(Stream& stream, Body body) {
  const std::lock_guard lock(graph_mutex());
  Capture* capture = capture_of(stream);
  if (capture == nullptr) return cudaErrorIllegalState;  // it has just ended
  if (capture->spoilt) return cudaErrorStreamCaptureInvalidated;
  return body(*capture, capture->tips[&stream]);
}

cudaError_t spoil(Capture& capture, cudaError_t reason) {
  capture.spoilt = true;
  return reason;
}

Node& add_node(Capture& capture, std::vector<Node*>& tips, const Stream& stream) {
  Node& node = capture.graph->add(tips);
  node.device = stream.device();
  node.captured = true;
  tips = {&node};
  return node;
}

void join(std::vector<Node*>& tips, const std::vector<Node*>& more) {
  for (Node* node : more) {
    if (std::ranges::find(tips, node) == tips.end()) tips.push_back(node);
  }
}

// Invalidates all captures for which `touched` is true. Returns whether there were any.
template <class Touched>
bool spoil_where(Touched touched) {
  const std::lock_guard lock(graph_mutex());
  bool any = false;
  for (const auto& capture : captures()) {
    if (!touched(*capture)) continue;
    capture->spoilt = true;
    any = true;
  }
  return any;
}

bool has_blocking_on(const Capture& capture, int device) {
  return std::ranges::any_of(capture.tips, [&](const auto& entry) {
    return entry.first->device() == device && entry.first->blocking();
  });
}

}  // namespace

bool Capture::unjoined() const {
  const std::vector<Node*>& end = tips.at(origin);
  return std::ranges::any_of(tips, [&](const auto& entry) {
    return std::ranges::any_of(
        entry.second, [&](const Node* node) { return node->captured && !leads_to(*node, end); });
  });
}

std::vector<std::unique_ptr<Capture>>& captures() {
  static auto& value = *new std::vector<std::unique_ptr<Capture>>;
  return value;
}

cudaStreamCaptureMode& thread_capture_mode() {
  thread_local cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  return mode;
}

Capture* capture_of(Stream& stream) {
  if (!stream.captured()) return nullptr;
  for (const auto& capture : captures()) {
    if (capture->tips.contains(&stream)) return capture.get();
  }
  return nullptr;
}

Capture& begin_capture(Stream& origin, cudaStreamCaptureMode mode, Graph* into) {
  static std::uint64_t last = 0;
  auto capture = std::make_unique<Capture>();
  capture->id = ++last;
  capture->mode = mode;
  capture->owner = std::this_thread::get_id();
  capture->owns_graph = into == nullptr;
  capture->graph = into == nullptr ? &make_graph() : into;
  capture->origin = &origin;
  capture->tips[&origin];
  captures().push_back(std::move(capture));
  ++captures_under_way;
  origin.set_captured(true);
  return *captures().back();
}

void end_capture(Capture& capture) {
  for (const auto& entry : capture.tips) entry.first->set_captured(false);
  --captures_under_way;
  std::erase_if(captures(), [&](const auto& one) { return one.get() == &capture; });
}

cudaError_t capture_work(Stream& stream, std::unique_ptr<Work> work) {
  return in_capture(stream, [&](Capture& capture, std::vector<Node*>& tips) {
    Node& node = add_node(capture, tips, stream);
    node.type = work->node_type();
    node.work = std::move(work);
    return cudaSuccess;
  });
}

cudaError_t capture_event_node(Stream& stream, cudaGraphNodeType type, cudaEvent_t event) {
  return in_capture(stream, [&](Capture& capture, std::vector<Node*>& tips) {
    Node& node = add_node(capture, tips, stream);
    node.type = type;
    node.event = event;
    return cudaSuccess;
  });
}

cudaError_t capture_graph(Stream& stream, const Graph& graph) {
  return in_capture(stream, [&](Capture& capture, std::vector<Node*>& tips) {
    Node& node = add_node(capture, tips, stream);
    node.type = cudaGraphNodeTypeGraph;
    node.child = graph.copy();
    return cudaSuccess;
  });
}

cudaError_t capture_point(Stream& stream, CapturedPoint& point) {
  return in_capture(stream, [&](Capture& capture, std::vector<Node*>& tips) {
    point = {.capture = capture.id, .nodes = tips};
    return cudaSuccess;
  });
}

cudaError_t capture_wait(Stream& stream, const CapturedPoint& point) {
  const std::lock_guard lock(graph_mutex());
  const auto found =
      std::ranges::find(captures(), point.capture, [](const auto& capture) { return capture->id; });
  if (found == captures().end()) {
    return stream.captured() ? capture_isolation(stream) : cudaErrorCapturedEvent;
  }
  Capture& capture = **found;
  if (capture.spoilt) return cudaErrorStreamCaptureInvalidated;
  if (stream.kind() == Stream::Kind::kLegacy) return spoil(capture, cudaErrorStreamCaptureImplicit);
  if (Capture* own = capture_of(stream); own != nullptr && own != &capture) {
    own->spoilt = true;
    return spoil(capture, cudaErrorStreamCaptureMerge);
  }
  join(capture.tips[&stream], point.nodes);
  stream.set_captured(true);
  return cudaSuccess;
}

cudaError_t capture_order(Stream& earlier, Stream& later) {
  if (&earlier == &later) return cudaSuccess;
  if (!earlier.captured()) return capture_isolation(later);
  CapturedPoint point;
  const cudaError_t error = capture_point(earlier, point);
  return error == cudaSuccess ? capture_wait(later, point) : error;
}

cudaError_t capture_isolation(Stream& stream) {
  return in_capture(stream, [](Capture& capture, std::vector<Node*>&) {
    return spoil(capture, cudaErrorStreamCaptureIsolation);
  });
}

cudaError_t refuse_unsafe() {
  if (thread_capture_mode() == cudaStreamCaptureModeRelaxed) return cudaSuccess;
  const bool heeds_others = thread_capture_mode() == cudaStreamCaptureModeGlobal;
  const auto self = std::this_thread::get_id();
  const bool forbidden = spoil_where([&](const Capture& capture) {
    if (capture.mode == cudaStreamCaptureModeRelaxed) return false;
    return capture.owner == self || (heeds_others && capture.mode == cudaStreamCaptureModeGlobal);
  });
  return forbidden ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

cudaError_t refuse_captured(Stream& stream) {
  if (!stream.captured()) return cudaSuccess;
  return in_capture(stream, [](Capture& capture, std::vector<Node*>&) {
    return spoil(capture, cudaErrorStreamCaptureUnsupported);
  });
}

cudaError_t refuse_wait(Stream& stream) {
  if (!any_capture()) return cudaSuccess;
  if (stream.kind() == Stream::Kind::kLegacy) return refuse_legacy(stream.device());
  return refuse_captured(stream);
}

cudaError_t refuse_device_wait(int device) {
  if (!any_capture()) return cudaSuccess;
  const bool forbidden = spoil_where([&](const Capture& capture) {
    return std::ranges::any_of(capture.tips,
                               [&](const auto& entry) { return entry.first->device() == device; });
  });
  return forbidden ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

cudaError_t refuse_legacy(int device) {
  if (!any_capture()) return cudaSuccess;
  const bool forbidden =
      spoil_where([&](const Capture& capture) { return has_blocking_on(capture, device); });
  return forbidden ? cudaErrorStreamCaptureImplicit : cudaSuccess;
}

cudaError_t refuse_event(const CapturedPoint& point) {
  spoil_where([&](const Capture& capture) { return capture.id == point.capture; });
  return cudaErrorCapturedEvent;
}

void capture_forget(Stream& stream) {
  if (!stream.captured()) return;
  const std::lock_guard lock(graph_mutex());
  Capture* capture = capture_of(stream);
  if (capture == nullptr) return;
  if (capture->origin == &stream) {  // nobody can end it any more
    Graph* graph = capture->owns_graph ? capture->graph : nullptr;
    end_capture(*capture);
    if (graph != nullptr) destroy_graph(*graph);
    return;
  }
  // NCCL makes a stream join a capture to ask for an event's nodes, and then destroys the stream.
  capture->tips.erase(&stream);
  stream.set_captured(false);
}

}  // namespace sim
