// Makes the synthetic sequences, and pads them to batches.
#include "scenarios/training/data/dataset.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace gridlock {

float pseudo_random(unsigned stream, unsigned index) {
  std::uint64_t z = (static_cast<std::uint64_t>(stream) << 32 | index) + 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  z ^= z >> 31;
  return static_cast<float>(static_cast<double>(z >> 40) / (1 << 23) - 1.0);
}

Batch Dataset::batch(const std::vector<int>& samples) const {
  Batch batch;
  batch.size = static_cast<int>(samples.size());
  batch.features = features_;
  batch.time = 1;
  for (const int sample : samples) batch.time = std::max(batch.time, length_(sample));
  const auto width = static_cast<std::size_t>(batch.time);
  const auto rows = static_cast<std::size_t>(features_);
  batch.x.assign(samples.size() * rows * width, 0.0F);
  for (std::size_t b = 0; b < samples.size(); ++b) {
    const auto sample = static_cast<unsigned>(samples[b]);
    const int length = length_(samples[b]);
    batch.lengths.push_back(length);
    for (std::size_t f = 0; f < rows; ++f) {
      float* row = batch.x.data() + (b * rows + f) * width;
      for (int t = 0; t < length; ++t) {
        row[t] = pseudo_random(sample, static_cast<unsigned>(t) * 64U + static_cast<unsigned>(f));
      }
    }
    for (int o = 0; o < outputs_; ++o) {
      batch.targets.push_back(pseudo_random(sample, 0x80000000U + static_cast<unsigned>(o)));
    }
  }
  return batch;
}

}  // namespace gridlock
