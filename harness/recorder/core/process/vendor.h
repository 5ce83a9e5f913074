// The functions that the recorder intercepts, found by name when first needed.
#pragma once

#include <array>
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

// As find_nccl, without a word if there is none yet.
[[gnu::noinline, gnu::cold]] void* find_loaded_nccl(const char* name);

// pncclX for ncclX: NCCL's name for tools that define ncclX.
std::array<char, 64> name_for_tools(const char* name);
// Where the library begins that has the function; null if no library has it.
const void* library_of(const void* function);
// Whether both are there, in two libraries.
bool is_elsewhere(const void* one, const void* other);

// Whose CUDA and NCCL this process uses, as in Snapshot::backend. Each part of the simulation has a
// function that no vendor has.
//   Blocks   as find_cuda
inline constexpr std::string_view kSimulated = "sim";
const char* backend();

// A function by its name, looked up once. Constant-initialised, so that it works before main.
class alignas(32) Lookup {
 public:
  constexpr Lookup(const char* name, void* (*find)(const char*)) : name_(name), find_(find) {}
  // Null if there is none.
  //   Blocks   on the loader's lock, if look_up_once() did not find it
  void* get() {
    void* function = function_.load(std::memory_order_relaxed);
    if (function == nullptr) [[unlikely]] {
      function = find_(name_);
      function_.store(function, std::memory_order_relaxed);
    }
    return function;
  }

 private:
  const char* name_;
  void* (*find_)(const char*);
  std::atomic<void*> function_ = nullptr;
};

// Put before the definition of a Lookup: look_up_once() finds it then.
#define GRIDLOCK_LOOKUP [[gnu::used, gnu::section("gridlock_lookups")]]

// Looks up what the loaded libraries have, at the first call. A library's constructor may wait for
// a thread that calls CUDA for the first time, while the loader's lock is held for that
// constructor. So everything is looked up when the program starts, or else when it begins to be
// recorded.
//   Blocks   on the loader's lock
void look_up_once();

// A vendor's function.
template <class Function, void* (*find)(const char*)>
class Vendor : public Lookup {
 public:
  explicit constexpr Vendor(const char* name) : Lookup(name, find) {}
  Function* get() { return reinterpret_cast<Function*>(Lookup::get()); }
};

template <class Function>
using Nccl = Vendor<Function, find_nccl>;
template <class Function>
using Cuda = Vendor<Function, find_cuda>;

}  // namespace gridlock::recorder
