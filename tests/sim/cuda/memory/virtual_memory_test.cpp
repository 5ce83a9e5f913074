// The driver's virtual memory calls, memory of other processes, and pools.
#include <cuda.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "tests/sim/cuda/cuda_test.h"

namespace {

using sim_test::check;
using sim_test::free_memory;
using sim_test::StreamOwner;

constexpr CUmemAllocationProp kOnDevice0{
    .type = CU_MEM_ALLOCATION_TYPE_PINNED,
    .requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
    .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0},
    .win32HandleMetaData = nullptr,
    .allocFlags = {}};
constexpr CUmemAccessDesc kBoth{{CU_MEM_LOCATION_TYPE_DEVICE, 0},
                                CU_MEM_ACCESS_FLAGS_PROT_READWRITE};

void check(CUresult result) { ASSERT_EQ(result, CUDA_SUCCESS); }

std::size_t granularity() {
  std::size_t bytes = 0;
  check(cuMemGetAllocationGranularity(&bytes, &kOnDevice0, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  return bytes;
}

CUmemGenericAllocationHandle create(std::size_t bytes) {
  CUmemGenericAllocationHandle handle = 0;
  check(cuMemCreate(&handle, bytes, &kOnDevice0, 0));
  return handle;
}

CUdeviceptr map(CUmemGenericAllocationHandle handle, std::size_t bytes) {
  CUdeviceptr address = 0;
  check(cuMemAddressReserve(&address, bytes, 0, 0, 0));
  check(cuMemMap(address, bytes, 0, handle, 0));
  check(cuMemSetAccess(address, bytes, &kBoth, 1));
  return address;
}

void unmap(CUdeviceptr address, std::size_t bytes) {
  check(cuMemUnmap(address, bytes));
  check(cuMemAddressFree(address, bytes));
}

void* pointer(CUdeviceptr address) {
  return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
}

TEST(CudaVirtualMemory, TwoMappingsShowTheSameMemory) {
  const std::size_t bytes = granularity();
  const CUmemGenericAllocationHandle handle = create(bytes);
  const CUdeviceptr first = map(handle, bytes);
  const CUdeviceptr second = map(handle, bytes);
  check(cuMemRelease(handle));  // the mappings keep it
  const int sent = 42;
  int received = 0;
  check(cudaMemcpy(pointer(first), &sent, sizeof sent, cudaMemcpyHostToDevice));
  check(cudaMemcpy(&received, pointer(second), sizeof sent, cudaMemcpyDeviceToHost));
  EXPECT_EQ(received, 42);
  cudaPointerAttributes attributes{};
  check(cudaPointerGetAttributes(&attributes, pointer(first)));
  EXPECT_EQ(attributes.type, cudaMemoryTypeDevice);
  EXPECT_EQ(attributes.device, 0);
  unmap(first, bytes);
  unmap(second, bytes);
}

TEST(CudaVirtualMemory, CountsAsTheDevicesUntilNothingRefersToIt) {
  const std::size_t bytes = granularity();
  const std::size_t before = free_memory();
  const CUmemGenericAllocationHandle handle = create(bytes);
  EXPECT_EQ(free_memory(), before - bytes);
  const CUdeviceptr address = map(handle, bytes);
  check(cuMemRelease(handle));
  EXPECT_EQ(free_memory(), before - bytes);
  CUmemGenericAllocationHandle again = 0;
  check(cuMemRetainAllocationHandle(&again, pointer(address)));
  unmap(address, bytes);
  EXPECT_EQ(free_memory(), before - bytes);
  check(cuMemRelease(again));
  EXPECT_EQ(free_memory(), before);
  EXPECT_EQ(cuMemRelease(again), CUDA_ERROR_INVALID_VALUE);
}

TEST(CudaVirtualMemory, MemoryWithoutAccessIsNotCopied) {
  const std::size_t bytes = granularity();
  const CUmemGenericAllocationHandle handle = create(bytes);
  CUdeviceptr address = 0;
  check(cuMemAddressReserve(&address, bytes, 0, 0, 0));
  check(cuMemMap(address, bytes, 0, handle, 0));
  EXPECT_EQ(cudaMemset(pointer(address), 0, 4), cudaErrorInvalidValue);
  EXPECT_EQ(cuMemMap(address, bytes, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAddressFree(address, bytes), CUDA_ERROR_INVALID_VALUE) << "still mapped";
  check(cuMemSetAccess(address, bytes, &kBoth, 1));
  check(cudaMemset(pointer(address), 0, bytes));
  EXPECT_EQ(cudaMemset(pointer(address), 0, bytes + 1), cudaErrorInvalidValue);
  check(cudaDeviceSynchronize());  // unmapping waits for nobody
  unmap(address, bytes);
  check(cuMemRelease(handle));
  static_cast<void>(cudaGetLastError());
}

TEST(CudaVirtualMemory, ADescriptorCarriesItElsewhere) {
  const std::size_t bytes = granularity();
  const CUmemGenericAllocationHandle handle = create(bytes);
  const CUdeviceptr own = map(handle, bytes);
  int descriptor = -1;
  check(cuMemExportToShareableHandle(&descriptor, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                                     0));
  CUmemGenericAllocationHandle imported = 0;
  check(cuMemImportFromShareableHandle(
      &imported,
      reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor)),  // NOLINT(*int-to-ptr)
      CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
  close(descriptor);
  CUmemAllocationProp properties{};
  check(cuMemGetAllocationPropertiesFromHandle(&properties, imported));
  EXPECT_EQ(properties.location.type, CU_MEM_LOCATION_TYPE_DEVICE);
  const CUdeviceptr other = map(imported, bytes);
  check(cudaMemset(pointer(own), 7, 1));
  check(cudaDeviceSynchronize());
  unsigned char byte = 0;
  check(cudaMemcpy(&byte, pointer(other), 1, cudaMemcpyDeviceToHost));
  EXPECT_EQ(byte, 7);
  unmap(own, bytes);
  unmap(other, bytes);
  check(cuMemRelease(handle));
  check(cuMemRelease(imported));
  EXPECT_EQ(cuMemImportFromShareableHandle(&imported, static_cast<void*>(nullptr),
                                           CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR),
            CUDA_ERROR_INVALID_VALUE)
      << "no memory of ours";
}

TEST(CudaVirtualMemory, BadSizesAreRefused) {
  CUmemGenericAllocationHandle handle = 0;
  EXPECT_EQ(cuMemCreate(&handle, 1, &kOnDevice0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemCreate(&handle, std::size_t{1} << 50, &kOnDevice0, 0), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(cuMemUnmap(granularity(), granularity()), CUDA_ERROR_INVALID_VALUE);
}

TEST(CudaPointer, SaysWhereItsRangeBegins) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, 1000));
  const auto address = reinterpret_cast<CUdeviceptr>(memory);
  CUdeviceptr base = 0;
  std::size_t bytes = 0;
  check(cuMemGetAddressRange(&base, &bytes, address + 500));
  EXPECT_EQ(base, address);
  EXPECT_EQ(bytes, 1000U);
  int device = -1;
  check(cuPointerGetAttribute(&device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, address));
  EXPECT_EQ(device, 0);
  check(cudaFree(memory));
  EXPECT_EQ(cuMemGetAddressRange(&base, &bytes, address), CUDA_ERROR_NOT_FOUND);
}

// Neither process has used CUDA before the fork, because the children of a process that has used it
// may not use CUDA.
constexpr int kUsedBefore = 99;

TEST(CudaIpc, AnotherProcessWritesIntoTheMemory) {
  const pid_t owner = fork();
  ASSERT_GE(owner, 0);
  if (owner == 0) {
    int handles[2];
    if (pipe(handles) != 0) _exit(10);
    const pid_t opener = fork();
    if (opener == 0) {
      close(handles[1]);
      cudaIpcMemHandle_t handle;
      void* opened = nullptr;
      if (read(handles[0], &handle, sizeof handle) != static_cast<ssize_t>(sizeof handle)) _exit(1);
      if (cudaIpcOpenMemHandle(&opened, handle, cudaIpcMemLazyEnablePeerAccess) != cudaSuccess)
        _exit(2);
      void* twice = nullptr;
      if (cudaIpcOpenMemHandle(&twice, handle, cudaIpcMemLazyEnablePeerAccess) != cudaSuccess)
        _exit(3);
      if (twice != opened || cudaMemset(opened, 9, 100) != cudaSuccess) _exit(4);
      if (cudaMemset(opened, 9, 101) != cudaErrorInvalidValue) _exit(5);
      if (cudaDeviceSynchronize() != cudaSuccess) _exit(6);
      if (cudaIpcCloseMemHandle(opened) != cudaSuccess) _exit(7);
      if (cudaIpcCloseMemHandle(opened) != cudaSuccess) _exit(8);
      _exit(cudaIpcCloseMemHandle(opened) == cudaErrorInvalidValue ? 0 : 9);
    }
    void* memory = nullptr;
    cudaIpcMemHandle_t handle;
    const cudaError_t error = cudaMalloc(&memory, 100);
    if (error == cudaErrorInitializationError) _exit(kUsedBefore);
    if (error != cudaSuccess) _exit(11);
    if (cudaIpcGetMemHandle(&handle, memory) != cudaSuccess) _exit(12);
    void* same = nullptr;
    if (cudaIpcOpenMemHandle(&same, handle, cudaIpcMemLazyEnablePeerAccess) == cudaSuccess)
      _exit(13);
    if (write(handles[1], &handle, sizeof handle) != static_cast<ssize_t>(sizeof handle)) _exit(14);
    int status = 0;
    waitpid(opener, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) _exit(20 + WEXITSTATUS(status));
    unsigned char bytes[100];
    if (cudaMemcpy(bytes, memory, 100, cudaMemcpyDeviceToHost) != cudaSuccess) _exit(15);
    _exit(bytes[0] == 9 && bytes[99] == 9 ? 0 : 16);
  }
  int status = 0;
  waitpid(owner, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == kUsedBefore) GTEST_SKIP() << "another test has used CUDA before";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(CudaPool, CountsWhatIsAllocatedFromIt) {
  const StreamOwner stream;
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, 0};
  cudaMemPool_t pool = nullptr;
  check(cudaMemPoolCreate(&pool, &properties));
  std::uint64_t threshold = 1 << 20;
  check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  void* memory = nullptr;
  check(cudaMallocFromPoolAsync(&memory, 1000, pool, stream));
  check(cudaMemsetAsync(memory, 1, 1000, stream));
  std::uint64_t used = 0;
  check(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
  EXPECT_EQ(used, 1000U);
  check(cudaFreeAsync(memory, stream));
  check(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
  EXPECT_EQ(used, 0U);
  check(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &used));
  EXPECT_EQ(used, 1000U);
  check(cudaStreamSynchronize(stream));
  check(cudaMemPoolDestroy(pool));
  EXPECT_EQ(cudaMemPoolDestroy(pool), cudaErrorInvalidValue);
  check(cudaDeviceGetDefaultMemPool(&pool, 0));
  EXPECT_EQ(cudaMemPoolDestroy(pool), cudaErrorInvalidValue);
  static_cast<void>(cudaGetLastError());
}

TEST(CudaBatchCopy, CopiesAll) {
  const StreamOwner stream;
  void* memory = nullptr;
  check(cudaMalloc(&memory, 8));
  int from[2] = {1, 2};
  int to[2] = {};
  cudaMemcpyAttributes attributes{};
  attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  std::size_t first = 0;
  const std::size_t sizes[2] = {4, 4};
  auto* bytes = static_cast<char*>(memory);
  void* const in[2] = {bytes, bytes + 4};
  const void* const sources[2] = {&from[0], &from[1]};
  void* const out[2] = {&to[0], &to[1]};
  const void* const results[2] = {bytes, bytes + 4};
  check(cudaMemcpyBatchAsync(in, sources, sizes, 2, &attributes, &first, 1, stream));
  check(cudaMemcpyBatchAsync(out, results, sizes, 2, &attributes, &first, 1, stream));
  check(cudaStreamSynchronize(stream));
  EXPECT_EQ(to[0], 1);
  EXPECT_EQ(to[1], 2);
  EXPECT_EQ(cudaMemcpyBatchAsync(in, sources, sizes, 2, &attributes, &first, 0, stream),
            cudaErrorInvalidValue);
  check(cudaFree(memory));
  static_cast<void>(cudaGetLastError());
}

}  // namespace
