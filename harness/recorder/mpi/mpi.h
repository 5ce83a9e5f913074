// What the recorder needs for every MPI call: whether it knows the library, and the record of one
// operation.
#pragma once

#include <cstdint>

#include "harness/recorder/core/interpose.h"
#include "harness/recorder/core/operations.h"
#include "harness/recorder/core/recorder.h"
#include "harness/recorder/core/thread.h"
#include "harness/recorder/mpi/abi.h"

namespace gridlock::recorder {

// Whether the process's MPI has MPICH's binary interface, and the process was not spawned by
// another MPI job (its world would differ). The recorder finds out once, and the box says so.
bool knows_mpi();
// Whether a call of this thread is to be recorded.
inline bool records_mpi(const ThreadState& thread) {
  return thread.depth == 0 && recording() && knows_mpi();
}
// From here on nothing of MPI is recorded; the box says why.
void stop_recording_mpi(const char* why);

// A call has failed and the program goes on. From here on nothing tells which ranks took part in
// which call, so nothing more is recorded.
void note_failure();

// Index of a communicator in the box. kNone: the recorder did not see how it was made, and records
// none of its calls.
std::uint32_t mpi_communicator(Word handle);

// Size of `count` elements of `type`.
std::uint64_t mpi_bytes(std::uint64_t count, Word type);

struct MpiCall {
  record::Call call = record::Call::none;
  const void* frame = nullptr;
  Word communicator = 0;
  std::uint64_t bytes = 0;
  int peer = -1;  // or root
  int tag = 0;
};

// An operation that is under way.
struct MpiPlaced {
  Placed placed;
  std::uint32_t communicator = record::kNone;
  bool recorded = false;
  bool wild = false;  // a receive from any source, or with any tag
  // The communicator's, if it is wild: it may end when the entry has another user.
  std::uint64_t id = 0;
};

// Records an operation in the queue `stream`. It records nothing if the communicator is unknown or
// the peer is MPI_PROC_NULL.
MpiPlaced place_call(const MpiCall& what, ThreadState& thread, std::uint32_t stream);
// The operation is over. `status` says what a wild receive has got; null: not known.
void finish_call(const MpiPlaced& call, ThreadState& thread, int result, const mpi::Status* status);

// A call in which the thread waits.
struct MpiWait {
  MpiPlaced call;
};
MpiWait begin_wait(const MpiCall& what, ThreadState& thread);
void end_wait(const MpiWait& wait, ThreadState& thread, int result,
              const mpi::Status* status = nullptr);

}  // namespace gridlock::recorder
