// NCCL's collectives, as the benchmark makes and verifies them, in one table.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "scenarios/runtime/buffer.h"
#include "scenarios/runtime/rank.h"

namespace gridlock {

// What a benchmark works with. `send` and `receive` have room for the largest size.
struct World {
  Rank& rank;
  ncclComm_t communicator;
  cudaStream_t stream;
  Buffer<float> send;
  Buffer<float> receive;
  int n;
  int me;
};

// One operation on `count` floats of each rank's larger buffer; a block is count / n of them.
struct Operation {
  float* send;
  float* receive;
  std::size_t count;
  std::size_t block;
};

struct Collective {
  const char* name;
  bool in_blocks;  // count is a multiple of the number of ranks
  bool has_in_place;
  double (*bus_factor)(double n);
  void (*enqueue)(const World& world, const Operation& operation);
  // What rank `me` of `n` must find at place `i` of its result.
  float (*expected)(int n, int me, std::size_t block, std::size_t i);
  std::size_t (*results)(const Operation& operation);  // how many
};

std::span<const Collective> collectives();

// What rank `rank` sends at place `i`: small integers, so that every sum is exact.
float value(int rank, std::size_t i);

inline std::size_t at(int rank) { return static_cast<std::size_t>(rank); }

//   Blocks  until the copy is done
void upload(const std::vector<float>& from, float* to, const World& world);
//   Blocks  until the copy is done, after all that is on the stream
std::vector<float> download(const float* from, std::size_t count, const World& world);

// Makes the operation once on fresh data. Returns what is wrong with its result, or "".
//   Collective, Blocks
std::string verify(const Collective& collective, const Operation& one, const World& world);

// "rank 2 has 7 at 31 instead of 6"
std::string mismatch(float number, float expected, std::size_t i, const World& world);

}  // namespace gridlock
