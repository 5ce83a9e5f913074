// Opens, reduces and checks a channel; see channel.h.
#include "scenarios/runtime/channel.h"

#include "kernels/updates/gradients.h"
#include "scenarios/runtime/label.h"

namespace gridlock {

Channel open_channel(ncclComm_t communicator, cudaStream_t stream) {
  Channel channel{communicator, stream, Buffer<float>(kChannelCount, stream),
                  PinnedBuffer<float>(1)};
  all_reduce(channel, "connect", 0);
  check(cudaStreamSynchronize(stream));
  return channel;
}

Channel open_channel(Rank& rank, const char* name, cudaStream_t stream) {
  return open_channel(open_communicator(rank, name), stream);
}

ncclComm_t split_communicator(ncclComm_t parent, int color, const char* name) {
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.commName = name;
  ncclComm_t part = nullptr;
  check(ncclCommSplit(parent, color, 0, &part, &config));
  return part;
}

// Kept out of line, so that verdicts can name it.
[[gnu::noinline]] void all_reduce(const Channel& channel, const char* label, float mine) {
  const Label here(label);
  float* data = channel.data.data();
  check(kernels::launch_fill(data, kChannelCount, mine, channel.stream));
  check_or_await(ncclAllReduce(data, data, kChannelCount, ncclFloat32, ncclSum,
                               channel.communicator, channel.stream),
                 channel.communicator);
}

float read(Rank& rank, const Channel& channel, int which) {
  const Label here("loss/item");
  check(cudaMemcpyAsync(channel.host.data(), channel.data.data() + which, sizeof(float),
                        cudaMemcpyDeviceToHost, channel.stream));
  rank.wait_for(channel.stream);
  return channel.host[0];
}

void check_sum(Rank& rank, const Channel& channel, int step) {
  const bool right = read(rank, channel) == sum_over_ranks(rank.world_size(), step);
  rank.report().numbers(right, "sums of small integers, exact");
}

void run_steps(Rank& rank, int steps, const Channel& first, const char* first_label,
               const Channel& second, const char* second_label) {
  const auto is_sum = [&](const Channel& channel, int step) {
    int members = 0;
    check(ncclCommCount(channel.communicator, &members));
    return read(rank, channel) == static_cast<float>(members * step);
  };
  rank.report().begin_steps();
  for (int step = 0; step < steps; ++step) {
    all_reduce(first, first_label, static_cast<float>(step));
    all_reduce(second, second_label, static_cast<float>(step));
    const bool right = is_sum(first, step) && is_sum(second, step);
    rank.report().numbers(right, "sums of small integers, exact");
    rank.report().step_done();
  }
}

void train_step(Rank& rank, const Channel& channel, int step) {
  all_reduce(channel, "gradients", static_cast<float>(rank.rank() + step));
  check_sum(rank, channel, step);
}

}  // namespace gridlock
