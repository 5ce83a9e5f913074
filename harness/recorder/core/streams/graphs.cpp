// Captures, graphs and executable graphs, by their handles. All of this happens when a program
// builds its graphs, so the cost of a lock and the heap does not matter.
#include "harness/recorder/core/streams/graphs.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>
#include <new>

#include "harness/record/words.h"
#include "harness/recorder/core/aside.h"
#include "harness/recorder/core/communicators/communicators.h"
#include "harness/recorder/core/process/vendor.h"
#include "harness/recorder/core/recorder.h"
#include "harness/recorder/core/streams/streams.h"

namespace gridlock::recorder {
namespace {

using Bodies = std::map<std::uint64_t, std::shared_ptr<GraphBody>>;

// Never destroyed: threads may still call CUDA while the process ends.
struct Book {
  std::mutex mutex;
  Bodies captures;
  Bodies graphs;
  Bodies executables;
  std::map<std::uint64_t, std::uint64_t> capture_of;  // by index in the ring
};

std::atomic<bool> g_lines_may_be_cut = false;
bool g_may_let_go = false;  // under the book's mutex

alignas(Book) constinit std::byte g_book[sizeof(Book)] = {};
Book& book() {
  static Book& value = *new (g_book) Book;
  return value;
}

// CUDA 13's function has more arguments than CUDA 12's, which ignores the extra ones.
using GetInfo = cudaError_t(cudaStream_t, cudaStreamCaptureStatus*, unsigned long long*,
                            cudaGraph_t*, const cudaGraphNode_t**, const cudaGraphEdgeData**,
                            std::size_t*);
GRIDLOCK_LOOKUP Cuda<GetInfo> g_get_info("cudaStreamGetCaptureInfo");

template <class Handle>
std::uint64_t key_of(Handle* handle) {
  return reinterpret_cast<std::uint64_t>(handle);
}

GraphBody& body_in(Bodies& bodies, std::uint64_t key) {
  std::shared_ptr<GraphBody>& body = bodies[key];
  if (body == nullptr) body = std::make_shared<GraphBody>();
  return *body;
}

// Within a capture, what is called later comes later on its communicator.
enum class Order { known, unknown };

void append(Bodies& to, std::uint64_t key, const Bodies& from, std::uint64_t part,
            Order order = Order::unknown) {
  const auto found = from.find(part);
  if (found == from.end()) return;
  const GraphBody copied = *found->second;
  GraphBody& body = body_in(to, key);
  const bool joins = !body.operations.empty() && !copied.operations.empty();
  body.order_is_unknown =
      body.order_is_unknown || copied.order_is_unknown || (joins && order == Order::unknown);
  body.calls_host = body.calls_host || copied.calls_host;
  body.is_line = body.is_line && copied.is_line && !joins;
  body.operations.insert(body.operations.end(), copied.operations.begin(), copied.operations.end());
}

std::uint64_t& graphs_of(std::uint32_t communicator) {
  return writer().box().communicators[communicator].graphs;
}

void release(GraphBody& body) {
  for (const Held& held : body.held) {
    if (communicator_id(held.communicator) != held.id) continue;
    std::uint64_t& graphs = graphs_of(held.communicator);
    record::store_release(graphs, record::load_relaxed(graphs) - 1);
  }
  body.held.clear();
}

// NCCL does not look at a graph for a communicator of one rank, whose calls are copies, nor for a
// message to oneself in place.
//   Source  NCCL 2.28, src/enqueue.cc, ncclLaunchOneRank and scheduleP2pTasksToPlan
void hold(Bodies& bodies, std::uint64_t key) {
  const auto found = bodies.find(key);
  if (found == bodies.end() || g_may_let_go) return;
  GraphBody& body = *found->second;
  release(body);
  for (const CapturedOperation& captured : body.operations) {
    const std::uint32_t communicator = captured.entry.communicator;
    if (communicator == record::kNone) continue;
    const Membership own = membership(communicator);
    const bool is_to_itself =
        record::is_message(captured.entry.call) && captured.entry.peer == own.rank;
    if (own.size < 2 || is_to_itself) continue;
    body.held.push_back({.communicator = communicator, .id = captured.communicator_id});
  }
  std::sort(body.held.begin(), body.held.end());
  body.held.erase(std::unique(body.held.begin(), body.held.end()), body.held.end());
  std::erase_if(body.held,
                [](const Held& held) { return communicator_id(held.communicator) != held.id; });
  for (const Held& held : body.held) {
    std::uint64_t& graphs = graphs_of(held.communicator);
    record::store_release(graphs, record::load_relaxed(graphs) + 1);
  }
}

void drop(Bodies& bodies, std::uint64_t key) {
  const auto found = bodies.find(key);
  if (found == bodies.end()) return;
  release(*found->second);
  bodies.erase(found);
}

// Within a group, NCCL chooses the order of the communicators.
bool comes_behind(const CapturedOperation& later, const CapturedOperation& earlier) {
  return later.stream == earlier.stream &&
         (later.entry.communicator == earlier.entry.communicator || later.group != earlier.group);
}

struct Captured {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  unsigned long long id = 0;
};
Captured captured_by(cudaStream_t stream) {
  auto* get_info = g_get_info.get();
  if (get_info == nullptr || is_legacy_handle(stream)) return {};
  const OwnErrors errors;  // it may be no stream at all
  Captured found;
  const cudaError_t error =
      get_info(stream, &found.status, &found.id, nullptr, nullptr, nullptr, nullptr);
  return error == cudaSuccess ? found : Captured{};
}

}  // namespace

std::uint64_t capture_of(cudaStream_t stream) {
  const Captured found = captured_by(stream);
  return found.status == cudaStreamCaptureStatusActive ? found.id : 0;
}

bool takes_part_in_a_capture(cudaStream_t stream) {
  return captured_by(stream).status != cudaStreamCaptureStatusNone;
}

void note_capture_of(std::uint64_t index, std::uint64_t capture) {
  if (capture == 0) return;
  const std::lock_guard lock(book().mutex);
  book().capture_of[index] = capture;
}

void forget_capture_of(std::uint64_t index) {
  const std::lock_guard lock(book().mutex);
  book().capture_of.erase(index);
}

bool note_captured(std::uint64_t index, const CapturedOperation& operation) {
  const std::lock_guard lock(book().mutex);
  const auto capture = book().capture_of.find(index);
  if (capture == book().capture_of.end()) return false;
  GraphBody& body = body_in(book().captures, capture->second);
  body.is_line = body.is_line && operation.stream != 0 &&
                 (body.operations.empty() || comes_behind(operation, body.operations.back()));
  body.operations.push_back(operation);
  book().capture_of.erase(capture);
  return true;
}

void note_captured_launch(cudaStream_t stream, cudaGraphExec_t graph) {
  const std::uint64_t capture = capture_of(stream);
  if (capture == 0) return;
  const std::lock_guard lock(book().mutex);
  std::vector<CapturedOperation>& operations = body_in(book().captures, capture).operations;
  const std::size_t before = operations.size();
  append(book().captures, capture, book().executables, key_of(graph), Order::known);
  // These run where the launch does.
  const std::uint64_t serial = stream_serial(stream_index(stream));
  for (std::size_t at = before; at < operations.size(); ++at) operations[at].stream = serial;
}

void note_captured_host_function(cudaStream_t stream) {
  const std::uint64_t capture = capture_of(stream);
  if (capture == 0) return;
  const std::lock_guard lock(book().mutex);
  body_in(book().captures, capture).calls_host = true;
}

void graph_captured(std::uint64_t capture, cudaGraph_t graph) {
  const std::lock_guard lock(book().mutex);
  append(book().graphs, key_of(graph), book().captures, capture);
  hold(book().graphs, key_of(graph));
  book().captures.erase(capture);
}

void lines_may_be_cut() { g_lines_may_be_cut = true; }
bool is_line(const GraphBody& body) { return body.is_line && !g_lines_may_be_cut; }

void forget_graphs() { new (&book()) Book; }

void graphs_may_let_go() {
  const std::lock_guard lock(book().mutex);
  g_may_let_go = true;
  for (auto& one : book().graphs) release(*one.second);
  for (auto& one : book().executables) release(*one.second);
}

void no_graph_holds(std::uint32_t communicator) {
  const std::lock_guard lock(book().mutex);
  record::store_release(graphs_of(communicator), 0);
}

void forget_capture(std::uint64_t capture) {
  const std::lock_guard lock(book().mutex);
  book().captures.erase(capture);
}

void graph_added(cudaGraph_t graph, cudaGraph_t part) {
  const std::lock_guard lock(book().mutex);
  append(book().graphs, key_of(graph), book().graphs, key_of(part));
  hold(book().graphs, key_of(graph));
}

void host_function_added(cudaGraph_t graph) {
  const std::lock_guard lock(book().mutex);
  body_in(book().graphs, key_of(graph)).calls_host = true;
}

void graph_destroyed(cudaGraph_t graph) {
  const std::lock_guard lock(book().mutex);
  drop(book().graphs, key_of(graph));
}

void graph_instantiated(cudaGraphExec_t executable, cudaGraph_t graph) {
  const std::lock_guard lock(book().mutex);
  drop(book().executables, key_of(executable));
  append(book().executables, key_of(executable), book().graphs, key_of(graph));
  hold(book().executables, key_of(executable));
}

void executable_destroyed(cudaGraphExec_t executable) {
  const std::lock_guard lock(book().mutex);
  drop(book().executables, key_of(executable));
}

std::shared_ptr<const GraphBody> body_of(cudaGraphExec_t executable) {
  const std::lock_guard lock(book().mutex);
  const auto found = book().executables.find(key_of(executable));
  return found == book().executables.end() ? nullptr : found->second;
}

}  // namespace gridlock::recorder
