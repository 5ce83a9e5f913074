// What the detector must be told, because no snapshot says it.
#pragma once

#include <cstdint>
#include <optional>

namespace gridlock::detect {

// About what NCCL has a channel.
constexpr std::uint64_t kAssumedBuffer = 4U << 20U;

struct Parameters {
  // What a sender in the simulation may send to one peer before that peer takes it, in bytes.
  // Empty: not known, as it never is of NCCL. `kAssumedBuffer` stands in for it then, and a proof
  // that rests on it says so.
  std::optional<std::uint64_t> buffer_bytes = {};
  // Threads that never made a recorded call may start to, so a process that has some can always
  // act. Fewer proofs, but without that assumption.
  bool strict = false;
  // CUDA calls that only *may* wait for the device (cudaFree, cudaMalloc, pageable copies), and
  // NCCL calls that may have to make connections first, count as waiting once they have lasted this
  // long at time `now_ns` (CLOCK_MONOTONIC). 0: at once. The simulation's calls always count: it
  // defines where they wait.
  std::int64_t may_wait_ns = 0;
  // Processes that were not started with the ranks may join a communicator that has more members
  // than there are ranks.
  bool outsiders = false;
  // A launcher that has lost a rank may end the others and start all anew for this long.
  std::int64_t restart_ns = 0;
  std::int64_t now_ns = 0;
};

}  // namespace gridlock::detect
