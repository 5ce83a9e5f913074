// How much of a GPU's memory bandwidth the kernels reach: bytes/s by CUDA events, and their share
// of what a plain device-to-device copy reaches in the same run ("of_copy"; the goal is 0.85 at 256
// MiB). The linear layer is bound by compute, so its figure is flop/s. Without a GPU, the program
// says so and exits with 77.
#include <benchmark/benchmark.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include "kernels/layers/batch_norm.h"
#include "kernels/layers/linear.h"
#include "kernels/updates/gradients.h"
#include "kernels/updates/nan_scan.h"
#include "kernels/updates/sgd.h"

namespace gridlock::kernels {
namespace {

constexpr int kCannotRun = 77;
constexpr std::int64_t kMib = 1 << 20;

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "gpu_kernels: CUDA says %s\n", cudaGetErrorString(error));
  std::exit(3);
}

// Device memory that lives as long as the program: benchmarks repeat, and share it.
float* device_floats(std::int64_t count) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, static_cast<std::size_t>(count) * sizeof(float)));
  check(cudaMemset(memory, 0, static_cast<std::size_t>(count) * sizeof(float)));
  return static_cast<float*>(memory);
}

// A stream and a pair of events around what is measured.
class Timer {
 public:
  Timer() {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    check(cudaEventCreate(&begin_));
    check(cudaEventCreate(&end_));
  }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
    cudaStreamDestroy(stream_);
  }
  cudaStream_t stream() const { return stream_; }

  // Seconds that the device spends on `launch`.
  //   Blocks   until it is done
  double seconds(const std::function<cudaError_t()>& launch) const {
    float milliseconds = 0;
    check(cudaEventRecord(begin_, stream_));
    check(launch());
    check(cudaEventRecord(end_, stream_));
    check(cudaEventSynchronize(end_));
    check(cudaEventElapsedTime(&milliseconds, begin_, end_));
    return static_cast<double>(milliseconds) / 1e3;
  }

 private:
  cudaStream_t stream_ = nullptr;
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

// Two arrays of the largest size, and parameters; made once.
struct Arrays {
  float* a;
  float* b;
  float* c;
  float* parameters;
};
constexpr std::int64_t kMostFloats = 256 * kMib / static_cast<std::int64_t>(sizeof(float));
constexpr std::int64_t kMostChannels = 4096;
const Arrays& arrays() {
  // A little larger, because offsets that are not multiples of 16 bytes are measured too.
  static const Arrays all{device_floats(kMostFloats + 4), device_floats(kMostFloats + 4),
                          device_floats(kMostFloats + 4), device_floats(8 * kMostChannels)};
  return all;
}

// How many bytes a copy of `bytes` reads and writes in a second. Kernels are compared with the best
// of several copies.
double copy_bytes_per_second(std::int64_t bytes, const Timer& timer) {
  constexpr int kTries = 20;
  double best = 0;
  for (int i = 0; i < kTries; ++i) {
    const double seconds = timer.seconds([&] {
      return cudaMemcpyAsync(arrays().b, arrays().a, static_cast<std::size_t>(bytes),
                             cudaMemcpyDeviceToDevice, timer.stream());
    });
    best = std::max(best, 2.0 * static_cast<double>(bytes) / seconds);
  }
  return best;
}

// Measures `launch`, which moves `arrays_moved` times `state.range(0)` bytes.
void measure(benchmark::State& state, double arrays_moved,
             const std::function<cudaError_t(cudaStream_t)>& launch) {
  const Timer timer;
  const auto run = [&] { return timer.seconds([&] { return launch(timer.stream()); }); };
  run();  // the first launch loads the kernel
  double total = 0;
  for (auto _ : state) {
    const double seconds = run();
    state.SetIterationTime(seconds);
    total += seconds;
  }
  const double moved = arrays_moved * static_cast<double>(state.range(0));
  state.SetBytesProcessed(static_cast<std::int64_t>(moved) * state.iterations());
  const double rate = moved * static_cast<double>(state.iterations()) / total;
  state.counters["of_copy"] = rate / copy_bytes_per_second(state.range(0), timer);
}

std::int64_t floats(const benchmark::State& state) {
  return state.range(0) / static_cast<std::int64_t>(sizeof(float));
}

// As many channels as the encoder of a large model has; the batch takes the rest.
constexpr int kChannels = 512;
constexpr int kTime = 1024;
Shape3 shape_of(const benchmark::State& state) {
  return {static_cast<int>(floats(state) / (std::int64_t{kChannels} * kTime)), kChannels, kTime};
}
const float* parameter(int which) { return arrays().parameters + which * kMostChannels; }
float* result(int which) { return arrays().parameters + which * kMostChannels; }

void copy(benchmark::State& state) {
  measure(state, 2, [&](cudaStream_t stream) {
    return cudaMemcpyAsync(arrays().b, arrays().a, static_cast<std::size_t>(state.range(0)),
                           cudaMemcpyDeviceToDevice, stream);
  });
}

void bucket_pack(benchmark::State& state) {
  measure(state, 2, [&](cudaStream_t stream) {
    return launch_gradient_pack(arrays().a, floats(state), 0.5F, arrays().b, 0, stream);
  });
}

// A gradient that begins anywhere in its bucket.
void bucket_pack_unaligned(benchmark::State& state) {
  measure(state, 2, [&](cudaStream_t stream) {
    return launch_gradient_pack(arrays().a, floats(state), 0.5F, arrays().b, 1, stream);
  });
}

void gradient_scale(benchmark::State& state) {
  measure(state, 2, [&](cudaStream_t stream) {
    return launch_scale(arrays().a, floats(state), 1.0F, stream);
  });
}

void nan_scan(benchmark::State& state) {
  measure(state, 1, [&](cudaStream_t stream) {
    return launch_nan_scan(arrays().a, floats(state), reinterpret_cast<int*>(result(7)), stream);
  });
}

void sgd_momentum(benchmark::State& state) {
  measure(state, 5, [&](cudaStream_t stream) {
    return launch_sgd(arrays().a, arrays().b, arrays().c, floats(state), 0.1F, 0.9F, stream);
  });
}

void batch_norm_statistics(benchmark::State& state) {
  measure(state, 1, [&](cudaStream_t stream) {
    return launch_batch_norm_statistics(arrays().a, shape_of(state), result(0), result(1), stream);
  });
}

void batch_norm_forward(benchmark::State& state) {
  measure(state, 2, [&](cudaStream_t stream) {
    return launch_batch_norm_forward(arrays().a, shape_of(state), parameter(0), parameter(1),
                                     parameter(2), parameter(3), arrays().b, stream);
  });
}

void batch_norm_backward_reduce(benchmark::State& state) {
  measure(state, 2, [&](cudaStream_t stream) {
    return launch_batch_norm_backward_reduce(arrays().a, arrays().b, shape_of(state), parameter(0),
                                             parameter(1), result(4), result(2), result(3), stream);
  });
}

void batch_norm_backward(benchmark::State& state) {
  measure(state, 3, [&](cudaStream_t stream) {
    return launch_batch_norm_backward(arrays().a, arrays().b, shape_of(state), parameter(0),
                                      parameter(1), parameter(2), parameter(4), parameter(6),
                                      arrays().c, stream);
  });
}

// 512 inputs and outputs at each step; cuBLAS in float32.
void linear_forward(benchmark::State& state) {
  const Timer timer;
  LinearHandle* handle = nullptr;
  check(linear_create(&handle));
  const Shape3 shape = shape_of(state);
  const auto run = [&] {
    return timer.seconds([&] {
      return launch_linear_forward(handle, arrays().a, arrays().c, parameter(0), shape, kChannels,
                                   arrays().b, timer.stream());
    });
  };
  run();
  for (auto _ : state) state.SetIterationTime(run());
  const double flop = 2.0 * kChannels * static_cast<double>(floats(state));
  state.counters["flop/s"] =
      benchmark::Counter(flop, benchmark::Counter::kIsIterationInvariantRate);
  check(linear_destroy(handle));
}

void sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->UseManualTime()->Unit(benchmark::kMicrosecond)->MinTime(0.1);
  for (const std::int64_t mib : {2, 32, 256}) benchmark->Arg(mib * kMib);
}

BENCHMARK(copy)->Apply(sizes);
BENCHMARK(bucket_pack)->Apply(sizes);
BENCHMARK(bucket_pack_unaligned)->Apply(sizes);
BENCHMARK(gradient_scale)->Apply(sizes);
BENCHMARK(nan_scan)->Apply(sizes);
BENCHMARK(sgd_momentum)->Apply(sizes);
BENCHMARK(batch_norm_statistics)->Apply(sizes);
BENCHMARK(batch_norm_forward)->Apply(sizes);
BENCHMARK(batch_norm_backward_reduce)->Apply(sizes);
BENCHMARK(batch_norm_backward)->Apply(sizes);
BENCHMARK(linear_forward)->Apply(sizes);

}  // namespace

// Whether there is a GPU. Its name goes into the report's context.
bool find_gpu() {
  int devices = 0;
  const cudaError_t error = cudaGetDeviceCount(&devices);
  if (error != cudaSuccess || devices == 0) {
    std::fprintf(stderr, "gpu_kernels needs a GPU: CUDA says %s\n", cudaGetErrorString(error));
    return false;
  }
  cudaDeviceProp properties{};
  int runtime = 0;
  int driver = 0;
  check(cudaGetDeviceProperties(&properties, 0));
  check(cudaRuntimeGetVersion(&runtime));
  check(cudaDriverGetVersion(&driver));
  benchmark::AddCustomContext("gpu", properties.name);
  benchmark::AddCustomContext("cuda_runtime", std::to_string(runtime));
  benchmark::AddCustomContext("cuda_driver", std::to_string(driver));
  return true;
}

}  // namespace gridlock::kernels

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  if (!gridlock::kernels::find_gpu()) return gridlock::kernels::kCannotRun;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
