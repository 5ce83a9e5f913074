// Which samples a rank gets, as PyTorch's DistributedSampler deals them (without shuffling): rank r
// of W gets r, r + W, r + 2W, …
#pragma once

#include <vector>

namespace gridlock {

// What happens if the number of samples is not a multiple of the number of ranks.
enum class Tail {
  uneven,  // nothing: the last ranks get one sample less (a loop that deals by hand)
  drop,    // drop_last: the remainder is left out
  pad,     // the default: wraps around to the first samples, so that some are seen twice
};

// Indices in 0 … samples - 1 of one rank, in order.
//   Errors  std::invalid_argument if padding or dealing is impossible (no samples, bad rank)
std::vector<int> sample_indices(int samples, int world_size, int rank, Tail tail);

}  // namespace gridlock
