// A stand-in for CUDA. The test sets what it can do, and when its streams move.
#include "tests/harness/recorder/driver/driver.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <sstream>
#include <string_view>
#include <utility>

namespace {

struct Stream {
  int device = 0;
  bool held = false;
  bool captured = false;
  std::deque<std::function<void()>> work;
};
struct Event {
  int device = 0;
  bool done = true;
};

// Guards all state, because the recorder's polling thread queries events while the program runs.
std::mutex g_turn;
std::map<cudaStream_t, Stream> g_streams;
std::map<cudaEvent_t, Event> g_events;
std::ostringstream g_calls;
int g_writes = 0;
int g_captured = 0;
int g_captures = 0;
int g_spoilt = 0;
int g_contexts = 0;
bool g_fails = false;
int g_handles = 0;
void (*g_within)(const char* call) = nullptr;
void (*g_at_writes)() = nullptr;
thread_local cudaError_t t_error = cudaSuccess;
thread_local int t_device = 0;
thread_local cudaStreamCaptureMode t_mode = cudaStreamCaptureModeGlobal;

std::string_view setting(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

int most(const char* name) {
  const std::string_view value = setting(name);
  return value.empty() ? 1000000 : std::atoi(value.data());
}

// Like the runtime: remembers an error, and a success does not clear it.
cudaError_t result(cudaError_t error) {
  if (error != cudaSuccess) t_error = error;
  return error;
}

void put(cudaStream_t handle, std::function<void()> work) {
  Stream& stream = g_streams[handle];
  if (stream.captured) {
    ++g_captured;
  } else if (stream.held) {
    stream.work.push_back(std::move(work));
  } else {
    work();
  }
}

// For calls that CUDA forbids while any capture in the default mode is in progress.
bool spoils_a_capture() {
  if (g_captures == 0 || t_mode == cudaStreamCaptureModeRelaxed) return false;
  ++g_spoilt;
  return true;
}

// Called first by every call that needs a context.
void make_context() { g_contexts |= 1 << t_device; }

// 0x1000, 0x1010 …: opaque handles, the same in every run.
template <class Handle>
Handle new_handle() {
  const std::uintptr_t number = 0x1000U + 0x10U * static_cast<unsigned>(g_handles++);
  return reinterpret_cast<Handle>(number);  // NOLINT(performance-no-int-to-ptr)
}

// cuStreamWriteValue32 belongs to the driver's interface, so it sets no last error.
int write_value(cudaStream_t stream, unsigned long long address, std::uint32_t value,
                unsigned int /*flags*/) {
  constexpr int kNotSupported = 801;
  constexpr int kUnknown = 999;
  if (g_at_writes != nullptr) g_at_writes();
  const std::lock_guard lock(g_turn);
  if (++g_writes > most("DRIVER_WRITES")) {
    return setting("DRIVER_BROKEN").empty() ? kNotSupported : kUnknown;
  }
  put(stream, [address, value] {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the driver's interface passes integers
    __atomic_store_n(reinterpret_cast<std::uint32_t*>(address), value, __ATOMIC_RELEASE);
  });
  return 0;
}

cudaError_t find_entry(const char* name, void** function, bool older) {
  const std::string_view entry = setting("DRIVER_ENTRY");
  *function = nullptr;
  if (entry == "none" || (entry == "older" && !older)) return result(cudaErrorNotSupported);
  if (entry != "null" && std::strcmp(name, "cuStreamWriteValue32") == 0) {
    *function = reinterpret_cast<void*>(&write_value);
  }
  return cudaSuccess;
}

}  // namespace

namespace gridlock::driver {

void hold(cudaStream_t stream) {
  const std::lock_guard lock(g_turn);
  g_streams[stream].held = true;
}

bool step(cudaStream_t stream) {
  const std::lock_guard lock(g_turn);
  auto& work = g_streams[stream].work;
  if (work.empty()) return false;
  work.front()();
  work.pop_front();
  return true;
}

int captured() {
  const std::lock_guard lock(g_turn);
  return g_captured;
}

int spoilt() {
  const std::lock_guard lock(g_turn);
  return g_spoilt;
}

int contexts() {
  const std::lock_guard lock(g_turn);
  return g_contexts;
}

void fail() {
  const std::lock_guard lock(g_turn);
  g_fails = true;
}

std::string calls() {
  const std::lock_guard lock(g_turn);
  return g_calls.str();
}

void note(const char* name, const std::string& arguments) {
  if (g_within != nullptr) g_within(name);
  const std::lock_guard lock(g_turn);
  g_calls << name << arguments << '\n';
}

void put(cudaStream_t stream) {
  const std::lock_guard lock(g_turn);
  ::put(stream, [] {});
}

void tell(void (*within)(const char* call)) { g_within = within; }
void tell_writes(void (*at_writes)()) { g_at_writes = at_writes; }

}  // namespace gridlock::driver

using gridlock::driver::note;

// Errors, devices, memory.
VENDOR cudaError_t cudaGetLastError() { return std::exchange(t_error, cudaSuccess); }
VENDOR cudaError_t cudaPeekAtLastError() { return t_error; }
VENDOR cudaError_t cudaGetDevice(int* device) {
  *device = t_device;
  return cudaSuccess;
}
VENDOR cudaError_t cudaSetDevice(int device) {
  if (device < 0 || device > 1) return result(cudaErrorInvalidDevice);
  t_device = device;
  return cudaSuccess;
}
VENDOR cudaError_t cudaHostRegister(void*, size_t, unsigned int) {
  const std::lock_guard lock(g_turn);
  if (spoils_a_capture()) return result(cudaErrorStreamCaptureUnsupported);
  return result(setting("DRIVER_REGISTER") == "refused" ? cudaErrorNotSupported : cudaSuccess);
}
VENDOR cudaError_t cudaHostUnregister(void*) {
  note("cudaHostUnregister");
  return cudaSuccess;
}
VENDOR cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned int) {
  *device = host;
  return cudaSuccess;
}
#ifndef GRIDLOCK_OLD_RUNTIME
VENDOR cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned int,
                                                    unsigned long long,
                                                    cudaDriverEntryPointQueryResult*) {
  return find_entry(name, function, false);
}
#endif
VENDOR cudaError_t cudaGetDriverEntryPoint(const char* name, void** function, unsigned long long,
                                           cudaDriverEntryPointQueryResult*) {
  return find_entry(name, function, true);
}

// Streams and events.
VENDOR cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
  note("cudaStreamCreateWithFlags", flags);
  const std::lock_guard lock(g_turn);
  *stream = new_handle<cudaStream_t>();
  g_streams[*stream].device = t_device;
  return cudaSuccess;
}
VENDOR cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  note("cudaStreamSynchronize", stream);
  return cudaSuccess;
}
VENDOR cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
  note("cudaStreamWaitEvent", stream, event, flags);
  return g_fails ? result(cudaErrorUnknown) : cudaSuccess;
}
VENDOR cudaError_t cudaEventCreate(cudaEvent_t* event) {
  const std::lock_guard lock(g_turn);
  *event = new_handle<cudaEvent_t>();
  g_events[*event] = {.device = t_device};
  return cudaSuccess;
}
VENDOR cudaError_t cudaEventDestroy(cudaEvent_t event) {
  const std::lock_guard lock(g_turn);
  g_events.erase(event);
  return cudaSuccess;
}
VENDOR cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int) {
  static int made = 0;
  if (made++ >= most("DRIVER_EVENTS")) return result(cudaErrorMemoryAllocation);
  return cudaEventCreate(event);
}
VENDOR cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  const std::lock_guard lock(g_turn);
  g_calls << "cudaEventRecord " << event << ' ' << stream << '\n';
  if (g_events[event].device != g_streams[stream].device) {
    return result(cudaErrorInvalidResourceHandle);
  }
  g_events[event].done = false;
  put(stream, [event] { g_events[event].done = true; });
  return cudaSuccess;
}
VENDOR cudaError_t cudaEventQuery(cudaEvent_t event) {
  const std::lock_guard lock(g_turn);
  make_context();
  if (spoils_a_capture()) return result(cudaErrorStreamCaptureUnsupported);
  if (g_fails) return result(cudaErrorUnknown);
  return result(g_events[event].done ? cudaSuccess : cudaErrorNotReady);
}

// Captures.
VENDOR cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  const std::lock_guard lock(g_turn);
  make_context();
  std::swap(*mode, t_mode);
  return cudaSuccess;
}
VENDOR cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  const std::lock_guard lock(g_turn);
  *status =
      g_streams[stream].captured ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
VENDOR cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  note("cudaStreamBeginCapture", stream);
  const std::lock_guard lock(g_turn);
  g_streams[stream].captured = true;
  ++g_captures;
  return cudaSuccess;
}
VENDOR cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t,
                                                 const cudaGraphNode_t*, const cudaGraphEdgeData*,
                                                 size_t, cudaStreamCaptureMode mode) {
  return cudaStreamBeginCapture(stream, mode);
}
VENDOR cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  const std::lock_guard lock(g_turn);
  if (!g_streams[stream].captured) return result(cudaErrorStreamCaptureUnmatched);
  g_streams[stream].captured = false;
  --g_captures;
  *graph = nullptr;
  return cudaSuccess;
}
