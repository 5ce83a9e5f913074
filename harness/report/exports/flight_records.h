// PyTorch's flight-recorder dumps, layout 2.10.
#pragma once

#include <string>
#include <vector>

#include "harness/report/exports/kept.h"

namespace gridlock::report {

struct FlightRecord {
  int rank = 0;
  std::string pickle;  // nccl_trace_rank_<rank>: what PyTorch writes, and what its fr_trace reads
  std::string json;    // the same as JSON, for people and other tools
};

// One for each rank that has a box. NCCL's collectives and messages only. Messages of one direction
// between two ranks are a process group of their own, as these are numbered by pair.
std::vector<FlightRecord> flight_records(const Kept& kept, const CallerOf& caller);

}  // namespace gridlock::report
