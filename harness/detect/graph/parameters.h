// What the caller must tell the detector, because no snapshot says it.
#pragma once

#include <cstdint>
#include <optional>

namespace gridlock::detect {

// About the size of NCCL's buffer per channel.
constexpr std::uint64_t kAssumedBuffer = 4U << 20U;
// A thread that waits by asking (cudaStreamQuery …) asks at least this often. Less than any limit
// after which a job counts as standing still.
constexpr std::int64_t kAsksAgainNs = 500'000'000;

struct Parameters {
  // What a sender may send to one peer before that peer takes it, in bytes, if the snapshot does
  // not say. Empty: not known, as always for NCCL. Then `kAssumedBuffer` replaces it, and a proof
  // that rests on it says so.
  std::optional<std::uint64_t> buffer_bytes = {};
  // Fewer assumptions, and so fewer proofs: threads without a recorded call may start to make some,
  // a signal may come from outside the job, a launcher may restart at any time, outsiders may join
  // a communicator, and a sleep as if for a lock may be brief.
  bool strict = false;
  // Calls that only *may* wait count as waiting once they have lasted this long at time `now_ns`
  // (CLOCK_MONOTONIC): CUDA calls (cudaFree, cudaMalloc, pageable copies) and NCCL calls that may
  // have to connect first. 0: at once. The simulation's own calls always count, because it defines
  // where they wait.
  std::int64_t may_wait_ns = 0;
  // Processes that were not started with the ranks may join a communicator that has more members
  // than ranks.
  bool outsiders = false;
  // For this long, a launcher that has lost a rank may end the others and restart all.
  std::int64_t restart_ns = 0;
  // A process that ended with an open communicator took data with it (graph/unsent.h).
  bool unsent = false;
  // In a stall: unrecorded work also stays in front of what a stream shows where nothing would show
  // that the stream has come past it.
  bool unshown_work_stays = false;
  // The network between hosts carries nothing, so no collective that is under way completes.
  bool cut_off = false;
  std::int64_t now_ns = 0;
};

}  // namespace gridlock::detect
