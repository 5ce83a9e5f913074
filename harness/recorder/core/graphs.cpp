// Captures, graphs and executable graphs, by their handles. All of this happens when a program
// builds its graphs, so the cost of a lock and the heap does not matter.
#include "harness/recorder/core/graphs.h"

#include <map>
#include <mutex>

#include "harness/recorder/core/process/vendor.h"
#include "harness/recorder/core/streams.h"

namespace gridlock::recorder {
namespace {

using Bodies = std::map<std::uint64_t, std::shared_ptr<GraphBody>>;

// Never destroyed: threads may still call CUDA while the process ends.
struct Book {
  std::mutex mutex;
  Bodies captures;
  Bodies graphs;
  Bodies executables;
};

Book& book() {
  static Book& value = *new Book;
  return value;
}

// CUDA 13's function has more arguments than CUDA 12's, which ignores the extra ones.
using GetInfo = cudaError_t(cudaStream_t, cudaStreamCaptureStatus*, unsigned long long*,
                            cudaGraph_t*, const cudaGraphNode_t**, const cudaGraphEdgeData**,
                            std::size_t*);
Cuda<GetInfo> g_get_info("cudaStreamGetCaptureInfo");

template <class Handle>
std::uint64_t key_of(Handle* handle) {
  return reinterpret_cast<std::uint64_t>(handle);
}

GraphBody& body_in(Bodies& bodies, std::uint64_t key) {
  std::shared_ptr<GraphBody>& body = bodies[key];
  if (body == nullptr) body = std::make_shared<GraphBody>();
  return *body;
}

void append(Bodies& to, std::uint64_t key, const Bodies& from, std::uint64_t part) {
  const auto found = from.find(part);
  if (found == from.end()) return;
  const GraphBody copied = *found->second;
  GraphBody& body = body_in(to, key);
  body.insert(body.end(), copied.begin(), copied.end());
}

}  // namespace

std::uint64_t capture_of(cudaStream_t stream) {
  auto* get_info = g_get_info.get();
  auto status = cudaStreamCaptureStatusNone;
  unsigned long long id = 0;
  if (get_info == nullptr || is_legacy_handle(stream)) return 0;
  const cudaError_t error = get_info(stream, &status, &id, nullptr, nullptr, nullptr, nullptr);
  return error == cudaSuccess && status == cudaStreamCaptureStatusActive ? id : 0;
}

void note_captured(const record::OperationEntry& entry, std::uint64_t communicator_id) {
  const std::uint64_t capture = capture_of(stream_handle(entry.stream));
  if (capture == 0) return;
  const std::lock_guard lock(book().mutex);
  body_in(book().captures, capture).push_back({entry, communicator_id});
}

void note_captured_launch(cudaStream_t stream, cudaGraphExec_t graph) {
  const std::uint64_t capture = capture_of(stream);
  if (capture == 0) return;
  const std::lock_guard lock(book().mutex);
  append(book().captures, capture, book().executables, key_of(graph));
}

void graph_captured(std::uint64_t capture, cudaGraph_t graph) {
  const std::lock_guard lock(book().mutex);
  append(book().graphs, key_of(graph), book().captures, capture);
  book().captures.erase(capture);
}

void forget_capture(std::uint64_t capture) {
  const std::lock_guard lock(book().mutex);
  book().captures.erase(capture);
}

void graph_added(cudaGraph_t graph, cudaGraph_t part) {
  const std::lock_guard lock(book().mutex);
  append(book().graphs, key_of(graph), book().graphs, key_of(part));
}

void graph_destroyed(cudaGraph_t graph) {
  const std::lock_guard lock(book().mutex);
  book().graphs.erase(key_of(graph));
}

void graph_instantiated(cudaGraphExec_t executable, cudaGraph_t graph) {
  const std::lock_guard lock(book().mutex);
  book().executables.erase(key_of(executable));
  append(book().executables, key_of(executable), book().graphs, key_of(graph));
}

void executable_destroyed(cudaGraphExec_t executable) {
  const std::lock_guard lock(book().mutex);
  book().executables.erase(key_of(executable));
}

std::shared_ptr<const GraphBody> body_of(cudaGraphExec_t executable) {
  const std::lock_guard lock(book().mutex);
  const auto found = book().executables.find(key_of(executable));
  return found == book().executables.end() ? nullptr : found->second;
}

}  // namespace gridlock::recorder
