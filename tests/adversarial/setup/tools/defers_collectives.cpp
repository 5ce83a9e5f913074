// Collectives are called by a thread of the library.
#include <nccl.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>

namespace {
std::mutex g_mutex;
std::condition_variable g_changed;
std::queue<std::function<void()>> g_calls;

void work() {
  while (true) {
    std::unique_lock lock(g_mutex);
    g_changed.wait(lock, [] { return !g_calls.empty(); });
    const auto call = g_calls.front();
    lock.unlock();
    call();
    lock.lock();
    g_calls.pop();
    g_changed.notify_all();
  }
}

ncclResult_t defer(std::function<void()> call) {
  static std::thread* const worker = new std::thread(work);
  const std::lock_guard lock(g_mutex);
  g_calls.push(std::move(call));
  g_changed.notify_all();
  return worker->joinable() ? ncclSuccess : ncclSystemError;
}
}  // namespace

extern "C" void flush() {
  std::unique_lock lock(g_mutex);
  g_changed.wait(lock, [] { return g_calls.empty(); });
}

extern "C" ncclResult_t ncclAllReduce(const void* from, void* to, size_t count, ncclDataType_t type,
                                      ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream) {
  return defer([=] { pncclAllReduce(from, to, count, type, op, comm, stream); });
}
extern "C" ncclResult_t ncclAllGather(const void* from, void* to, size_t count, ncclDataType_t type,
                                      ncclComm_t comm, cudaStream_t stream) {
  return defer([=] { pncclAllGather(from, to, count, type, comm, stream); });
}
