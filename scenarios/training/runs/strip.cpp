// Lets heat flow between the cells of a strip, and to the neighbors over its ends.
#include "scenarios/training/runs/strip.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "kernels/updates/gradients.h"
#include "scenarios/runtime/label.h"

namespace gridlock {
namespace {

constexpr int kCells = 16;  // per strip, without its two halo cells
constexpr float kFlow = 0.25F;

float initial(int ranks, int rank, int cell) {
  const bool warm = rank < ranks - 1 && cell >= kCells / 4 && cell < 3 * kCells / 4;
  return warm ? 1.0F : 0.0F;
}

// All strips as one rod, with a cold cell at each end.
std::vector<double> whole_rod(int ranks, int iterations) {
  const auto size = static_cast<std::size_t>(ranks) * kCells;
  std::vector<double> rod(size + 2, 0.0);
  for (std::size_t i = 0; i < size; ++i) {
    rod[i + 1] = static_cast<double>(
        initial(ranks, static_cast<int>(i) / kCells, static_cast<int>(i) % kCells));
  }
  for (int iteration = 0; iteration < iterations; ++iteration) {
    std::vector<double> next = rod;
    for (std::size_t i = 1; i <= size; ++i) {
      next[i] += static_cast<double>(kFlow) * (rod[i - 1] - 2 * rod[i] + rod[i + 1]);
    }
    rod = next;
  }
  return rod;
}

}  // namespace

Strip::Strip(Rank& rank)
    : rank_(rank),
      communicator_(open_communicator(rank, "world")),
      old_(kCells + 2, rank.stream()),
      new_(kCells + 2, rank.stream()),
      change_(kCells, rank.stream()),
      residual_(1, rank.stream()),
      host_(kCells) {
  for (int cell = 0; cell < kCells; ++cell) {
    host_[static_cast<std::size_t>(cell)] = initial(rank.world_size(), rank.rank(), cell);
  }
  copy(new_.data() + 1, host_.data(), cudaMemcpyHostToDevice);
  rank.wait_for(rank.stream());
  rank.report().begin_steps();
}

[[gnu::noinline]] void Strip::exchange_halo() {
  const Label label("halo/exchange");
  float* cells = new_.data();
  check(ncclGroupStart());
  if (rank_.rank() > 0) trade(cells + 1, cells, rank_.rank() - 1);
  if (!rank_.is_last()) trade(cells + kCells, cells + kCells + 1, rank_.rank() + 1);
  check(ncclGroupEnd());
}

[[gnu::noinline]] void Strip::trade(const float* edge, float* halo, int neighbour) {
  check(ncclSend(edge, 1, ncclFloat32, neighbour, communicator_, rank_.stream()));
  check(ncclRecv(halo, 1, ncclFloat32, neighbour, communicator_, rank_.stream()));
}

void Strip::copy(float* to, const float* from, cudaMemcpyKind kind) {
  check(cudaMemcpyAsync(to, from, kCells * sizeof(float), kind, rank_.stream()));
}

float Strip::update() {
  const cudaStream_t stream = rank_.stream();
  std::swap(old_, new_);
  const float* old = old_.data();
  copy(new_.data() + 1, old + 1, cudaMemcpyDeviceToDevice);
  for (const auto& [shift, flow] : {std::pair{0, kFlow}, {2, kFlow}, {1, -2 * kFlow}}) {
    check(kernels::launch_gradient_accumulate(old + shift, kCells, flow, new_.data() + 1, stream));
  }
  copy(change_.data(), new_.data() + 1, cudaMemcpyDeviceToDevice);
  check(kernels::launch_gradient_accumulate(old + 1, kCells, -1, change_.data(), stream));
  copy(host_.data(), change_.data(), cudaMemcpyDeviceToHost);
  rank_.wait_for(stream);
  float largest = 0;
  for (std::size_t cell = 0; cell < kCells; ++cell) {
    largest = std::max(largest, std::abs(host_[cell]));
  }
  return largest;
}

[[gnu::noinline]] float Strip::reduce_residual(float mine) {
  const Label label("residual/all_reduce");
  const cudaStream_t stream = rank_.stream();
  check(kernels::launch_fill(residual_.data(), 1, mine, stream));
  check(ncclAllReduce(residual_.data(), residual_.data(), 1, ncclFloat32, ncclMax, communicator_,
                      stream));
  check(cudaMemcpyAsync(host_.data(), residual_.data(), sizeof(float), cudaMemcpyDeviceToHost,
                        stream));
  rank_.wait_for(stream);
  rank_.report().step_done();
  return host_[0];
}

void Strip::verify(int iterations) {
  const std::vector<double> rod = whole_rod(rank_.world_size(), iterations);
  copy(host_.data(), new_.data() + 1, cudaMemcpyDeviceToHost);
  rank_.wait_for(rank_.stream());
  double error = 0;
  for (std::size_t cell = 0; cell < kCells; ++cell) {
    const double should = rod[static_cast<std::size_t>(rank_.rank() * kCells) + cell + 1];
    error = std::max(error, std::abs(static_cast<double>(host_[cell]) - should));
  }
  rank_.report().figure("iterations", iterations);
  rank_.report().numbers(error < 1e-5, "max error " + std::to_string(error) + " (allowed 1e-5)");
  close_communicator(communicator_);
}

}  // namespace gridlock
