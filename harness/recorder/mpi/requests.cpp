// A pool of requests, found by their handles.
#include "harness/recorder/mpi/requests.h"

#include <atomic>

#include "harness/recorder/core/communicators/communicators.h"
#include "harness/recorder/core/fixed_map.h"
#include "harness/recorder/core/streams/streams.h"

namespace gridlock::recorder {
namespace {

using record::kNone;
using record::kRequests;

struct Request {
  std::atomic<bool> used = false;
  std::uint32_t queue = kNone;
  std::uint32_t handle = mpi::kRequestNull;
  MpiPlaced call;
  int place = 0;
};

Request g_requests[kRequests];
std::atomic<std::uint32_t> g_next = 0;
FixedMap<1024> g_of_handle;

std::uint64_t key_of(std::uint32_t handle) { return std::uint64_t{1} << 32U | handle; }

std::uint32_t reserve() {
  const std::uint32_t first = g_next.fetch_add(1, std::memory_order_relaxed);
  for (std::uint32_t i = 0; i < kRequests; ++i) {
    const std::uint32_t index = (first + i) % kRequests;
    bool used = false;
    if (!g_requests[index].used.compare_exchange_strong(used, true)) continue;
    Request& request = g_requests[index];
    if (request.queue == kNone) request.queue = add_mpi_queue(index + 1);
    if (request.queue != kNone) return index;
    request.used.store(false, std::memory_order_release);
    return kNone;
  }
  return kNone;
}

void give_back(Request& request) {
  request.handle = mpi::kRequestNull;
  request.used.store(false, std::memory_order_release);
}

}  // namespace

std::uint32_t place_request(const MpiCall& what, ThreadState& thread) {
  const std::uint32_t index = reserve();
  const std::uint32_t queue = index == kNone ? kNone : g_requests[index].queue;
  const MpiPlaced call = place_call(what, thread, queue);
  if (index == kNone) {
    // The message has its number, but the recorder will not see the request end.
    if (call.recorded && !record::sends(what.call)) mark_uncertain(call.communicator);
    return kNone;
  }
  Request& request = g_requests[index];
  request.call = call;
  if (call.recorded) return index;
  give_back(request);
  return kNone;
}

void started(std::uint32_t index, ThreadState& thread, std::uint32_t handle, int result) {
  if (index == kNone) return;
  Request& request = g_requests[index];
  const bool is_known = g_of_handle.find(key_of(handle)) != nullptr;
  if (result == mpi::kSuccess && handle != mpi::kRequestNull && !is_known) [[likely]] {
    request.handle = handle;
    g_of_handle.set(key_of(handle), index);
    return;
  }
  // MPICH gives the same handle to all sends that end immediately.
  if (is_known && request.call.wild) mark_uncertain(request.call.communicator);
  finish_request(index, thread, result, nullptr);
}

void finish_request(std::uint32_t index, ThreadState& thread, int result,
                    const mpi::Status* status) {
  if (index == kNone) return;
  Request& request = g_requests[index];
  if (request.handle != mpi::kRequestNull) g_of_handle.remove(key_of(request.handle));
  finish_call(request.call, thread, result, status);
  give_back(request);
}

Requests find_requests(const std::uint32_t* handles, int count, bool note_places) {
  Requests found;
  for (int place = 0; place < count; ++place) {
    if (handles[place] == mpi::kRequestNull) continue;
    const std::uint32_t index = find_request(handles[place]);
    if (index == kNone) {
      found.others = true;
      continue;
    }
    found.known[index / 64] |= std::uint64_t{1} << (index % 64);
    if (note_places) g_requests[index].place = place;
  }
  return found;
}

std::uint32_t find_request(std::uint32_t handle) {
  const auto* found = g_of_handle.find(key_of(handle));
  return found == nullptr ? kNone : static_cast<std::uint32_t>(found->load());
}

int place_of(std::uint32_t request) { return g_requests[request].place; }

bool is_wild(const Requests& requests) {
  bool wild = false;
  for_each(requests, [&](std::uint32_t index) { wild = wild || g_requests[index].call.wild; });
  return wild;
}

void mark_uncertain_request(std::uint32_t handle) {
  const std::uint32_t index = find_request(handle);
  if (index != kNone) mark_uncertain(g_requests[index].call.communicator);
}

void enter_wait_for(const Requests& requests, record::Call call, record::Waits waits,
                    ThreadState& thread, const void* frame) {
  // A request that the recorder does not know may end at any time.
  const bool is_known =
      requests.any() && (waits == record::Waits::all_requests || !requests.others);
  Wait wait{.call = call, .waits = is_known ? waits : record::Waits::nothing, .device = kNone};
  std::copy(std::begin(requests.known), std::end(requests.known), wait.requests);
  register_thread(thread);
  enter_wait(thread, wait, frame);
}

void note_tested(const Requests& tested, const Requests& left, bool for_all, ThreadState& thread) {
  const auto about = [](std::uint32_t request) {
    const std::uint32_t queue = g_requests[request].queue;
    return Wait{.waits = record::Waits::all_requests, .stream = queue, .position = enqueued(queue)};
  };
  for_each(tested.without(left),
           [&](std::uint32_t request) { note_answered(thread, about(request)); });
  std::uint32_t first = kNone;
  int count = 0;
  for_each(left, [&](std::uint32_t request) {
    if (count++ == 0) first = request;
  });
  const bool is_known = count > 0 && (for_all || (count == 1 && !left.others));
  if (is_known) note_asked(thread, about(first));
}

}  // namespace gridlock::recorder
