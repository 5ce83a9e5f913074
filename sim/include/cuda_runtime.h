// The CUDA runtime for C++: the C interface, typed overloads, and what device code needs.
#pragma once

#include <assert.h>
#include <cuda_runtime_api.h>
#include <gridlock_sim/device.h>
#include <stdlib.h>
#include <string.h>
#include <vector_functions.h>

#ifdef __cplusplus
#include <cmath>
#include <limits>
#endif

#ifdef __CUDA__
// What clang makes of kernel<<<grid, block, shared, stream>>>(...).
extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0,
                                                void* stream = nullptr);
// Named only while device code is compiled, which calls neither.
extern "C" int cudaConfigureCall(dim3 grid, dim3 block, size_t shared = 0,
                                 cudaStream_t stream = nullptr);
#endif

#ifdef __cplusplus
template <class T>
inline cudaError_t cudaMalloc(T** devPtr, size_t size) {
  return cudaMalloc(reinterpret_cast<void**>(devPtr), size);
}
template <class T>
inline cudaError_t cudaMallocHost(T** ptr, size_t size, unsigned int flags = 0) {
  return cudaHostAlloc(reinterpret_cast<void**>(ptr), size, flags);
}
template <class T>
inline cudaError_t cudaHostAlloc(T** ptr, size_t size, unsigned int flags) {
  return cudaHostAlloc(reinterpret_cast<void**>(ptr), size, flags);
}
template <class T>
inline cudaError_t cudaHostGetDevicePointer(T** pDevice, void* pHost, unsigned int flags) {
  return cudaHostGetDevicePointer(reinterpret_cast<void**>(pDevice), pHost, flags);
}
template <class T>
inline cudaError_t cudaMallocAsync(T** ptr, size_t size, cudaStream_t stream) {
  return cudaMallocAsync(reinterpret_cast<void**>(ptr), size, stream);
}
template <class T>
inline cudaError_t cudaMallocAsync(T** ptr, size_t size, cudaMemPool_t pool, cudaStream_t stream) {
  return cudaMallocFromPoolAsync(reinterpret_cast<void**>(ptr), size, pool, stream);
}
template <class T>
inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attr, T* entry) {
  return cudaFuncGetAttributes(attr, reinterpret_cast<const void*>(entry));
}
template <class T>
inline cudaError_t cudaFuncSetAttribute(T* func, cudaFuncAttribute attr, int value) {
  return cudaFuncSetAttribute(reinterpret_cast<const void*>(func), attr, value);
}
template <class T>
inline cudaError_t cudaLaunchKernel(T* func, dim3 gridDim, dim3 blockDim, void** args,
                                    size_t sharedMem = 0, cudaStream_t stream = nullptr) {
  return cudaLaunchKernel(reinterpret_cast<const void*>(func), gridDim, blockDim, args, sharedMem,
                          stream);
}
template <class T>
inline cudaError_t cudaGetFuncBySymbol(cudaFunction_t* functionPtr, T* symbolPtr) {
  return cudaGetFuncBySymbol(functionPtr, reinterpret_cast<const void*>(symbolPtr));
}
template <class T>
inline cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* src, size_t count,
                                      size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return cudaMemcpyToSymbol(static_cast<const void*>(&symbol), src, count, offset, kind);
}
template <class T>
inline cudaError_t cudaGetSymbolAddress(void** devPtr, const T& symbol) {
  return cudaGetSymbolAddress(devPtr, static_cast<const void*>(&symbol));
}
inline cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned int flags) {
  return cudaEventCreateWithFlags(event, flags);
}
// As CUDA 11 had it. What is wrong with a graph is told by the error alone.
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* pGraphExec, cudaGraph_t graph,
                                        cudaGraphNode_t* pErrorNode, char* pLogBuffer,
                                        size_t bufferSize) {
  if (pErrorNode != nullptr) *pErrorNode = nullptr;
  if (pLogBuffer != nullptr && bufferSize > 0) pLogBuffer[0] = '\0';
  return cudaGraphInstantiate(pGraphExec, graph, 0ULL);
}
template <class T>
inline cudaError_t cudaGetDriverEntryPoint(
    const char* symbol, T** funcPtr, unsigned long long flags,
    enum cudaDriverEntryPointQueryResult* driverStatus = nullptr) {
  return cudaGetDriverEntryPoint(symbol, reinterpret_cast<void**>(funcPtr), flags, driverStatus);
}
#endif
