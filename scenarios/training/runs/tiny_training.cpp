// Reduces two buckets of gradients, and computes the same training on the host.
#include "scenarios/training/runs/tiny_training.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "kernels/updates/gradients.h"
#include "kernels/updates/sgd.h"
#include "scenarios/runtime/label.h"

namespace gridlock {
namespace {

constexpr int kCount = 256;  // parameters of a bucket
constexpr int kTotal = 2 * kCount;
constexpr float kRate = 0.25F;
constexpr double kTolerance = 1e-5;

float target(int of_rank) { return static_cast<float>(1 + of_rank); }

}  // namespace

TinyTraining::TinyTraining(Rank& of)
    : rank(of),
      communicator(open_communicator(of, "world")),
      members(all_ranks(of.world_size())),
      weights(kTotal, of.stream()),
      gradients(kTotal, of.stream()),
      host(kTotal) {
  reduce_bucket(0);  // connects
  rank.wait_for(rank.stream());
  rank.report().begin_steps();
}

[[gnu::noinline]] void TinyTraining::reduce_bucket(int bucket) const {
  const Label label("gradients/bucket");
  const std::ptrdiff_t first = std::ptrdiff_t{bucket} * kCount;
  float* mine = gradients.data() + first;
  const float share = 1.0F / static_cast<float>(members.size());
  check(kernels::launch_fill(mine, kCount, -share * target(rank.rank()), rank.stream()));
  check(kernels::launch_gradient_accumulate(weights.data() + first, kCount, share, mine,
                                            rank.stream()));
  check(ncclAllReduce(mine, mine, kCount, ncclFloat32, ncclSum, communicator, rank.stream()));
}

void TinyTraining::update() const {
  check(kernels::launch_sgd(weights.data(), gradients.data(), nullptr, kTotal, kRate, 0,
                            rank.stream()));
}

bool TinyTraining::verify(int steps, int bad_step) const {
  double weight = 0;
  for (int step = 0; step < steps; ++step) {
    const auto in_it = step < bad_step ? all_ranks(rank.world_size()) : members;
    double gradient = 0;
    for (const int member : in_it) gradient += weight - static_cast<double>(target(member));
    weight -= static_cast<double>(kRate) * gradient / static_cast<double>(in_it.size());
  }
  check(cudaMemcpyAsync(host.data(), weights.data(), weights.bytes(), cudaMemcpyDeviceToHost,
                        rank.stream()));
  rank.wait_for(rank.stream());
  double error = 0;
  for (std::size_t i = 0; i < host.size(); ++i) {
    error = std::max(error, std::abs(static_cast<double>(host[i]) - weight));
  }
  rank.report().numbers(error < kTolerance, "max error " + std::to_string(error) +
                                                " (allowed 1e-5), against one process");
  return error < kTolerance;
}

}  // namespace gridlock
