// What a test can ask of the scripted stand-in for CUDA and NCCL. It has no device: a stream does
// its work at once or, while it is held, when it is told to.
//
// The environment of the process says what the driver can do:
//   DRIVER_ENTRY      "older": only the older of the two calls finds the driver's functions;
//                     "none": neither; "null": both succeed and find nothing
//   DRIVER_REGISTER   "refused": memory cannot be registered
//   DRIVER_WRITES=n   writing a word works n times, and is then not supported
//   DRIVER_BROKEN     set: instead, the device is lost then
//   DRIVER_EVENTS=n   n events can be made
// It has two devices. A stream or event belongs to the device that was current when it was made.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#define VENDOR extern "C" __attribute__((visibility("default"), noinline))

namespace gridlock::driver {

// From now on the stream does nothing by itself.
void hold(cudaStream_t stream);
// Work that does nothing.
void put(cudaStream_t stream);
// A held stream does its next piece of work. Returns whether there was one.
bool step(cudaStream_t stream);
// How many operations captured streams have put into graphs.
int captured();
// How many captures a forbidden call has invalidated.
int spoilt();
// The devices on which any thread has made a context, as bits.
int contexts();
// From now on every call to the device fails.
void fail();
// The program's calls so far, with their arguments, one per line.
std::string calls();
// Adds a call to them.
void note(const char* name, const std::string& arguments);
template <class... Arguments>
void note(const char* name, const Arguments&... arguments) {
  std::ostringstream text;
  ((text << ' ' << arguments), ...);
  note(name, text.str());
}
// From now on, each NCCL call, and some of CUDA's, call `within` from inside.
void tell(void (*within)(const char* call));
// From now on, each call that is to write a word calls `at_writes` first.
void tell_writes(void (*at_writes)());

// The calls that put work on the legacy stream, or on the calling thread's, with their names.
std::vector<std::pair<const char*, std::function<void()>>> on_default_streams(
    const cudaLaunchConfig_t& launch);

}  // namespace gridlock::driver
