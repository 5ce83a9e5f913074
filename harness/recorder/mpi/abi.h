// What the recorder knows about MPICH's binary interface, which Intel MPI, MVAPICH and Cray MPICH
// share. It is defined here and not included, so that one recorder serves every program: all
// arguments travel as whole words, so another MPI's handles, which are pointers, pass unchanged.
// tests/harness/recorder/mpi/abi_test.cpp compares it with <mpi.h>.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "harness/recorder/core/process/vendor.h"

namespace gridlock::recorder {

using Word = std::uintptr_t;  // an argument, as a register or the stack holds it
static_assert(sizeof(Word) == 8);

namespace mpi {

constexpr int kSuccess = 0;
constexpr int kErrOther = 15;  // if the process has no MPI
constexpr int kProcNull = -1;
constexpr int kAnySource = -2;
constexpr int kAnyTag = -1;
constexpr std::uint32_t kCommNull = 0x04000000;
constexpr std::uint32_t kCommWorld = 0x44000000;
constexpr std::uint32_t kRequestNull = 0x2c000000;
constexpr std::uint32_t kGroupNull = 0x08000000;
constexpr Word kStatusIgnore = 1;  // and of arrays of them

struct Status {
  int count_lo = 0;
  int count_hi_and_cancelled = 0;
  int source = 0;
  int tag = 0;
  int error = 0;
};

// Handles of MPI's predefined types contain the type's size.
constexpr std::uint32_t kBuiltInType = 0x4c000000;
constexpr std::uint32_t kKindOfType = 0xff000000;
// A handle without these bits is null, or damaged.
constexpr std::uint32_t kKindOfHandle = 0xc0000000;
constexpr std::uint32_t kBuiltIn = 0x40000000;
constexpr bool is_built_in(std::uint32_t handle) { return (handle & kKindOfHandle) == kBuiltIn; }
constexpr int size_of_built_in(std::uint32_t type) { return static_cast<int>(type >> 8U & 0xffU); }

}  // namespace mpi

inline int as_int(Word word) { return static_cast<int>(static_cast<std::uint32_t>(word)); }
inline std::uint32_t as_handle(Word word) { return static_cast<std::uint32_t>(word); }
inline Word as_word(const void* pointer) { return reinterpret_cast<Word>(pointer); }
template <class T>
T* as_pointer(Word word) {
  return reinterpret_cast<T*>(word);  // NOLINT(performance-no-int-to-ptr): it was one
}

template <std::size_t>
using OneWord = Word;
template <class Numbers>
struct TakesWords;
template <std::size_t... numbers>
struct TakesWords<std::index_sequence<numbers...>> {
  using Function = int(OneWord<numbers>...);
};

// An MPI function with this many arguments, found by its profiling name (PMPI_…).
template <std::size_t arguments>
using Mpi = Vendor<typename TakesWords<std::make_index_sequence<arguments>>::Function, find_mpi>;

}  // namespace gridlock::recorder
