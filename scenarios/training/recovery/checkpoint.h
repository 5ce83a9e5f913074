// Saves a checkpoint, quickly or slowly.
#pragma once

#include <cstdint>
#include <vector>

namespace gridlock {

enum class Saving : std::uint8_t {
  quick,
  slow,  // each of 20 parts takes 30 ms
};

// Writes the parameters to a file in memory, part by part.
//   Blocks  as long as the storage takes
//   Errors  std::runtime_error if it cannot be written
void save(const std::vector<float>& parameters, Saving saving);

}  // namespace gridlock
