// Stands in for libcudart_static.a: the CUDA calls are inside the program itself, so no preloaded
// library can intercept them. Each forwards to the simulation.
#include <dlfcn.h>

// Hidden from the loader, because NCCL's own calls must not end up here.
#pragma GCC visibility push(hidden)
#include <cuda_runtime.h>
#pragma GCC visibility pop
#include <nccl.h>

namespace {

template <class... Arguments>
cudaError_t forward(const char* name, Arguments... arguments) {
  // The library that holds NCCL also holds the simulated CUDA. (The recorder has no such function.)
  Dl_info info{};
  dladdr(reinterpret_cast<const void*>(&pncclGetVersion), &info);
  void* library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  // glibc's own, past the recorder's: a static library looks up nothing.
  using Find = void*(void*, const char*);
  auto* find = reinterpret_cast<Find*>(dlsym(dlopen("libc.so.6", RTLD_LAZY), "dlsym"));
  auto* function = reinterpret_cast<cudaError_t (*)(Arguments...)>(find(library, name));
  return function(arguments...);
}

}  // namespace

cudaError_t cudaSetDevice(int device) { return forward("cudaSetDevice", device); }

cudaError_t cudaStreamCreate(cudaStream_t* stream) { return forward("cudaStreamCreate", stream); }

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return forward("cudaStreamSynchronize", stream);
}

cudaError_t cudaMalloc(void** memory, size_t size) { return forward("cudaMalloc", memory, size); }

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t size, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return forward("cudaMemcpyAsync", to, from, size, kind, stream);
}
