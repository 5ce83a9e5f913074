// What an operation needs from its peers, and when two calls at one slot fit together. Source:
// NCCL's user guide; for what is undefined there, the simulation's design.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>

#include "harness/record/snapshot.h"

namespace gridlock::detect {

// Bytes of one element of an ncclDataType_t; 1 for a type we do not know.
inline std::size_t bytes_of_type(std::uint8_t datatype) {
  // ncclInt8, Uint8, Int32, Uint32, Int64, Uint64, Float16, Float32, Float64, Bfloat16, Float8 x 2
  constexpr std::array<std::uint8_t, 12> kBytes = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
  return datatype < kBytes.size() ? kBytes[datatype] : 1;
}

// Bytes that `operation` passes per rank (its count argument times its type).
inline std::uint64_t bytes_of(const record::Operation& operation) {
  return operation.count * bytes_of_type(operation.datatype);
}

inline bool has_root(record::Call call) {
  return call == record::Call::broadcast || call == record::Call::reduce ||
         call == record::Call::gather || call == record::Call::scatter ||
         (call >= record::Call::mpi_bcast && call <= record::Call::mpi_scatter &&
          call != record::Call::mpi_allreduce);
}

inline bool has_reduction(record::Call call) {
  return call == record::Call::all_reduce || call == record::Call::reduce ||
         call == record::Call::reduce_scatter || call == record::Call::mpi_reduce ||
         call == record::Call::mpi_allreduce ||
         (call >= record::Call::mpi_reduce_scatter && call <= record::Call::mpi_exscan);
}

// Who must arrive at a collective's slot before this member can leave it.
enum class MustArrive : std::uint8_t { nobody, root, everyone };

// The table of docs/detection.md for member `own_rank` of `ranks`. Data above `buffer_bytes` does
// not fit the buffers, so its receivers must arrive too. A root that reduces takes nothing before
// all members are there.
MustArrive must_arrive(const record::Operation& operation, std::int32_t own_rank,
                       std::int32_t ranks, std::uint64_t buffer_bytes);

// How two calls that meet at one slot differ, worst first.
enum class Difference : std::uint8_t {
  none,
  label,    // same call for another purpose: mixes the numbers, nothing hangs
  numbers,  // another reduction, or a type of the same size: completes with wrong numbers
  fatal,    // another call, size or root: never completes
};

// Everything that matters about a call at a slot. Sizes do not count for MPI: they may differ by
// rank, and MPI itself reports wrong ones.
struct Shape {
  record::Call call = record::Call::none;
  std::uint8_t datatype = 0;
  std::uint8_t reduction = 0;  // 0: none; record::kOwnReduction: the program's own
  std::int32_t root = -1;      // -1: none
  std::uint64_t bytes = 0;
  auto operator<=>(const Shape&) const = default;
};

inline std::uint8_t reduction_of(const record::Operation& operation) {
  return has_reduction(operation.call) ? operation.reduction : std::uint8_t{0};
}

inline Shape shape_of(const record::Operation& operation) {
  return {
      .call = operation.call,
      .datatype = operation.datatype,
      .reduction = reduction_of(operation),
      .root = has_root(operation.call) ? operation.peer : -1,
      .bytes = record::is_mpi(operation.call) ? 0 : bytes_of(operation),
  };
}
Difference difference(const Shape& a, const Shape& b);  // none, numbers or fatal

}  // namespace gridlock::detect
