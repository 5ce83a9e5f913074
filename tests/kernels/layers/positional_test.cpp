// The positional table against powers of a complex number: place t of a channel pair is the t-th
// power of e^(i f), in long double.
#include "kernels/layers/positional.h"

#include <cmath>
#include <complex>
#include <utility>
#include <vector>

#include "tests/kernels/kernel_test.h"

namespace gridlock::kernels {
namespace {

using test::Floats;
using test::Reference;
using test::size_of;

std::vector<Reference> table(int channels, int length) {
  std::vector<Reference> values;
  for (int c = 0; c < channels; ++c) {
    const int pair = c / 2;
    const long double frequency = std::exp(-2.0L * pair / channels * std::log(10000.0L));
    const std::complex<long double> turn = std::polar(1.0L, frequency);
    std::complex<long double> point = 1.0L;
    for (int t = 0; t < length; ++t, point *= turn) {
      values.push_back({static_cast<double>(c % 2 == 0 ? point.imag() : point.real()), 1.0});
    }
  }
  return values;
}

class Positional : public test::KernelTest {};

TEST_F(Positional, TableIsPowersOfARotation) {
  for (const auto& [channels, length] :
       {std::pair{1, 1}, {2, 7}, {5, 33}, {8, 2000}, {0, 4}, {3, 0}}) {
    Floats buffer(static_cast<std::size_t>(channels) * static_cast<std::size_t>(length));
    ASSERT_EQ(launch_positional_fill(buffer.data(), channels, length, stream), cudaSuccess);
    test::expect_close(buffer.read(), table(channels, length));
  }
}

TEST_F(Positional, AddTakesTheStartOfALongerTable) {
  for (const Shape3 shape : test::shapes()) {
    const int length = shape.time + 3;
    const std::vector<float> x = random(size_of(shape));
    const Floats device_x(x);
    Floats buffer(static_cast<std::size_t>(shape.channels) * static_cast<std::size_t>(length));
    Floats y(x.size());
    ASSERT_EQ(launch_positional_fill(buffer.data(), shape.channels, length, stream), cudaSuccess);
    ASSERT_EQ(
        launch_positional_add(device_x.data(), shape, buffer.data(), length, y.data(), stream),
        cudaSuccess);
    const std::vector<Reference> encoding = table(shape.channels, length);
    std::vector<Reference> expected(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto time = static_cast<std::size_t>(shape.time);
      const std::size_t channel = i / time % static_cast<std::size_t>(shape.channels);
      expected[i].add(x[i]);
      expected[i].add(encoding[channel * static_cast<std::size_t>(length) + i % time].value);
      expected[i].magnitude += 1.0;
    }
    test::expect_close(y.read(), expected);
  }
}

TEST_F(Positional, WorksInPlaceAndPassesNan) {
  Floats x(std::vector<float>{1.0F, std::nanf(""), 3.0F});
  const Floats buffer(std::vector<float>{0.5F, 0.5F, 0.5F});
  ASSERT_EQ(launch_positional_add(x.data(), {1, 1, 3}, buffer.data(), 3, x.data(), stream),
            cudaSuccess);
  const std::vector<float> y = x.read();
  EXPECT_EQ(y[0], 1.5F);
  EXPECT_TRUE(std::isnan(y[1]));
  EXPECT_EQ(y[2], 3.5F);
}

TEST_F(Positional, RefusesATableShorterThanTheSequence) {
  Floats any(8);
  EXPECT_EQ(launch_positional_add(any.data(), {1, 1, 4}, any.data(), 3, any.data(), stream),
            cudaErrorInvalidValue);
  EXPECT_EQ(launch_positional_fill(any.data(), -1, 3, stream), cudaErrorInvalidValue);
}

}  // namespace
}  // namespace gridlock::kernels
