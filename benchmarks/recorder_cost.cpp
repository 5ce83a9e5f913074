// What the recorder adds to a call: the same calls with it and without it, in front of a vendor
// library that returns at once. The difference is host time per call. It leaves out what the real
// vendor's library takes to enqueue the two progress words.
#include <benchmark/benchmark.h>
#include <cuda_runtime_api.h>
#include <nccl.h>

#include "tests/harness/recorder/hot_path/recorded_process.h"

// Names the C function, because CUDA has a template of the same name.
using LaunchKernel = cudaError_t(const void*, dim3, dim3, void**, std::size_t, cudaStream_t);

// The null vendor's functions, under names that the recorder does not know: it has dlsym too.
extern "C" {
decltype(ncclAllReduce) plain_all_reduce;
decltype(ncclGroupStart) plain_group_start;
decltype(ncclSend) plain_send;
decltype(ncclGroupEnd) plain_group_end;
cudaError_t plain_event_record(cudaEvent_t event, cudaStream_t stream);
cudaError_t plain_stream_synchronize(cudaStream_t stream);
LaunchKernel plain_launch_kernel;
}

namespace gridlock {
namespace {

// Handles that the null vendor never dereferences.
char g_stream;
char g_event;
cudaStream_t stream() { return reinterpret_cast<cudaStream_t>(&g_stream); }
cudaEvent_t event() { return reinterpret_cast<cudaEvent_t>(&g_event); }

ncclComm_t communicator() {
  static ncclComm_t made = [] {
    ncclComm_t handle = nullptr;
    ncclCommInitRank(&handle, 2, ncclUniqueId{}, 0);
    return handle;
  }();
  return made;
}

void all_reduce(benchmark::State& state, decltype(ncclAllReduce)* call) {
  ncclComm_t on = communicator();
  for (auto _ : state) {
    benchmark::DoNotOptimize(call(nullptr, nullptr, 1024, ncclFloat32, ncclSum, on, stream()));
  }
}

void group_of_two_sends(benchmark::State& state, decltype(ncclGroupStart)* start,
                        decltype(ncclSend)* send, decltype(ncclGroupEnd)* end) {
  ncclComm_t on = communicator();
  for (auto _ : state) {
    start();
    send(nullptr, 1, ncclInt8, 0, on, stream());
    send(nullptr, 1, ncclInt8, 1, on, stream());
    benchmark::DoNotOptimize(end());
  }
}

void event_record(benchmark::State& state, cudaError_t (*call)(cudaEvent_t, cudaStream_t)) {
  for (auto _ : state) benchmark::DoNotOptimize(call(event(), stream()));
}

void stream_synchronize(benchmark::State& state, cudaError_t (*call)(cudaStream_t)) {
  for (auto _ : state) benchmark::DoNotOptimize(call(stream()));
}

void kernel(benchmark::State& state, LaunchKernel* call) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(call(nullptr, dim3{}, dim3{}, nullptr, 0, stream()));
  }
}

void register_all() {
  using benchmark::RegisterBenchmark;
  RegisterBenchmark("all_reduce/plain", all_reduce, &plain_all_reduce);
  RegisterBenchmark("all_reduce/recorded", all_reduce, &ncclAllReduce);
  RegisterBenchmark("group_of_two_sends/plain", group_of_two_sends, &plain_group_start, &plain_send,
                    &plain_group_end);
  RegisterBenchmark("group_of_two_sends/recorded", group_of_two_sends, &ncclGroupStart, &ncclSend,
                    &ncclGroupEnd);
  RegisterBenchmark("event_record/plain", event_record, &plain_event_record);
  RegisterBenchmark("event_record/recorded", event_record, &cudaEventRecord);
  RegisterBenchmark("stream_synchronize/plain", stream_synchronize, &plain_stream_synchronize);
  RegisterBenchmark("stream_synchronize/recorded", stream_synchronize, &cudaStreamSynchronize);
  RegisterBenchmark("kernel/plain", kernel, &plain_launch_kernel);
  RegisterBenchmark("kernel/recorded", kernel, static_cast<LaunchKernel*>(&cudaLaunchKernel));
}

}  // namespace
}  // namespace gridlock

int main(int argc, char** argv) {
  if (!gridlock::run_recorded(argv)) return 1;
  gridlock::register_all();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
