// What all kernel tests share: a stream, random data, shapes, and the comparison with a reference
// in float64. Builds for both back ends; without a GPU the CUDA build skips and says why.
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "kernels/shape.h"
#include "tests/kernels/device_array.h"

namespace gridlock::kernels::test {

// A value computed in float64, and the size of what was added up to get it: the rounding error of a
// float32 sum is a multiple of the unit roundoff times the sum of the absolute terms, not of the
// (perhaps cancelled) result.
struct Reference {
  double value = 0.0;
  double magnitude = 0.0;

  void add(double term) {
    value += term;
    magnitude += std::abs(term);
  }
};

// docs/kernels.md derives it: the longest chain of dependent roundings in these tests' sizes.
inline constexpr double kRoundings = 32.0;

inline double tolerance(double magnitude) {
  return kRoundings * std::numeric_limits<float>::epsilon() / 2 * magnitude +
         std::numeric_limits<float>::min();
}

// If the reference is not finite, neither may the result be. Otherwise they must agree within
// rounding.
inline void expect_close(const std::vector<float>& result,
                         const std::vector<Reference>& reference) {
  ASSERT_EQ(result.size(), reference.size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (std::isfinite(reference[i].value)) {
      ASSERT_NEAR(result[i], reference[i].value, tolerance(reference[i].magnitude)) << "at " << i;
    } else {
      ASSERT_FALSE(std::isfinite(result[i])) << result[i] << " at " << i;
    }
  }
}

// Elementwise results. The magnitude is that of the value, unless a test knows better.
inline std::vector<Reference> exact(const std::vector<double>& values) {
  std::vector<Reference> references;
  references.reserve(values.size());
  for (const double value : values) references.push_back({value, std::abs(value)});
  return references;
}

inline std::vector<Shape3> shapes() {
  std::vector<Shape3> all = {{0, 3, 7},   {2, 0, 5},  {2, 3, 0},   {1, 1, 1},
                             {1, 1, 2},   {1, 2, 3},  {3, 5, 17},  {40, 2, 3},
                             {2, 37, 33}, {4, 8, 64}, {1, 3, 1001}};
  std::mt19937 random(7);
  for (int i = 0; i < 8; ++i) {
    std::uniform_int_distribution<int> batch(0, 9);
    std::uniform_int_distribution<int> channels(1, 20);
    std::uniform_int_distribution<int> time(1, 150);
    const int b = batch(random);
    const int c = channels(random);
    all.push_back({b, c, time(random)});
  }
  return all;
}

// More rows than the grids of the passes over rows have warps, more channels than those of the
// reductions have blocks.
inline constexpr Shape3 kManyRows{2, 20'000, 3};

inline std::size_t size_of(Shape3 shape) { return static_cast<std::size_t>(elements(shape)); }

inline std::size_t index_of(Shape3 shape, int b, int c, int t) {
  return static_cast<std::size_t>((static_cast<std::int64_t>(b) * shape.channels + c) * shape.time +
                                  t);
}

class KernelTest : public ::testing::Test {
 protected:
  void SetUp() override {
    int devices = 0;
    const cudaError_t error = cudaGetDeviceCount(&devices);
    if (error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver) {
      GTEST_SKIP() << "needs a GPU: cudaGetDeviceCount says " << cudaGetErrorString(error);
    }
    ASSERT_EQ(error, cudaSuccess);
    ASSERT_GT(devices, 0);
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  }
  void TearDown() override {
    if (stream != nullptr) {
      EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
    }
  }

  std::vector<float> random(std::size_t count, float mean = 0.0F) {
    std::normal_distribution<float> normal(mean, 1.0F);
    std::vector<float> values(count);
    for (float& value : values) value = normal(generator);
    return values;
  }

  cudaStream_t stream = nullptr;
  std::mt19937 generator{20240607};
};

}  // namespace gridlock::kernels::test
