// Convolution over time against the operator's definition in float64: tap k of output t reads place
// 2t - 1 + k. Forward gathers by that relation; both gradients are its adjoints, so the reference
// walks over (output, tap) once and scatters to whichever tensor is wanted.
#include "kernels/layers/convolution.h"

#include <limits>
#include <vector>

#include "tests/kernels/layers/weighted_layer.h"

namespace gridlock::kernels {
namespace {

using test::Floats;
using test::index_of;
using test::Reference;
using test::size_of;

std::size_t weight_index(Shape3 shape, int o, int i, int k) {
  return (static_cast<std::size_t>(o) * static_cast<std::size_t>(shape.channels) +
          static_cast<std::size_t>(i)) *
             3 +
         static_cast<std::size_t>(k);
}

test::LayerReference reference(const std::vector<float>& x, const std::vector<float>& weight,
                               const std::vector<float>& bias, const std::vector<float>& dy,
                               Shape3 shape, int out_channels) {
  const Shape3 out{shape.batch, out_channels, subsampled(shape.time)};
  test::LayerReference result{std::vector<Reference>(dy.size()), std::vector<Reference>(x.size()),
                              std::vector<Reference>(weight.size()),
                              std::vector<Reference>(bias.size())};
  for (int b = 0; b < out.batch; ++b) {
    for (int o = 0; o < out.channels; ++o) {
      for (int t = 0; t < out.time; ++t) {
        const std::size_t at = index_of(out, b, o, t);
        const auto oc = static_cast<std::size_t>(o);
        result.y[at].add(bias[oc]);
        result.dbias[oc].add(dy[at]);
        for (int k = 0; k < 3; ++k) {
          const int place = 2 * t - 1 + k;
          if (place < 0 || place >= shape.time) continue;
          for (int i = 0; i < shape.channels; ++i) {
            const std::size_t from = index_of(shape, b, i, place);
            const std::size_t w = weight_index(shape, o, i, k);
            result.y[at].add(static_cast<double>(weight[w]) * x[from]);
            result.dx[from].add(static_cast<double>(weight[w]) * dy[at]);
            result.dweight[w].add(static_cast<double>(dy[at]) * x[from]);
          }
        }
      }
    }
  }
  return result;
}

class Convolution : public test::LayerTest {
 protected:
  void check(Shape3 shape, int out_channels, float poison = 0.0F) {
    compare(
        shape, {shape.batch, out_channels, subsampled(shape.time)}, 3, poison,
        [&](const auto& x, const auto& weight, const auto& bias, const auto& dy) {
          return reference(x, weight, bias, dy, shape, out_channels);
        },
        [&](Device& device) {
          ASSERT_EQ(
              launch_convolution_forward(device.x.data(), device.weight.data(), device.bias.data(),
                                         shape, out_channels, device.y.data(), stream),
              cudaSuccess);
          ASSERT_EQ(launch_convolution_backward_data(device.dy.data(), device.weight.data(), shape,
                                                     out_channels, device.dx.data(), stream),
                    cudaSuccess);
          ASSERT_EQ(launch_convolution_backward_weight(device.dy.data(), device.x.data(), shape,
                                                       out_channels, device.dweight.data(),
                                                       device.dbias.data(), stream),
                    cudaSuccess);
        });
  }
};

TEST_F(Convolution, AgreesWithItsDefinition) {
  for (const Shape3 shape : test::shapes()) {
    for (const int out_channels : {1, 9, 34}) check(shape, out_channels);
  }
}

TEST_F(Convolution, NoOutputChannelsLeaveAZeroGradient) { check({2, 3, 5}, 0); }

TEST_F(Convolution, NonFiniteInputsReachWhatReadsThemAndNothingElse) {
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    check({3, 5, 17}, 9, bad);
    check({2, 2, 300}, 3, bad);
  }
}

TEST_F(Convolution, RefusesNegativeExtents) {
  Floats any(1);
  EXPECT_EQ(launch_convolution_forward(any.data(), any.data(), any.data(), {1, -1, 1}, 1,
                                       any.data(), stream),
            cudaErrorInvalidValue);
  EXPECT_EQ(
      launch_convolution_backward_data(any.data(), any.data(), {1, 1, 1}, -1, any.data(), stream),
      cudaErrorInvalidValue);
}

}  // namespace
}  // namespace gridlock::kernels
