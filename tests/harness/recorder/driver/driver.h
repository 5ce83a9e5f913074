// What a test may ask of the scripted stand-in for CUDA and NCCL. It holds no device: a stream does
// its work at once, or, while it is held, when it is told to.
//
// The environment of the process says what the driver can:
//   DRIVER_ENTRY      "older": only the older of the two calls finds the driver's functions;
//                     "none": neither; "null": both succeed and find nothing
//   DRIVER_REGISTER   "refused": memory cannot be registered
//   DRIVER_WRITES=n   writing a word works n times, and is then not supported
//   DRIVER_EVENTS=n   n events can be made
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace gridlock::driver {

// From now on the stream does nothing by itself.
void hold(cudaStream_t stream);
// A held stream does the next thing that is on it. Whether there was one.
bool step(cudaStream_t stream);
// What was put into graphs while streams were captured.
int captured();
// Captures that a call in between has spoilt.
int spoilt();
// The program's calls so far, with their arguments: a line each.
std::string calls();
// From now on told of each call of NCCL's, from inside it.
void tell(void (*within)(const char* call));

// How a cudaLaunchConfig_t begins.
struct Launch {
  dim3 grid;
  dim3 block;
  std::size_t shared = 0;
  cudaStream_t stream = nullptr;
};
// The calls that put work on the legacy stream, or on the calling thread's, with their names.
std::vector<std::pair<const char*, std::function<void()>>> on_default_streams(const Launch& launch);

}  // namespace gridlock::driver

// As of CUDA 12.3; the simulation's header does not have it.
extern "C" cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                                     const void* nodes, const void* edges,
                                                     size_t count, cudaStreamCaptureMode mode);
