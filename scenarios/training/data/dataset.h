// Synthetic sequences: sample i is the same on every rank, in every run.
#pragma once

#include <functional>
#include <vector>

namespace gridlock {

// Sequences padded to the longest among them, on the host. May be empty (size 0).
struct Batch {
  int size = 0;
  int features = 0;
  int time = 0;                // frames of the longest
  std::vector<float> x;        // [size][features][time], zero behind a sequence's end
  std::vector<int> lengths;    // [size] frames
  std::vector<float> targets;  // [size][outputs]
};

class Dataset {
 public:
  // `length(i)` is the number of frames of sample i.
  Dataset(int features, int outputs, std::function<int(int)> length)
      : features_(features), outputs_(outputs), length_(std::move(length)) {}

  Batch batch(const std::vector<int>& samples) const;
  int length(int sample) const { return length_(sample); }

 private:
  int features_;
  int outputs_;
  std::function<int(int)> length_;
};

// Pseudo-random in [-1, 1), a function of its arguments alone (splitmix64).
float pseudo_random(unsigned stream, unsigned index);

}  // namespace gridlock
