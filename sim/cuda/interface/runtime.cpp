// Calls inside this library are bound when it is linked, so nothing outside can intercept them.
#include "sim/cuda/interface/runtime.h"

#include <array>

namespace sim::runtime {

int device_count() {
  int count = 0;
  static_cast<void>(cudaGetDeviceCount(&count));
  return count;
}

int current_device() {
  int device = 0;
  static_cast<void>(cudaGetDevice(&device));
  return device;
}

void set_current_device(int number) { static_cast<void>(cudaSetDevice(number)); }

std::string pci_bus_id(int number) {
  std::array<char, 32> text{};
  const cudaError_t error =
      cudaDeviceGetPCIBusId(text.data(), static_cast<int>(text.size()), number);
  return error == cudaSuccess ? text.data() : "";
}

cudaError_t allocate(void** pointer, std::size_t bytes) { return cudaMalloc(pointer, bytes); }

cudaError_t release(void* pointer) { return cudaFree(pointer); }

const char* error_string(cudaError_t error) { return cudaGetErrorString(error); }

}  // namespace sim::runtime
