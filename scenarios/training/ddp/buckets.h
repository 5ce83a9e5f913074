// Assigns gradients to buckets. Each bucket is one all-reduce.
#pragma once

#include <vector>

#include "scenarios/training/encoder/parameters.h"

namespace gridlock {

// In floats. PyTorch's limits are 1 MiB, then 25 MiB; these are scaled down to the model. A bucket
// is closed as soon as it reaches its limit.
struct BucketLimits {
  int first = 32;
  int others = 256;
};

using Buckets = std::vector<std::vector<int>>;  // parameters, in the order of sending

// Assigns parameters to buckets in the given order.
Buckets assign_buckets(const std::vector<int>& order, ModelShape shape, BucketLimits limits);

// The order in which a backward pass computes gradients: last layer first.
std::vector<int> backward_order();

// How many all-reduces a step makes from the second step on. The first step has one bucket for all.
int bucket_count(ModelShape shape, BucketLimits limits);

}  // namespace gridlock
