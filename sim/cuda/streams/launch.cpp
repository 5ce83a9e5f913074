// Simulated kernels.
#include <gridlock_sim/launch.h>

#include <memory>

#include "sim/cuda/devices/api.h"
#include "sim/cuda/devices/device.h"

namespace {

struct Kernel final : sim::Work {
  Kernel(void (*called)(void*), void* data, void (*dropped)(void*))
      : function(called), argument(data), drop(dropped) {}
  void run() override {
    function(argument);
    if (drop != nullptr) drop(argument);
  }
  void (*function)(void*);
  void* argument;
  void (*drop)(void*);
};

// May run several times or never. It is dropped with the last graph that has it.
struct CapturedKernel final : sim::Work {
  CapturedKernel(void (*called)(void*), void* data) : function(called), argument(data) {}
  ~CapturedKernel() override {
    if (drop != nullptr) drop(argument);
  }
  void run() override { function(argument); }
  void (*function)(void*);
  void* argument;
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
    if (!target->captured())
      return target->push(std::make_unique<Kernel>(function, argument, drop));
    auto kernel = std::make_unique<CapturedKernel>(function, argument);
    CapturedKernel& captured = *kernel;
    const cudaError_t error = target->push(std::move(kernel));
    if (error == cudaSuccess) captured.drop = drop;  // before that, the caller still owns it
    return error;
  });
}
