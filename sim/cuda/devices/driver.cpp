// The driver's functions, handed out by name. Stream memory operations are ordinary work of a
// stream.
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <sched.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>

#include "sim/cuda/devices/api.h"
#include "sim/cuda/devices/device.h"
#include "sim/cuda/devices/settings.h"

namespace {

constexpr int kSpins = 64;
constexpr long kFirstNapNanoseconds = 50'000;
constexpr long kLongestNapNanoseconds = 1'000'000;

CUresult driver(cudaError_t error) {
  return error == cudaSuccess ? CUDA_SUCCESS : static_cast<CUresult>(error);  // equal numbers
}

// The driver's interface passes addresses as integers.
template <class Word>
std::atomic_ref<Word> word_at(CUdeviceptr address) {
  return std::atomic_ref<Word>(
      *reinterpret_cast<Word*>(address));  // NOLINT(performance-no-int-to-ptr)
}

template <class Word>
struct Await final : sim::Work {
  Await(CUdeviceptr where, Word what, unsigned int how)
      : address(where), value(what), condition(how) {}

  // Anything may write the word without a wake-up, so the wait has to poll.
  void run() override {
    for (int i = 0; i < kSpins; ++i) {
      if (holds()) return;
      sched_yield();
    }
    timespec nap{.tv_sec = 0, .tv_nsec = kFirstNapNanoseconds};
    while (!holds()) {
      nanosleep(&nap, nullptr);
      nap.tv_nsec = std::min(2 * nap.tv_nsec, kLongestNapNanoseconds);
    }
  }

  bool holds() const {
    const Word now = word_at<Word>(address).load();
    switch (condition) {
      case CU_STREAM_WAIT_VALUE_GEQ:
        return static_cast<std::make_signed_t<Word>>(now - value) >= 0;
      case CU_STREAM_WAIT_VALUE_EQ:
        return now == value;
      case CU_STREAM_WAIT_VALUE_AND:
        return (now & value) != 0;
      default:
        return (now | value) != static_cast<Word>(~Word{0});
    }
  }

  CUdeviceptr address;
  Word value;
  unsigned int condition;
};

// Puts what `make()` returns on the stream, if the arguments are sound.
template <class Make>
CUresult enqueue(CUstream handle, CUdeviceptr address, std::size_t alignment, Make make) {
  if (const cudaError_t error = sim::admission(); error != cudaSuccess) return driver(error);
  if (address == 0 || address % alignment != 0) return CUDA_ERROR_INVALID_VALUE;
  sim::Stream* stream = sim::find_stream(handle);
  if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  return driver(stream->push(make()));
}

template <class Word>
CUresult write_value(CUstream stream, CUdeviceptr address, Word value, unsigned int flags) {
  if ((flags & ~static_cast<unsigned int>(CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER)) != 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return enqueue(stream, address, sizeof(Word), [=] {
    return sim::WordStore{.address = reinterpret_cast<void*>(address),  // NOLINT(*int-to-ptr)
                          .value = value,
                          .bytes = sizeof(Word)};
  });
}

template <class Word>
CUresult wait_value(CUstream stream, CUdeviceptr address, Word value, unsigned int flags) {
  const unsigned int condition = flags & ~static_cast<unsigned int>(CU_STREAM_WAIT_VALUE_FLUSH);
  if (condition > CU_STREAM_WAIT_VALUE_NOR) return CUDA_ERROR_INVALID_VALUE;
  return enqueue(stream, address, sizeof(Word),
                 [=] { return std::make_unique<Await<Word>>(address, value, condition); });
}

struct Entry {
  std::string_view name;
  void* function;
};

template <class Function>
void* erased(Function* function) {
  return reinterpret_cast<void*>(function);
}

void* find(std::string_view name) {
  if (name.ends_with("_v2")) name.remove_suffix(3);
  const Entry entries[] = {
      {"cuInit", erased(&cuInit)},
      {"cuDriverGetVersion", erased(&cuDriverGetVersion)},
      {"cuGetErrorString", erased(&cuGetErrorString)},
      {"cuGetErrorName", erased(&cuGetErrorName)},
      {"cuDeviceGet", erased(&cuDeviceGet)},
      {"cuDeviceGetCount", erased(&cuDeviceGetCount)},
      {"cuDeviceGetAttribute", erased(&cuDeviceGetAttribute)},
      {"cuCtxGetCurrent", erased(&cuCtxGetCurrent)},
      {"cuMemGetAllocationGranularity", erased(&cuMemGetAllocationGranularity)},
      {"cuMemCreate", erased(&cuMemCreate)},
      {"cuMemRelease", erased(&cuMemRelease)},
      {"cuMemAddressReserve", erased(&cuMemAddressReserve)},
      {"cuMemAddressFree", erased(&cuMemAddressFree)},
      {"cuMemMap", erased(&cuMemMap)},
      {"cuMemUnmap", erased(&cuMemUnmap)},
      {"cuMemSetAccess", erased(&cuMemSetAccess)},
      {"cuMemGetAccess", erased(&cuMemGetAccess)},
      {"cuMemExportToShareableHandle", erased(&cuMemExportToShareableHandle)},
      {"cuMemImportFromShareableHandle", erased(&cuMemImportFromShareableHandle)},
      {"cuMemGetAllocationPropertiesFromHandle", erased(&cuMemGetAllocationPropertiesFromHandle)},
      {"cuMemRetainAllocationHandle", erased(&cuMemRetainAllocationHandle)},
      {"cuMemGetAddressRange", erased(&cuMemGetAddressRange)},
      {"cuPointerGetAttribute", erased(&cuPointerGetAttribute)},
      {"cuPointerGetAttributes", erased(&cuPointerGetAttributes)},
      {"cuPointerSetAttribute", erased(&cuPointerSetAttribute)},
      {"cuStreamWriteValue32", erased(&cuStreamWriteValue32)},
      {"cuStreamWaitValue32", erased(&cuStreamWaitValue32)},
      {"cuStreamWriteValue64", erased(&cuStreamWriteValue64)},
      {"cuStreamWaitValue64", erased(&cuStreamWaitValue64)},
  };
  for (const Entry& entry : entries) {
    if (entry.name == name) return entry.function;
  }
  return nullptr;
}

}  // namespace

CUresult cuInit(unsigned int Flags) {
  return Flags == 0 ? driver(sim::admission()) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDriverGetVersion(int* driverVersion) {
  if (driverVersion == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *driverVersion = CUDA_VERSION;
  return CUDA_SUCCESS;
}

// The driver's codes equal the runtime's, so the sentences do too.
CUresult cuGetErrorString(CUresult error, const char** pStr) {
  if (pStr == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *pStr = cudaGetErrorString(static_cast<cudaError_t>(error));
  return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult error, const char** pStr) {
  if (pStr == nullptr) return CUDA_ERROR_INVALID_VALUE;
  switch (error) {
    case CUDA_SUCCESS:
      *pStr = "CUDA_SUCCESS";
      break;
    case CUDA_ERROR_INVALID_VALUE:
      *pStr = "CUDA_ERROR_INVALID_VALUE";
      break;
    case CUDA_ERROR_OUT_OF_MEMORY:
      *pStr = "CUDA_ERROR_OUT_OF_MEMORY";
      break;
    case CUDA_ERROR_NOT_INITIALIZED:
      *pStr = "CUDA_ERROR_NOT_INITIALIZED";
      break;
    case CUDA_ERROR_DEINITIALIZED:
      *pStr = "CUDA_ERROR_DEINITIALIZED";
      break;
    case CUDA_ERROR_NO_DEVICE:
      *pStr = "CUDA_ERROR_NO_DEVICE";
      break;
    case CUDA_ERROR_INVALID_DEVICE:
      *pStr = "CUDA_ERROR_INVALID_DEVICE";
      break;
    case CUDA_ERROR_INVALID_CONTEXT:
      *pStr = "CUDA_ERROR_INVALID_CONTEXT";
      break;
    case CUDA_ERROR_INVALID_HANDLE:
      *pStr = "CUDA_ERROR_INVALID_HANDLE";
      break;
    case CUDA_ERROR_NOT_FOUND:
      *pStr = "CUDA_ERROR_NOT_FOUND";
      break;
    case CUDA_ERROR_NOT_READY:
      *pStr = "CUDA_ERROR_NOT_READY";
      break;
    case CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED:
      *pStr = "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED";
      break;
    case CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED:
      *pStr = "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED";
      break;
    case CUDA_ERROR_NOT_PERMITTED:
      *pStr = "CUDA_ERROR_NOT_PERMITTED";
      break;
    case CUDA_ERROR_NOT_SUPPORTED:
      *pStr = "CUDA_ERROR_NOT_SUPPORTED";
      break;
    case CUDA_ERROR_UNKNOWN:
      *pStr = "CUDA_ERROR_UNKNOWN";
      break;
    default:
      *pStr = nullptr;
      return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!sim::device_exists(ordinal)) return CUDA_ERROR_INVALID_DEVICE;
  *device = ordinal;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count) { return driver(cudaGetDeviceCount(count)); }

CUresult cuDeviceGetAttribute(int* pi, CUdevice_attribute attrib, CUdevice dev) {
  return driver(cudaDeviceGetAttribute(pi, static_cast<cudaDeviceAttr>(attrib), dev));
}

CUresult cuCtxGetCurrent(CUcontext* pctx) {
  if (pctx == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *pctx = reinterpret_cast<CUcontext>(&sim::device(sim::current_device()));
  return CUDA_SUCCESS;
}

CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                              unsigned int flags) {
  return write_value(stream, addr, value, flags);
}

CUresult cuStreamWaitValue32(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                             unsigned int flags) {
  return wait_value(stream, addr, value, flags);
}

CUresult cuStreamWriteValue64(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                              unsigned int flags) {
  return write_value(stream, addr, value, flags);
}

CUresult cuStreamWaitValue64(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                             unsigned int flags) {
  return wait_value(stream, addr, value, flags);
}

cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** funcPtr, unsigned long long,
                                    cudaDriverEntryPointQueryResult* driverStatus) {
  return sim::api([&] {
    if (symbol == nullptr || funcPtr == nullptr) return cudaErrorInvalidValue;
    *funcPtr = find(symbol);
    if (driverStatus != nullptr) {
      *driverStatus =
          *funcPtr == nullptr ? cudaDriverEntryPointSymbolNotFound : cudaDriverEntryPointSuccess;
    }
    return *funcPtr == nullptr && driverStatus == nullptr ? cudaErrorSymbolNotFound : cudaSuccess;
  });
}

cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** funcPtr, unsigned int,
                                             unsigned long long flags,
                                             cudaDriverEntryPointQueryResult* driverStatus) {
  return cudaGetDriverEntryPoint(symbol, funcPtr, flags, driverStatus);
}
