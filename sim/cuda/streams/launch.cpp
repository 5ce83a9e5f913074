// Simulated kernels.
#include <gridlock_sim/launch.h>

#include <memory>

#include "sim/cuda/devices/api.h"
#include "sim/cuda/devices/device.h"
#include "sim/cuda/interface/kernel.h"

namespace {

// A plain function that stands in for a kernel.
struct Body {
  int device;
  void (*function)(void*);
  void* argument;

  void run() const {
    if (!sim::kernel_begins(device)) return;
    function(argument);
    sim::kernel_ends(device);
  }
};

struct Kernel final : sim::Work {
  Kernel(const Body& called, void (*dropped)(void*)) : body(called), drop(dropped) {}
  void run() override {
    body.run();
    if (drop != nullptr) drop(body.argument);
  }
  Body body;
  void (*drop)(void*);
};

// May run several times or never. It is dropped with the last graph that has it.
struct CapturedKernel final : sim::Work {
  explicit CapturedKernel(const Body& called) : body(called) {}
  ~CapturedKernel() override {
    if (drop != nullptr) drop(body.argument);
  }
  void run() override { body.run(); }
  Body body;
  void (*drop)(void*) = nullptr;
};

}  // namespace

cudaError_t simLaunch(cudaStream_t stream, void (*function)(void*), void* argument,
                      void (*drop)(void*)) {
  return sim::api([&] {
    if (function == nullptr) return cudaErrorInvalidDeviceFunction;
    sim::Stream* target = sim::find_stream(stream);
    if (target == nullptr || target->device() != sim::current_device()) {
      return cudaErrorInvalidResourceHandle;
    }
    const Body body{target->device(), function, argument};
    if (!target->captured()) return target->push(std::make_unique<Kernel>(body, drop));
    auto kernel = std::make_unique<CapturedKernel>(body);
    CapturedKernel& captured = *kernel;
    const cudaError_t error = target->push(std::move(kernel));
    if (error == cudaSuccess) captured.drop = drop;  // before that, the caller still owns it
    return error;
  });
}
