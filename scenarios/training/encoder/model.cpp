// The encoder's forward and backward passes: it launches their kernels in order.
#include "scenarios/training/encoder/model.h"

#include <fmt/core.h>

#include <stdexcept>
#include <utility>

#include "kernels/layers/convolution.h"
#include "kernels/layers/pool_loss.h"
#include "kernels/layers/positional.h"
#include "kernels/layers/relu.h"

namespace gridlock {
namespace {

using kernels::elements;
using kernels::subsampled;

std::size_t room(kernels::Shape3 shape) { return static_cast<std::size_t>(elements(shape)); }

}  // namespace

Model::Model(Rank& rank, ModelShape shape, SyncBatchNorm norm, int positions)
    : rank_(rank),
      shape_(shape),
      parameters_(shape, rank.rank(), rank.stream()),
      positions_(shape.channels, positions, rank.stream()),
      norm_(std::move(norm)),
      upload_(rank),
      loss_(1, rank.stream()) {
  check(kernels::linear_create(&linear_));
}

void Model::shape_activations(const Batch& batch) {
  const cudaStream_t stream = rank_.stream();
  input_ = {batch.size, shape_.features, batch.time};
  half_ = {batch.size, shape_.channels, subsampled(batch.time)};
  quarter_ = {batch.size, shape_.channels, subsampled(half_.time)};
  output_ = {batch.size, shape_.outputs, quarter_.time};
  conv1_.reserve(room(half_), stream);
  for (Buffer<float>* buffer : {&conv2_, &placed_, &mixed_, &normed_}) {
    buffer->reserve(room(quarter_), stream);
  }
  for (Buffer<float>* buffer : {&d_wide_a_, &d_wide_b_}) buffer->reserve(room(half_), stream);
  head_.reserve(room(output_), stream);
  d_output_.reserve(room(output_), stream);
  pooled_.reserve(room({batch.size, shape_.outputs, 1}), stream);
}

void Model::forward(const Batch& batch) {
  const cudaStream_t stream = rank_.stream();
  const Parameters& p = parameters_;
  const int channels = shape_.channels;
  shape_activations(batch);
  if (quarter_.time > positions_.length()) {
    throw std::logic_error(
        fmt::format("the positional buffer has {} places, but the sequence needs {}: grow it first",
                    positions_.length(), quarter_.time));
  }
  std::vector<int> lengths;
  for (const int length : batch.lengths) lengths.push_back(subsampled(subsampled(length)));
  upload_.copy(batch, lengths);

  check(kernels::launch_convolution_forward(upload_.x(), p.value(kConv1Weight), p.value(kConv1Bias),
                                            input_, channels, conv1_.data(), stream));
  check(kernels::launch_relu_forward(conv1_.data(), elements(half_), conv1_.data(), stream));
  check(kernels::launch_convolution_forward(conv1_.data(), p.value(kConv2Weight),
                                            p.value(kConv2Bias), half_, channels, conv2_.data(),
                                            stream));
  check(kernels::launch_relu_forward(conv2_.data(), elements(quarter_), conv2_.data(), stream));
  check(kernels::launch_positional_add(conv2_.data(), quarter_, positions_.data(),
                                       positions_.length(), placed_.data(), stream));
  check(kernels::launch_linear_forward(linear_, placed_.data(), p.value(kLinearWeight),
                                       p.value(kLinearBias), quarter_, channels, mixed_.data(),
                                       stream));
  norm_.forward(mixed_.data(), quarter_, p.value(kNormWeight), p.value(kNormBias), normed_.data(),
                training_);
  check(kernels::launch_relu_forward(normed_.data(), elements(quarter_), normed_.data(), stream));
  check(kernels::launch_linear_forward(linear_, normed_.data(), p.value(kHeadWeight),
                                       p.value(kHeadBias), quarter_, shape_.outputs, head_.data(),
                                       stream));
  check(kernels::launch_pool_loss_forward(head_.data(), output_, upload_.lengths(),
                                          upload_.targets(), pooled_.data(), loss_.data(), stream));
}

std::vector<int> Model::unreached() const {
  if (!detached_) return {};
  return {kLinearWeight, kLinearBias, kConv2Weight, kConv2Bias, kConv1Weight, kConv1Bias};
}

void Model::backward(const std::function<void(int)>& ready) {
  const cudaStream_t stream = rank_.stream();
  const Parameters& p = parameters_;
  const int channels = shape_.channels;
  float* a = d_wide_a_.data();
  float* b = d_wide_b_.data();
  check(kernels::launch_pool_loss_backward(pooled_.data(), upload_.targets(), output_,
                                           upload_.lengths(), 1.0F, d_output_.data(), stream));
  check(kernels::launch_linear_backward_weight(linear_, d_output_.data(), normed_.data(), quarter_,
                                               shape_.outputs, p.gradient(kHeadWeight),
                                               p.gradient(kHeadBias), stream));
  ready(kHeadWeight);
  ready(kHeadBias);
  check(kernels::launch_linear_backward_data(linear_, d_output_.data(), p.value(kHeadWeight),
                                             quarter_, shape_.outputs, a, stream));
  check(kernels::launch_relu_backward(a, normed_.data(), elements(quarter_), a, stream));
  norm_.backward(a, mixed_.data(), quarter_, p.value(kNormWeight), p.gradient(kNormWeight),
                 p.gradient(kNormBias), a);
  ready(kNormWeight);
  ready(kNormBias);
  if (detached_) return;
  check(kernels::launch_linear_backward_weight(linear_, a, placed_.data(), quarter_, channels,
                                               p.gradient(kLinearWeight), p.gradient(kLinearBias),
                                               stream));
  ready(kLinearWeight);
  ready(kLinearBias);
  check(kernels::launch_linear_backward_data(linear_, a, p.value(kLinearWeight), quarter_, channels,
                                             b, stream));
  check(kernels::launch_relu_backward(b, conv2_.data(), elements(quarter_), b, stream));
  check(kernels::launch_convolution_backward_weight(
      b, conv1_.data(), half_, channels, p.gradient(kConv2Weight), p.gradient(kConv2Bias), stream));
  ready(kConv2Weight);
  ready(kConv2Bias);
  check(kernels::launch_convolution_backward_data(b, p.value(kConv2Weight), half_, channels, a,
                                                  stream));
  check(kernels::launch_relu_backward(a, conv1_.data(), elements(half_), a, stream));
  check(kernels::launch_convolution_backward_weight(
      a, upload_.x(), input_, channels, p.gradient(kConv1Weight), p.gradient(kConv1Bias), stream));
  ready(kConv1Weight);
  ready(kConv1Bias);
}

}  // namespace gridlock
