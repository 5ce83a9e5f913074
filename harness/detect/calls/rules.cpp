// What an operation needs from its peers, and when two calls at one slot fit together.
#include "harness/detect/calls/rules.h"

namespace gridlock::detect {

using record::Call;

namespace {

// MPI promises only that a collective delivers no data before it was sent. A rank that needs no
// data, or only sends some, may go on at once.
MustArrive must_arrive_in_mpi(const record::Operation& operation, std::int32_t own_rank,
                              std::int32_t ranks) {
  if (operation.call == Call::mpi_barrier) return MustArrive::everyone;
  if (operation.count == 0) return MustArrive::nobody;
  const bool is_root = operation.peer == own_rank;
  switch (operation.call) {
    case Call::mpi_bcast:
    case Call::mpi_scatter:
      return is_root ? MustArrive::nobody : MustArrive::root;
    case Call::mpi_reduce:
    case Call::mpi_gather:
      return is_root ? MustArrive::everyone : MustArrive::nobody;
    case Call::mpi_scan:
    case Call::mpi_exscan:
      // A rank needs all ranks before it, so only the last one needs everyone.
      return own_rank == ranks - 1 ? MustArrive::everyone : MustArrive::nobody;
    default:
      return MustArrive::everyone;
  }
}

// Whether a sum or a product of these types has the same bits: integers of one width, with and
// without a sign. (ncclInt8, ncclUint8, ncclInt32, … come in such pairs.)
bool gives_same_bits(const Shape& a, const Shape& b) {
  constexpr std::uint8_t kUint64 = 5;  // the last of the integers
  constexpr std::uint8_t kProd = 1;    // after the sum, 0
  const auto is_integer = [](const Shape& shape) { return shape.datatype <= kUint64; };
  return !record::is_mpi(a.call) && is_integer(a) && is_integer(b) &&
         a.datatype / 2 == b.datatype / 2 && a.reduction <= kProd;
}

// An operator of the program's sums, with a weight for each rank's own numbers. The weight may be
// 1, or that of an average.
//   Source  NCCL's user guide, ncclRedOpCreatePreMulSum; NCCL 2.28, src/enqueue.cc, hostToDevRedOp
bool may_both_sum(const Shape& a, const Shape& b) {
  constexpr std::uint8_t kSum = 0;
  constexpr std::uint8_t kAverage = 4;
  const auto sums = [](const Shape& shape) {
    return shape.reduction == kSum || shape.reduction == kAverage;
  };
  const auto is_own = [](const Shape& shape) { return shape.reduction == record::kOwnReduction; };
  return !record::is_mpi(a.call) && ((is_own(a) && sums(b)) || (is_own(b) && sums(a)));
}

}  // namespace

MustArrive must_arrive(const record::Operation& operation, std::int32_t own_rank,
                       std::int32_t ranks, std::uint64_t buffer_bytes) {
  if (record::is_mpi(operation.call)) return must_arrive_in_mpi(operation, own_rank, ranks);
  const auto is_root = [&] { return operation.peer == own_rank; };  // read only where it matters
  const std::uint64_t bytes = bytes_of(operation);
  const MustArrive of_sender = bytes <= buffer_bytes ? MustArrive::nobody : MustArrive::everyone;
  switch (operation.call) {
    case Call::scatter:
      if (is_root() && bytes * static_cast<std::uint64_t>(ranks) > buffer_bytes) {
        return MustArrive::everyone;
      }
      [[fallthrough]];
    case Call::broadcast:
      return is_root() ? of_sender : MustArrive::root;
    case Call::reduce:
    case Call::gather:
      return is_root() ? MustArrive::everyone : of_sender;
    default:
      return MustArrive::everyone;
  }
}

Difference difference(const Shape& a, const Shape& b) {
  if (a.call != b.call || a.bytes != b.bytes || a.root != b.root) return Difference::fatal;
  if (a.reduction != b.reduction && !may_both_sum(a, b)) return Difference::numbers;
  // A call that only moves bytes does not mind their type.
  if (a.datatype != b.datatype && has_reduction(a.call) && !gives_same_bits(a, b)) {
    return Difference::numbers;
  }
  return Difference::none;
}

}  // namespace gridlock::detect
