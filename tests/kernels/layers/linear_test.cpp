// The linear layer against matrix products in float64, of columns gathered from the tensors: each
// (sample, time) is one column vector, y = W x + b, dx = W^T dy, dW = sum of dy x^T.
#include "kernels/layers/linear.h"

#include <limits>
#include <vector>

#include "tests/kernels/layers/weighted_layer.h"

namespace gridlock::kernels {
namespace {

using test::Floats;
using test::index_of;
using test::Reference;
using test::size_of;

std::vector<double> column(const std::vector<float>& tensor, Shape3 shape, int b, int t) {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(shape.channels));
  for (int c = 0; c < shape.channels; ++c) values.push_back(tensor[index_of(shape, b, c, t)]);
  return values;
}

test::LayerReference layer_reference(const std::vector<float>& x, const std::vector<float>& weight,
                                     const std::vector<float>& bias, const std::vector<float>& dy,
                                     Shape3 shape, int out_channels) {
  const Shape3 out{shape.batch, out_channels, shape.time};
  test::LayerReference result{std::vector<Reference>(dy.size()), std::vector<Reference>(x.size()),
                              std::vector<Reference>(weight.size()),
                              std::vector<Reference>(bias.size())};
  for (int b = 0; b < shape.batch; ++b) {
    for (int t = 0; t < shape.time; ++t) {
      const std::vector<double> in = column(x, shape, b, t);
      const std::vector<double> gradient = column(dy, out, b, t);
      std::size_t w = 0;
      for (int o = 0; o < out_channels; ++o) {
        const auto oc = static_cast<std::size_t>(o);
        Reference& y = result.y[index_of(out, b, o, t)];
        y.add(bias[oc]);
        result.dbias[oc].add(gradient[oc]);
        for (int i = 0; i < shape.channels; ++i, ++w) {
          const auto ic = static_cast<std::size_t>(i);
          y.add(weight[w] * in[ic]);
          result.dx[index_of(shape, b, i, t)].add(weight[w] * gradient[oc]);
          result.dweight[w].add(gradient[oc] * in[ic]);
        }
      }
    }
  }
  return result;
}

class Linear : public test::LayerTest {
 protected:
  void SetUp() override {
    LayerTest::SetUp();
    if (IsSkipped()) return;
    ASSERT_EQ(linear_create(&handle), cudaSuccess);
  }
  void TearDown() override {
    EXPECT_EQ(linear_destroy(handle), cudaSuccess);
    LayerTest::TearDown();
  }

  void check(Shape3 shape, int out_channels, float poison = 0.0F) {
    compare(
        shape, {shape.batch, out_channels, shape.time}, 1, poison,
        [&](const auto& x, const auto& weight, const auto& bias, const auto& dy) {
          return layer_reference(x, weight, bias, dy, shape, out_channels);
        },
        [&](Device& device) {
          ASSERT_EQ(launch_linear_forward(handle, device.x.data(), device.weight.data(),
                                          device.bias.data(), shape, out_channels, device.y.data(),
                                          stream),
                    cudaSuccess);
          ASSERT_EQ(launch_linear_backward_data(handle, device.dy.data(), device.weight.data(),
                                                shape, out_channels, device.dx.data(), stream),
                    cudaSuccess);
          ASSERT_EQ(launch_linear_backward_weight(handle, device.dy.data(), device.x.data(), shape,
                                                  out_channels, device.dweight.data(),
                                                  device.dbias.data(), stream),
                    cudaSuccess);
        });
  }

  LinearHandle* handle = nullptr;
};

TEST_F(Linear, AgreesWithMatrixProducts) {
  for (const Shape3 shape : test::shapes()) {
    for (const int out_channels : {1, 9, 34}) check(shape, out_channels);
  }
}

TEST_F(Linear, NoOutputChannelsLeaveAZeroGradient) { check({2, 3, 5}, 0); }

TEST_F(Linear, NonFiniteInputsReachWhatReadsThemAndNothingElse) {
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    check({3, 5, 17}, 9, bad);
  }
}

TEST_F(Linear, RefusesANullHandleAndNegativeExtents) {
  Floats any(1);
  EXPECT_EQ(launch_linear_forward(nullptr, any.data(), any.data(), any.data(), {1, 1, 1}, 1,
                                  any.data(), stream),
            cudaErrorInvalidValue);
  EXPECT_EQ(launch_linear_backward_data(handle, any.data(), any.data(), {1, -1, 1}, 1, any.data(),
                                        stream),
            cudaErrorInvalidValue);
  EXPECT_EQ(linear_create(nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(linear_destroy(nullptr), cudaSuccess);
}

}  // namespace
}  // namespace gridlock::kernels
