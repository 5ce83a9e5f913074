// Convolution over time against the operator's definition in float64: tap k of output t reads place
// 2t - 1 + k. Forward gathers by that relation; both gradients are its adjoints, so the reference
// walks over (output, tap) once and scatters to whichever tensor is wanted.
#include "kernels/convolution.h"

#include <limits>
#include <vector>

#include "tests/kernels/kernel_test.h"

namespace gridlock::kernels {
namespace {

using test::Floats;
using test::index_of;
using test::Reference;
using test::size_of;

struct Result {
  std::vector<Reference> y, dx, dweight, dbias;
};

std::size_t weight_index(Shape3 shape, int o, int i, int k) {
  return (static_cast<std::size_t>(o) * static_cast<std::size_t>(shape.channels) +
          static_cast<std::size_t>(i)) *
             3 +
         static_cast<std::size_t>(k);
}

Result reference(const std::vector<float>& x, const std::vector<float>& weight,
                 const std::vector<float>& bias, const std::vector<float>& dy, Shape3 shape,
                 int out_channels) {
  const Shape3 out{shape.batch, out_channels, subsampled(shape.time)};
  Result result{std::vector<Reference>(dy.size()), std::vector<Reference>(x.size()),
                std::vector<Reference>(weight.size()), std::vector<Reference>(bias.size())};
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

class Convolution : public test::KernelTest {
 protected:
  void check(Shape3 shape, int out_channels, float poison = 0.0F) {
    SCOPED_TRACE(::testing::Message() << shape.batch << "x" << shape.channels << "x" << shape.time
                                      << " to " << out_channels);
    const auto outputs = static_cast<std::size_t>(out_channels);
    const Shape3 out{shape.batch, out_channels, subsampled(shape.time)};
    std::vector<float> x = random(size_of(shape));
    const std::vector<float> weight =
        random(outputs * static_cast<std::size_t>(shape.channels) * 3);
    const std::vector<float> bias = random(outputs);
    const std::vector<float> dy = random(size_of(out));
    if (poison != 0.0F) x[x.size() / 2] = poison;
    const Result expected = reference(x, weight, bias, dy, shape, out_channels);

    const Floats dx_in(x);
    const Floats dw_in(weight);
    const Floats db_in(bias);
    const Floats dy_in(dy);
    Floats y(dy.size());
    Floats dx(x.size());
    Floats dweight(weight.size());
    Floats dbias(bias.size());
    ASSERT_EQ(launch_convolution_forward(dx_in.data(), dw_in.data(), db_in.data(), shape,
                                         out_channels, y.data(), stream),
              cudaSuccess);
    ASSERT_EQ(launch_convolution_backward_data(dy_in.data(), dw_in.data(), shape, out_channels,
                                               dx.data(), stream),
              cudaSuccess);
    ASSERT_EQ(launch_convolution_backward_weight(dy_in.data(), dx_in.data(), shape, out_channels,
                                                 dweight.data(), dbias.data(), stream),
              cudaSuccess);
    test::expect_close(y.read(), expected.y);
    test::expect_close(dx.read(), expected.dx);
    test::expect_close(dweight.read(), expected.dweight);
    test::expect_close(dbias.read(), expected.dbias);
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
