// The model's parameters, and their gradients: each in one contiguous buffer, in registration
// order.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "scenarios/runtime/buffer.h"

namespace gridlock {

struct ModelShape {
  int features = 4;
  int channels = 8;
  int outputs = 4;
};

enum ParameterIndex {
  kConv1Weight,
  kConv1Bias,
  kConv2Weight,
  kConv2Bias,
  kLinearWeight,
  kLinearBias,
  kNormWeight,
  kNormBias,
  kHeadWeight,
  kHeadBias,
  kParameterCount
};

constexpr std::array<int, kParameterCount> parameter_sizes(ModelShape shape) {
  const int c = shape.channels;
  return {c * shape.features * 3, c, c * c * 3, c, c * c, c, c, c, shape.outputs * c,
          shape.outputs};
}

constexpr int parameter_total(ModelShape shape) {
  int total = 0;
  for (const int size : parameter_sizes(shape)) total += size;
  return total;
}

// Initial values, which depend on the seed alone. Ranks differ until rank 0's values are broadcast.
std::vector<float> initial_parameters(ModelShape shape, int seed);

class Parameters {
 public:
  Parameters(ModelShape shape, int seed, cudaStream_t stream);

  int total() const { return parameter_total(shape_); }
  int count(int parameter) const {
    return parameter_sizes(shape_)[static_cast<std::size_t>(parameter)];
  }
  float* values() const { return values_.data(); }  // [total]
  // [total]; not with views
  float* gradients() const { return gradients_.data(); }
  float* value(int parameter) const { return values_.data() + offset(parameter); }
  float* gradient(int parameter) const {
    float* const view = views_[static_cast<std::size_t>(parameter)];
    return view != nullptr ? view : gradients_.data() + offset(parameter);
  }
  // From now on this gradient is stored in `view` (gradient_as_bucket_view).
  void put_gradient(int parameter, float* view) {
    views_[static_cast<std::size_t>(parameter)] = view;
  }
  // Frees the gradients' own memory, once all of them are stored elsewhere.
  void free_gradients() { gradients_ = Buffer<float>(); }
  bool has_views() const { return gradients_.size() == 0; }
  std::size_t gradient_bytes() const { return gradients_.bytes(); }
  int offset(int parameter) const;

  //   Blocks  until `stream` is done
  std::vector<float> on_host(cudaStream_t stream) const;

 private:
  ModelShape shape_;
  Buffer<float> values_;
  Buffer<float> gradients_;
  std::array<float*, kParameterCount> views_{};
};

}  // namespace gridlock
