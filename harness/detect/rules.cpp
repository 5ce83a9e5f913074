// What an operation needs of its peers, and when two calls at one slot fit together.
#include "harness/detect/rules.h"

#include <array>

namespace gridlock::detect {

using record::Call;

std::size_t bytes_of_type(std::uint8_t datatype) {
  // ncclInt8, Uint8, Int32, Uint32, Int64, Uint64, Float16, Float32, Float64, Bfloat16, Float8 x 2
  static constexpr std::array<std::uint8_t, 12> kBytes = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
  return datatype < kBytes.size() ? kBytes[datatype] : 1;
}

bool has_root(Call call) {
  return call == Call::broadcast || call == Call::reduce || call == Call::gather ||
         call == Call::scatter;
}

bool has_reduction(Call call) {
  return call == Call::all_reduce || call == Call::reduce || call == Call::reduce_scatter;
}

MustArrive must_arrive(const record::Operation& operation, std::int32_t own_rank,
                       std::uint64_t buffer_bytes) {
  const bool is_root = operation.peer == own_rank;
  const bool fits = bytes_of(operation) <= buffer_bytes;
  switch (operation.call) {
    case Call::broadcast:
    case Call::scatter:
      if (!is_root) return MustArrive::root;
      return fits ? MustArrive::nobody : MustArrive::everyone;
    case Call::reduce:
    case Call::gather:
      if (is_root) return MustArrive::everyone;
      return fits ? MustArrive::nobody : MustArrive::root;
    default:
      return MustArrive::everyone;
  }
}

Shape shape_of(const record::Operation& operation) {
  return {
      .call = operation.call,
      .datatype = operation.datatype,
      .reduction = has_reduction(operation.call) ? operation.reduction : std::uint8_t{0},
      .root = has_root(operation.call) ? operation.peer : -1,
      .bytes = bytes_of(operation),
  };
}

Difference difference(const Shape& a, const Shape& b) {
  if (a.call != b.call || a.bytes != b.bytes || a.root != b.root) return Difference::fatal;
  if (a.datatype != b.datatype || a.reduction != b.reduction) return Difference::numbers;
  return Difference::none;
}

}  // namespace gridlock::detect
