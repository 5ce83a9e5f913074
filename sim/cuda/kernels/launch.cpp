// A kernel runs on the thread of its stream. The blocks that fit on the device are resident at the
// same time.
#include "sim/cuda/kernels/launch.h"

#include <cuda.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "sim/cuda/devices/broken.h"
#include "sim/cuda/devices/device.h"
#include "sim/cuda/devices/settings.h"
#include "sim/cuda/interface/kernel.h"
#include "sim/cuda/kernels/room.h"
#include "sim/cuda/memory/visible.h"
#include "sim/ptx/machine.h"

namespace sim::kernels {
namespace {

cudaError_t error_of(ptx::FaultKind kind) {
  switch (kind) {
    case ptx::FaultKind::kIllegalAddress:
      return cudaErrorIllegalAddress;
    case ptx::FaultKind::kMisalignedAddress:
      return cudaErrorMisalignedAddress;
    case ptx::FaultKind::kIllegalInstruction:
      return cudaErrorIllegalInstruction;
    case ptx::FaultKind::kAssert:
      return cudaErrorAssert;
    default:
      return cudaErrorLaunchFailure;
  }
}

using Place = std::optional<Room>;

// Takes a kernel's room before the kernel, so that an event between the two shows that the kernel
// has begun. (Work that another thread puts between them on the same stream runs inside that room.)
class Reservation final : public Work {
 public:
  Reservation(std::shared_ptr<Place> place, int device)
      : place_(std::move(place)), device_(device) {}
  void run() override { place_->emplace(device_, stop_when_broken(device_)); }

 private:
  const std::shared_ptr<Place> place_;
  const int device_;
};

// In a graph it runs once for each launch of the graph.
class Kernel final : public Work {
 public:
  Kernel(const Function::Loaded& loaded, std::shared_ptr<Image> image, const Shape& shape,
         std::vector<std::byte> parameters, int device, std::shared_ptr<Place> reserved)
      : program_(loaded.program),
        image_(std::move(image)),
        parameters_(std::move(parameters)),
        reserved_(std::move(reserved)),
        device_(device) {
    launch_.kernel = &loaded.kernel;
    const unsigned grid[] = {shape.grid.x, shape.grid.y, shape.grid.z};
    const unsigned block[] = {shape.block.x, shape.block.y, shape.block.z};
    std::copy_n(grid, 3, launch_.grid);
    std::copy_n(block, 3, launch_.block);
    launch_.dynamic_shared = static_cast<std::uint32_t>(shape.dynamic_shared);
    launch_.parameters = parameters_;
    const auto threads = static_cast<int>(block[0] * block[1] * block[2]);
    launch_.resident_blocks =
        static_cast<std::uint32_t>(settings().multiprocessors) *
        static_cast<std::uint32_t>(blocks_at_once(loaded.kernel, threads, shape.dynamic_shared));
  }

  void run() override {
    Place place;
    Place& room = reserved_ == nullptr ? place : *reserved_;
    if (broken(device_) == cudaSuccess) {
      const std::stop_token stop = stop_when_broken(device_);
      if (!room) room.emplace(device_, stop);
      if (room->taken() && kernel_begins(device_)) {
        execute(stop);
        kernel_ends(device_);
      }
    }
    room.reset();
  }

 private:
  void execute(const std::stop_token& stop) {
    try {
      ptx::Execution execution(program_, visible(), launch_);
      const ptx::Outcome outcome = execution.run(stop);
      if (outcome.kind != ptx::Outcome::Kind::kFailed) return;
      fail(error_of(outcome.failure->kind), outcome.failure->sentence.c_str());
    } catch (const ptx::Refused& refused) {
      fail(cudaErrorLaunchFailure, refused.what());
    }
  }

  void fail(cudaError_t error, const char* why) const {
    std::fprintf(stderr, "gridlock-sim: a kernel on device %d failed: %s\n", device_, why);
    break_device(device_, error);
  }

  const ptx::Program& program_;
  const std::shared_ptr<Image> image_;  // holds the program
  const std::vector<std::byte> parameters_;
  const std::shared_ptr<Place> reserved_;  // null: the kernel takes its room itself
  const int device_;
  ptx::Launch launch_;
};

cudaError_t check(const Function& function, const ptx::Function& kernel, const Shape& shape) {
  const dim3& grid = shape.grid;
  const dim3& block = shape.block;
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  if (threads == 0 || block.x > kMostThreads || block.y > kMostThreads || block.z > 64 ||
      threads > kMostThreads || grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.x > 0x7fffffffU ||
      grid.y > 65535 || grid.z > 65535) {
    return cudaErrorInvalidConfiguration;
  }
  if (shape.dynamic_shared > static_cast<std::size_t>(function.dynamic_shared.load())) {
    return cudaErrorInvalidValue;
  }
  const int blocks = blocks_at_once(kernel, static_cast<int>(threads), shape.dynamic_shared);
  return blocks == 0 ? cudaErrorLaunchOutOfResources : cudaSuccess;
}

// The buffer that `extra` names; nothing if it names none.
std::optional<std::pair<const std::byte*, std::size_t>> buffer_of(void** extra) {
  const std::byte* data = nullptr;
  std::optional<std::size_t> bytes;
  for (; extra != nullptr && *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER) data = static_cast<std::byte*>(extra[1]);
    if (extra[0] == CU_LAUNCH_PARAM_BUFFER_SIZE) bytes = *static_cast<std::size_t*>(extra[1]);
  }
  if (data == nullptr || !bytes) return std::nullopt;
  return std::pair{data, *bytes};
}

bool gather(const ptx::Function& kernel, void** arguments, void** extra,
            std::vector<std::byte>& parameters) {
  parameters.assign(kernel.parameter_bytes, std::byte{0});
  if (kernel.parameters.empty()) return true;
  if (arguments != nullptr) {
    for (std::size_t n = 0; n < kernel.parameters.size(); ++n) {
      if (arguments[n] == nullptr) return false;
      const ptx::Slot& slot = kernel.parameters[n];
      std::memcpy(parameters.data() + slot.offset, arguments[n], slot.bytes);
    }
    return true;
  }
  // The program may leave out padding at the end, but may not pass more than the kernel takes.
  const auto buffer = buffer_of(extra);
  if (!buffer || buffer->second > (parameters.size() + 15) / 16 * 16) return false;
  std::memcpy(parameters.data(), buffer->first, std::min(buffer->second, parameters.size()));
  return true;
}

}  // namespace

cudaError_t launch(Function& function, const Shape& shape, void** arguments, void** extra,
                   cudaStream_t stream, cudaEvent_t begun) {
  return explained(cudaErrorInvalidDeviceFunction, [&] {
    Stream* target = find_stream(stream);
    if (target == nullptr || target->device() != current_device()) {
      return cudaErrorInvalidResourceHandle;
    }
    const Function::Loaded loaded = function.load();
    wait_for_load(function);
    if (const cudaError_t error = check(function, loaded.kernel, shape); error != cudaSuccess) {
      return error;
    }
    std::vector<std::byte> parameters;
    if (!gather(loaded.kernel, arguments, extra, parameters)) return cudaErrorInvalidValue;
    std::shared_ptr<Place> reserved;
    if (begun != nullptr) {
      cudaError_t error = cudaSuccess;
      if (settings().room != 0 && !is_captured(stream)) {
        reserved = std::make_shared<Place>();
        error = target->push(std::make_unique<Reservation>(reserved, target->device()));
      }
      if (error == cudaSuccess) error = cudaEventRecord(begun, stream);
      if (error != cudaSuccess) return error;
    }
    return target->push(std::make_unique<Kernel>(loaded, function.image, shape,
                                                 std::move(parameters), target->device(),
                                                 std::move(reserved)));
  });
}

}  // namespace sim::kernels

namespace sim {

bool is_visible(const void* data, std::size_t bytes) {
  auto at = reinterpret_cast<std::uint64_t>(data);
  const std::uint64_t end = at + bytes;
  while (at < end) {
    const ptx::Memory::Range range = visible().find(at);
    if (range.bytes == 0) return false;
    at = range.begin + range.bytes;
  }
  return true;
}

void fail_at_address(int device, const char* what, const void* data) {
  std::fprintf(stderr, "gridlock-sim: a kernel on device %d failed: illegal address %p in %s\n",
               device, data, what);
  break_device(device, cudaErrorIllegalAddress);
}

}  // namespace sim
