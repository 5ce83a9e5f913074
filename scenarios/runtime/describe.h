// Writes a scenario's declaration as JSON. The harness learns nothing else about the scenario.
#pragma once

#include <string>
#include <string_view>

#include "scenarios/scenario.h"

namespace gridlock {

// The versions that the program was linked with, in CUDA's and NCCL's numbering: 13000, 22809.
struct Versions {
  int cuda = 0;
  int nccl = 0;
};

// A scenario's file.
struct Source {
  std::string_view file;  // "batches/uneven_batches.cpp"
  std::string_view text;
};

// Follows schema gridlock.scenario/1, with each variant's expectation for `ranks` ranks. Makes no
// CUDA or NCCL call.
std::string describe(const Scenario& which, std::string_view name, std::string_view lesson_text,
                     Backend backend, int ranks, const Versions& versions = {},
                     const Source& source = {});

// Why the variant cannot run on that back end with that many ranks. Empty if it can.
std::string cannot_run(const Variant& variant, Backend backend, int ranks);

}  // namespace gridlock
