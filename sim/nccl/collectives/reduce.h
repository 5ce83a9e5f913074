// Data types and reductions: plain arithmetic that knows nothing of ranks.
#pragma once

#include <nccl.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace sim::nccl {

// Bytes of one element; 0 if `type` is not a data type.
std::size_t size_of(ncclDataType_t type);

// One rank's input.
struct Input {
  const std::byte* data;
  bool scaled = false;       // multiply by `scalar` first
  std::uint64_t scalar = 0;  // bits of one element
};

// output[i] = inputs[0][i] op inputs[1][i] op ..., in that order, so that every rank that computes
// it gets the same bits. 8 and 16 bit floats are accumulated as float. Integers wrap around, and
// their average is truncated. Min and max drop NaN if they can, as fmin and fmax do.
//   output  may be the data of one of the inputs
//   op      one of the five built-in ones; a pre-multiplied sum is ncclSum of scaled inputs
//   bytes   of output and of each input; a multiple of the element's size
void reduce(std::byte* output, std::span<const Input> inputs, std::size_t bytes,
            ncclDataType_t type, ncclRedOp_t op);

}  // namespace sim::nccl
