// What all intercepted CUDA calls share.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "harness/record/words.h"
#include "harness/recorder/core/clock.h"
#include "harness/recorder/core/interpose.h"
#include "harness/recorder/core/operations.h"
#include "harness/recorder/core/process/tools.h"
#include "harness/recorder/core/recorder.h"
#include "harness/recorder/core/streams/placing.h"
#include "harness/recorder/core/streams/progress.h"
#include "harness/recorder/core/streams/streams.h"
#include "harness/recorder/core/thread.h"

namespace gridlock::recorder {

// Notes in the box that the recorder sees CUDA calls. A program with the CUDA runtime linked in
// bypasses the recorder; any other program gets here sooner or later.
inline void note_cuda() {
  std::uint64_t& seen = writer().box().header.cuda;
  if (record::load_relaxed(seen) == 0) [[unlikely]]
    record::store_release(seen, 1);
}

// The stream that 0 means in a function built for the per-thread default stream.
inline cudaStream_t resolve(cudaStream_t stream, DefaultStream meaning) {
  return stream == nullptr && meaning == DefaultStream::per_thread ? cudaStreamPerThread : stream;
}

// Whose function it is. A program may have the runtime linked in and still call the driver, so the
// driver's calls do not show that the recorder sees the runtime's.
enum class Api : std::uint8_t { runtime, driver };
template <Api api>
void note_call() {
  if constexpr (api == Api::runtime) note_cuda();
}

// Forwards a host call that waits, and shows the wait in the box. A tool's function may wait for
// something else.
template <Api api = Api::runtime, class Function, class... Arguments>
cudaError_t forward_waiting(ThreadState& thread, const Wait& wait, const void* frame,
                            Function* function, Arguments... arguments) {
  if (is_a_tools(reinterpret_cast<const void*>(function))) [[unlikely]]
    return function(arguments...);
  const Inside inside(thread);
  record::is_of_memory(wait.call) ? register_for_memory(thread) : register_thread(thread);
  note_call<api>();
  enter_wait(thread, wait, frame);
  const cudaError_t error = function(arguments...);
  if (error == cudaSuccess) note_waited(thread, wait);
  leave_wait(thread);
  clear_stack(kSleepersFrames);
  return error;
}

// A wait for everything on the current device.
Wait device_wait(record::Call call);
// A wait for what is on `stream` now; for the legacy stream, also for its blocking streams.
Wait stream_wait(record::Call call, cudaStream_t stream);
// A wait for what `event` marks.
Wait event_wait(cudaEvent_t event);

// Forwards a call that waits for the current device.
template <Api api = Api::runtime, class Function, class... Arguments>
cudaError_t wait_for_device(record::Call call, const void* frame, Function* vendor,
                            Arguments... arguments) {
  if (vendor == nullptr) return cudaErrorNotSupported;
  ThreadState& thread = this_thread();
  if (!records(thread)) return vendor(arguments...);
  return forward_waiting<api>(thread, device_wait(call), frame, vendor, arguments...);
}

// The vendor has put the announced operation on its stream, or has refused it.
inline void end(const Placed& placed, cudaError_t error) {
  if (error != cudaSuccess) [[unlikely]]
    return drop(placed);
  launch(placed);
}

// Forwards an operation that can hold its stream. It shows while it lasts (enter_launch).
template <Api api = Api::runtime, class Function, class... Arguments>
cudaError_t forward_operation(ThreadState& thread, record::OperationEntry entry, const void* frame,
                              Function* function, Arguments... arguments) {
  const Inside inside(thread);
  note_call<api>();
  const Placed placed = announce(entry, thread, frame);
  const PlacesWork places(thread, placed.stream);
  enter_launch(thread, entry.call, current_device(), thread.last_operation_ns);
  const cudaError_t error = function(arguments...);
  end(placed, error);
  leave_launch(thread);
  return error;
}

// Announces the implicit order of work that holds up nothing itself, but is ordered after work that
// does (see ImplicitOrder). Pass the result to end() when the work is on the stream.
Placed announce_implicit_order(ThreadState& thread, const ImplicitOrder& order, const void* frame);

// Forwards such work, in a call that is recorded.
//   REQUIRES  an Inside
template <class Function, class... Arguments>
cudaError_t forward_in_order(ThreadState& thread, cudaStream_t stream, const void* frame,
                             Function function, Arguments... arguments) {
  const ImplicitOrder order = implicit_order_possible() ? implicit_order(stream) : ImplicitOrder();
  if (!order.needed) return function(arguments...);
  const PlacesWork places(thread, order.stream);
  const Placed placed = announce_implicit_order(thread, order, frame);
  const cudaError_t error = function(arguments...);
  end(placed, error);
  return error;
}

// Forwards such work.
template <class Function, class... Arguments>
cudaError_t forward_work(cudaStream_t stream, const void* frame, Function* function,
                         Arguments... arguments) {
  if (function == nullptr) return cudaErrorNotSupported;
  // Frameworks use no blocking streams; then this check is all.
  if (!implicit_order_possible()) return function(arguments...);
  ThreadState& thread = this_thread();
  if (!records(thread)) return function(arguments...);
  const Inside inside(thread);
  return forward_in_order(thread, stream, frame, function, arguments...);
}

// Forwards a kernel launch, which shows while it lasts, once the process records.
template <class Function, class... Arguments>
cudaError_t launch_kernel(cudaStream_t stream, const void* frame, Function* function,
                          Arguments... arguments) {
  ThreadState& thread = this_thread();
  const bool is_shown = thread.depth == 0 && has_begun_recording() && function != nullptr &&
                        !is_a_tools(reinterpret_cast<const void*>(function));
  if (!is_shown) return forward_work(stream, frame, function, arguments...);
  const Inside inside(thread);
  if (thread.index == record::kNone) [[unlikely]]
    add_thread_in_calls(thread);
  enter_launch(thread, record::Call::kernel_launch, current_device(), coarse_now_ns());
  const cudaError_t error = forward_in_order(thread, stream, frame, function, arguments...);
  leave_launch(thread);
  return error;
}

}  // namespace gridlock::recorder
