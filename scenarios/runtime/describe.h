// A scenario's declaration as JSON: all that the harness ever learns about it.
#pragma once

#include <string>
#include <string_view>

#include "scenarios/scenario.h"

namespace gridlock {

// What the program was linked with, as CUDA and NCCL count: 13000, 22809.
struct Versions {
  int cuda = 0;
  int nccl = 0;
};

// The file that a scenario is.
struct Source {
  std::string_view file;  // "batches/uneven_batches.cpp"
  std::string_view text;
};

// schema gridlock.scenario/1, with each variant's expectation for `ranks` ranks. Makes no CUDA or
// NCCL call.
std::string describe(const Scenario& which, std::string_view name, std::string_view lesson_text,
                     Backend backend, int ranks, const Versions& versions = {},
                     const Source& source = {});

// Why the variant cannot run there with so many ranks; empty when it can.
std::string cannot_run(const Variant& variant, Backend backend, int ranks);

}  // namespace gridlock
