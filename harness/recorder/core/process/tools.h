// Libraries of the program, or tools of its user, that stand before the vendors' with functions of
// the same names. A program's call goes to them first.
#pragma once

#include "harness/recorder/core/process/vendor.h"

namespace gridlock::recorder {

// Finds what a program's call reaches: the tool's function, or the vendor's if there is no tool.
// Those of NCCL and MPI take the vendor's name for tools, pncclX and PMPI_X.
//   Blocks   as find_nccl
[[gnu::noinline, gnu::cold]] void* find_next_nccl(const char* name);
[[gnu::noinline, gnu::cold]] void* find_next_cuda(const char* name);
[[gnu::noinline, gnu::cold]] void* find_next_mpi(const char* name);

template <class Function>
using NextNccl = Vendor<Function, find_next_nccl>;
template <class Function>
using NextCuda = Vendor<Function, find_next_cuda>;

// Whether this function of CUDA's is a tool's: what it waits for, and until when, is not known.
bool is_a_tools(const void* function);
// The same for all of MPI: whether any call of it that the program has made went to a tool.
void note_mpis_tool();
bool mpi_has_a_tool();

}  // namespace gridlock::recorder
