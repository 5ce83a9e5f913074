// What a program's instructions are called in a record.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/record/call.h"
#include "tests/fuzz/programs/program.h"

namespace gridlock::fuzz {

record::Call recorded_call(const Instruction& call);
// The same of a call of MPI, which `call` is in NCCL.
record::Call as_mpi(record::Call call);

// Numbers of a record's tables.
inline std::uint32_t small(std::size_t index) { return static_cast<std::uint32_t>(index); }
inline std::size_t number_in(const std::vector<std::size_t>& hosts, std::size_t host) {
  return static_cast<std::size_t>(std::ranges::find(hosts, host) - hosts.begin());
}

}  // namespace gridlock::fuzz
