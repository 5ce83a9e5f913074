// A program looks at errno and at CUDA's last error after calls that cannot change them.
// Naive view: nobody cares.
// Expected: completes.
#include <cerrno>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

namespace {
int g_wrong = 0;
constexpr int kErrno = 4711;

template <class Call>
void keeps(const char* name, Call call) {
  cudaGetLastError();
  errno = kErrno;
  call();
  const int after = errno;
  if (after != kErrno) std::fprintf(stderr, "errno is %d after %s\n", after, name), ++g_wrong;
  const cudaError_t error = cudaPeekAtLastError();
  if (error != cudaSuccess) std::fprintf(stderr, "error %d after %s\n", error, name), ++g_wrong;
  // An error that is not yet fetched.
  cudaSetDevice(9999);
  errno = kErrno;
  call();
  if (errno != kErrno) std::fprintf(stderr, "errno is %d after %s\n", errno, name), ++g_wrong;
  const cudaError_t kept = cudaGetLastError();
  if (kept != cudaErrorInvalidDevice) {
    std::fprintf(stderr, "the last error is %d after %s\n", kept, name), ++g_wrong;
  }
}
}  // namespace

int program(int, char**) {
  const Training training;
  training.step();
  cudaStream_t blocking = nullptr;
  cudaEvent_t event = nullptr;
  check(cudaEventCreate(&event));
  float* data = training.data;
  static float pageable[64];
  keeps("cudaStreamCreate", [&] { cudaStreamCreate(&blocking); });
  keeps("cudaEventRecord", [&] { cudaEventRecord(event, blocking); });
  keeps("cudaStreamWaitEvent", [&] { cudaStreamWaitEvent(training.stream, event, 0); });
  keeps("cudaStreamWaitEvent on legacy", [&] { cudaStreamWaitEvent(nullptr, event, 0); });
  keeps("cudaMemsetAsync", [&] { cudaMemsetAsync(data, 0, 4, nullptr); });
  keeps("cudaMemcpyAsync",
        [&] { cudaMemcpyAsync(data, pageable, sizeof pageable, cudaMemcpyDefault, blocking); });
  keeps("cudaMemcpy", [&] { cudaMemcpy(pageable, data, sizeof pageable, cudaMemcpyDefault); });
  keeps("cudaLaunchHostFunc", [&] {
    cudaLaunchHostFunc(
        blocking, [](void*) {}, nullptr);
  });
  keeps("cudaStreamSynchronize", [&] { cudaStreamSynchronize(blocking); });
  keeps("cudaDeviceSynchronize", [&] { cudaDeviceSynchronize(); });
  keeps("cudaMalloc and cudaFree", [&] {
    void* memory = nullptr;
    cudaMalloc(&memory, 64);
    cudaFree(memory);
  });
  keeps("cudaStreamIsCapturing in a capture", [&] {
    cudaGraph_t graph = nullptr;
    cudaStreamBeginCapture(training.stream, cudaStreamCaptureModeThreadLocal);
    cudaMemsetAsync(data, 0, 4, training.stream);
    cudaStreamEndCapture(training.stream, &graph);
    cudaGraphDestroy(graph);
  });
  keeps("ncclAllReduce", [&] {
    ncclAllReduce(data, data, 8, ncclFloat, ncclSum, training.world, training.stream);
    cudaStreamSynchronize(training.stream);
  });
  training.step();
  return g_wrong == 0 ? 0 : 6;
}
