// Assigns gradients to buckets, and counts the buckets of a model.
#include "scenarios/training/ddp/buckets.h"

#include <cstddef>

namespace gridlock {

Buckets assign_buckets(const std::vector<int>& order, ModelShape shape, BucketLimits limits) {
  const auto sizes = parameter_sizes(shape);
  Buckets buckets;
  int room = 0;
  for (const int parameter : order) {
    if (room <= 0) {
      room = buckets.empty() ? limits.first : limits.others;
      buckets.emplace_back();
    }
    buckets.back().push_back(parameter);
    room -= sizes[static_cast<std::size_t>(parameter)];
  }
  return buckets;
}

std::vector<int> backward_order() {
  return {kHeadWeight, kHeadBias,    kNormWeight, kNormBias,    kLinearWeight,
          kLinearBias, kConv2Weight, kConv2Bias,  kConv1Weight, kConv1Bias};
}

int bucket_count(ModelShape shape, BucketLimits limits) {
  return static_cast<int>(assign_buckets(backward_order(), shape, limits).size());
}

}  // namespace gridlock
