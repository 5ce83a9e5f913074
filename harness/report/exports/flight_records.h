// PyTorch's flight-recorder dumps, layout 2.10.
#pragma once

#include <string>
#include <vector>

#include "harness/report/exports/kept.h"

namespace gridlock::report {

struct FlightRecord {
  int rank = 0;
  std::string pickle;  // nccl_trace_rank_<rank>: PyTorch's own format, which its fr_trace reads
  std::string json;    // the same as JSON, for people and other tools
};

// One record for each rank that has a box. It holds only NCCL's collectives and messages. The
// messages of one direction between two ranks form a process group of their own, because each such
// pair has its own sequence numbers.
std::vector<FlightRecord> flight_records(const Kept& kept, const CallerOf& caller);

}  // namespace gridlock::report
