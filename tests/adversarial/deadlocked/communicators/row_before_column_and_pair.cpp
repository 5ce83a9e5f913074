// Row 0, 1, 2; column 1, 3, 4; pair 0, 3. Each step reduces over the row, the column and the pair.
// In the last step, rank 0 leaves out the row.
// Naive view: two of three have come to the column, so rank 1, who waits in the row, is odd. Rank 0
// waits in the pair with half of it.
// Expected: deadlock; rank 0 is among the blamed.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1, 3}), .ranks = 5};

namespace {

constexpr int kSteps = 4;

ncclComm_t part_of(ncclComm_t world, bool is_in) {
  ncclComm_t part = nullptr;
  check(ncclCommSplit(world, is_in ? 0 : NCCL_SPLIT_NOCOLOR, rank(), &part, nullptr));
  return part;
}

}  // namespace

int program(int, char**) {
  ncclComm_t world = join_world();
  ncclComm_t row = part_of(world, rank() <= 2);
  ncclComm_t column = part_of(world, rank() == 1 || rank() >= 3);
  ncclComm_t pair = part_of(world, rank() == 0 || rank() == 3);
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  for (int step = 0; step < kSteps; ++step) {
    const bool leaves_out = rank() == 0 && step == kSteps - 1;  // BUG
    if (row != nullptr && !leaves_out) all_reduce(row, stream, data);
    if (column != nullptr) all_reduce(column, stream, data);
    if (pair != nullptr) all_reduce(pair, stream, data);
    check(cudaStreamSynchronize(stream));
  }
  return 0;
}
