// Stream memory operations. They are ordinary work of a stream.
#include <cuda.h>
#include <sched.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>

#include "sim/cuda/devices/api.h"
#include "sim/cuda/devices/broken.h"
#include "sim/cuda/devices/device.h"
#include "sim/cuda/driver/results.h"

namespace {

using sim::driver;

constexpr int kSpins = 64;
constexpr long kFirstNapNanoseconds = 50'000;
constexpr long kLongestNapNanoseconds = 1'000'000;

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

  // Anything may write the word without waking this thread, so the wait has to poll.
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
  const cudaError_t error = sim::broken(stream->device());
  return driver(error == cudaSuccess ? stream->push(make()) : error);
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

CUresult one_of_batch(CUstream stream, const CUstreamBatchMemOpParams& params) {
  switch (params.operation) {
    case CU_STREAM_MEM_OP_WAIT_VALUE_32:
      return wait_value(stream, params.waitValue.address, params.waitValue.value,
                        params.waitValue.flags);
    case CU_STREAM_MEM_OP_WAIT_VALUE_64:
      return wait_value(stream, params.waitValue.address, params.waitValue.value64,
                        params.waitValue.flags);
    case CU_STREAM_MEM_OP_WRITE_VALUE_32:
      return write_value(stream, params.writeValue.address, params.writeValue.value,
                         params.writeValue.flags);
    case CU_STREAM_MEM_OP_WRITE_VALUE_64:
      return write_value(stream, params.writeValue.address, params.writeValue.value64,
                         params.writeValue.flags);
    default:  // a flush or a barrier: nothing to do, because memory is coherent
      return CUDA_SUCCESS;
  }
}

}  // namespace

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

// Checks all operations first, so that either all or none are enqueued.
CUresult cuStreamBatchMemOp(CUstream stream, unsigned int count, CUstreamBatchMemOpParams* params,
                            unsigned int flags) {
  if (params == nullptr || count > 256 || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  for (unsigned int n = 0; n < count; ++n) {
    if (params[n].operation < CU_STREAM_MEM_OP_WAIT_VALUE_32 ||
        params[n].operation > CU_STREAM_MEM_OP_BARRIER) {
      return CUDA_ERROR_INVALID_VALUE;
    }
  }
  for (unsigned int n = 0; n < count; ++n) {
    const CUresult result = one_of_batch(stream, params[n]);
    if (result != CUDA_SUCCESS) return result;
  }
  return CUDA_SUCCESS;
}
