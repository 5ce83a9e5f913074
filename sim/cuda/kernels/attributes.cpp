// Most attributes only affect speed (clusters, memory domains, priorities). They change nothing
// here.
#include "sim/cuda/kernels/attributes.h"

#include "sim/cuda/devices/settings.h"

namespace sim::kernels {
namespace {

// All blocks of a cooperative launch run side by side, because they may wait for each other.
cudaError_t check_cooperative(const Function& function, const Shape& shape) {
  return explained(cudaErrorInvalidDeviceFunction, [&] {
    const std::uint64_t blocks = std::uint64_t{shape.grid.x} * shape.grid.y * shape.grid.z;
    const auto threads = static_cast<int>(shape.block.x * shape.block.y * shape.block.z);
    const int at_once = blocks_at_once(function.load().kernel, threads, shape.dynamic_shared);
    const auto room = static_cast<std::uint64_t>(settings().multiprocessors) *
                      static_cast<std::uint64_t>(at_once);
    return blocks <= room ? cudaSuccess : cudaErrorCooperativeLaunchTooLarge;
  });
}

}  // namespace

cudaError_t launch_with_attributes(Function& function, const Shape& shape,
                                   const cudaLaunchAttribute* attributes, unsigned int count,
                                   void** arguments, void** extra, cudaStream_t stream) {
  if (count != 0 && attributes == nullptr) return cudaErrorInvalidValue;
  cudaEvent_t begun = nullptr;
  for (unsigned int n = 0; n < count; ++n) {
    const cudaLaunchAttribute& attribute = attributes[n];
    cudaError_t error = cudaSuccess;
    if (attribute.id == cudaLaunchAttributeCooperative && attribute.val.cooperative != 0) {
      error = check_cooperative(function, shape);
    } else if (attribute.id == cudaLaunchAttributeLaunchCompletionEvent) {
      begun = attribute.val.launchCompletionEvent.event;
    } else if (attribute.id == cudaLaunchAttributeProgrammaticEvent) {
      error = cudaEventRecord(attribute.val.programmaticEvent.event, stream);
    }
    if (error != cudaSuccess) return error;
  }
  return launch(function, shape, arguments, extra, stream, begun);
}

}  // namespace sim::kernels
