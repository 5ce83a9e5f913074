// Calls and places in words.
#pragma once

#include <cstdint>
#include <string>

#include "harness/detect/verdict/phrases.h"
#include "harness/detect/verdict/verdict.h"

namespace gridlock::detect {

// "all_reduce #41", "comm_init".
std::string call_text(record::Call call, std::uint64_t slot);
// "all_reduce (4096 bytes of float32, sum)", "send (64 bytes)", "mpi_bcast (root 1)".
std::string shape_text(const Shape& shape);
// "world"; "the communicator of ranks 0-3", "the 2nd communicator of ranks 0-3" if the program gave
// it no name; "a communicator of 4 ranks, ranks 0, 2 among them" if not all were seen; "of 3 or 4
// ranks" if its members disagree; "" if nothing is known of it.
std::string communicator_text(const CommunicatorName& name);
// `all_reduce #3 "loss" on world`, `mpi_recv #0 from rank 2 on mpi`.
std::string place_text(const Place& place);
// Where a group of ranks waits: `all_reduce #7 "gradients/bucket 0" on world at f (a.cpp:8), host
// in stream_synchronize`. A caller without a name is given as module and offset.
std::string place_text(const Wait& wait);

}  // namespace gridlock::detect
