// Every kernel against its CPU twin, except batch normalization's (batch_norm_twins_test.cpp). A
// spin computes nothing; spin_test.cpp tests what kernel and twin have in common.
#include "tests/kernels/twins.h"

#include <cmath>
#include <vector>

#include "kernels/layers/convolution.h"
#include "kernels/layers/linear.h"
#include "kernels/layers/pool_loss.h"
#include "kernels/layers/positional.h"
#include "kernels/layers/relu.h"
#include "kernels/updates/gradients.h"
#include "kernels/updates/nan_scan.h"
#include "kernels/updates/sgd.h"

namespace gridlock::kernels {
namespace {

using test::FloatTwins;
using test::Twins;

class KernelTwins : public test::TwinTest {};

TEST_F(KernelTwins, ConvolutionForwardAndBackward) {
  std::vector<Shape3> shapes = test::shapes();
  shapes.push_back({70'000, 1, 2});  // more samples than a grid has in its third extent
  for_each_shape(shapes, [this](Shape3 shape, std::size_t shift) {
    const int outputs = shape.time % 2 == 0 ? 9 : 34;
    const std::int64_t out = elements({shape.batch, outputs, subsampled(shape.time)});
    FloatTwins x = data(elements(shape), 1, shift);
    FloatTwins dy = data(out, 1, shift);
    FloatTwins weight = parameters(std::int64_t{3} * outputs * shape.channels);
    FloatTwins bias = parameters(outputs);
    FloatTwins y = output(out);
    FloatTwins dx = output(elements(shape));
    FloatTwins dweight = output(std::int64_t{3} * outputs * shape.channels);
    FloatTwins dbias = output(outputs);
    run(launch_convolution_forward, cpu::convolution_forward, x, weight, bias, shape, outputs, y);
    run(launch_convolution_backward_data, cpu::convolution_backward_data, dy, weight, shape,
        outputs, dx);
    run(launch_convolution_backward_weight, cpu::convolution_backward_weight, dy, x, shape, outputs,
        dweight, dbias);
    y.expect_close();
    dx.expect_close();
    dweight.expect_close();
    dbias.expect_close();
  });
}

TEST_F(KernelTwins, LinearForwardAndBackward) {
  LinearHandle* handle = nullptr;
  ASSERT_EQ(linear_create(&handle), cudaSuccess);
  const auto with_handle = [handle](auto launch) {
    return [handle, launch](auto... arguments) { return launch(handle, arguments...); };
  };
  for_each_shape(test::shapes(), [&](Shape3 shape, std::size_t shift) {
    const int outputs = shape.time % 2 == 0 ? 9 : 34;
    const std::int64_t out = elements({shape.batch, outputs, shape.time});
    FloatTwins x = data(elements(shape), 1, shift);
    FloatTwins dy = data(out, 1, shift);
    FloatTwins weight = parameters(std::int64_t{outputs} * shape.channels);
    FloatTwins bias = parameters(outputs);
    FloatTwins y = output(out);
    FloatTwins dx = output(elements(shape));
    FloatTwins dweight = output(std::int64_t{outputs} * shape.channels);
    FloatTwins dbias = output(outputs);
    run(with_handle(launch_linear_forward), cpu::linear_forward, x, weight, bias, shape, outputs,
        y);
    run(with_handle(launch_linear_backward_data), cpu::linear_backward_data, dy, weight, shape,
        outputs, dx);
    run(with_handle(launch_linear_backward_weight), cpu::linear_backward_weight, dy, x, shape,
        outputs, dweight, dbias);
    y.expect_close();
    dx.expect_close();
    dweight.expect_close();
    dbias.expect_close();
  });
  EXPECT_EQ(linear_destroy(handle), cudaSuccess);
}

TEST_F(KernelTwins, BucketsAreCopiedAndScaledAlike) {
  for_each_count([this](std::int64_t count, std::size_t shift) {
    constexpr std::int64_t kOffset = 5;
    FloatTwins gradient = data(count, 1, shift);
    FloatTwins bucket(std::vector<float>(static_cast<std::size_t>(count + kOffset), 7.0F));
    FloatTwins back = output(count, shift);
    FloatTwins sum = data(count);
    run(launch_gradient_pack, cpu::gradient_pack, gradient, count, 0.3F, bucket, kOffset);
    run(launch_gradient_unpack, cpu::gradient_unpack, bucket, kOffset, count, 3.0F, back);
    run(launch_gradient_accumulate, cpu::gradient_accumulate, gradient, count, 0.3F, sum);
    bucket.expect_equal();
    back.expect_equal();
    sum.expect_close();
  });
}

TEST_F(KernelTwins, ValuesAreFilledScaledAndMadeFiniteAlike) {
  for_each_count([this](std::int64_t count, std::size_t shift) {
    FloatTwins filled = output(count, shift);
    FloatTwins values = data(count, 1, shift);
    run(launch_fill, cpu::fill, filled, count, 0.1F);
    filled.expect_equal();
    run(launch_scale, cpu::scale, values, count, 0.3F);
    values.expect_equal();
    run(launch_nan_to_num, cpu::nan_to_num, values, count);
    values.expect_equal();
  });
}

TEST_F(KernelTwins, TheScanFindsTheSame) {
  for_each_count([this](std::int64_t count, std::size_t shift) {
    FloatTwins values = data(count, 1, shift);
    Twins<int> flag(std::vector<int>{0});
    run(launch_nan_scan, cpu::nan_scan, values, count, flag);
    flag.expect_equal();
    EXPECT_EQ(*flag.on_host(), poison != 0.0F && count > 0 ? 1 : 0);
  });
}

TEST_F(KernelTwins, TheOptimizerStepsAlike) {
  for_each_count([this](std::int64_t count, std::size_t shift) {
    FloatTwins weights = parameters(count);
    FloatTwins plain = parameters(count);
    FloatTwins velocity = parameters(count, -1);
    FloatTwins gradient = data(count, -1, shift);
    run(launch_sgd, cpu::sgd, weights, gradient, velocity, count, 0.1F, 0.9F);
    run(launch_sgd, cpu::sgd, plain, gradient, nullptr, count, 0.1F, 0.9F);
    weights.expect_close();
    velocity.expect_close();
    plain.expect_close();
  });
}

TEST_F(KernelTwins, ReluCutsAlike) {
  for_each_count([this](std::int64_t count, std::size_t shift) {
    FloatTwins x = data(count, 1, shift);
    FloatTwins dy = data(count);
    FloatTwins y = output(count, shift);
    FloatTwins dx = output(count);
    run(launch_relu_forward, cpu::relu_forward, x, count, y);
    run(launch_relu_backward, cpu::relu_backward, dy, x, count, dx);
    y.expect_equal();
    dx.expect_equal();
  });
}

TEST_F(KernelTwins, PoolingAndLoss) {
  std::vector<Shape3> shapes = test::shapes();
  shapes.push_back(test::kManyRows);
  for_each_shape(shapes, [this](Shape3 shape, std::size_t shift) {
    const std::int64_t rows = std::int64_t{shape.batch} * shape.channels;
    std::vector<int> some;
    some.reserve(static_cast<std::size_t>(shape.batch));
    for (int b = 0; b < shape.batch; ++b) some.push_back(b * 7 % (shape.time + 2) - 1);
    Twins<int> lengths(some);
    const auto check = [&](auto& lengths_or_null) {
      FloatTwins x = data(elements(shape), 1, shift);
      FloatTwins target = parameters(rows, -1);
      FloatTwins pooled = output(rows);
      FloatTwins loss = output(1);
      FloatTwins given = data(rows);
      FloatTwins dx = output(elements(shape), shift);
      run(launch_pool_loss_forward, cpu::pool_loss_forward, x, shape, lengths_or_null, target,
          pooled, loss);
      run(launch_pool_loss_backward, cpu::pool_loss_backward, given, target, shape, lengths_or_null,
          0.3F, dx);
      pooled.expect_close();
      loss.expect_close();
      dx.expect_close();
    };
    const int* all = nullptr;
    check(all);
    check(lengths);
  });
}

TEST_F(KernelTwins, PositionsAreEncodedAlike) {
  std::vector<Shape3> shapes = test::shapes();
  shapes.push_back(test::kManyRows);
  for_each_shape(shapes, [this](Shape3 shape, std::size_t shift) {
    const int length = shape.time + 3;
    FloatTwins x = data(elements(shape), 1, shift);
    FloatTwins table = parameters(std::int64_t{shape.channels} * length);
    FloatTwins y = output(elements(shape), shift);
    FloatTwins filled = output(std::int64_t{shape.channels} * length);
    run(launch_positional_add, cpu::positional_add, x, shape, table, length, y);
    run(launch_positional_fill, cpu::positional_fill, filled, shape.channels, length);
    y.expect_equal();
    filled.expect_close(1.0);  // the angles are large compared with the values
  });
}

}  // namespace
}  // namespace gridlock::kernels
