// The reducer's elementwise work: exact results, at every alignment and at sizes near a vector's.
#include "kernels/updates/gradients.h"

#include <cmath>
#include <limits>
#include <vector>

#include "tests/kernels/kernel_test.h"

namespace gridlock::kernels {
namespace {

using test::Floats;

constexpr std::size_t kCounts[] = {0, 1, 3, 4, 5, 1023, 4099};

class Gradients : public test::KernelTest {};

TEST_F(Gradients, PackFillsItsPartOfTheBucketAndNoMore) {
  for (const std::size_t count : kCounts) {
    for (const std::size_t offset : {0U, 1U, 4U}) {
      const std::vector<float> gradient = random(count);
      const Floats source(gradient);
      Floats bucket(std::vector<float>(offset + count + 3, 7.0F));
      ASSERT_EQ(launch_gradient_pack(source.data(), static_cast<std::int64_t>(count), 0.25F,
                                     bucket.data(), static_cast<std::int64_t>(offset), stream),
                cudaSuccess);
      std::vector<float> expected(offset + count + 3, 7.0F);
      for (std::size_t i = 0; i < count; ++i) expected[offset + i] = gradient[i] / 4;
      EXPECT_EQ(bucket.read(), expected);
    }
  }
}

TEST_F(Gradients, UnpackUndoesPack) {
  for (const std::size_t count : kCounts) {
    const std::vector<float> gradient = random(count);
    const auto n = static_cast<std::int64_t>(count);
    const Floats source(gradient);
    Floats bucket(count + 5);
    Floats result(count);
    ASSERT_EQ(launch_gradient_pack(source.data(), n, 0.5F, bucket.data(), 5, stream), cudaSuccess);
    ASSERT_EQ(launch_gradient_unpack(bucket.data(), 5, n, 2.0F, result.data(), stream),
              cudaSuccess);
    EXPECT_EQ(result.read(), gradient);
  }
}

TEST_F(Gradients, AccumulateAddsAScaledGradient) {
  for (const std::size_t count : kCounts) {
    const std::vector<float> first = random(count);
    const std::vector<float> second = random(count);
    const Floats other(second);
    Floats sum(first);
    ASSERT_EQ(launch_gradient_accumulate(other.data(), static_cast<std::int64_t>(count), 0.5F,
                                         sum.data(), stream),
              cudaSuccess);
    std::vector<test::Reference> expected(count);
    for (std::size_t i = 0; i < count; ++i) {
      expected[i].add(first[i]);
      expected[i].add(0.5 * second[i]);
    }
    test::expect_close(sum.read(), expected);
  }
}

TEST_F(Gradients, ScaleAndFill) {
  for (const std::size_t count : kCounts) {
    for (const std::size_t shift : {0U, 3U}) {
      const auto n = static_cast<std::int64_t>(count);
      Floats values(count, shift);
      ASSERT_EQ(launch_fill(values.data(), n, 1.5F, stream), cudaSuccess);
      ASSERT_EQ(launch_scale(values.data(), n, -4.0F, stream), cudaSuccess);
      EXPECT_EQ(values.read(), std::vector<float>(count, -6.0F));
    }
  }
}

TEST_F(Gradients, NanToNumLeavesOnlyFiniteValues) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kLargest = std::numeric_limits<float>::max();
  Floats values(std::vector<float>{std::nanf(""), 1.0F, kInfinity, -kInfinity, -2.0F, kLargest});
  ASSERT_EQ(launch_nan_to_num(values.data(), 6, stream), cudaSuccess);
  EXPECT_EQ(values.read(), (std::vector<float>{0.0F, 1.0F, kLargest, -kLargest, -2.0F, kLargest}));
}

TEST_F(Gradients, ZeroTimesNanStaysNan) {
  Floats values(std::vector<float>{std::nanf(""), 1.0F});
  ASSERT_EQ(launch_scale(values.data(), 2, 0.0F, stream), cudaSuccess);
  const std::vector<float> result = values.read();
  EXPECT_TRUE(std::isnan(result[0])) << "scaling by 0 must not hide a poisoned gradient";
  EXPECT_EQ(result[1], 0.0F);
}

TEST_F(Gradients, RefuseNegativeCountsAndOffsets) {
  Floats any(1);
  float* p = any.data();
  EXPECT_EQ(launch_gradient_pack(p, -1, 1.0F, p, 0, stream), cudaErrorInvalidValue);
  EXPECT_EQ(launch_gradient_pack(p, 1, 1.0F, p, -1, stream), cudaErrorInvalidValue);
  EXPECT_EQ(launch_gradient_unpack(p, -1, 1, 1.0F, p, stream), cudaErrorInvalidValue);
  EXPECT_EQ(launch_gradient_accumulate(p, -1, 1.0F, p, stream), cudaErrorInvalidValue);
  EXPECT_EQ(launch_fill(p, -1, 1.0F, stream), cudaErrorInvalidValue);
  EXPECT_EQ(launch_scale(p, -1, 1.0F, stream), cudaErrorInvalidValue);
  EXPECT_EQ(launch_nan_to_num(p, -1, stream), cudaErrorInvalidValue);
}

}  // namespace
}  // namespace gridlock::kernels
