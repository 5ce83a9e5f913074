// The functions that the recorder intercepts, found by name when first needed.
#pragma once

#include <atomic>
#include <string_view>

namespace gridlock::recorder {

// Finds a function of the NCCL, the CUDA runtime (the simulation is both) or the MPI library that
// this process uses. Null if there is none, or if it is too old to have the function; stderr says
// so of an NCCL.
//   Blocks   on the loader's lock, the first time a name is asked for
[[gnu::noinline, gnu::cold]] void* find_nccl(const char* name);
[[gnu::noinline, gnu::cold]] void* find_cuda(const char* name);
[[gnu::noinline, gnu::cold]] void* find_mpi(const char* name);

// The same for what a program calls. A library of the program, or a tool, may stand before the
// vendor's with functions of its own, which then come first: a program's call goes to them.
// `find_next_nccl` and `find_next_mpi` take the vendor's name for tools, pncclX and PMPI_X.
[[gnu::noinline, gnu::cold]] void* find_next_nccl(const char* name);
[[gnu::noinline, gnu::cold]] void* find_next_cuda(const char* name);
[[gnu::noinline, gnu::cold]] void* find_next_mpi(const char* name);

// Whether this function of CUDA's is such a library's: what it waits for, and until when, is not
// known. Whether any of MPI's that was called so far is one.
bool is_a_tools(const void* function);
bool mpi_has_a_tool();

// Whose CUDA and NCCL this process uses, as in Snapshot::backend. Each part of the simulation has a
// function that no vendor has.
//   Blocks   as find_cuda
inline constexpr std::string_view kSimulated = "sim";
const char* backend();

// A vendor's function, looked up once. Constant-initialised, so that it works before main.
template <class Function, void* (*find)(const char*)>
class Vendor {
 public:
  explicit constexpr Vendor(const char* name) : name_(name) {}
  // Null if the vendor does not have it.
  Function* get() {
    void* function = function_.load(std::memory_order_relaxed);
    if (function == nullptr) [[unlikely]] {
      function = find(name_);
      function_.store(function, std::memory_order_relaxed);
    }
    return reinterpret_cast<Function*>(function);
  }

 private:
  const char* name_;
  std::atomic<void*> function_ = nullptr;
};

template <class Function>
using Nccl = Vendor<Function, find_nccl>;
template <class Function>
using Cuda = Vendor<Function, find_cuda>;
template <class Function>
using NextNccl = Vendor<Function, find_next_nccl>;
template <class Function>
using NextCuda = Vendor<Function, find_next_cuda>;

}  // namespace gridlock::recorder
