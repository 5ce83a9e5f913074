// An event marks an all-reduce that waits for rank 1. Then rank 0 launches a kernel that records it
// anew (cudaLaunchAttributeProgrammaticEvent), behind 900 ms of other work, waits for the event,
// and goes to the call that rank 1 waits for. Naive view: only cudaEventRecord records an event.
// Expected: completes.
#include <cuda.h>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

constexpr const char* kKernel = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry takes_its_time(.param .u64 nanoseconds)
{
  .reg .u64 %now, %end, %time;
  .reg .pred %p;
  ld.param.u64 %time, [nanoseconds];
  mov.u64 %now, %globaltimer;
  add.u64 %end, %now, %time;
again:
  mov.u64 %now, %globaltimer;
  setp.lt.u64 %p, %now, %end;
  @%p bra again;
  ret;
}
)";

int program(int, char**) {
  const Two two;
  cudaStream_t other = make_stream();
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  CUmodule module = nullptr;
  CUfunction kernel = nullptr;
  if (cuModuleLoadData(&module, kKernel) != CUDA_SUCCESS) return 5;
  if (cuModuleGetFunction(&kernel, module, "takes_its_time") != CUDA_SUCCESS) return 6;
  CUlaunchConfig config{};
  config.gridDimX = config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = config.blockDimY = config.blockDimZ = 1;
  config.hStream = other;
  unsigned long long time = 0;
  void* arguments[] = {&time};
  if (cuLaunchKernelEx(&config, kernel, arguments, nullptr) != CUDA_SUCCESS) return 8;
  check(cudaDeviceSynchronize());
  if (rank() == 0) {
    all_reduce(two.first, two.on_first, two.x);
    check(cudaEventRecord(event, two.on_first));
    time = 900'000'000;
    if (cuLaunchKernelEx(&config, kernel, arguments, nullptr) != CUDA_SUCCESS) return 9;
    time = 0;
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeProgrammaticEvent;
    attribute.val.programmaticEvent.event = event;
    config.attrs = reinterpret_cast<CUlaunchAttribute*>(&attribute);
    config.numAttrs = 1;
    if (cuLaunchKernelEx(&config, kernel, arguments, nullptr) != CUDA_SUCCESS) return 7;
    check(cudaEventSynchronize(event));
    two.tell();
  } else {
    two.be_told(0);
    all_reduce(two.first, two.on_first, two.x);
  }
  check(cudaStreamSynchronize(two.on_first));
  return 0;
}
