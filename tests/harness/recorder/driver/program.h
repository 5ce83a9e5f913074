// What the small programs share, and those of them that stand in a file of their own.
#pragma once

#include <cuda_runtime_api.h>
#include <nccl.h>

#include "harness/record/reader.h"

namespace gridlock {

record::Snapshot own_box();
// Waits until the polling thread has looked at the current state.
void be_looked_at();
// Prints "started/completed" of the first stream.
void tell_progress();
void tell_error();
cudaStream_t make_stream();
ncclComm_t make_communicator();
void all_reduce(ncclComm_t communicator, cudaStream_t stream);

// In program_captures.cpp.
void captured();
void captured_to_graph();
void captured_beside_a_mark();
void joins_while_capturing();
void jumps_out_of_a_capture();

}  // namespace gridlock
