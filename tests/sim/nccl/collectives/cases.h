// The cases of the collectives' tests: every data type, counts that divide evenly by nothing, in
// and out of place, and a reference that computes with doubles.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "tests/sim/nccl/ranks.h"

namespace sim_test {

using Bytes = std::vector<std::byte>;

constexpr int kRanks = 4;
// Below, at and above the limit for data inside the segment; none divides evenly.
constexpr std::size_t kCounts[] = {1, 3, 255, 517, 4099};
constexpr std::size_t kMostCount = 4099;

struct Type {
  ncclDataType_t type;
  std::size_t size;
  void (*encode)(double, std::byte*);
};

const std::vector<Type>& types();

// 1 or 2, so that all results are exact in the smallest type. The values are scattered, so that an
// element in the wrong place is noticed.
double input(int rank, std::size_t i);

double expected(ncclRedOp_t op, std::size_t i);

Bytes encoded(const Type& type, std::size_t begin, std::size_t count,
              const std::function<double(std::size_t)>& value);

Bytes part(const Bytes& all, std::size_t begin, std::size_t count);

// Buffers of one rank, reused by all cases.
struct Buffers {
  Device<std::byte> send{kMostCount * 8 * kRanks};
  Device<std::byte> receive{kMostCount * 8 * kRanks};
};

// One case of a collective: fills the buffers, calls, and compares what was received.
struct Case {
  Rank& rank;
  Buffers& buffers;
  const Type& type;
  std::size_t count;
  bool in_place;

  std::size_t block() const { return count * type.size; }
  Bytes inputs(int of, std::size_t elements) const {
    return encoded(type, 0, elements, [of](std::size_t i) { return input(of, i); });
  }

  // Puts `in` where the call reads, and returns where it reads and where it writes. In place, the
  // output begins `output_at` bytes into the input's buffer, or the input `input_at` bytes into the
  // output's.
  std::pair<std::byte*, std::byte*> place(const Bytes& in, std::size_t input_at,
                                          std::size_t output_at) {
    buffers.receive.write(Bytes(kMostCount * 8 * kRanks, std::byte{0x5a}));
    std::byte* base = in_place ? buffers.receive.data() : buffers.send.data();
    std::byte* from = base + (in_place ? input_at : 0);
    std::byte* to = buffers.receive.data() + (in_place ? output_at : 0);
    check_cuda(cudaMemcpy(from, in.data(), in.size(), cudaMemcpyHostToDevice));
    return {from, to};
  }

  void expect(const std::byte* output, const Bytes& wanted, const char* what) {
    rank.synchronize();
    Bytes got(wanted.size());
    check_cuda(cudaMemcpy(got.data(), output, got.size(), cudaMemcpyDeviceToHost));
    if (got == wanted) return;
    throw std::runtime_error(std::string(what) + ": wrong result, type " +
                             std::to_string(type.type) + ", count " + std::to_string(count) +
                             (in_place ? ", in place" : ", out of place"));
  }
};

// Runs `body` on all ranks for all counts, both placements and all types.
void all_cases(const std::function<void(Case&)>& body);

}  // namespace sim_test
