// Kernels in PTX on simulated streams: loading, launching, failing.
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <thread>

#include "tests/sim/cuda/check.h"
#include "tests/sim/cuda/kernels/kernel.h"

namespace {

using sim_test::check;
using sim_test::kAddPtx;
using sim_test::Module;

constexpr unsigned kValues = 1000;

struct Floats {
  Floats() {
    check(cudaMalloc(&in, kValues * sizeof(float)));
    check(cudaMalloc(&out, kValues * sizeof(float)));
    std::vector<float> values(kValues);
    for (unsigned i = 0; i < kValues; ++i) values[i] = static_cast<float>(i);
    check(cudaMemcpy(in, values.data(), kValues * sizeof(float), cudaMemcpyHostToDevice));
    check(cudaMemset(out, 0, kValues * sizeof(float)));
  }
  CUresult launch(CUfunction function, float more, CUstream stream = nullptr) {
    unsigned count = kValues;
    void* arguments[] = {&out, &in, &more, &count};
    return cuLaunchKernel(function, (kValues + 255) / 256, 1, 1, 256, 1, 1, 0, stream, arguments,
                          nullptr);
  }
  std::vector<float> result() const {
    std::vector<float> values(kValues);
    check(cudaMemcpy(values.data(), out, kValues * sizeof(float), cudaMemcpyDeviceToHost));
    return values;
  }
  float* in = nullptr;
  float* out = nullptr;
};

TEST(SimulatedKernel, AddsOverSeveralBlocks) {
  const Module module(kAddPtx);
  Floats floats;
  ASSERT_EQ(floats.launch(module["add_more"], 0.5F), CUDA_SUCCESS);
  const std::vector<float> got = floats.result();
  for (unsigned i = 0; i < kValues; ++i) ASSERT_EQ(got[i], static_cast<float>(i) + 0.5F) << i;
}

TEST(SimulatedKernel, TakesItsParametersFromABuffer) {
  const Module module(kAddPtx);
  Floats floats;
  struct {
    float* out;
    float* in;
    float more;
    unsigned count;
  } parameters{floats.out, floats.in, 2.0F, kValues};
  std::size_t bytes = sizeof parameters;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &parameters, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   CU_LAUNCH_PARAM_END};
  ASSERT_EQ(cuLaunchKernel(module["add_more"], 4, 1, 1, 256, 1, 1, 0, nullptr, nullptr, extra),
            CUDA_SUCCESS);
  EXPECT_EQ(floats.result()[10], 12.0F);
}

TEST(SimulatedKernel, AVariableOfAModuleIsDeviceMemory) {
  const Module module(kAddPtx);
  CUdeviceptr offset = 0;
  std::size_t bytes = 0;
  ASSERT_EQ(cuModuleGetGlobal(&offset, &bytes, module.handle(), "offset"), CUDA_SUCCESS);
  EXPECT_EQ(bytes, sizeof(float));
  const float value = 100.0F;
  ASSERT_EQ(cuMemcpyHtoD(offset, &value, sizeof value), CUDA_SUCCESS);
  Floats floats;
  ASSERT_EQ(floats.launch(module["add_more"], 0.0F), CUDA_SUCCESS);
  EXPECT_EQ(floats.result()[3], 103.0F);
}

TEST(SimulatedKernel, RunsInStreamOrderAndDoesNotBlockTheHost) {
  const Module module(kAddPtx);
  unsigned* word = nullptr;
  check(cudaHostAlloc(&word, sizeof *word, cudaHostAllocMapped));
  *word = 0;
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  void* arguments[] = {&word};
  ASSERT_EQ(cuLaunchKernel(module["spin"], 1, 1, 1, 32, 1, 1, 0, stream, arguments, nullptr),
            CUDA_SUCCESS);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
  __atomic_store_n(word, 1U, __ATOMIC_RELEASE);
  check(cudaStreamSynchronize(stream));
  check(cudaStreamDestroy(stream));
}

TEST(SimulatedKernel, KnowsItsAttributes) {
  const Module module(kAddPtx);
  int value = 0;
  ASSERT_EQ(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, module["add_more"]),
            CUDA_SUCCESS);
  EXPECT_GT(value, 0);
  EXPECT_EQ(cuFuncSetAttribute(module["add_more"], CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                               200 << 10),
            CUDA_SUCCESS);
  EXPECT_EQ(cuFuncSetAttribute(module["add_more"], CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                               300 << 10),
            CUDA_ERROR_INVALID_VALUE);
}

TEST(SimulatedKernel, ALaunchThatDoesNotFitIsRefused) {
  const Module module(kAddPtx);
  void* arguments[] = {nullptr};
  const auto launch = [&](unsigned grid, unsigned block, unsigned shared) {
    return cuLaunchKernel(module["spin"], grid, 1, 1, block, 1, 1, shared, nullptr, arguments,
                          nullptr);
  };
  EXPECT_EQ(static_cast<cudaError_t>(launch(1, 2048, 0)), cudaErrorInvalidConfiguration);
  EXPECT_EQ(static_cast<cudaError_t>(launch(0, 32, 0)), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launch(1, 32, 100 << 10), CUDA_ERROR_INVALID_VALUE);
}

TEST(SimulatedKernel, TextThatIsNotPtxIsRefused) {
  CUmodule module = nullptr;
  EXPECT_EQ(cuModuleLoadData(&module, "this is no device code"), CUDA_ERROR_INVALID_PTX);
  EXPECT_EQ(cuModuleLoadData(&module, "\177ELF..."), CUDA_ERROR_INVALID_PTX);
  EXPECT_EQ(cuModuleLoadData(&module, ".version 8.0\n.target sm_90\n.visible .entry k() { hum; }"),
            CUDA_ERROR_INVALID_PTX);
}

// The error stays: every later call on the device returns it, until a reset.
TEST(SimulatedKernel, AnIllegalAddressIsAStickyError) {
  const Module module(kAddPtx);
  void* nowhere = reinterpret_cast<void*>(std::uintptr_t{16});  // NOLINT(*int-to-ptr)
  void* arguments[] = {&nowhere};
  testing::internal::CaptureStderr();
  // As in CUDA, the launch itself may return the error if the kernel fails at once.
  static_cast<void>(
      cuLaunchKernel(module["spin"], 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("spin"), std::string::npos) << said;
  EXPECT_NE(said.find(":24"), std::string::npos) << said;
  void* memory = nullptr;
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaMalloc(&memory, 16), cudaErrorIllegalAddress);
  check(cudaDeviceReset());
  static_cast<void>(cudaGetLastError());
  check(cudaMalloc(&memory, 16));
  check(cudaFree(memory));
}

TEST(SimulatedKernel, MemoryThatWasFreedIsAnIllegalAddress) {
  const Module module(kAddPtx);
  Floats floats;
  check(cudaFree(floats.out));
  static_cast<void>(floats.launch(module["add_more"], 1.0F));
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  check(cudaDeviceReset());
}

// NCCL's LL128 reads 16 bytes where four were asked for.
TEST(SimulatedKernel, MayReadToTheEndOfWhatWasSetAside) {
  const Module module(kAddPtx);
  float* small = nullptr;
  float* out = nullptr;
  check(cudaMalloc(&small, sizeof(float)));
  check(cudaMalloc(&out, 4 * sizeof(float)));
  float more = 1;
  unsigned count = 4;
  void* arguments[] = {&out, &small, &more, &count};
  EXPECT_EQ(cuLaunchKernel(module["add_more"], 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr),
            CUDA_SUCCESS);
  check(cudaDeviceSynchronize());
  check(cudaFree(out));
  check(cudaFree(small));
}

// Launches a kernel while another one fills the device. Returns whether its event came too early or
// never.
int begins_with_its_room() {
  setenv("GRIDLOCK_SIM_ROOM", "1", 1);
  const Module module(kAddPtx);
  unsigned* words = nullptr;
  check(cudaMallocHost(&words, 2 * sizeof(unsigned)));
  words[0] = words[1] = 0;
  cudaStream_t streams[2] = {};
  cudaEvent_t begun = nullptr;
  for (cudaStream_t& stream : streams) {
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  }
  check(cudaEventCreateWithFlags(&begun, cudaEventDisableTiming));
  unsigned* word[2] = {words, words + 1};
  void* first[] = {&word[0]};
  void* second[] = {&word[1]};
  static_cast<void>(
      cuLaunchKernel(module["spin"], 1, 1, 1, 1, 1, 1, 0, streams[0], first, nullptr));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the first has its room
  CUlaunchAttribute attribute{};
  attribute.id = CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT;
  attribute.value.launchCompletionEvent.event = begun;
  CUlaunchConfig config{};
  config.gridDimX = config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = config.blockDimY = config.blockDimZ = 1;
  config.hStream = streams[1];
  config.attrs = &attribute;
  config.numAttrs = 1;
  if (cuLaunchKernelEx(&config, module["spin"], second, nullptr) != CUDA_SUCCESS) return 2;
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  if (cudaEventQuery(begun) != cudaErrorNotReady) return 3;  // it has no room yet
  __atomic_store_n(word[0], 1U, __ATOMIC_RELEASE);
  check(cudaEventSynchronize(begun));
  if (cudaStreamQuery(streams[1]) != cudaErrorNotReady) return 4;  // begun, and not over
  __atomic_store_n(word[1], 1U, __ATOMIC_RELEASE);
  check(cudaStreamSynchronize(streams[1]));
  return 0;
}

TEST(SimulatedKernel, HasBegunWhenItHasItsRoom) {
  // In its own process, because the setting is read only once.
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(_exit(begins_with_its_room()), testing::ExitedWithCode(0), "");
}

}  // namespace
