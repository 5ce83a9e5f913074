// Runtime calls for the NCCL side. A preloaded recorder intercepts the program's calls and must not
// see these.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>

#pragma GCC visibility push(default)
namespace sim::runtime {

// 0 if the calling thread or process may not use CUDA.
int device_count();

// Device 0 if the calling thread or process may not use CUDA.
int current_device();
void set_current_device(int number);

// As cudaDeviceGetPCIBusId writes it. Empty if there is no such device.
std::string pci_bus_id(int number);

// cudaMalloc and cudaFree.
//   Blocks   as they do
cudaError_t allocate(void** pointer, std::size_t bytes);
cudaError_t release(void* pointer);

const char* error_string(cudaError_t error);

}  // namespace sim::runtime
#pragma GCC visibility pop
