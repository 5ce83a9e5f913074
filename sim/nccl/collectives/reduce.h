// Data types and reductions: arithmetic that knows nothing of ranks' whereabouts.
#pragma once

#include <nccl.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace sim::nccl {

// Bytes of one element; 0 for what is no data type.
std::size_t size_of(ncclDataType_t type);

// One rank's input.
struct Input {
  const std::byte* data;
  bool scaled = false;       // multiply by `scalar` first
  std::uint64_t scalar = 0;  // bits of one element
};

// output[i] = inputs[0][i] op inputs[1][i] op ..., in that order, so that everyone who computes it
// gets the same bits. 8 and 16 bit floats are accumulated as float, integers wrap around, an
// average of integers is truncated, min and max drop NaN where they can (as fmin and fmax do).
//   output  may be the data of one of the inputs
//   op      one of the five built-in ones; a pre-multiplied sum is ncclSum of scaled inputs
//   bytes   of output and of each input; a multiple of the element's size
void reduce(std::byte* output, std::span<const Input> inputs, std::size_t bytes,
            ncclDataType_t type, ncclRedOp_t op);

}  // namespace sim::nccl
