// Recording MPI: which library is there, and what its calls have in common.
#pragma once

#include <cstdint>

#include "harness/recorder/core/interpose.h"
#include "harness/recorder/core/operations.h"
#include "harness/recorder/core/recorder.h"
#include "harness/recorder/core/thread.h"
#include "harness/recorder/mpi/abi.h"

namespace gridlock::recorder {

// Whether the process's MPI has MPICH's binary interface, and was not started by another MPI job
// (its world would be another). Found out once, and said in the box.
bool knows_mpi();
// Whether a call of this thread is to be recorded.
inline bool records_mpi(const ThreadState& thread) {
  return thread.depth == 0 && recording() && knows_mpi();
}
// Nothing of MPI is recorded from here on; the box says why.
void stop_recording_mpi(const char* why);

// A call has failed and the program goes on: who took part in what is not known from here on.
void note_failure();

// Index of a communicator in the box; kNone: one that was not seen made, its calls are not
// recorded.
std::uint32_t mpi_communicator(Word handle);

// What `count` elements of `type` hold.
std::uint64_t mpi_bytes(std::uint64_t count, Word type);

struct MpiCall {
  record::Call call = record::Call::none;
  const void* frame = nullptr;
  Word communicator = 0;
  std::uint64_t bytes = 0;
  int peer = -1;  // or root
  int tag = 0;
};

// One that is under way.
struct MpiPlaced {
  Placed placed;
  std::uint32_t communicator = record::kNone;
  bool recorded = false;
  bool wild = false;  // takes anything
};

// Records a call in the queue `stream`; nothing where its communicator or peer is none.
MpiPlaced place_call(const MpiCall& what, ThreadState& thread, std::uint32_t stream);
// It is over. `status` says what a receive of anything has got; null: not known.
void finish_call(const MpiPlaced& call, ThreadState& thread, int result, const mpi::Status* status);

// A call in which the thread waits.
struct MpiWait {
  MpiPlaced call;
};
MpiWait begin_wait(const MpiCall& what, ThreadState& thread);
void end_wait(const MpiWait& wait, ThreadState& thread, int result,
              const mpi::Status* status = nullptr);

}  // namespace gridlock::recorder
