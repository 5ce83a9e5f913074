// A kernel and its CPU twin side by side: one call runs both on equal data, and what they wrote
// must agree. On the simulation the kernel is its twin, behind a stream.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "tests/kernels/kernel_test.h"

namespace gridlock::kernels::test {

// An array three times: in device memory for the kernel, in host memory for the twin, and again in
// host memory with signs with which nothing cancels. From the third, the twin computes the sum of
// absolute terms, of which rounding errors are a multiple.
template <class T>
class Twins {
 public:
  // An input, or an array that is updated in place. `sign`: of all floats in the third array.
  explicit Twins(const std::vector<T>& values, int sign = 1, std::size_t shift = 0)
      : device_(values, shift), host_(values), absolute_(values) {
    if constexpr (std::is_floating_point_v<T>) {
      for (T& value : absolute_) value = static_cast<T>(sign) * std::abs(value);
    }
  }
  // An output. Elements that the kernel forgets stay poisoned; elements that both forget differ.
  explicit Twins(std::size_t size, std::size_t shift = 0)
      : device_(size, shift), host_(size), absolute_(size) {}

  T* on_device() { return device_.data(); }
  T* on_host() { return host_.data(); }
  T* absolute() { return absolute_.data(); }

  // The same values, NaN for NaN. For results with at most one rounding.
  void expect_equal() const {
    const std::vector<T> result = device_.read();
    for (std::size_t i = 0; i < result.size(); ++i) {
      const bool equal = std::isnan(host_[i]) ? std::isnan(result[i]) : result[i] == host_[i];
      ASSERT_TRUE(equal) << result[i] << " and not " << host_[i] << " at " << i;
    }
  }

  // Each may be as far from the exact value as the tests against float64 allow. The absolute terms
  // add up to at least `magnitude`. If one is not finite, the other must not be either.
  void expect_close(double magnitude = 0.0) const {
    const std::vector<T> result = device_.read();
    for (std::size_t i = 0; i < result.size(); ++i) {
      if (std::isfinite(host_[i])) {
        const double terms = std::max({static_cast<double>(std::abs(absolute_[i])),
                                       static_cast<double>(std::abs(host_[i])), magnitude});
        ASSERT_NEAR(result[i], host_[i], 2 * tolerance(terms)) << "at " << i;
      } else {
        ASSERT_FALSE(std::isfinite(result[i])) << result[i] << " at " << i;
      }
    }
  }

 private:
  DeviceArray<T> device_;
  std::vector<T> host_;
  std::vector<T> absolute_;
};

using FloatTwins = Twins<float>;

// Picks one of an argument's arrays; an argument that is not an array is passed on.
template <class T>
T* on_device(Twins<T>& array) {
  return array.on_device();
}
template <class T>
T* on_host(Twins<T>& array) {
  return array.on_host();
}
template <class T>
T* absolute(Twins<T>& array) {
  return array.absolute();
}
template <class T>
const T& on_device(const T& other) {
  return other;
}
template <class T>
const T& on_host(const T& other) {
  return other;
}
template <class T>
const T& absolute(const T& other) {
  return other;
}

// Whether to test shapes that fill more than a GPU's grid. They are tested once, with finite
// values. An emulated grid is small.
#ifdef GRIDLOCK_EMULATED
inline constexpr bool kLargeShapes = false;
#else
inline constexpr bool kLargeShapes = true;
#endif

class TwinTest : public KernelTest {
 protected:
  // `launch` takes the same arguments as its twin, and a stream.
  template <class Launch, class Twin, class... Argument>
  void run(const Launch& launch, const Twin& twin, Argument&&... arguments) {
    EXPECT_EQ(launch(test::on_device(arguments)..., stream), cudaSuccess);
    twin(test::on_host(arguments)...);
    twin(test::absolute(arguments)...);
  }

  // Calls body(shape, shift) for shapes and alignments, with finite data, then with one value of
  // each data() that is not finite.
  template <class Body>
  void for_each_shape(const std::vector<Shape3>& shapes, const Body& body) {
    for (const float bad :
         {0.0F, std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
      poison = bad;
      for (const Shape3 shape : shapes) {
        if (elements(shape) > 100'000 && (poison != 0.0F || !kLargeShapes)) continue;
        for (const std::size_t shift : {0U, 1U}) {
          SCOPED_TRACE(::testing::Message() << shape.batch << "x" << shape.channels << "x"
                                            << shape.time << ", shift " << shift << ", " << bad);
          ASSERT_NO_FATAL_FAILURE(body(shape, shift));
        }
      }
    }
  }
  // The same for rows of values: body(count, shift).
  template <class Body>
  void for_each_count(const Body& body) {
    // The last one exceeds a grid of 4096 blocks of 256 threads with four values each.
    for_each_shape(
        {{1, 1, 0}, {1, 1, 1}, {1, 1, 3}, {1, 1, 4}, {1, 1, 1023}, {1, 1, 4099}, {1, 1, 4'200'003}},
        [&](Shape3 shape, std::size_t shift) { body(std::int64_t{shape.time}, shift); });
  }

  FloatTwins data(std::int64_t count, int sign = 1, std::size_t shift = 0) {
    std::vector<float> values = numbers(count);
    if (poison != 0.0F && !values.empty()) values[generator() % values.size()] = poison;
    return FloatTwins(values, sign, shift);
  }
  FloatTwins parameters(std::int64_t count, int sign = 1) {
    return FloatTwins(numbers(count), sign);
  }
  // Between 0.5 and 1.5, as variances and their inverse roots are.
  FloatTwins spreads(std::int64_t count) {
    std::vector<float> values = numbers(count);
    for (float& value : values) value = 1.0F + std::tanh(value) / 2;
    return FloatTwins(values);
  }
  static FloatTwins output(std::int64_t count, std::size_t shift = 0) {
    return FloatTwins(static_cast<std::size_t>(count), shift);
  }

  // Random numbers. Large arrays repeat them, which is faster; no grid has as many threads as there
  // are different ones.
  std::vector<float> numbers(std::int64_t count) {
    constexpr std::int64_t kDifferent = 200'003;
    const std::vector<float> few = random(static_cast<std::size_t>(std::min(count, kDifferent)));
    std::vector<float> values(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = few[i % few.size()];
    return values;
  }

  float poison = 0.0F;
};

}  // namespace gridlock::kernels::test
