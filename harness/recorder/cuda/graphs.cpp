// Graphs: records what their launches put on a stream.
#include "harness/recorder/core/streams/graphs.h"

#include <map>

#include "harness/recorder/core/communicators/communicators.h"
#include "harness/recorder/core/streams/captures.h"
#include "harness/recorder/core/streams/progress.h"
#include "harness/recorder/core/turn.h"
#include "harness/recorder/cuda/twins.h"

using namespace gridlock::recorder;  // the interposed functions are outside of all namespaces
using gridlock::record::Call;
using gridlock::record::kNone;
using gridlock::record::OperationEntry;

namespace {

// A launch of more operations would push what is in flight out of the ring.
constexpr std::size_t kMostOperations = gridlock::record::kOperations / 4;

// The entry of its communicator may have another user by now.
bool has_communicator(const CapturedOperation& captured) {
  return communicator_id(captured.entry.communicator) == captured.communicator_id;
}

std::uint32_t kind_of(const GraphBody& body) {
  if (body.calls_host) return gridlock::record::kOfCallingGraph;
  return is_line(body) ? gridlock::record::kOfLine : gridlock::record::kOfGraph;
}

// The communications of one graph launch: in the ring, but not yet launched.
struct Announced {
  std::uint64_t called = 0;
  std::vector<std::pair<std::uint64_t, OperationEntry>> operations;  // by index
};

Announced announce_body(const GraphBody& body, std::uint32_t stream, ThreadState& thread) {
  Announced announced;
  const std::uint32_t kind = kind_of(body);
  std::map<std::uint32_t, std::size_t> leaders;  // by communicator: its first operation
  std::uint32_t last = gridlock::record::kNone;  // communicator
  OperationEntry now;
  describe_caller(now, thread, nullptr);
  announced.operations.reserve(body.operations.size());
  for (const CapturedOperation& captured : body.operations) {
    OperationEntry entry = captured.entry;
    if (!has_communicator(captured)) continue;
    entry.sequence = 0;
    entry.time_ns = now.time_ns;
    entry.thread = now.thread;
    entry.stream = stream;
    entry.graph = kind;
    entry.leader = 0;
    entry.position = 0;
    entry.launched = 0;
    entry.result = 0;
    entry.slot = announce_slot(entry.communicator, entry.call, entry.peer, entry.count).number;
    if (kind == gridlock::record::kOfLine && entry.communicator != last) leaders.clear();
    last = entry.communicator;
    const std::size_t own = announced.operations.size();
    const std::size_t leader = leaders.try_emplace(entry.communicator, own).first->second;
    auto& [index, shown] = announced.operations.emplace_back(0, entry);
    // The heap may be the program's, and call CUDA: no use of it within the turn.
    const Turn turn;
    index = gridlock::record::load_relaxed(writer().box().header.operations);
    shown.leader = static_cast<std::uint32_t>(index - announced.operations[leader].first);
    writer().add(shown, true);
    if (own == 0) announced.called = shown.called;
  }
  return announced;
}

// The graph launch is on the stream: each communication gets a slot, and all share one position, as
// in a group. How far the device is inside the graph is not recorded.
void launch_body(const Announced& announced, std::uint32_t stream) {
  if (!has_begun_recording()) return;  // in a child that was forked during the call
  std::uint64_t position = 0;
  {
    const Turn turn;
    position = hand_out(turn, stream);
    const std::uint64_t launched = writer().next_launch();
    for (const auto& [index, entry] : announced.operations) {
      writer().launch(index, {.called = announced.called,
                              .slot = launch_slot(entry.communicator, entry.call, count_of(entry)),
                              .position = position,
                              .launched = launched});
    }
    note_order(stream);
    show_enqueued(turn, stream, position);
  }
  mark_completed(stream);
}

void drop_body(const Announced& announced) {
  if (!has_begun_recording()) return;
  for (const auto& [index, entry] : announced.operations) {
    writer().set_result(index, gridlock::record::kDropped);
    drop_slot(entry, gridlock::record::kDropped, false);
  }
}

// The slots of communications that the ring has no place for: they count as past.
std::vector<OperationEntry> announce_slots(const GraphBody& body) {
  std::vector<OperationEntry> counted;
  for (const CapturedOperation& captured : body.operations) {
    if (!has_communicator(captured)) continue;
    const OperationEntry& entry = captured.entry;
    if (body.order_is_unknown) {
      mark_uncertain(entry.communicator);
    } else {
      announce_slot(entry.communicator, entry.call, entry.peer, entry.count);
      counted.push_back(entry);
    }
  }
  return counted;
}

cudaError_t launch(cudaGraphExec_t graph, cudaStream_t stream, cudaStream_t handed,
                   const void* frame, cudaError_t (*vendor)(cudaGraphExec_t, cudaStream_t)) {
  if (vendor == nullptr) return cudaErrorNotSupported;
  ThreadState& thread = this_thread();
  if (!records(thread)) return vendor(graph, handed);
  if (is_captured(stream)) {
    note_captured_launch(stream, graph);
    return vendor(graph, handed);
  }
  OperationEntry entry;
  entry.call = Call::graph_launch;
  entry.stream = stream_index(stream);
  const std::shared_ptr<const GraphBody> body = body_of(graph);
  if (body == nullptr || body->operations.empty()) {
    return forward_operation(thread, entry, frame, vendor, graph, handed);
  }
  const bool is_shown = !body->order_is_unknown && body->operations.size() <= kMostOperations &&
                        entry.stream != kNone;
  if (!is_shown) {
    const std::vector<OperationEntry> counted = announce_slots(*body);
    const cudaError_t error = forward_operation(thread, entry, frame, vendor, graph, handed);
    for (const OperationEntry& one : counted) {
      if (error == cudaSuccess) {
        launch_slot(one.communicator, one.call, count_of(one));
      } else {
        drop_slot(one, gridlock::record::kDropped, false);
      }
    }
    return error;
  }

  const Inside inside(thread);
  note_cuda();
  const Announced announced = announce_body(*body, entry.stream, thread);
  {
    const Turn turn;
    foresee(turn, entry.stream);
  }
  mark_started(entry.stream);
  const PlacesWork places(thread, entry.stream);
  enter_launch(thread, entry.call, current_device(), coarse_now_ns());
  const cudaError_t error = vendor(graph, handed);
  if (error == cudaSuccess) {
    launch_body(announced, entry.stream);
  } else {
    drop_body(announced);
  }
  leave_launch(thread);
  return error;
}

// Whoever has destroyed a graph may do so again, and end another thread's wait for that.
void register_caller() {
  ThreadState& thread = this_thread();
  if (records(thread)) register_thread(thread);
}

// Calls the vendor, and `then` if that succeeds.
template <class Function, class Then, class... Arguments>
cudaError_t forward(Function* vendor, Then then, Arguments... arguments) {
  if (vendor == nullptr) return cudaErrorNotSupported;
  const cudaError_t error = vendor(arguments...);
  if (error == cudaSuccess) then();
  return error;
}

// C++ overloads the name.
using Instantiate = cudaError_t(cudaGraphExec_t*, cudaGraph_t, unsigned long long);

}  // namespace

GRIDLOCK_CUDA_TWINS(cudaGraphLaunch, _ptsz, (cudaGraphExec_t graph, cudaStream_t stream),
                    launch(graph, resolve(stream, meaning), stream, frame, vendor));

GRIDLOCK_CUDA_TWINS(cuGraphLaunch, _ptsz, (cudaGraphExec_t graph, cudaStream_t stream),
                    launch(graph, resolve(stream, meaning), stream, frame, vendor));

// NCCL makes some too, inside its own calls.
GRIDLOCK_INTERPOSE cudaError_t cudaUserObjectCreate(cudaUserObject_t* object, void* pointer,
                                                    cudaHostFn_t destroy, unsigned int references,
                                                    unsigned int flags) {
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cudaUserObjectCreate)> vendor(
      "cudaUserObjectCreate");
  if (records_of_program(this_thread())) {
    gridlock::record::store_release(writer().box().header.destructors, 1);
  }
  return forward(
      vendor.get(), [] {}, object, pointer, destroy, references, flags);
}

GRIDLOCK_INTERPOSE cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                                    unsigned long long flags) {
  GRIDLOCK_LOOKUP static constinit NextCuda<Instantiate> vendor("cudaGraphInstantiate");
  return forward(
      vendor.get(), [&] { graph_instantiated(*executable, graph); }, executable, graph, flags);
}

GRIDLOCK_INTERPOSE cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable,
                                                             cudaGraph_t graph,
                                                             unsigned long long flags) {
  GRIDLOCK_LOOKUP static constinit NextCuda<Instantiate> vendor("cudaGraphInstantiateWithFlags");
  return forward(
      vendor.get(), [&] { graph_instantiated(*executable, graph); }, executable, graph, flags);
}

// The simulation does not have it.
struct cudaGraphInstantiateParams_st;
GRIDLOCK_INTERPOSE cudaError_t cudaGraphInstantiateWithParams(
    cudaGraphExec_t* executable, cudaGraph_t graph, cudaGraphInstantiateParams_st* parameters) {
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cudaGraphInstantiateWithParams)> vendor(
      "cudaGraphInstantiateWithParams");
  return forward(
      vendor.get(), [&] { graph_instantiated(*executable, graph); }, executable, graph, parameters);
}

GRIDLOCK_INTERPOSE cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                                   cudaGraphExecUpdateResultInfo* result) {
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cudaGraphExecUpdate)> vendor(
      "cudaGraphExecUpdate");
  return forward(
      vendor.get(), [&] { graph_instantiated(executable, graph); }, executable, graph, result);
}

GRIDLOCK_INTERPOSE cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cudaGraphExecDestroy)> vendor(
      "cudaGraphExecDestroy");
  // Before the call, because the handle may be reused at once.
  executable_destroyed(executable);
  register_caller();
  return forward(
      vendor.get(), [] {}, executable);
}

GRIDLOCK_INTERPOSE cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t graph) {
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cudaGraphClone)> vendor("cudaGraphClone");
  return forward(
      vendor.get(), [&] { graph_added(*clone, graph); }, clone, graph);
}

GRIDLOCK_INTERPOSE cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                          const cudaGraphNode_t* after,
                                                          size_t count, cudaGraph_t child) {
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cudaGraphAddChildGraphNode)> vendor(
      "cudaGraphAddChildGraphNode");
  return forward(
      vendor.get(), [&] { graph_added(graph, child); }, node, graph, after, count, child);
}

GRIDLOCK_INTERPOSE cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                    const cudaGraphNode_t* after, size_t count,
                                                    const cudaHostNodeParams* parameters) {
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cudaGraphAddHostNode)> vendor(
      "cudaGraphAddHostNode");
  return forward(
      vendor.get(), [&] { host_function_added(graph); }, node, graph, after, count, parameters);
}

GRIDLOCK_INTERPOSE cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cudaGraphDestroy)> vendor("cudaGraphDestroy");
  graph_destroyed(graph);
  register_caller();
  return forward(
      vendor.get(), [] {}, graph);
}
