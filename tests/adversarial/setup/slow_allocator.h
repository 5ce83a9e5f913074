// A program with an allocator of its own, as heap profilers and sanitizers have one: something
// happens in an allocation that a vendor's library makes in a launch.
#pragma once

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <new>

#include "tests/adversarial/setup/job.h"

// What the calling thread's next allocation in a vendor's library does; null: nothing.
inline thread_local void (*t_in_allocation)() = nullptr;

inline bool is_a_vendors(const void* caller) {
  Dl_info where{};
  return dladdr(caller, &where) != 0 && where.dli_fname != nullptr &&
         (std::strstr(where.dli_fname, "libgridlock_cuda") != nullptr ||
          std::strstr(where.dli_fname, "libnccl") != nullptr);
}

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  if (void (*const then)() = t_in_allocation) {
    t_in_allocation = nullptr;  // dladdr allocates too
    const bool is_it = is_a_vendors(__builtin_return_address(0));
    is_it ? then() : static_cast<void>(t_in_allocation = then);
  }
  void* memory = std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

inline void host_function(cudaStream_t stream) {
  check(cudaLaunchHostFunc(
      stream, [](void*) {}, nullptr));
}

// Rank 0 has an all-reduce under way that rank 1 joins when it is told to. Meanwhile rank 0 calls
// `launch`, which lasts because of `then` in an allocation, and tells rank 1 after that.
template <class Launch>
void launch_that_lasts(const Two& two, void (*then)(), Launch launch) {
  if (rank() == 0) {
    cudaStream_t side = make_stream();
    host_function(side);
    check(cudaStreamSynchronize(side));
    all_reduce(two.first, two.on_first, two.x);
    pause_ms(20);
    t_in_allocation = then;
    launch(side);
    if (then != nullptr && t_in_allocation == then) std::fputs("no allocation\n", stderr);
    t_in_allocation = nullptr;
    two.tell();
  } else {
    two.be_told(0);
    all_reduce(two.first, two.on_first, two.x);
  }
  check(cudaStreamSynchronize(two.on_first));
}
