// What a variant gets: its rank number, device, stream and report.
#pragma once

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <stdexcept>

#include "scenarios/runtime/environment.h"
#include "scenarios/runtime/rendezvous.h"
#include "scenarios/runtime/report.h"

namespace gridlock {

class Rank {
 public:
  // Meets the other ranks and takes device LOCAL_RANK (modulo the number of devices, so that ranks
  // can share one GPU).
  //   Collective, Blocks  the rendezvous, with its deadline
  explicit Rank(const Environment& environment);
  Rank(const Rank&) = delete;
  Rank& operator=(const Rank&) = delete;

  int rank() const { return environment_.rank; }
  int world_size() const { return environment_.world_size; }
  int local_rank() const { return environment_.local_rank; }
  bool is_last() const { return rank() == world_size() - 1; }

  cudaStream_t stream() const { return stream_; }  // for compute; not ordered with stream 0
  Rendezvous& rendezvous() { return rendezvous_; }
  Report& report() { return report_; }

  // Waits until all work on `stream` is done, and adds the time to the report's waits.
  //   Blocks  as long as the stream does
  void wait_for(cudaStream_t stream);

 private:
  Environment environment_;
  Rendezvous rendezvous_;
  Report report_;
  cudaStream_t stream_ = nullptr;
};

// The machine lacks something that the variant needs. The variant is skipped with this reason
// ("needs …").
struct CannotRunHere : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The number of devices that this process sees.
//   Errors  CannotRunHere if there are fewer than `least`: "needs `least` GPUs, there is 1:
//   `why`"
int device_count(int least = 1, const char* why = "");

// Opens a stream that waits for no other.
cudaStream_t open_stream();

// An id that rank 0 creates and shares with all ranks.
//   Collective, Blocks  over the rendezvous
ncclUniqueId share_unique_id(Rank& rank);

// Opens a communicator of all ranks. Verdicts call it `name`. A non-blocking one is polled until it
// is ready; its later calls may return ncclInProgress.
//   Collective, Blocks  until all ranks are there
ncclComm_t open_communicator(Rank& rank, const char* name, bool blocking = true);

// A blocking communicator of the ranks `among`, which Rendezvous::survivors() has returned.
//   Collective, Blocks  among these ranks
ncclComm_t open_communicator(Rank& rank, const char* name, const std::vector<int>& among);

// Polls a non-blocking communicator until its last call is done.
//   Blocks  until then
void await_communicator(ncclComm_t communicator);

// check(result) for a call that may still be in progress, because the communicator is non-blocking.
//   Blocks  until it is done
void check_or_await(ncclResult_t result, ncclComm_t communicator);

// Destroys the communicator when all its work is done.
//   Collective, Blocks  until all ranks of this machine do the same
void close_communicator(ncclComm_t communicator);

}  // namespace gridlock
