// Puts gradients into buckets, each of which is one all-reduce.
#pragma once

#include <vector>

#include "scenarios/training/parameters.h"

namespace gridlock {

// In floats. PyTorch's are 1 MiB, then 25 MiB; these are scaled down to the model. A bucket is
// closed as soon as it has reached its limit.
struct BucketLimits {
  int first = 32;
  int others = 256;
};

using Buckets = std::vector<std::vector<int>>;  // parameters, in the order of the wire

// Puts parameters into buckets in the given order.
Buckets assign_buckets(const std::vector<int>& order, ModelShape shape, BucketLimits limits);

// The order in which a backward pass makes gradients: last layer first.
std::vector<int> backward_order();

// How many all-reduces a step has, from the second step on (the first has one bucket with all).
int bucket_count(ModelShape shape, BucketLimits limits);

}  // namespace gridlock
