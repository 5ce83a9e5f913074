// The copy is work of its stream's device, which need not be the communicator's.
#include "sim/nccl/collectives/copy.h"

#include <array>
#include <cstring>
#include <memory>

#include "sim/cuda/interface/runtime.h"
#include "sim/nccl/api/log.h"
#include "sim/nccl/collectives/reduce.h"

namespace sim::nccl {
namespace {

// NCCL turns an average of floats into a sum with a factor, which is 1 here.
bool is_kernel(const Call& call) {
  return call.scaled || (call.op == ncclAvg && call.type > ncclUint64);
}

class Copy final : public Work {
 public:
  Copy(const Call& call, int device) : call_(call), device_(device) {}

  void run() override {
    if (!kernel_begins(device_)) return;
    const bool reads = is_visible(call_.send, call_.bytes);
    if (!reads || !is_visible(call_.receive, call_.bytes)) {
      return fail_at_address(device_, "an operation of NCCL", reads ? call_.receive : call_.send);
    }
    Input input{.data = static_cast<const std::byte*>(call_.send),
                .scaled = call_.scaled,
                .scalar = call_.factor.bits};
    if (call_.scaled && call_.factor.where != nullptr) {
      input.scalar = 0;
      std::memcpy(&input.scalar, call_.factor.where, size_of(call_.factor.type));
    }
    if (!call_.scaled) {
      std::memmove(call_.receive, call_.send, call_.bytes);
    } else {
      reduce(static_cast<std::byte*>(call_.receive), std::array{input}, call_.bytes, call_.type,
             call_.op);
    }
  }
  std::unique_ptr<Work> again() override { return std::make_unique<Copy>(call_, device_); }
  cudaGraphNodeType node_type() const override {
    return is_kernel(call_) ? cudaGraphNodeTypeKernel : cudaGraphNodeTypeMemcpy;
  }

 private:
  Call call_;
  int device_;
};

}  // namespace

ncclResult_t enqueue_copy(const Call& call, cudaStream_t stream) {
  if (call.send == call.receive && !is_kernel(call)) return ncclSuccess;
  const cudaError_t error = enqueue(stream, std::make_unique<Copy>(call, device_of(stream)));
  if (error == cudaSuccess) return ncclSuccess;
  return fail(ncclUnhandledCudaError, "cannot enqueue on the stream: %s",
              runtime::error_string(error));
}

}  // namespace sim::nccl
