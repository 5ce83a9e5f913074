// One loop for all types and reductions, instantiated per type.
#include "sim/nccl/collectives/reduce.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "sim/nccl/collectives/small_float.h"

namespace sim::nccl {
namespace {

// The type in which elements of type T are computed.
template <typename T>
struct Arithmetic {
  using Type = float;
};
template <>
struct Arithmetic<double> {
  using Type = double;
};
template <typename T>
requires std::is_integral_v<T>
struct Arithmetic<T> {
  using Type = T;
};

template <typename T>
using Wide = typename Arithmetic<T>::Type;

template <typename T>
Wide<T> load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return static_cast<Wide<T>>(value);
}

template <typename T>
void store(std::byte* to, Wide<T> wide) {
  T value;
  if constexpr (std::is_arithmetic_v<T>) {
    value = static_cast<T>(wide);
  } else {
    value = T::from(wide);
  }
  std::memcpy(to, &value, sizeof value);
}

// Integers wrap around, so they are computed as unsigned, at least as wide as `unsigned`.
template <typename T, typename Operation>
T wrap(T a, T b, Operation operation) {
  if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::common_type_t<std::make_unsigned_t<T>, unsigned>;
    return static_cast<T>(operation(static_cast<Unsigned>(a), static_cast<Unsigned>(b)));
  } else {
    return operation(a, b);
  }
}

template <typename T>
T sum(T a, T b) {
  return wrap(a, b, [](auto x, auto y) { return x + y; });
}
template <typename T>
T product(T a, T b) {
  return wrap(a, b, [](auto x, auto y) { return x * y; });
}
template <typename T>
T largest(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return std::max(a, b);
  } else {
    return std::fmax(a, b);
  }
}
template <typename T>
T smallest(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return std::min(a, b);
  } else {
    return std::fmin(a, b);
  }
}

template <typename T>
T divide(T a, std::size_t divisor) {
  if constexpr (std::is_unsigned_v<T>) {
    return static_cast<T>(a / divisor);
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(std::int64_t{a} / static_cast<std::int64_t>(divisor));
  } else {
    return a / static_cast<T>(divisor);
  }
}

template <typename T, typename Combine>
void reduce_with(std::byte* output, std::span<const Input> inputs, std::size_t elements,
                 std::size_t divisor, Combine combine) {
  constexpr std::size_t kBlock = 256;  // elements; the block stays in the first-level cache
  std::array<Wide<T>, kBlock> block;
  for (std::size_t begin = 0; begin < elements; begin += kBlock) {
    const std::size_t count = std::min(kBlock, elements - begin);
    for (const Input& input : inputs) {
      const std::byte* from = input.data + begin * sizeof(T);
      const auto factor = load<T>(reinterpret_cast<const std::byte*>(&input.scalar));
      const bool first = &input == inputs.data();
      for (std::size_t i = 0; i < count; ++i) {
        Wide<T> value = load<T>(from + i * sizeof(T));
        if (input.scaled) value = product(value, factor);
        block[i] = first ? value : combine(block[i], value);
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (divisor > 1) block[i] = divide(block[i], divisor);
      store<T>(output + (begin + i) * sizeof(T), block[i]);
    }
  }
}

template <typename T>
void reduce_as(std::byte* output, std::span<const Input> inputs, std::size_t bytes,
               ncclRedOp_t op) {
  using W = Wide<T>;
  const std::size_t elements = bytes / sizeof(T);
  switch (op) {
    case ncclProd:
      return reduce_with<T>(output, inputs, elements, 1, [](W a, W b) { return product(a, b); });
    case ncclMax:
      return reduce_with<T>(output, inputs, elements, 1, [](W a, W b) { return largest(a, b); });
    case ncclMin:
      return reduce_with<T>(output, inputs, elements, 1, [](W a, W b) { return smallest(a, b); });
    default: {
      const std::size_t divisor = op == ncclAvg ? inputs.size() : 1;
      return reduce_with<T>(output, inputs, elements, divisor, [](W a, W b) { return sum(a, b); });
    }
  }
}

}  // namespace

std::size_t size_of(ncclDataType_t type) {
  switch (type) {
    case ncclInt8:
    case ncclUint8:
    case ncclFloat8e4m3:
    case ncclFloat8e5m2:
      return 1;
    case ncclFloat16:
    case ncclBfloat16:
      return 2;
    case ncclInt32:
    case ncclUint32:
    case ncclFloat32:
      return 4;
    case ncclInt64:
    case ncclUint64:
    case ncclFloat64:
      return 8;
    default:
      return 0;
  }
}

void reduce(std::byte* output, std::span<const Input> inputs, std::size_t bytes,
            ncclDataType_t type, ncclRedOp_t op) {
  const auto with = [&]<typename T>(T) { reduce_as<T>(output, inputs, bytes, op); };
  switch (type) {
    case ncclInt8:
      return with(std::int8_t{});
    case ncclUint8:
      return with(std::uint8_t{});
    case ncclInt32:
      return with(std::int32_t{});
    case ncclUint32:
      return with(std::uint32_t{});
    case ncclInt64:
      return with(std::int64_t{});
    case ncclUint64:
      return with(std::uint64_t{});
    case ncclFloat16:
      return with(Float16{});
    case ncclFloat32:
      return with(float{});
    case ncclFloat64:
      return with(double{});
    case ncclBfloat16:
      return with(Bfloat16{});
    case ncclFloat8e4m3:
      return with(Float8E4M3{});
    case ncclFloat8e5m2:
      return with(Float8E5M2{});
    default:
      return;
  }
}

}  // namespace sim::nccl
