// What a test may ask of the scripted stand-in for CUDA and NCCL. It holds no device: a stream does
// its work at once, or, while it is held, when it is told to.
//
// The environment of the process says what the driver can:
//   DRIVER_ENTRY      "older": only the older of the two calls finds the driver's functions;
//                     "none": neither; "null": both succeed and find nothing
//   DRIVER_REGISTER   "refused": memory cannot be registered
//   DRIVER_WRITES=n   writing a word works n times, and is then not supported
//   DRIVER_EVENTS=n   n events can be made
// It has two devices. A stream and an event are of the device that was current when they were made.
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
// A held stream does the next thing that is on it. Whether there was one.
bool step(cudaStream_t stream);
// What was put into graphs while streams were captured.
int captured();
// Captures that a call in between has spoilt.
int spoilt();
// The devices that a context was made on, by whatever thread, as bits.
int contexts();
// From now on the device fails whatever it is asked.
void fail();
// The program's calls so far, with their arguments: a line each.
std::string calls();
// One more of them.
void note(const char* name, const std::string& arguments);
template <class... Arguments>
void note(const char* name, const Arguments&... arguments) {
  std::ostringstream text;
  ((text << ' ' << arguments), ...);
  note(name, text.str());
}
// From now on told of each call of NCCL's, from inside it.
void tell(void (*within)(const char* call));

// The calls that put work on the legacy stream, or on the calling thread's, with their names.
std::vector<std::pair<const char*, std::function<void()>>> on_default_streams(
    const cudaLaunchConfig_t& launch);

}  // namespace gridlock::driver
