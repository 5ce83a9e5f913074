// Deals samples to ranks.
#include "scenarios/training/data/sampler.h"

#include <stdexcept>

namespace gridlock {

std::vector<int> sample_indices(int samples, int world_size, int rank, Tail tail) {
  if (samples < 1 || world_size < 1 || rank < 0 || rank >= world_size) {
    throw std::invalid_argument("a sampler needs samples, and a rank below the world size");
  }
  int dealt = samples;
  if (tail == Tail::drop) dealt = samples / world_size * world_size;
  if (tail == Tail::pad) dealt = (samples + world_size - 1) / world_size * world_size;
  std::vector<int> indices;
  for (int index = rank; index < dealt; index += world_size) indices.push_back(index % samples);
  return indices;
}

}  // namespace gridlock
